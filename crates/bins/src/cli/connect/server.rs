//! What a client is to be connected to.

use super::passed_settings::PassedSettings;
use crate::cli::CliError;
use crate::settings::DatabaseFile;
use std::path::{Path, PathBuf};

/// The name of our entry in every client's file.
pub const NAME: &str = "svc";
/// Written in place of the key where a client cannot read it from a variable.
pub const KEY_HERE: &str = "svc_sk_YOUR_KEY";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Server {
    /// A program that the client starts, with the settings that decide which memory it opens and who reads for it.
    Local { command: String, env: PassedSettings },
    /// A server that runs already.
    Remote { url: String, key_env: String },
}

impl Server {
    /// `svc-mcp` from the folder of this program. A client starts it in a folder of its own choice, so every path is
    /// given in full.
    pub fn local() -> Result<Self, CliError> {
        let refused = |what: &str, e: std::io::Error| CliError::Refused(format!("cannot find {what}: {e}"));
        let command =
            std::env::current_exe().map_err(|e| refused("this program", e))?.with_file_name("svc-mcp");
        if !command.exists() {
            let text = format!("{} does not exist; build it with: cargo build --release", command.display());
            return Err(CliError::Refused(text));
        }
        let full = |path: &Path| {
            let path = std::path::absolute(path).map_err(|e| refused("this folder", e))?;
            text(path)
        };
        let mut env = PassedSettings::from_environment();
        if let Some(schema) = set("SVC_SLOT_SCHEMA") {
            let schema = if schema.starts_with("preset:") { schema } else { full(Path::new(&schema))? };
            env.plain.insert(0, ("SVC_SLOT_SCHEMA".to_owned(), schema));
        }
        env.plain.insert(0, ("SVC_DB".to_owned(), full(DatabaseFile::from_environment().file())?));
        Ok(Self::Local { command: text(command)?, env })
    }

    pub fn remote(url: &str, key_env: &str) -> Result<Self, CliError> {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            let text = format!("--http takes an address such as http://127.0.0.1:8080/mcp, not '{url}'");
            return Err(CliError::Refused(text));
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let starts = key_env.chars().next().is_some_and(|c| is_name(c) && !c.is_ascii_digit());
        if key_env.starts_with("svc_sk_") || !starts || !key_env.chars().all(is_name) {
            // What was given may be a key, so it is not repeated.
            let text =
                "--key-env takes the name of an environment variable, not a key; for example SVC_API_KEY";
            return Err(CliError::Refused(text.to_owned()));
        }
        Ok(Self::Remote { url: url.to_owned(), key_env: key_env.to_owned() })
    }
}

/// An environment variable; an empty one counts as unset.
fn set(name: &str) -> Option<String> {
    std::env::var(name).ok().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

fn text(path: PathBuf) -> Result<String, CliError> {
    path.into_os_string()
        .into_string()
        .map_err(|path| CliError::Refused(format!("the path {} is not valid Unicode", path.display())))
}
