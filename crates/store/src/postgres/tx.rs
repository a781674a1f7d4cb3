//! One write transaction of the database: the calls of a group, which are kept together or not at all.

use super::chain::{self, Closed};
use super::db::{PostgresDb, bound};
use super::numbers;
use super::shared::Shared;
use super::walls::walled;
use crate::StoreError;
use crate::apart::Apart;
use crate::call::{Call, Record};
use crate::error::Trouble;
use crate::rows::audit::draft;
use crate::rows::counters::Tally;
use crate::rows::deployment::{PRINCIPALS, SET};
use crate::rows::principals::next_version;
use crate::script::{Alone, Db, Reach, Rows, Series, StoreResult};
use crate::scripts::{credentials, log, signing_view, user_keys};
use crate::secrets::KeysMark;
use crate::sql::{Param, RowWrite, params};
use crate::state::{Change, Changes};
use deadpool_postgres::Client;
use domain::{FactId, Principal, PrincipalsVersion, Tenant};
use evidence::{Appender, Draft, LogEnd, SeqRange};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Instant;

/// Each statement sees what was committed before it: a row that was waited for is read as it is then.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; ";
/// Any number that nobody else uses: the lock that a purge of the audit log holds until it commits.
const PURGING: i64 = 0x7376_635f_7075_7267;
/// The lock of whoever changes what is kept apart from the rows.
const APART: i64 = 0x7376_635f_6170_6172;
/// The seed of the locks, one a tenant, that a write holds where storage has a quota.
const STORING: i64 = 0x7376_635f_7374_6f72;

pub(crate) struct PostgresTx<'c> {
    db: PostgresDb<'c>,
    shared: &'c Shared,
    open: Open,
    /// The entries of the group's calls in their order, each with its tenant. They get their places in the chain when
    /// the group commits, so that the log is locked for no longer than that.
    entries: Vec<(Tenant, Draft)>,
    tally: Tally,
    /// The calls that have noted their entry. One that is not kept is not recorded after all.
    recorded: Vec<Arc<AtomicBool>>,
    /// The callers whose keys must still be good when the group commits.
    callers: Vec<Principal>,
    /// The version of the principals: `None` until the log is ours, and once this transaction changes a principal.
    principals: Option<PrincipalsVersion>,
    changes_principals: bool,
    /// What the next entry says of rows besides those that were touched.
    told: Changes,
    /// Whether rows were written since the last entry.
    wrote: bool,
    /// The keys that it began with.
    keys: KeysMark,
}

/// Whose rows the transaction reaches.
#[derive(Debug, PartialEq, Eq)]
enum Open {
    /// The database has not heard of it yet.
    NotYet,
    Tenant(Tenant),
    Deployment,
}

impl<'c> PostgresTx<'c> {
    pub fn new(client: &'c Client, shared: &'c Shared) -> Self {
        let db = PostgresDb { client, secrets: &shared.secrets };
        Self {
            db,
            shared,
            open: Open::NotYet,
            entries: Vec::new(),
            tally: Tally::default(),
            recorded: Vec::new(),
            callers: Vec::new(),
            principals: None,
            changes_principals: false,
            told: Changes::default(),
            wrote: false,
            keys: shared.secrets.mark(),
        }
    }

    fn opening(&self, reach: Reach<'_>) -> String {
        let begin = if self.open == Open::NotYet { BEGIN } else { "" };
        format!("{begin}{}", walled(reach))
    }

    /// Opens the rows of a tenant to the next call.
    pub async fn enter(&mut self, tenant: &Tenant) -> Result<(), StoreError> {
        match &self.open {
            Open::NotYet => return self.reach(Reach::Tenant(tenant)).await,
            Open::Tenant(current) if current == tenant => return Ok(()),
            Open::Tenant(_) | Open::Deployment => {}
        }
        // It is sent ahead of the call's first statement and not waited for: if it failed, so would that statement,
        // because a transaction in which anything has failed takes no more.
        let sql = walled(Reach::Tenant(tenant));
        if let Some(sent) = self.db.client.batch_execute(&sql).now_or_never() {
            sent?;
        }
        self.open = Open::Tenant(tenant.clone());
        Ok(())
    }

    /// What became of the rows since the last entry. They are read back now, while their tenant is open.
    async fn changes(&mut self) -> StoreResult<Changes> {
        let mut changes = std::mem::take(&mut self.told);
        if std::mem::take(&mut self.wrote) {
            changes.own.extend(self.db.changes().await?);
        }
        Ok(changes)
    }

