//! Keys that are kept in files: as they are, wrapped by Vault, or locked by a passphrase. Where they are wrapped or locked,
//! the file alone opens nothing.

use zeroize::Zeroizing;

use super::file::KeyFile;
use super::lines;
use super::lock::{LOCKED, Lock};
use super::ring::{Master, Ring};
use super::secret::{Secret, random};
use super::vault::Transit;
use super::{Database, KeyError, SigningKeys, VaultError, sign_file};
use crate::seal::{KeyId, Sealer};

/// How everything that Vault has wrapped begins.
const WRAPPED: &str = "vault:v";

pub(super) enum Custody {
    Plain,
    Transit(Transit),
    Locked(Lock),
}

impl Custody {
    pub async fn ring(&self, file: &KeyFile, database: Database) -> Result<Ring, KeyError> {
        let make = async { Ok(self.new_master(file).await?.1) };
        let text = file.read_or_make(database, make).await?;
        let mut masters = Vec::new();
        for (id, written) in lines::key_file(&text).map_err(|problem| file.damaged(problem))? {
            masters.push(named(file, id, self.reveal(file, written).await?)?);
        }
        let current = masters.pop().ok_or_else(|| file.damaged("it is empty"))?;
        Ok(Ring::new(current, masters))
    }

    pub async fn signing(
        &self,
        file: &KeyFile,
        sealer: &Sealer,
        database: Database,
    ) -> Result<SigningKeys, KeyError> {
        let make = async {
            let (_, written) = self.generate(file).await?;
            Ok(lines::sign_line(&written))
        };
        let text = file.read_or_make(database, make).await?;
        let (history, written) = lines::sign_file(&text).map_err(|problem| file.damaged(problem))?;
        let history = sign_file::decoded(history).map_err(|problem| file.damaged(problem))?;
        let mut secrets = Vec::with_capacity(written.len());
        for written in written {
            secrets.push(match sign_file::opened(written, sealer) {
                Some(opened) => opened.map_err(|problem| file.damaged(problem))?,
                None => self.reveal(file, written).await?,
            });
        }
        Ok(SigningKeys { history, secrets })
    }

    /// A new master, and the line that keeps it.
    pub async fn new_master(&self, file: &KeyFile) -> Result<(KeyId, Zeroizing<String>), KeyError> {
        let (secret, written) = self.generate(file).await?;
        let id = Master::new(secret)?.id;
        Ok((id, lines::key_line(id, &written)))
    }

    /// A new secret, and how the file is to keep it.
    async fn generate(&self, file: &KeyFile) -> Result<(Secret, Zeroizing<String>), KeyError> {
        if let Self::Transit(transit) = self {
            let (secret, wrapped) = transit.generate().await.map_err(|e| in_vault(file, e))?;
            return Ok((secret, Zeroizing::new(wrapped)));
        }
        let secret = random()?;
        let written = self.written(file, &secret).await?;
        Ok((secret, written))
    }

    /// The secret as the file is to keep it.
    pub async fn written(&self, file: &KeyFile, secret: &Secret) -> Result<Zeroizing<String>, KeyError> {
        match self {
            Self::Plain => Ok(Zeroizing::new(hex::encode(secret.as_slice()))),
            Self::Transit(transit) => {
                Ok(Zeroizing::new(transit.wrap(secret).await.map_err(|e| in_vault(file, e))?))
            }
            Self::Locked(lock) => lock.locked(secret),
        }
    }

    /// The secret that the file keeps so.
    pub async fn reveal(&self, file: &KeyFile, written: &str) -> Result<Secret, KeyError> {
        let path = file.path.clone();
        let (is_wrapped, is_locked) = (written.starts_with(WRAPPED), written.starts_with(LOCKED));
        match self {
            Self::Locked(lock) if is_locked => lock.opened(written).ok_or(KeyError::WrongPassphrase { path }),
            Self::Locked(_) => Err(KeyError::NotLocked { path }),
            _ if is_locked => Err(KeyError::LockedWithoutPassphrase { path }),
            Self::Plain if is_wrapped => Err(KeyError::WrappedWithoutVault { path }),
            Self::Plain => {
                lines::hexadecimal(written).ok_or_else(|| file.damaged("a secret is not 64 hex digits"))
            }
            Self::Transit(_) if !is_wrapped => Err(KeyError::PlainUnderVault { path }),
            Self::Transit(transit) => transit.unwrap(written).await.map_err(|e| in_vault(file, e)),
        }
    }
}

/// The master key of this name.
pub(super) fn named(file: &KeyFile, id: KeyId, secret: Secret) -> Result<Master, KeyError> {
    let master = Master::new(secret)?;
    if master.id == id {
        return Ok(master);
    }
    Err(file.damaged(format!("key {id} has not the secret that it was made with")))
}

fn in_vault(file: &KeyFile, reason: VaultError) -> KeyError {
    KeyError::Vault { path: file.path.clone(), reason }
}
