//! Changing how the key files hold their secrets: as they are, wrapped by Vault, or locked by a passphrase. The keys stay
//! what they are. Each file is replaced as a whole, so an interrupted move is finished by the next one.

use super::custody::{Custody, named};
use super::error::KeyError;
use super::file::{KeyFile, replace_apart};
use super::lines;
use super::load::{Source, left_beside};
use super::lock::Lock;
use super::passphrase;
use super::secret::Secret;
use super::settings::{Database, KeySettings, KeySource, Switch};
use super::sign_file::{self, SEALED};
use super::vault::Transit;
use secrecy::SecretString;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// How the key files are to hold their secrets.
#[derive(Debug, Clone)]
pub enum Kept {
    /// Wrapped: the files alone open nothing.
    ByVault,
    /// As they are.
    InFiles,
    /// Locked by this passphrase: the files alone open nothing.
    ByPassphrase(SecretString),
}

/// Returns the files that were written.
pub async fn move_keys(settings: &KeySettings, to: &Kept) -> Result<Vec<PathBuf>, KeyError> {
    if left_beside(&settings.beside).is_none() {
        return Err(KeyError::NothingToMove { database: settings.beside.clone() });
    }
    let source = Source::of(settings, Database::Existing).await?;
    let target = target(settings, to).await?;
    let both = Move { settings, source, target };
    let mut moved = Vec::new();
    // The master key last: a signing key that is sealed under it opens before and after.
    for (file, text) in [both.signing().await?, both.masters().await?] {
        if let Some(text) = text {
            replace_apart(&file.path, text.as_bytes())?;
            moved.push(file.path);
        }
    }
    Ok(moved)
}

async fn target(settings: &KeySettings, to: &Kept) -> Result<Custody, KeyError> {
    match (to, &settings.source) {
        (Kept::ByVault, KeySource::Vault(vault)) => Ok(Custody::Transit(Transit::new(vault)?)),
        (Kept::ByVault, KeySource::Passphrase(_)) => Err(KeyError::PassphraseToVault),
        (Kept::ByVault, KeySource::File) => Err(KeyError::MovingNeedsVault),
        (Kept::InFiles, _) => Ok(Custody::Plain),
        (Kept::ByPassphrase(new), _) => {
            passphrase::chosen(new, "SVC_NEW_KEY")?;
            let salt = KeyFile::salt(&settings.beside);
            let root = passphrase::stretch(new, &salt, Database::New).await?;
            Ok(Custody::Locked(Lock::new(&root)?))
        }
    }
}

/// A file, and what it is to hold where that is not what it holds.
type Anew = (KeyFile, Option<Zeroizing<String>>);

struct Move<'a> {
    settings: &'a KeySettings,
    source: Source,
    target: Custody,
}

impl Move<'_> {
    async fn masters(&self) -> Result<Anew, KeyError> {
        let file = KeyFile::master(&self.settings.beside);
        let held = file.text()?;
        let mut text = Zeroizing::new(String::new());
        if let Some(held) = &held {
            for (id, written) in lines::key_file(held).map_err(|problem| file.damaged(problem))? {
                let written = match self.moved(&file, written).await? {
                    Some(secret) => self.target.written(&file, &named(&file, id, secret)?.secret).await?,
                    None => Zeroizing::new(written.to_owned()),
                };
                text.push_str(&lines::key_line(id, &written));
            }
        } else if self.source.root.is_some() && self.settings.encrypt == Switch::On {
            for master in self.source.ring(&self.settings.beside, Database::Existing).await?.masters() {
                text.push_str(&lines::key_line(
                    master.id,
                    &self.target.written(&file, &master.secret).await?,
                ));
            }
        }
        Ok((file, changed(held, text)))
    }

    async fn signing(&self) -> Result<Anew, KeyError> {
        let file = KeyFile::signing(&self.settings.beside);
        let held = file.text()?;
        let mut text = Zeroizing::new(String::new());
        if let Some(held) = &held {
            let (_, secrets) = lines::sign_file(held).map_err(|problem| file.damaged(problem))?;
            text.push_str(held);
            for written in secrets.into_iter().filter(|written| !written.starts_with(SEALED)) {
                if let Some(secret) = self.moved(&file, written).await? {
                    let anew = self.target.written(&file, &secret).await?;
                    text = Zeroizing::new(text.replace(written, &anew));
                }
            }
        } else if let Some(root) = self.source.root.as_ref().filter(|_| self.settings.sign == Switch::On) {
            for secret in &passphrase::signing(root)?.secrets {
                text.push_str(&lines::sign_line(&self.derived(&file, secret).await?));
            }
        }
        Ok((file, changed(held, text)))
    }

    /// A signing key that came from the passphrase: under the master key, where there is one.
    async fn derived(&self, file: &KeyFile, secret: &Secret) -> Result<Zeroizing<String>, KeyError> {
        if self.settings.encrypt == Switch::Off {
            return self.target.written(file, secret).await;
        }
        let ring = self.source.ring(&self.settings.beside, Database::Existing).await?;
        sign_file::sealed(secret, &ring.sealer()?).map_err(|e| KeyError::Derivation(e.to_string()))
    }

    /// The secret that the file keeps so; `None` where it is kept as it should be already.
    async fn moved(&self, file: &KeyFile, written: &str) -> Result<Option<Secret>, KeyError> {
        if let Some(plain) = lines::hexadecimal(written) {
            return Ok((!matches!(self.target, Custody::Plain)).then_some(plain));
        }
        if self.target.reveal(file, written).await.is_ok() {
            return Ok(None);
        }
        self.source.custody.reveal(file, written).await.map(Some)
    }
}

fn changed(held: Option<Zeroizing<String>>, text: Zeroizing<String>) -> Option<Zeroizing<String>> {
    let is_same = text.is_empty() || held.is_some_and(|held| *held == *text);
    (!is_same).then_some(text)
}