    fn push(&mut self, call: &Call, record: &Record, blanks: &[SeqRange], changes: &Changes) {
        let draft = Draft { changes: changes.encode(), ..draft(call, record, blanks) };
        self.entries.push((call.caller.tenant.clone(), draft));
    }

    /// Rows that a call changed without recording it get an entry of their own.
    pub async fn record_rest(&mut self) -> StoreResult<()> {
        let changes = self.changes().await?;
        if !changes.is_empty() {
            let record = Record::done("rows were changed between calls");
            self.push(&Call::between_calls(), &record, &[], &changes);
        }
        Ok(())
    }

    pub fn has_entries(&self) -> bool {
        !self.entries.is_empty()
    }

    /// Waits until the log is ours alone; returns what goes on from its end.
    pub async fn log_lock(&mut self) -> Result<Appender, StoreError> {
        let opening = self.opening(Reach::Deployment);
        self.open = Open::Deployment;
        let asked = Instant::now();
        let (log, principals) = self.db.chain_lock(&opening, &self.shared.last_end).await?;
        self.refuse_retired()?;
        self.principals = (!self.changes_principals).then_some(principals);
        self.shared.waited.add(asked.elapsed());
        self.shared.known.add(log.end().at());
        Ok(log)
    }

    /// What this transaction has signed or sealed may be under a key that was replaced meanwhile. Run again, it is not.
    fn refuse_retired(&self) -> StoreResult<()> {
        if self.db.secrets.mark() == self.keys {
            return Ok(());
        }
        let why = "a key was replaced while the call was under way".to_owned();
        Err(StoreError::Postgres { why, trouble: Trouble::Conflict })
    }

    /// An error where the key of one of the callers is no longer good. Asked while the log is ours, which a change to
    /// principals also needs: none is committed between the answer and this transaction.
    pub async fn admit(&mut self) -> Result<(), StoreError> {
        for principal in &self.callers {
            credentials::check(&mut self.db, principal, self.principals).await?;
        }
        if self.changes_principals {
            let values = params![PRINCIPALS, next_version()?];
            self.db.execute(SET, &bound(&values)).await?;
        }
        Ok(())
    }

    /// Waits until nobody else is appending to the log.
    pub async fn log_wait(&mut self) -> Result<(), StoreError> {
        self.reach(Reach::Deployment).await?;
        self.db.log_wait().await
    }

    /// Appends the group's entries to the log and commits. What does not commit is to be discarded.
    pub async fn append(&mut self, log: Appender) -> Closed {
        let entries = std::mem::take(&mut self.entries);
        chain::close(self.db, log, entries, &self.tally).await
    }

    /// Commits what has no entry in the log.
    pub async fn commit(&self) -> Closed {
        if self.open == Open::NotYet {
            return Closed::Committed(None);
        }
        match self.db.client.batch_execute("COMMIT").await {
            Ok(()) => Closed::Committed(None),
            Err(error) => Closed::Failed(error.into()),
        }
    }

    /// The calls of a group that is not kept are not recorded after all.
    pub fn unrecord(&mut self) {
        self.recorded.drain(..).for_each(|mark| mark.store(false, Ordering::Release));
    }
}

impl<'c> Rows for PostgresTx<'c> {
    type Db = PostgresDb<'c>;

    const LOCK: &'static str = "FOR UPDATE";

    const OUTBOX: &'static str = "INSERT INTO graph_outbox (tenant, fact, created, receipt)
        SELECT $1, value::BIGINT, $3, $4 FROM graph_projection, json_array_elements_text($2::TEXT::JSON)";

