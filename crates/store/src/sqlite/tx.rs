//! One write transaction of the database: the calls of a group, each of which can be undone alone.

use super::chain::Chain;
use super::db::{SqliteDb, at_once};
use crate::StoreError;
use crate::apart::Apart;
use crate::call::{Call, Record};
use crate::keys::replace_apart;
use crate::rows::audit::draft;
use crate::rows::counters::Tally;
use crate::rows::deployment::{PRINCIPALS, SET};
use crate::rows::log_end::{KnownEnd, NewEnd};
use crate::rows::principals::next_version;
use crate::script::{Alone, Reach, Rows, Series, StoreResult};
use crate::scripts::log::log_appender;
use crate::scripts::{credentials, user_keys};
use crate::secrets::Secrets;
use crate::sql::{Param, RowWrite, params};
use crate::state::{Change, Changes};
use domain::{FactId, PrincipalsVersion, Tenant};
use evidence::{Appender, Draft, LogEnd, SeqRange};
use rusqlite::{Connection, ErrorCode, ffi};

pub(crate) struct SqliteTx<'c> {
    db: SqliteDb<'c>,
    chain: Chain,
    tally: Tally,
    /// The version of the principals, once it was asked for. Nobody else changes it while this transaction runs.
    principals: Option<PrincipalsVersion>,
    /// What the next entry says of rows besides those that were touched.
    told: Changes,
    /// How many rows the connection had ever written when the last entry was appended.
    written: u64,
}

/// What was not committed is taken back.
impl Drop for SqliteTx<'_> {
    fn drop(&mut self) {
        if !self.db.sql.is_autocommit()
            && let Err(error) = self.db.sql.execute_batch("ROLLBACK")
        {
            tracing::error!(%error, "a transaction could not be rolled back");
        }
    }
}

impl<'c> SqliteTx<'c> {
    /// Takes the write lock of the database, which other processes wait for.
    pub fn begin(
        sql: &'c mut Connection,
        secrets: &'c Secrets,
        known: Option<&KnownEnd>,
    ) -> Result<Self, StoreError> {
        sql.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let chain = Chain { log: Appender::new(LogEnd::genesis()), appended: None };
        let db = SqliteDb { sql, secrets };
        let written = db.sql.total_changes();
        let mut tx =
            Self { db, chain, tally: Tally::default(), principals: None, told: Changes::default(), written };
        at_once(user_keys::follow(&mut tx.db))?;
        tx.chain.log = at_once(log_appender(&mut tx.db, known))?;
        Ok(tx)
    }

    /// Runs one call; what it wrote is undone unless it says to keep it.
    pub fn savepoint(&mut self, call: impl FnOnce(&mut Self) -> bool) -> Result<(), StoreError> {
        let (chain, tally) = (self.chain.clone(), self.tally.clone());
        self.db.execute("SAVEPOINT one_call", &[])?;
        if call(self) {
            self.record_rest()?;
        } else {
            self.db.execute("ROLLBACK TO one_call", &[])?;
            (self.chain, self.tally) = (chain, tally);
            (self.told, self.written) = (Changes::default(), self.db.sql.total_changes());
        }
        self.db.execute("RELEASE one_call", &[])?;
        Ok(())
    }

    /// An error where the key that the call was made with is no longer good.
    fn admit(&mut self, call: &Call, record: &Record) -> StoreResult<()> {
        let Some(principal) = credentials::needed(call, record) else { return Ok(()) };
        let version = match self.principals {
            Some(version) => version,
            None => at_once(credentials::principals_version(&mut self.db))?,
        };
        self.principals = Some(version);
        at_once(credentials::check(&mut self.db, principal, Some(version)))
    }

    /// What became of the rows since the last entry.
    fn changes(&mut self) -> StoreResult<Changes> {
        let mut changes = std::mem::take(&mut self.told);
        if self.db.sql.total_changes() != self.written {
            changes.own.extend(self.db.changes()?);
        }
        Ok(changes)
    }

    /// Rows that a call changed without recording it get an entry of their own.
    fn record_rest(&mut self) -> StoreResult<()> {
        let changes = self.changes()?;
        self.written = self.db.sql.total_changes();
        if changes.is_empty() {
            return Ok(());
        }
        self.told = changes;
        self.append(&Call::between_calls(), &Record::done("rows were changed between calls"), &[])
    }

    fn append(&mut self, call: &Call, record: &Record, blanks: &[SeqRange]) -> StoreResult<()> {
        let caller = &call.caller;
        let draft = Draft { changes: self.changes()?.encode(), ..draft(call, record, blanks) };
        let stored = self.chain.log.append(draft).map_err(|e| StoreError::corrupt("the audit log", e))?;
        let entry = self.db.secrets.entry_seal(caller.tenant.as_str(), stored)?;
        self.db.entry_insert(&entry)?;
        self.chain.appended = Some(caller.now);
        self.written = self.db.sql.total_changes();
        Ok(())
    }

