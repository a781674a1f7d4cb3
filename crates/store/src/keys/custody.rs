//! Keys that are kept in files: as they are, or wrapped by Vault in which case the file alone opens nothing.

use zeroize::Zeroizing;

use super::file::KeyFile;
use super::lines;
use super::ring::{Master, Ring};
use super::secret::{Secret, random};
use super::vault::Transit;
use super::{Database, KeyError, SigningKeys, VaultError, sign_file};
use crate::seal::Sealer;

/// How everything that Vault has wrapped begins.
pub(super) const WRAPPED: &str = "vault:v";

pub(super) enum Custody {
    Plain,
    Transit(Transit),
}

impl Custody {
    pub async fn ring(&self, file: &KeyFile, database: Database) -> Result<Ring, KeyError> {
        let make = async {
            let (secret, written) = self.generate(file).await?;
            Ok(lines::key_line(Master::new(secret)?.id, &written))
        };
        let text = file.read_or_make(database, make).await?;
        let mut masters = Vec::new();
        for (id, written) in lines::key_file(&text).map_err(|problem| file.damaged(problem))? {
            let master = Master::new(self.reveal(file, written).await?)?;
            if master.id != id {
                return Err(file.damaged(format!("key {id} has not the secret that it was made with")));
            }
            masters.push(master);
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

    /// A new secret, and how the file is to keep it.
    async fn generate(&self, file: &KeyFile) -> Result<(Secret, Zeroizing<String>), KeyError> {
        match self {
            Self::Plain => {
                let secret = random()?;
                let written = Zeroizing::new(hex::encode(secret.as_slice()));
                Ok((secret, written))
            }
            Self::Transit(transit) => {
                let (secret, wrapped) = transit.generate().await.map_err(|e| in_vault(file, e))?;
                Ok((secret, Zeroizing::new(wrapped)))
            }
        }
    }

    async fn reveal(&self, file: &KeyFile, written: &str) -> Result<Secret, KeyError> {
        let wrapped = written.starts_with(WRAPPED);
        match self {
            Self::Plain if wrapped => Err(KeyError::WrappedWithoutVault { path: file.path.clone() }),
            Self::Plain => {
                lines::hexadecimal(written).ok_or_else(|| file.damaged("a secret is not 64 hex digits"))
            }
            Self::Transit(_) if !wrapped => Err(KeyError::PlainUnderVault { path: file.path.clone() }),
            Self::Transit(transit) => transit.unwrap(written).await.map_err(|e| in_vault(file, e)),
        }
    }
}

fn in_vault(file: &KeyFile, reason: VaultError) -> KeyError {
    KeyError::Vault { path: file.path.clone(), reason }
}