    fn db(&mut self) -> &mut PostgresDb<'c> {
        &mut self.db
    }

    async fn reach(&mut self, reach: Reach<'_>) -> StoreResult<()> {
        self.db.client.batch_execute(&self.opening(reach)).await?;
        self.open = match reach {
            Reach::Tenant(tenant) => Open::Tenant(tenant.clone()),
            Reach::Deployment => Open::Deployment,
        };
        Ok(())
    }

    async fn alone(&mut self, doing: Alone<'_>) -> StoreResult<()> {
        match doing {
            Alone::Seating => {
                self.db.execute("LOCK TABLE principal IN SHARE ROW EXCLUSIVE MODE", &[]).await?
            }
            Alone::TurningOnGraph => {
                self.db.execute("LOCK TABLE fact IN SHARE ROW EXCLUSIVE MODE", &[]).await?
            }
            Alone::Storing(tenant) => {
                let sql = "SELECT pg_advisory_xact_lock(hashtextextended($1, $2))";
                self.db.execute(sql, &[&tenant.as_str(), &STORING]).await?
            }
            Alone::KeepingApart => self.db.execute("SELECT pg_advisory_xact_lock($1)", &[&APART]).await?,
            Alone::Signing => {
                self.db.log_wait().await?;
                0
            }
            Alone::Purging => self.db.execute("SELECT pg_advisory_xact_lock($1)", &[&PURGING]).await?,
        };
        Ok(())
    }

    async fn run(&mut self, sql: &str, params: &[Param<'_>]) -> StoreResult<u64> {
        self.wrote = true;
        self.db.execute(sql, &bound(params)).await
    }

    /// Each step is sent before the one ahead of it is answered.
    async fn run_all(&mut self, steps: Vec<RowWrite<'_>>) -> StoreResult<()> {
        self.wrote = true;
        // A step that had to prepare its statement first would fall behind.
        let mut statements = Vec::with_capacity(steps.len());
        for step in &steps {
            statements.push(self.db.client.prepare_cached(step.sql).await?);
        }
        let client = self.db.client;
        let sent = steps.iter().zip(&statements).map(|(step, statement)| {
            async move { step.check(client.execute(statement, &bound(&step.params)).await?) }.boxed()
        });
        in_order(sent.collect()).await
    }

    async fn take(&mut self, tenant: &Tenant, series: Series, count: i64) -> StoreResult<i64> {
        numbers::take(&self.shared.desk, tenant, series, count).await
    }

    /// Beyond any that were given out: taking numbers is a round trip, and only once the plan is made is it known how
    /// many are needed.
    async fn ahead(&mut self, _: &Tenant) -> StoreResult<FactId> {
        Ok(FactId(1 << 62))
    }

    /// As it is committed now: the entries of this group get their places only when the log is locked.
    async fn log_end(&mut self) -> StoreResult<LogEnd> {
        let known = self.shared.last_end.get();
        let end = log::log_appender(&mut self.db, known.as_ref()).await;
        let end = match end {
            // Another host may sign with a newer key than this process has seen.
            Err(StoreError::Corrupt { .. }) => {
                signing_view::learn(&mut self.db).await?;
                log::log_appender(&mut self.db, known.as_ref()).await
            }
            end => end,
        };
        Ok(end?.end().clone())
    }

    /// The version itself is written when the log is ours: the row is one for all tenants, and whoever held it while
    /// waiting for a space could be waited for in a circle.
    async fn principals_changed(&mut self) -> StoreResult<()> {
        self.changes_principals = true;
        self.principals = None;
        Ok(())
    }

    async fn apart_set(&mut self, what: Apart, value: &[u8]) -> StoreResult<()> {
        let values = params![what.row(), value];
        self.db.execute(SET, &bound(&values)).await?;
        Ok(())
    }

    async fn keys_changed(&mut self) -> StoreResult<()> {
        user_keys::follow(&mut self.db).await?;
        self.keys = self.db.secrets.mark();
        Ok(())
    }

    async fn record(&mut self, call: &Call, record: &Record, blanks: &[SeqRange]) -> StoreResult<()> {
        self.callers.extend(credentials::needed(call, record).cloned());
        let changes = self.changes().await?;
        self.push(call, record, blanks, &changes);
        self.tally.count(call, record);
        call.set_recorded();
        self.recorded.push(call.recorded_mark());
        Ok(())
    }

    fn list_rows(&mut self, at: u64, rows: Vec<Change>) {
        self.told.all = Some((at, rows));
    }

    fn tell(&mut self, change: Change) {
        self.told.own.push(change);
    }

    async fn note(&mut self, call: &Call, record: &Record) -> StoreResult<()> {
        let changes = self.changes().await?;
        self.push(call, record, &[], &changes);
        Ok(())
    }

    async fn run_each(
        &mut self,
        sql: &str,
        tenant: &Tenant,
        each: &[i64],
        rest: &[Param<'_>],
    ) -> StoreResult<()> {
        self.wrote = true;
        self.db.all_each::<()>(sql, tenant, each, rest).await?;
        Ok(())
    }
}

/// Carries the steps out one after the other, each sent before the one ahead of it is answered.
async fn in_order(steps: Vec<BoxFuture<'_, StoreResult<()>>>) -> StoreResult<()> {
    let mut steps: Vec<_> = steps.into_iter().map(Some).collect();
    poll_fn(|cx| {
        for slot in &mut steps {
            match slot.as_mut().map(|step| step.poll_unpin(cx)) {
                Some(Poll::Ready(Err(error))) => return Poll::Ready(Err(error)),
                Some(Poll::Ready(Ok(()))) => *slot = None,
                Some(Poll::Pending) | None => {}
            }
        }
        if steps.iter().all(Option::is_none) { Poll::Ready(Ok(())) } else { Poll::Pending }
    })
    .await
}