    fn next_number(&mut self, tenant: &Tenant, series: Series) -> StoreResult<i64> {
        let sql = "SELECT next FROM sequence WHERE tenant = $1 AND name = $2";
        let next: Vec<(i64,)> = self.db.select(sql, &params![tenant, series.name()])?;
        Ok(next.first().map_or(1, |(next,)| *next))
    }

    /// The new end of the audit log, where the group appended to it.
    pub fn commit(mut self) -> Result<Option<NewEnd>, Uncommitted> {
        let tally = std::mem::take(&mut self.tally);
        self.db.tally_write(&tally)?;
        let end = self.db.chain_close(&self.chain)?;
        self.db.sql.execute_batch("COMMIT").map_err(Uncommitted::by_commit)?;
        Ok(end)
    }
}

/// A transaction that did not commit, as far as is known.
pub(crate) struct Uncommitted {
    pub error: StoreError,
    /// What the system said of a sync that failed.
    pub failed_sync: Option<String>,
}

impl From<StoreError> for Uncommitted {
    fn from(error: StoreError) -> Self {
        Self { error, failed_sync: None }
    }
}

impl Uncommitted {
    /// The commit itself failed. After a fault of the disk its mark may be in the file or not, and be found there when
    /// the file is opened next.
    fn by_commit(error: rusqlite::Error) -> Self {
        let code = error.sqlite_error().map(|error| error.extended_code);
        let failed_sync = matches!(code, Some(ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC));
        let failed_sync = failed_sync.then(|| error.to_string());
        let error = match error.sqlite_error_code() {
            Some(ErrorCode::SystemIoFailure) => StoreError::OutcomeUnknown(error.to_string()),
            _ => error.into(),
        };
        Self { error, failed_sync }
    }
}

impl<'c> Rows for SqliteTx<'c> {
    type Db = SqliteDb<'c>;

    /// A transaction that writes has the whole database to itself.
    const LOCK: &'static str = "";

    const OUTBOX: &'static str = "INSERT INTO graph_outbox (tenant, fact, created, receipt)
        SELECT $1, value, $3, $4 FROM graph_projection CROSS JOIN json_each($2)";

    fn db(&mut self) -> &mut SqliteDb<'c> {
        &mut self.db
    }

    async fn reach(&mut self, _: Reach<'_>) -> StoreResult<()> {
        Ok(())
    }

    async fn alone(&mut self, _: Alone<'_>) -> StoreResult<()> {
        Ok(())
    }

    async fn run(&mut self, sql: &str, values: &[Param<'_>]) -> StoreResult<u64> {
        self.db.execute(sql, values)
    }

    async fn run_all(&mut self, steps: Vec<RowWrite<'_>>) -> StoreResult<()> {
        for step in steps {
            step.check(self.db.execute(step.sql, &step.params)?)?;
        }
        Ok(())
    }

    async fn take(&mut self, tenant: &Tenant, series: Series, count: i64) -> StoreResult<i64> {
        let next = self.next_number(tenant, series)?;
        let sql = "INSERT INTO sequence (tenant, name, next) VALUES ($1, $2, $3)
             ON CONFLICT (tenant, name) DO UPDATE SET next = excluded.next";
        self.db.execute(sql, &params![tenant, series.name(), next + count])?;
        Ok(next)
    }

    async fn ahead(&mut self, tenant: &Tenant) -> StoreResult<FactId> {
        self.next_number(tenant, Series::Fact).map(FactId)
    }

    async fn log_end(&mut self) -> StoreResult<LogEnd> {
        Ok(self.chain.log.end().clone())
    }

    async fn principals_changed(&mut self) -> StoreResult<()> {
        self.principals = None;
        self.db.execute(SET, &params![PRINCIPALS, next_version()?])?;
        Ok(())
    }

    /// The file is written before the transaction commits, and stays as it is should that fail.
    async fn apart_set(&mut self, what: Apart, value: &[u8]) -> StoreResult<()> {
        Ok(replace_apart(&what.file(self.db.path()?), value)?)
    }

    async fn keys_changed(&mut self) -> StoreResult<()> {
        user_keys::follow(&mut self.db).await
    }

    async fn record(&mut self, call: &Call, record: &Record, blanks: &[SeqRange]) -> StoreResult<()> {
        self.admit(call, record)?;
        self.append(call, record, blanks)?;
        self.tally.count(call, record);
        call.set_recorded();
        Ok(())
    }

    fn list_rows(&mut self, at: u64, rows: Vec<Change>) {
        self.told.all = Some((at, rows));
    }

    fn tell(&mut self, change: Change) {
        self.told.own.push(change);
    }

    async fn note(&mut self, call: &Call, record: &Record) -> StoreResult<()> {
        self.append(call, record, &[])
    }
}
