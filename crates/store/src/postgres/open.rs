//! Opening a database: schema, keys, and whether these keys are the ones it was made with.

use super::address::Address;
use super::engine::Postgres;
use super::known::Known;
use super::lane::Lane;
use super::pool::{Contents, Purpose};
use super::shared::Shared;
use super::waited::Waited;
use super::{migrations, pool, user_keys};
use crate::StoreError;
use crate::apart::Apart;
use crate::head_file::{HeadFile, Lag, entries_beside, path_beside};
use crate::keys::{self, Database, KeySettings, KeySource, Switch, replace_apart};
use crate::rows::deployment::{self, COPYING, Claim, ENCRYPTION, HEAD};
use crate::rows::log_end::LastEnd;
use crate::rows::schema::Schema;
use crate::secrets::Secrets;
use domain::{Places, Timestamp};
use evidence::{Head, Position};
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_postgres::Client;

#[derive(Debug, Clone)]
pub struct PostgresSettings {
    pub url: SecretString,
    /// Where this host keeps its keys and its head of the audit log: `<here>.key`, `<here>.head` and so on.
    pub beside: PathBuf,
    pub keys: KeySource,
    pub encrypt: Switch,
    pub sign: Switch,
}

impl PostgresSettings {
    /// Where the database is, without its password.
    pub fn shown(&self) -> String {
        Address::parse(&self.url).map_or_else(|_| "PostgreSQL".to_owned(), |address| address.shown())
    }
}

impl Schema {
    /// Reads the version without creating anything.
    pub async fn of_postgres(url: &SecretString) -> Result<Self, StoreError> {
        migrations::status(&Address::parse(url)?.connect().await?).await
    }

    /// Applies what is pending; returns the versions that were applied.
    pub async fn migrate_postgres(url: &SecretString, now: Timestamp) -> Result<Vec<i64>, StoreError> {
        let client = Address::parse(url)?.connect().await?;
        migrations::alone(&client).await?;
        migrations::up(&client, &now.to_string()).await
    }
}

impl Postgres {
    /// Opens the database, setting it up and making its keys where it is empty.
    pub async fn open(settings: PostgresSettings, now: Timestamp) -> Result<Self, StoreError> {
        Self::open_as(settings, Contents::Whole, now).await
    }

    pub async fn open_as(
        settings: PostgresSettings,
        contents: Contents,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let address = Address::parse(&settings.url)?;
        let client = address.connect().await?;
        fit_for_use(&client).await?;
        // One process at a time from here on, whichever host it is on; the lock ends with this connection.
        migrations::alone(&client).await?;
        migrations::up(&client, &now.to_string()).await?;
        migrations::refuse_foreign(&client).await?;
        let held = deployment_rows(&client).await?;
        if held.contains_key(COPYING) && contents == Contents::Whole {
            return Err(StoreError::Startup(
                "a copy into this database was begun and has not ended; run svc migrate-to or svc restore again"
                    .to_owned(),
            ));
        }
        let (secrets, head_file) = claimed(&client, &settings, &held, now).await?;
        let known = known_end(&secrets, held.get(HEAD).map(Vec::as_slice));
        let shared = Arc::new(Shared {
            reading: pool::open(&address, contents, Purpose::Reading)?,
            places: Places::new(pool::READING),
            writing: pool::open(&address, contents, Purpose::Writing)?,
            desk: pool::open(&address, contents, Purpose::Desk)?,
            verification: pool::open(&address, contents, Purpose::Verification)?,
            secrets,
            head_file,
            head_lag: Lag::default(),
            known,
            last_end: LastEnd::default(),
            waited: Waited::default(),
        });
        if let Err(error) = shared.settle().await {
            // Whatever is wrong is for verify_audit to say, which needs an open database.
            tracing::warn!(%error, "the head on this host could not be compared with the log");
        }
        // Only now, when a connection of the pool shows that the service is running here.
        drop(client);
        Ok(Self { lane: Lane::start(&shared), shared })
    }
}

