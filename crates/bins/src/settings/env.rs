//! Reading typed settings from the environment: strictly, with an error that names the variable and what it takes.

use super::error::SettingsError;
use secrecy::SecretString;
use std::collections::HashMap;

/// The environment as it was at startup. An empty variable counts as unset.
pub(super) struct Env(HashMap<String, String>);

impl Env {
    pub fn new(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(variables.into_iter().filter(|(_, value)| !value.trim().is_empty()).collect())
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub fn text(&self, name: &str) -> Option<String> {
        self.0.get(name).map(|value| value.trim().to_owned())
    }

    pub fn text_or(&self, name: &str, default: &str) -> String {
        self.text(name).unwrap_or_else(|| default.to_owned())
    }

    pub fn secret(&self, name: &str) -> Option<SecretString> {
        self.text(name).map(SecretString::from)
    }

    /// Comma-separated, without empty parts.
    pub fn list(&self, name: &str) -> Option<Vec<String>> {
        let text = self.text(name)?;
        Some(text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect())
    }

    pub fn whole<T: TryFrom<i64>>(
        &self,
        name: &'static str,
        default: T,
        takes: &str,
    ) -> Result<T, SettingsError> {
        match self.text(name) {
            None => Ok(default),
            Some(text) => text
                .parse::<i64>()
                .ok()
                .and_then(|number| T::try_from(number).ok())
                .ok_or_else(|| SettingsError::new(name, format!("takes {takes}, not '{text}'"))),
        }
    }

    pub fn switch(&self, name: &'static str, default: bool) -> Result<bool, SettingsError> {
        let Some(text) = self.text(name) else { return Ok(default) };
        match text.to_lowercase().as_str() {
            "on" | "true" | "yes" | "1" => Ok(true),
            "off" | "false" | "no" | "0" => Ok(false),
            _ => Err(SettingsError::new(
                name,
                format!("takes on, off, true, false, yes, no, 1 or 0, not '{text}'"),
            )),
        }
    }
}
