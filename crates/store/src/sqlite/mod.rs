//! The store on SQLite: one file, any number of processes.

mod audit;
mod audit_verify;
mod chain;
pub(crate) mod connection;
mod counters;
pub(crate) mod db;
mod decisions;
mod erasure;
mod export;
mod facts;
pub(crate) mod migrations;
mod open;
mod principals;
mod readers;
mod receipts;
mod restorations;
mod spaces;
mod statements;
mod tx;
mod vectors;
mod writer;

pub use connection::Meter;
pub use open::SqliteSettings;

use crate::StoreError;
use crate::call::{Call, Record};
use crate::load::Load;
use crate::rows::facts::SpaceChanges;
use crate::rows::spaces::SpaceVersion;
use crate::secrets::Secrets;
use crate::typed_lines::TypedLines;
use db::Db;
use domain::{Caller, Fact, FactId, Space};
use readers::Readers;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tx::Tx;
use writer::{Durability, Writer};

/// A handle on the database; clones share it.
#[derive(Clone)]
pub(crate) struct Sqlite {
    path: PathBuf,
    secrets: Arc<Secrets>,
    readers: Readers,
    writer: Writer,
}

impl std::fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sqlite").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Sqlite {
    pub fn load(&self) -> Load {
        Load { writes_waiting: self.writer.waiting(), pools: vec![self.readers.load()] }
    }

    /// Runs a call's work and writes its audit entry in the same transaction, durably.
    async fn write<T: Send + 'static>(
        &self,
        call: Call,
        work: impl FnOnce(&mut Tx<'_>, &Call) -> Result<(T, Record), StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer
            .run(Durability::Now, move |tx| {
                let (value, record) = work(tx, &call)?;
                tx.record(&call, &record)?;
                Ok(value)
            })
            .await
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Db<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.readers.run(work).await
    }

    /// Reads within one space; `None` where it does not exist yet.
    async fn in_space<T: Send + 'static>(
        &self,
        caller: &Caller,
        space: &Space,
        work: impl FnOnce(&Db<'_>, &str, i64) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<Option<T>, StoreError> {
        let (tenant, space) = (caller.tenant.clone(), space.clone());
        self.read(move |db| {
            let Some(row) = db.space_find(tenant.as_str(), &space)? else { return Ok(None) };
            work(db, tenant.as_str(), row.id).map(Some)
        })
        .await
    }

    /// Writes the audit entry and the counts of a call that changed nothing.
    pub async fn call_record(&self, call: Call, record: Record) -> Result<(), StoreError> {
        self.writer.run(Durability::Soon, move |tx| tx.record(&call, &record)).await
    }

    /// Records a call that was given up, unless it had got as far as its own entry. Entries are written in the order
    /// in which they were asked for, so what the call itself asked for comes first.
    pub async fn call_abandoned(&self, call: Call, record: Record) -> Result<(), StoreError> {
        self.writer
            .run(
                Durability::Soon,
                move |tx| if call.is_recorded() { Ok(()) } else { tx.record(&call, &record) },
            )
            .await
    }

    /// Whether the database answers.
    pub async fn ready(&self) -> Result<(), StoreError> {
        self.read(|db| db.one("SELECT 1", (), |_| Ok(())).map(|_| ())).await
    }

    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn typed_lines(&self) -> TypedLines {
        TypedLines::beside(&self.path, self.secrets.clone())
    }

    pub async fn fact_get(
        &self,
        caller: &Caller,
        space: &Space,
        id: FactId,
    ) -> Result<Option<Fact>, StoreError> {
        Ok(self
            .in_space(caller, space, move |db, tenant, space| db.fact_get(tenant, space, id))
            .await?
            .flatten())
    }

    pub async fn fact_history(
        &self,
        caller: &Caller,
        space: &Space,
        subject: &str,
    ) -> Result<Vec<Fact>, StoreError> {
        let subject = subject.to_owned();
        let found = self
            .in_space(caller, space, move |db, tenant, space| db.fact_history(tenant, space, &subject))
            .await?;
        Ok(found.unwrap_or_default())
    }

    /// The active and flagged facts of one subject.
    pub async fn facts_standing(
        &self,
        caller: &Caller,
        space: &Space,
        subject: &str,
    ) -> Result<Vec<Fact>, StoreError> {
        let subject = subject.to_owned();
        let found = self
            .in_space(caller, space, move |db, tenant, space| db.subject_standing(tenant, space, &subject))
            .await?;
        Ok(found.unwrap_or_default())
    }

    /// The most recent facts that are no longer current, newest first.
    pub async fn facts_retired(
        &self,
        caller: &Caller,
        space: &Space,
        most: usize,
    ) -> Result<Vec<Fact>, StoreError> {
        let found = self
            .in_space(caller, space, move |db, tenant, space| db.facts_retired(tenant, space, most))
            .await?;
        Ok(found.unwrap_or_default())
    }

    pub async fn spaces_flagged(&self, caller: &Caller) -> Result<Vec<Space>, StoreError> {
        let tenant = caller.tenant.clone();
        self.read(move |db| db.spaces_flagged(tenant.as_str())).await
    }

    pub async fn space_changes(
        &self,
        caller: &Caller,
        space: &Space,
        since: Option<SpaceVersion>,
    ) -> Result<SpaceChanges, StoreError> {
        let (tenant, space) = (caller.tenant.clone(), space.clone());
        self.read(move |db| db.space_changes(tenant.as_str(), &space, since)).await
    }
}
