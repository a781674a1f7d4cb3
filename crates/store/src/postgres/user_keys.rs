//! The users' keys of a PostgreSQL database: a row of it, sealed under the master key, because all hosts need them. Our
//! backups leave it out.

use crate::StoreError;
use crate::apart::Apart;
use crate::keys::read_apart;
use crate::rows::deployment::{KEYS_AT, USER_KEYS_ID};
use crate::seal::Sealer;
use crate::user_keys::{UserKeys, needed};
use std::collections::BTreeMap;
use std::path::Path;
use tokio_postgres::Client;

/// The keys that the database needs, made where it never had any; `None` where encryption is off. A database that was just
/// copied here takes them from the file on this host. Whoever calls this is alone.
pub(super) async fn load(
    client: &Client,
    beside: &Path,
    held: &BTreeMap<String, Vec<u8>>,
    sealer: &Sealer,
) -> Result<Option<UserKeys>, StoreError> {
    if !sealer.is_on() {
        return Ok(None);
    }
    let id = held.get(USER_KEYS_ID).map(Vec::as_slice);
    let file = Apart::UserKeys.file(beside);
    let row = held.get(Apart::UserKeys.row()).cloned();
    let in_row = row.and_then(|row| needed(sealer, id, Some(&row), "the row of the users' keys").ok());
    let trees = match in_row {
        Some(trees) => trees,
        None => {
            let written = if id.is_some() { read_apart(&file)? } else { None };
            let trees = needed(sealer, id, written.as_deref(), &file.display().to_string())?;
            let sealed = match written {
                Some(written) => written,
                None => trees.seal(sealer).map_err(|e| StoreError::Startup(e.to_string()))?,
            };
            set(client, Apart::UserKeys.row(), &sealed).await?;
            trees
        }
    };
    if id.is_none() {
        set(client, USER_KEYS_ID, &trees.id).await?;
    }
    Ok(Some(UserKeys::new(trees, held.get(KEYS_AT).cloned().unwrap_or_default())))
}

async fn set(client: &Client, name: &str, value: &[u8]) -> Result<(), StoreError> {
    client.execute(crate::rows::deployment::SET, &[&name, &value]).await?;
    Ok(())
}
