//! Adding a master key to those that are kept. It is there before anything is sealed under it.

use super::error::KeyError;
use super::file::{KeyFile, replace_apart};
use super::lines;
use super::load::Source;
use super::settings::{Database, KeySettings};
use crate::seal::KeyId;
use zeroize::Zeroizing;

/// A master key that is made, and not yet kept.
pub(crate) struct NewMaster {
    pub id: KeyId,
    line: Zeroizing<String>,
    /// What the file is to hold before it where there is none yet: the key that is derived from the passphrase.
    derived: Zeroizing<String>,
}

impl NewMaster {
    pub async fn make(settings: &KeySettings) -> Result<Self, KeyError> {
        let source = Source::of(settings, Database::Existing).await?;
        let file = KeyFile::master(&settings.beside);
        let (id, line) = source.custody.new_master(&file).await?;
        let mut derived = Zeroizing::new(String::new());
        if file.text()?.is_none() {
            for master in source.ring(&settings.beside, Database::Existing).await?.masters() {
                let written = source.custody.written(&file, &master.secret).await?;
                derived.push_str(&lines::key_line(master.id, &written));
            }
        }
        Ok(Self { id, line, derived })
    }

    /// Adds it to the file, whose newest key must be `current`: whoever calls this has a lock under which the current key
    /// does not change.
    pub fn keep(&self, settings: &KeySettings, current: KeyId) -> Result<(), KeyError> {
        let file = KeyFile::master(&settings.beside);
        let held = file.text()?.unwrap_or_else(|| self.derived.clone());
        let newest = lines::key_file(&held).ok().and_then(|keys| keys.last().map(|(id, _)| *id));
        if newest != Some(current) {
            return Err(KeyError::ChangedMeanwhile { path: file.path });
        }
        let mut text = Zeroizing::new(String::with_capacity(held.len() + self.line.len()));
        text.push_str(&held);
        text.push_str(&self.line);
        lines::key_file(&text).map_err(|problem| file.damaged(problem))?;
        replace_apart(&file.path, text.as_bytes())
    }
}

/// The newest key in the file of the master keys; `None` where there is no file.
pub(crate) fn newest_master(settings: &KeySettings) -> Result<Option<KeyId>, KeyError> {
    let file = KeyFile::master(&settings.beside);
    let Some(text) = file.text()? else { return Ok(None) };
    let keys = lines::key_file(&text).map_err(|problem| file.damaged(problem))?;
    Ok(keys.last().map(|(id, _)| *id))
}
