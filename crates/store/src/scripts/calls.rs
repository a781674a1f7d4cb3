//! The audit entries of calls that change nothing.

use crate::StoreError;
use crate::call::{Call, Record};
use crate::script::{Durability, Ground, Rows, Script, StoreResult, Touches};
use crate::store::Store;

struct CallRecord {
    call: Call,
    record: Record,
    when: When,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// Besides the entry that it has for what it did before it failed.
    Besides,
    /// As its only entry. It may be given up meanwhile, and have its entry as such a call.
    Answered,
    /// Of a call that was given up, which may have got as far as its own entry.
    GivenUp,
}

impl Script for CallRecord {
    type Output = ();

    fn touches(&self) -> Touches {
        match self.when {
            When::Besides | When::Answered => Touches::Log,
            When::GivenUp => Touches::LogInTurn,
        }
    }

    fn durability(&self) -> Durability {
        Durability::Soon
    }

    fn ground(&self) -> Ground<'_> {
        Ground::of(&self.call)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<()> {
        if self.when == When::Besides || self.call.claim_record() {
            rows.record(&self.call, &self.record, &[]).await?;
        }
        Ok(())
    }
}

impl Store {
    /// Writes the audit entry and the counts of a call that changed nothing.
    pub async fn call_record(&self, call: Call, record: Record) -> Result<(), StoreError> {
        let when = if call.is_recorded() { When::Besides } else { When::Answered };
        self.write(CallRecord { call, record, when }).await
    }

    /// Records a call that was given up, unless it had got as far as its own entry. Of this entry and the call's own
    /// only one is written.
    pub async fn call_abandoned(&self, call: Call, record: Record) -> Result<(), StoreError> {
        self.write(CallRecord { call, record, when: When::GivenUp }).await
    }
}
