//! One write transaction of the database: the calls of a group, which are kept together or not at all.

use super::chain::Closed;
use super::db::Db;
use super::numbers::{self, Series};
use super::walls::Reach;
use super::{Shared, chain};
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::audit::draft;
use crate::rows::counters::Tally;
use crate::secrets::Secrets;
use deadpool_postgres::Client;
use evidence::{Draft, Position, SeqRange};
use futures_util::FutureExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Each statement sees what was committed before it: a row that was waited for is read as it is then.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; ";

pub(crate) struct Tx {
    client: Client,
    shared: Arc<Shared>,
    open: Open,
    /// The entries of the group's calls in their order, each with its tenant. They get their places in the chain when
    /// the group commits, so that the log is locked for no longer than that.
    entries: Vec<(String, Draft)>,
    tally: Tally,
    /// The calls that have noted their entry. One that is not kept is not recorded after all.
    recorded: Vec<Arc<AtomicBool>>,
}

/// Whose rows the transaction reaches.
#[derive(Debug, PartialEq, Eq)]
enum Open {
    /// The database has not heard of it yet.
    NotYet,
    Tenant(String),
    Deployment,
}

impl Tx {
    pub async fn new(shared: Arc<Shared>) -> Result<Self, StoreError> {
        let client = shared.pool.get().await?;
        let (entries, tally, recorded) = (Vec::new(), Tally::default(), Vec::new());
        Ok(Self { client, shared, open: Open::NotYet, entries, tally, recorded })
    }

    pub fn db(&self) -> Db<'_> {
        Db { client: &self.client, secrets: &self.shared.secrets }
    }

    pub fn secrets(&self) -> &Secrets {
        &self.shared.secrets
    }

    fn opening(&self, reach: Reach<'_>) -> String {
        let begin = if self.open == Open::NotYet { BEGIN } else { "" };
        format!("{begin}{}", reach.sql())
    }

    pub async fn reach(&mut self, reach: Reach<'_>) -> Result<(), StoreError> {
        self.client.batch_execute(&self.opening(reach)).await?;
        self.open = match reach {
            Reach::Tenant(tenant) => Open::Tenant(tenant.to_owned()),
            Reach::Deployment => Open::Deployment,
        };
        Ok(())
    }

    /// Opens the rows of a tenant to the next call.
    pub async fn enter(&mut self, tenant: &str) -> Result<(), StoreError> {
        match &self.open {
            Open::NotYet => return self.reach(Reach::Tenant(tenant)).await,
            Open::Tenant(current) if current == tenant => return Ok(()),
            Open::Tenant(_) | Open::Deployment => {}
        }
        // It is sent ahead of the call's first statement and not waited for: if it failed, so would that statement,
        // because a transaction in which anything has failed takes no more.
        if let Some(sent) = self.client.batch_execute(&Reach::Tenant(tenant).sql()).now_or_never() {
            sent?;
        }
        self.open = Open::Tenant(tenant.to_owned());
        Ok(())
    }

    pub async fn take(&self, tenant: &str, series: Series, count: usize) -> Result<i64, StoreError> {
        let count = i64::try_from(count).map_err(|e| StoreError::corrupt("a plan", e))?;
        numbers::take(&self.shared.desk, tenant, series, count).await
    }

    /// Notes the call's audit entry, and counts it.
    pub fn record(&mut self, call: &Call, record: &Record) {
        self.record_blanking(call, record, &[]);
    }

    /// Like [`Self::record`], for a call that blanked the detail of earlier entries.
    pub fn record_blanking(&mut self, call: &Call, record: &Record, blanks: &[SeqRange]) {
        self.entries.push((call.caller.tenant.as_str().to_owned(), draft(call, record, blanks)));
        self.tally.count(call, record);
        call.set_recorded();
        self.recorded.push(call.recorded_mark());
    }

    /// Notes an entry of the log that is of no tool's call.
    pub fn note(&mut self, call: &Call, record: &Record) {
        self.entries.push((call.caller.tenant.as_str().to_owned(), draft(call, record, &[])));
    }

    pub fn has_entries(&self) -> bool {
        !self.entries.is_empty()
    }

    /// Waits until the log is ours alone; returns where it ends.
    pub async fn log_lock(&mut self) -> Result<Position, StoreError> {
        let opening = self.opening(Reach::Deployment);
        self.open = Open::Deployment;
        let asked = Instant::now();
        let at = self.db().chain_lock(&opening).await?;
        self.shared.waited.add(asked.elapsed());
        self.shared.known.add(at);
        Ok(at)
    }

    /// Appends the group's entries to the log, which ends here, and commits. What does not commit is to be discarded.
    pub async fn append(&mut self, at: Position) -> Closed {
        let entries = std::mem::take(&mut self.entries);
        chain::close(&self.db(), at, entries, &self.tally).await
    }

    /// Commits what has no entry in the log.
    pub async fn commit(&self) -> Closed {
        if self.open == Open::NotYet {
            return Closed::Committed(None);
        }
        match self.client.batch_execute("COMMIT").await {
            Ok(()) => Closed::Committed(None),
            Err(error) => Closed::Failed(error.into()),
        }
    }

    /// Takes back whatever the transaction had done.
    pub async fn undo(mut self) {
        unrecord(self.recorded.drain(..));
        if self.client.batch_execute("ROLLBACK").await.is_err() {
            self.discard();
        }
    }

    /// Gives the connection up, and with it whatever the transaction had done.
    pub fn discard(mut self) {
        unrecord(self.recorded.drain(..));
        drop(deadpool_postgres::Object::take(self.client));
    }
}

fn unrecord(marks: impl Iterator<Item = Arc<AtomicBool>>) {
    marks.for_each(|mark| mark.store(false, Ordering::Release));
}
