//! Where a witness is, as `SVC_WITNESS` names it.

use evidence::WitnessKey;
use reqwest::Url;
use std::fmt;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Witness {
    /// A file that only ever gets newer heads.
    File(PathBuf),
    /// An endpoint of the C2SP witness protocol. Its answers are believed by its key.
    Http { address: Url, key: Box<WitnessKey> },
}

impl Witness {
    /// Reads one part of the setting; the error says what it takes.
    pub fn parse(text: &str) -> Result<Self, String> {
        if !text.contains("://") {
            let path = PathBuf::from(text.strip_prefix("file:").unwrap_or(text));
            if !path.is_absolute() {
                return Err(format!("{text} is no path from the root; give it in full"));
            }
            return Ok(Self::File(path));
        }
        let (address, key) = text.split_once('#').ok_or_else(|| {
            format!(
                "{text} has no key; write the address, a # and the key that the witness shows when it starts"
            )
        })?;
        let address = Url::parse(address)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .filter(|url| url.username().is_empty() && url.password().is_none())
            .ok_or("one of them is no http:// or https:// address, or has a password in it")?;
        let key = WitnessKey::parse(key).map_err(|e| format!("the key after {address}#: {e}"))?;
        Ok(Self::Http { address, key: Box::new(key) })
    }
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "file:{}", path.display()),
            Self::Http { address, .. } => write!(f, "{}", address.as_str().trim_end_matches('/')),
        }
    }
}