/// What must be so before anything is made, and what a person should know.
pub(crate) async fn fit_for_use(client: &Client) -> Result<(), StoreError> {
    let row = client
        .query_one(
            "SELECT current_setting('server_encoding'), rolsuper OR rolbypassrls, current_user::TEXT
             FROM pg_roles WHERE rolname = current_user",
            &[],
        )
        .await?;
    let (encoding, passes_walls, role): (String, bool, String) =
        (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    if encoding != "UTF8" {
        return Err(StoreError::Startup(format!(
            "SVC_DATABASE_URL: the database is encoded in {encoding}; make one with ENCODING 'UTF8'"
        )));
    }
    if passes_walls {
        tracing::warn!(
            "the role {role} passes row-level security, so the second wall between tenants does not stand; give the \
             service a role of its own that is no superuser and has no BYPASSRLS"
        );
    }
    Ok(())
}

pub(crate) async fn deployment_rows(client: &Client) -> Result<BTreeMap<String, Vec<u8>>, StoreError> {
    let rows = client.query("SELECT name, value FROM deployment", &[]).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

async fn deployment_set(client: &Client, name: &str, value: &[u8]) -> Result<(), StoreError> {
    let sql = "INSERT INTO deployment (name, value) VALUES ($1, $2)";
    client.execute(sql, &[&name, &value]).await?;
    Ok(())
}

/// A database that holds nothing, while the head on this host says that it did, is not begun anew in silence.
fn refuse_emptied(beside: &Path) -> Result<(), StoreError> {
    match entries_beside(beside) {
        0 => Ok(()),
        entries => Err(StoreError::Startup(format!(
            "SVC_DATABASE_URL: the database is empty, but the head file on this host says that it held {entries} audit \
             entries. Restore a backup with svc restore FILE, or name the right database. To begin anew without what it \
             held, move {} and the key files beside it away",
            path_beside(beside).display()
        ))),
    }
}

/// The keys of the database, made where it is new. What is no secret without a passphrase or Vault is kept in the
/// database too, so that another host needs no file to begin with.
async fn claimed(
    client: &Client,
    settings: &PostgresSettings,
    held: &BTreeMap<String, Vec<u8>>,
    now: Timestamp,
) -> Result<(Arc<Secrets>, HeadFile), StoreError> {
    let startup = |error: keys::KeyError| StoreError::Startup(error.to_string());
    let key_settings = KeySettings {
        beside: settings.beside.clone(),
        source: settings.keys.clone(),
        encrypt: settings.encrypt,
        sign: settings.sign,
    };
    let claimed = held.contains_key(ENCRYPTION);
    if !claimed {
        refuse_emptied(&settings.beside)?;
    }
    for (name, file) in keys::shareable(&key_settings) {
        if let Some(text) = held.get(name) {
            file.take(text).map_err(startup)?;
        }
    }
    let database = if claimed { Database::Existing } else { Database::New };
    let loaded = keys::load(&key_settings, database).await.map_err(|error| elsewhere(error, claimed))?;
    let beside = loaded.signing.as_ref().map(|keys| keys.history.clone());
    let mut secrets = Secrets::from_keys(loaded, held)?;
    if claimed {
        Claim { secrets: &secrets, encrypt: settings.encrypt, sign: settings.sign }.check(held)?;
    }
    secrets.users = user_keys::load(client, &settings.beside, held, &secrets.sealer).await?;
    let secrets = Arc::new(secrets);
    let head_file = HeadFile::beside(&settings.beside, &secrets);
    let head_error = |e: std::io::Error| {
        let path = head_file.path().display();
        StoreError::Startup(format!("cannot write {path}: {e}; check its permissions"))
    };
    if claimed {
        // This host was not there when the signing key was replaced, and keeps the retired one no longer.
        if let Some(row) = held.get(Apart::SigningKeys.row())
            && secrets.signing().map(|signing| signing.history.clone()) != beside
        {
            replace_apart(&Apart::SigningKeys.file(&settings.beside), row).map_err(startup)?;
        }
        head_file.keep_private().map_err(head_error)?;
        return Ok((secrets, head_file));
    }
    let claim = Claim { secrets: &secrets, encrypt: settings.encrypt, sign: settings.sign };
    // Before the database is claimed: a host of one that is claimed, and has no head file, has lost it or has just joined.
    head_file.begin(None, now).map_err(head_error)?;
    client.batch_execute("BEGIN").await?;
    for (name, file) in keys::shareable(&key_settings) {
        if let Some(text) = file.text().map_err(startup)? {
            deployment_set(client, name, text.as_bytes()).await?;
        }
    }
    for (name, value) in claim.rows()? {
        deployment_set(client, name, &value).await?;
    }
    client.batch_execute("COMMIT").await?;
    Ok((secrets, head_file))
}

/// A key file that is missing here usually lies on the host that made the database.
fn elsewhere(error: keys::KeyError, claimed: bool) -> StoreError {
    match error {
        keys::KeyError::Missing { ref path, .. } if claimed => StoreError::Startup(format!(
            "{error}. If another host made this database, copy its key files to {} and so on, or share the keys by \
             SVC_KEY or Vault",
            path.display()
        )),
        other => StoreError::Startup(other.to_string()),
    }
}

/// Where the log ends, which is known to be of it. A head that is not ours is nothing to build upon: the service starts
/// all the same, so that `verify_audit` can tell.
fn known_end(secrets: &Secrets, head: Option<&[u8]>) -> Known {
    let known = Known::default();
    match deployment::signed::<Head>(head).and_then(|head| secrets.head_position(head)) {
        Ok(Position::GENESIS) => {}
        Ok(at) => known.add(at),
        Err(error) => tracing::error!(%error, "the audit log cannot be continued"),
    }
    known
}
