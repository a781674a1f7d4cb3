//! One write transaction of the database: the calls of a group, each of which can be undone alone.

use super::chain::Chain;
use super::db::Db;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::counters::Tally;
use crate::secrets::Secrets;
use evidence::SignedHead;
use rusqlite::{Connection, Transaction, TransactionBehavior};

pub(crate) struct Tx<'a> {
    sql: Transaction<'a>,
    pub secrets: &'a Secrets,
    pub chain: Chain,
    tally: Tally,
}

impl<'a> Tx<'a> {
    /// Takes the write lock of the database, which other processes wait for.
    pub fn begin(connection: &'a mut Connection, secrets: &'a Secrets) -> Result<Self, StoreError> {
        let sql = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let chain = Chain::load(&Db { sql: &sql, secrets })?;
        Ok(Self { sql, secrets, chain, tally: Tally::default() })
    }

    pub fn db(&self) -> Db<'_> {
        Db { sql: &self.sql, secrets: self.secrets }
    }

    /// Runs one call; what it wrote is undone unless it says to keep it.
    pub fn savepoint(&mut self, call: impl FnOnce(&mut Self) -> bool) -> Result<(), StoreError> {
        let (chain, tally) = (self.chain.clone(), self.tally.clone());
        self.db().run("SAVEPOINT one_call", ())?;
        if !call(self) {
            self.db().run("ROLLBACK TO one_call", ())?;
            (self.chain, self.tally) = (chain, tally);
        }
        self.db().run("RELEASE one_call", ())?;
        Ok(())
    }

    /// Writes the call's audit entry and counts it.
    pub fn record(&mut self, call: &Call, record: &Record) -> Result<(), StoreError> {
        self.record_blanking(call, record, &[])
    }

    /// Like [`Self::record`], for a call that blanked the detail of earlier entries.
    pub fn record_blanking(
        &mut self,
        call: &Call,
        record: &Record,
        blanks: &[evidence::SeqRange],
    ) -> Result<(), StoreError> {
        self.audit_append(call, record, blanks)?;
        self.tally.count(call, record);
        call.set_recorded();
        Ok(())
    }

    /// The new head of the audit log, where the group appended to it.
    pub fn commit(self) -> Result<Option<SignedHead>, StoreError> {
        let db = self.db();
        db.tally_write(&self.tally)?;
        let head = self.chain.close(&db)?;
        self.sql.commit()?;
        Ok(head)
    }
}
