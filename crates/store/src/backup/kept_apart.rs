//! What is kept apart from a deployment, as a restore finds it: beside the database that is to be replaced, or in it.

use crate::StoreError;
use crate::apart::Apart;
use crate::keys::read_apart;
use crate::postgres::{Address, deployment_rows, migrations};
use crate::rows::deployment::{KEYS_AT, USER_KEYS_ID};
use crate::seal::Sealer;
use crate::secrets::Secrets;
use crate::store::StoreSettings;
use crate::user_keys::{UserKeys, needed};
use evidence::Revocations;
use std::collections::BTreeMap;
use std::path::PathBuf;

pub(crate) struct KeptApart {
    beside: PathBuf,
    /// The rows of the PostgreSQL database that is to be replaced.
    rows: BTreeMap<String, Vec<u8>>,
}

impl KeptApart {
    /// Of a database with these rows of `deployment`, whose keys are beside this file.
    pub fn from_rows(beside: PathBuf, rows: BTreeMap<String, Vec<u8>>) -> Self {
        Self { beside, rows }
    }

    pub async fn of(settings: &StoreSettings) -> Result<Self, StoreError> {
        let rows = match settings {
            StoreSettings::Sqlite(_) => BTreeMap::new(),
            StoreSettings::Postgres(settings) => {
                let client = Address::parse(&settings.url)?.connect().await?;
                match migrations::status(&client).await?.version {
                    0 => BTreeMap::new(),
                    _ => deployment_rows(&client).await?,
                }
            }
        };
        Ok(Self { beside: settings.keys().beside, rows })
    }

    /// The keys of the users in the backup; `None` where encryption is off. They are needed before anything is replaced.
    pub fn users(
        &self,
        sealer: &Sealer,
        backup: &BTreeMap<String, Vec<u8>>,
    ) -> Result<Option<UserKeys>, StoreError> {
        if !sealer.is_on() {
            return Ok(None);
        }
        let id = backup.get(USER_KEYS_ID).map(Vec::as_slice);
        let file = Apart::UserKeys.file(&self.beside);
        let row = self.rows.get(Apart::UserKeys.row());
        let in_row = row.and_then(|row| needed(sealer, id, Some(row), "the row of the users' keys").ok());
        let trees = match in_row {
            Some(trees) => trees,
            None => needed(sealer, id, read_apart(&file)?.as_deref(), &file.display().to_string())?,
        };
        Ok(Some(UserKeys::new(trees, backup.get(KEYS_AT).cloned().unwrap_or_default())))
    }

    pub fn revoked(&self, secrets: &Secrets) -> Result<Revocations, StoreError> {
        let row = self.rows.get(Apart::Revoked.row()).cloned();
        let written = match row {
            Some(row) => Some(row),
            None => read_apart(&Apart::Revoked.file(&self.beside))?,
        };
        secrets.revocations(written.as_deref())
    }
}
