//! The one handle that the service works with, and which engine is behind it. What it can do is in `scripts`.

use crate::erasures::Erasures;
use crate::head_file::{HeadFile, Kept, Outside};
use crate::health::Health;
use crate::keys::KeySettings;
use crate::load::Load;
use crate::postgres::{Postgres, PostgresSettings};
use crate::rows::audit::AuditReport;
use crate::rows::schema::Schema;
use crate::script::{Query, Reach, Script, StoreResult};
use crate::scripts::log::HeadInside;
use crate::scripts::marks::Against;
use crate::scripts::signing_view::Learn;
use crate::scripts::user_keys::Follow;
use crate::secrets::Secrets;
use crate::sqlite::db::SqliteDb;
use crate::sqlite::{Sqlite, SqliteSettings};
use crate::typed_lines::{self, TypedLines};
use crate::verification::{Audience, Verification};
use crate::witness::Known;
use crate::{ChainWait, StoreError};
use domain::{Account, OnceAMinute, PrincipalId, ReceiptId, Tenant, Timestamp};
use evidence::{KeyHistory, Keyring, SignedHead};
use futures_util::future::BoxFuture;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub enum StoreSettings {
    Sqlite(SqliteSettings),
    Postgres(PostgresSettings),
}

impl SqliteSettings {
    pub fn keys(&self) -> KeySettings {
        let Self { path, keys, encrypt, sign, .. } = self.clone();
        KeySettings { beside: path, source: keys, encrypt, sign }
    }
}

impl PostgresSettings {
    pub fn keys(&self) -> KeySettings {
        let Self { beside, keys, encrypt, sign, .. } = self.clone();
        KeySettings { beside, source: keys, encrypt, sign }
    }
}

impl StoreSettings {
    pub fn keys(&self) -> KeySettings {
        match self {
            Self::Sqlite(settings) => settings.keys(),
            Self::Postgres(settings) => settings.keys(),
        }
    }
}

impl StoreSettings {
    /// Where the memory is, as a person reads it: the file in full, or the server without its password.
    pub fn shown(&self) -> String {
        match self {
            Self::Sqlite(settings) => {
                let path = std::path::absolute(&settings.path).unwrap_or_else(|_| settings.path.clone());
                path.display().to_string()
            }
            Self::Postgres(settings) => settings.shown(),
        }
    }
}

/// A handle on the database; clones share it.
#[derive(Clone)]
pub struct Store {
    engine: Engine,
    verification: Arc<Verification>,
    erasures: Arc<Erasures>,
    finish: FinishErasure,
    witnesses: Arc<[Known]>,
    damaged_principals: Arc<OnceAMinute<PrincipalId>>,
}

/// Finishes an erasure that a call came upon. It is made of scripts, which know this file and not the other way round.
pub(crate) type FinishErasure = fn(Store, Tenant, ReceiptId) -> BoxFuture<'static, StoreResult<()>>;

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

#[derive(Clone)]
enum Engine {
    Sqlite(Arc<Sqlite>),
    Postgres(Postgres),
}

impl Schema {
    /// Reads the version without creating anything.
    pub async fn of(settings: &StoreSettings) -> Result<Self, StoreError> {
        match settings {
            StoreSettings::Sqlite(settings) => Self::of_sqlite(&settings.path),
            StoreSettings::Postgres(settings) => Self::of_postgres(&settings.url).await,
        }
    }

    /// Applies what is pending; returns the versions that were applied.
    pub async fn migrate(settings: &StoreSettings, now: Timestamp) -> Result<Vec<i64>, StoreError> {
        match settings {
            StoreSettings::Sqlite(settings) => Self::migrate_sqlite(&settings.path, now),
            StoreSettings::Postgres(settings) => Self::migrate_postgres(&settings.url, now).await,
        }
    }
}

impl Store {
    pub(crate) async fn with(
        settings: StoreSettings,
        now: Timestamp,
        finish: FinishErasure,
    ) -> Result<Self, StoreError> {
        let engine = match settings {
            StoreSettings::Sqlite(settings) => Engine::Sqlite(Arc::new(Sqlite::open(settings, now).await?)),
            StoreSettings::Postgres(settings) => Engine::Postgres(Postgres::open(settings, now).await?),
        };
        Ok(Self::of(engine, finish))
    }

    /// The same deployment, as this file holds it.
    pub(crate) fn on(&self, file: PathBuf) -> Result<Self, StoreError> {
        let engine = Sqlite::on(file, self.secrets().clone(), None)?;
        Ok(Self::of(Engine::Sqlite(Arc::new(engine)), self.finish))
    }

