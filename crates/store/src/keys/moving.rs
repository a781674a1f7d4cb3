//! Handing the secrets in the key files over to Vault, and taking them back. The keys stay what they are; only how the
//! files hold them changes. Each file is replaced as a whole, so an interrupted move is finished by the next one.

use super::custody::WRAPPED;
use super::error::KeyError;
use super::file::{KeyFile, replace_apart};
use super::lines;
use super::settings::{KeySettings, KeySource};
use super::sign_file::SEALED;
use super::vault::Transit;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// How the key files are to hold their secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Wrapped: the files alone open nothing.
    ByVault,
    /// As they are.
    InFiles,
}

/// Returns the files that were written anew. Either way needs Vault.
pub async fn move_keys(settings: &KeySettings, to: Kept) -> Result<Vec<PathBuf>, KeyError> {
    let KeySource::Vault(vault) = &settings.source else { return Err(KeyError::MovingNeedsVault) };
    let transit = Transit::new(vault)?;
    let mut moved = Vec::new();
    for file in [KeyFile::master(&settings.beside), KeyFile::signing(&settings.beside)] {
        let Some(text) = file.text()? else { continue };
        let written = rewritten(&transit, &file, &text, to).await?;
        if *written != *text {
            replace_apart(&file.path, written.as_bytes())?;
            moved.push(file.path);
        }
    }
    Ok(moved)
}

/// The text of the file with each of its secrets as it is to be. The secret is the last word of its line.
async fn rewritten(
    transit: &Transit,
    file: &KeyFile,
    text: &str,
    to: Kept,
) -> Result<Zeroizing<String>, KeyError> {
    let in_vault = |reason| KeyError::Vault { path: file.path.clone(), reason };
    let is_ours = lines::key_file(text).is_ok() || lines::sign_file(text).is_ok();
    let mut written = Zeroizing::new(String::with_capacity(2 * text.len()));
    for line in text.lines() {
        let (start, last) =
            line.rsplit_once(' ').filter(|_| is_ours).ok_or_else(|| file.damaged("it is no key file"))?;
        let is_history = start.ends_with(" history");
        let is_wrapped = last.starts_with(WRAPPED);
        let last = match to {
            _ if is_history || last.starts_with(SEALED) => Zeroizing::new(last.to_owned()),
            Kept::ByVault if !is_wrapped => {
                let secret =
                    lines::hexadecimal(last).ok_or_else(|| file.damaged("a secret is not 64 hex digits"))?;
                Zeroizing::new(transit.wrap(&secret).await.map_err(in_vault)?)
            }
            Kept::InFiles if is_wrapped => {
                Zeroizing::new(hex::encode(transit.unwrap(last).await.map_err(in_vault)?.as_slice()))
            }
            Kept::ByVault | Kept::InFiles => Zeroizing::new(last.to_owned()),
        };
        written.push_str(start);
        written.push(' ');
        written.push_str(&last);
        written.push('\n');
    }
    Ok(written)
}
