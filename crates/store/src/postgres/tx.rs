//! One write transaction of the database: the calls of a group, each of which can be undone alone.

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
use evidence::{Draft, SeqRange};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) struct Tx {
    client: Client,
    shared: Arc<Shared>,
    /// The entries of the group's calls in their order, each with its tenant. They get their places in the chain when
    /// the group commits, so that the log is locked for no longer than that.
    entries: Vec<(String, Draft)>,
    tally: Tally,
    /// The calls that have noted their entry. One that is not kept is not recorded after all.
    recorded: Vec<Arc<AtomicBool>>,
}

/// What was there before a call, to which the transaction can return.
pub(crate) struct Mark {
    entries: usize,
    tally: Tally,
    recorded: usize,
}

impl Tx {
    pub async fn begin(shared: Arc<Shared>) -> Result<Self, StoreError> {
        let client = shared.pool.get().await?;
        let tx = Self { client, shared, entries: Vec::new(), tally: Tally::default(), recorded: Vec::new() };
        // Each statement sees what was committed before it: a row that was waited for is read as it is then.
        tx.client.batch_execute("BEGIN ISOLATION LEVEL READ COMMITTED").await?;
        Ok(tx)
    }

    pub fn db(&self) -> Db<'_> {
        Db { client: &self.client, secrets: &self.shared.secrets }
    }

    pub fn secrets(&self) -> &Secrets {
        &self.shared.secrets
    }

    pub fn mark(&self) -> Mark {
        Mark { entries: self.entries.len(), tally: self.tally.clone(), recorded: self.recorded.len() }
    }

    /// Opens a part that can be undone alone, for the rows of one tenant.
    pub async fn savepoint(&self, tenant: &str) -> Result<(), StoreError> {
        let sql = format!("SAVEPOINT one_call; {}", Reach::Tenant(tenant).sql());
        Ok(self.client.batch_execute(&sql).await?)
    }

    /// Takes back what a call noted.
    pub fn forget(&mut self, mark: Mark) {
        self.entries.truncate(mark.entries);
        self.tally = mark.tally;
        unrecord(self.recorded.drain(mark.recorded..));
    }

    /// Takes back what a call wrote since the last savepoint.
    pub async fn undo(&self) -> Result<(), StoreError> {
        Ok(self.client.batch_execute("ROLLBACK TO SAVEPOINT one_call").await?)
    }

    pub async fn reach(&self, reach: Reach<'_>) -> Result<(), StoreError> {
        Ok(self.client.batch_execute(&reach.sql()).await?)
    }

    pub async fn take(&self, tenant: &str, series: Series, count: usize) -> Result<i64, StoreError> {
        let count = i64::try_from(count).map_err(|e| StoreError::corrupt("a plan", e))?;
        numbers::take(&self.shared.pool, tenant, series, count).await
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

    /// Appends the group's entries to the log and commits. What does not commit leaves nothing behind.
    pub async fn commit(self) -> Closed {
        let closed = chain::close(&self.db(), &self.shared.waited, self.entries.clone(), &self.tally).await;
        if !matches!(closed, Closed::Committed(_)) {
            self.discard();
        }
        closed
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