    fn of(engine: Engine, finish: FinishErasure) -> Self {
        Self {
            engine,
            verification: Arc::default(),
            erasures: Arc::default(),
            finish,
            witnesses: Arc::from([]),
            damaged_principals: Arc::default(),
        }
    }

    pub(crate) fn secrets(&self) -> &Arc<Secrets> {
        match &self.engine {
            Engine::Sqlite(engine) => &engine.secrets,
            Engine::Postgres(engine) => &engine.shared.secrets,
        }
    }

    /// Whether several hosts may share the database.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.engine, Engine::Postgres(_))
    }

    pub fn is_sealed(&self) -> bool {
        self.secrets().sealer.is_on()
    }

    /// The public half of the signing key in hexadecimal; `None` when signing is off.
    pub fn public_key(&self) -> Option<String> {
        self.secrets().signing().map(|signing| signing.signer.public_key().to_hex())
    }

    /// The keys that signed; `None` when signing is off.
    pub fn keyring(&self) -> Option<Keyring> {
        self.secrets().signing().map(|signing| signing.keyring.clone())
    }

    /// Which key signed after which; `None` when signing is off.
    pub fn key_history(&self) -> Option<KeyHistory> {
        self.secrets().signing().map(|signing| signing.history.clone())
    }

    /// What was typed at the prompt of this database. There is none with PostgreSQL: an erasure on one host could not
    /// reach the files on the others.
    pub fn typed_lines(&self) -> Option<TypedLines> {
        match &self.engine {
            Engine::Sqlite(engine) => Some(TypedLines::beside(&engine.path, engine.secrets.clone())),
            Engine::Postgres(_) => None,
        }
    }

    /// Removes what was typed at the prompt, which may hold what is about to be erased.
    pub(crate) fn typed_lines_remove(&self) -> Result<(), StoreError> {
        match &self.engine {
            Engine::Sqlite(engine) => typed_lines::remove(&engine.path),
            Engine::Postgres(_) => Ok(()),
        }
    }

    /// Leaves nothing of earlier writes in the write-ahead log. PostgreSQL recycles its own by itself.
    pub(crate) async fn log_truncate(&self) -> Result<(), StoreError> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.log_truncate().await,
            Engine::Postgres(_) => Ok(()),
        }
    }

    /// How long this process has waited for other processes to leave the end of the audit log; `None` on an engine
    /// where the wait is not told apart from the commit.
    pub fn chain_wait(&self) -> Option<ChainWait> {
        match &self.engine {
            Engine::Sqlite(_) => None,
            Engine::Postgres(engine) => Some(engine.shared.waited.so_far()),
        }
    }

    /// How busy this process is with the database.
    pub fn load(&self) -> Load {
        match &self.engine {
            Engine::Sqlite(engine) => engine.load(),
            Engine::Postgres(engine) => engine.load(),
        }
    }

    /// Runs the script in a transaction and returns when it is committed. An erasure that is under way where it writes is
    /// finished first.
    pub(crate) async fn write<S: Script>(&self, script: S) -> StoreResult<S::Output> {
        let script = Arc::new(script);
        let unknown = self.secrets().unknown();
        let mut has_followed = false;
        loop {
            match self.write_now(script.clone()).await {
                Err(StoreError::Sealed { .. }) if !has_followed && self.secrets().unknown() != unknown => {
                    has_followed = true;
                    self.write_now(Follow).await?;
                }
                Err(StoreError::Erasing(erasure)) => {
                    (self.finish)(self.clone(), script.ground().tenant.clone(), erasure).await?;
                }
                ended => return ended,
            }
        }
    }

    /// The same for what an erasure does not wait for.
    pub(crate) async fn write_now<S: Script>(&self, script: S) -> StoreResult<S::Output> {
        match &self.engine {
            Engine::Sqlite(engine) => {
                engine.check_place()?;
                engine.writer.run(script).await
            }
            Engine::Postgres(engine) => engine.lane.run(script).await,
        }
    }

    /// Asks the database. An erasure that is under way where it reads is finished first.
    pub(crate) async fn read<Q: Query>(&self, query: Q) -> StoreResult<Q::Output> {
        let query = Arc::new(query);
        let unknown = self.secrets().unknown();
        let mut has_followed = false;
        loop {
            let answer = self.read_now(query.clone()).await;
            if !has_followed && self.secrets().unknown() != unknown {
                // Something is under a key that another process may have made since this one last looked.
                has_followed = true;
                self.write_now(Follow).await?;
                continue;
            }
            match (answer, query.reach()) {
                (Err(StoreError::Erasing(erasure)), Reach::Tenant(tenant)) => {
                    (self.finish)(self.clone(), tenant.clone(), erasure).await?;
                }
                (ended, _) => return ended,
            }
        }
    }

    /// The same for what an erasure does not wait for.
    pub(crate) async fn read_now<Q: Query>(&self, query: Q) -> StoreResult<Q::Output> {
        if let Engine::Sqlite(engine) = &self.engine {
            engine.check_place()?;
        }
        match &self.engine {
            Engine::Sqlite(engine) if query.is_lookup() => engine.desk.ask(query).await,
            Engine::Sqlite(engine) if query.is_large() => engine.large.ask(query).await,
            Engine::Sqlite(engine) => engine.readers.ask(query).await,
            Engine::Postgres(engine) => engine.ask(query).await,
        }
    }

    /// An error where the disk of the database is full. What is written may still go over what the log for writing ahead
    /// holds already, and that ends in the middle of somebody's call. The disk of a server is the server's to know.
    pub(crate) fn check_room(&self) -> StoreResult<()> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.check_room(),
            Engine::Postgres(_) => Ok(()),
        }
    }

    /// How the writing of this process is doing.
    pub(crate) fn health(&self) -> &Health {
        match &self.engine {
            Engine::Sqlite(engine) => engine.writer.health(),
            Engine::Postgres(engine) => &engine.lane.health,
        }
    }

    /// What the heads outside the database say.
    pub(crate) async fn outside(&self) -> StoreResult<Outside> {
        let outside = self.head_file().apart(HeadFile::read).await?;
        if !matches!(outside.kept, Kept::NotOurs) {
            return Ok(outside);
        }
        // The head may be signed by a key that came since this process last looked.
        self.read_now(Learn).await?;
        self.head_file().apart(HeadFile::read).await
    }

    /// Where the head of the audit log is kept outside the database.
    pub(crate) fn head_file(&self) -> HeadFile {
        match &self.engine {
            Engine::Sqlite(engine) => HeadFile::beside(&engine.path, &engine.secrets),
            Engine::Postgres(engine) => engine.shared.head_file.clone(),
        }
    }

    /// A head file in another place.
    pub(crate) fn head_file_at(&self, path: PathBuf) -> HeadFile {
        match &self.engine {
            Engine::Sqlite(engine) => HeadFile::at(path, &engine.secrets),
            Engine::Postgres(engine) => HeadFile::at(path, &engine.shared.secrets),
        }
    }

    /// The newest head of the log of which it is known that no power cut takes it back. With SQLite that is the one beside
    /// the database, as long as that is there: the entries of the last reads may not have reached the disk yet.
    pub(crate) async fn head_on_disk(&self) -> StoreResult<Option<SignedHead>> {
        match &self.engine {
            Engine::Sqlite(_) => {
                let Some(heads) = self.outside().await?.kept.heads() else {
                    return self.read_now(HeadInside).await;
                };
                let newest = heads.into_iter().max_by_key(|head| head.statement.at.size);
                Ok(newest.filter(|head| head.statement.at.size > 0))
            }
            Engine::Postgres(engine) => engine.ask(HeadInside).await,
        }
    }

    pub(crate) fn with_witnesses(self, witnesses: Vec<Known>) -> Self {
        Self { witnesses: witnesses.into(), ..self }
    }

    pub(crate) fn witnesses(&self) -> &[Known] {
        &self.witnesses
    }

    pub(crate) fn damaged_principals(&self) -> &OnceAMinute<PrincipalId> {
        &self.damaged_principals
    }

    pub(crate) fn erasures(&self) -> &Erasures {
        &self.erasures
    }

    pub(crate) const fn verification(&self) -> &Arc<Verification> {
        &self.verification
    }

    pub(crate) async fn audit_check(&self, against: Against, audience: Audience) -> StoreResult<AuditReport> {
        match &self.engine {
            Engine::Sqlite(engine) => {
                let stamp = engine.stamp().await;
                let before = stamp.as_ref().and_then(|stamp| engine.last_intact.at(stamp));
                let check = move |db: &mut SqliteDb<'_>| db.audit_check_after(against, &audience, before);
                let (report, intact) = engine.verification.run(&Account::of_deployment(), check).await?;
                engine.last_intact.set(stamp.zip(intact));
                Ok(report)
            }
            Engine::Postgres(engine) => engine.shared.audit_check(against, &audience).await,
        }
    }
}
