//! Brings records of another memory, several in one transaction. Each is judged on what the ones before it came to.

use super::statements::is_after_removal;
use super::{numbered_facts, spaces, storage_use};
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::facts::{FactWrites, write_steps};
use crate::rows::imports::{Arrival, Brought, BroughtAsIs, NOTED, Noted, index, key, note};
use crate::rows::spaces::SpaceRow;
use crate::script::{Db, Ground, Rows, Script, StoreResult};
use crate::sql::params;
use crate::storage_quota::StorageLimits;
use crate::store::Store;
use domain::{FactId, Space, SpaceKey};
use reconcile::{Outcome, SlotSchema, Statement, Trust};
use std::convert::Infallible;
use std::sync::Arc;

/// What a batch is brought with.
#[derive(Debug, Clone)]
pub struct Import {
    /// The memory that the records are from, as the audit log names it.
    pub from: String,
    pub records: Vec<Brought>,
    pub slots: Arc<SlotSchema>,
    /// As for what is said: [`Trust::AfterRemoval`] counts where something was erased or removed.
    pub trust: Trust,
    pub limits: StorageLimits,
}

struct ImportCommit {
    call: Call,
    space: Space,
    import: Import,
}

impl Script for ImportCommit {
    type Output = Vec<Arrival>;

    fn ground(&self) -> Ground<'_> {
        Ground::within(&self.call, &self.space)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<Vec<Arrival>> {
        let (tenant, import) = (&self.call.caller.tenant, &self.import);
        storage_use::lock(rows, tenant, &import.limits).await?;
        let mut row = spaces::open(rows, tenant, &self.space).await?;
        let mut arrivals = Vec::new();
        for record in &import.records {
            let space = SpaceKey { tenant, id: row.id };
            let arrival = self.bring(rows, row, record).await?;
            if matches!(&arrival, Arrival::New(plan) if !plan.writes.is_empty()) {
                row = spaces::row(rows.db(), space).await?;
            }
            arrivals.push(arrival);
        }
        rows.record(&self.call, &record_of(&import.from, &arrivals), &[]).await?;
        Ok(arrivals)
    }
}

impl ImportCommit {
    async fn bring<R: Rows>(&self, rows: &mut R, row: SpaceRow, record: &Brought) -> StoreResult<Arrival> {
        let (caller, slots) = (&self.call.caller, &self.import.slots);
        let (tenant, space) = (&caller.tenant, SpaceKey { tenant: &caller.tenant, id: row.id });
        let before = noted(rows.db(), space, &record.name).await?;
        if before.as_ref().is_some_and(|before| before.key == key(rows.db().secrets(), space, record)) {
            return Ok(Arrival::Known);
        }
        let mut as_is = record.as_is.clone();
        if let Some(brought) = &mut as_is
            && !link(rows.db(), space, brought).await?
        {
            return Ok(Arrival::refused("the fact that it would change has not been brought".to_owned()));
        }
        let proposals = reconcile::repair(&record.facts, record.proposer, slots);
        let is_first = self.import.trust == Trust::AfterRemoval
            && !is_after_removal(rows.db(), space, row.at, &proposals).await?;
        let statement = Statement {
            text: &record.text,
            source: record.source.as_deref(),
            trust: if is_first { Trust::Ordinary } else { self.import.trust },
            metadata: &record.metadata,
            proposer: record.proposer,
            said: if before.is_some() { record.said_again } else { record.said },
            now: caller.now,
        };
        let needs = reconcile::needs(&proposals, &statement, &[]);
        rows.db().secrets().unreadable.refuse_replaced(space)?;
        let (held, policy) = rows.db().plan_basis(space, &needs).await?;
        let plan = |next| {
            Ok::<_, Infallible>(match as_is.as_ref().zip(proposals.first()) {
                Some((brought, p)) => reconcile::plan_as_is(&held, p, &statement, &brought.fact, next),
                None => reconcile::plan_told(&held, &proposals, &statement, &policy, slots, next),
            })
        };
        let Ok(plan) = rows.numbered(tenant, plan).await?;
        let secrets = rows.db().secrets();
        let FactWrites { mut steps, added } =
            write_steps::<R>(secrets, space, row, &plan.writes, caller.id(), caller.now)?;
        steps.extend(note(secrets, space, record, &plan)?);
        if !plan.writes.is_empty() {
            // The error takes back what the batch has written so far.
            let room = storage_use::check(rows, caller, &self.import.limits, added).await?;
            room.map_err(StoreError::OverQuota)?;
        }
        rows.run_all(steps).await?;
        Ok(Arrival::New(plan))
    }
}

/// Gives the links of the fact the numbers that they have here; `false` where what it would change is not here.
async fn link<D: Db>(db: &mut D, space: SpaceKey<'_>, brought: &mut BroughtAsIs) -> StoreResult<bool> {
    let [mut before, mut target] = [None; 2];
    for (name, id) in [(&brought.supersedes, &mut before), (&brought.target, &mut target)] {
        if let Some(name) = name {
            *id = noted(db, space, name).await?.and_then(|noted| noted.facts.first().copied());
        }
    }
    brought.fact.supersedes = before;
    brought.fact.pending.iter_mut().for_each(|pending| pending.target = target);
    Ok(target.is_some() || brought.target.is_none())
}

/// What is noted of the record, where all its facts are still there: one whose facts were erased since can be brought
/// again.
async fn noted<D: Db>(db: &mut D, space: SpaceKey<'_>, name: &str) -> StoreResult<Option<Noted>> {
    let at = index(db.secrets(), space, name);
    let found: Option<(String,)> = db.one(NOTED, &params![space.tenant, space.id, at]).await?;
    let Some(last) = found.and_then(|(text,)| serde_json::from_str::<Noted>(&text).ok()) else {
        return Ok(None);
    };
    let there = numbered_facts::get_readable(db, space, &last.facts).await?;
    let is_there = |id: &FactId| there.iter().any(|fact| fact.id == *id);
    Ok(last.facts.iter().all(is_there).then_some(last))
}

/// `imported from mem0: ADD subject; …`
fn record_of(from: &str, arrivals: &[Arrival]) -> Record {
    let outcomes = arrivals.iter().flat_map(|arrival| match arrival {
        Arrival::Known => &[],
        Arrival::New(plan) => plan.outcomes.as_slice(),
    });
    let mut record = Record::of_outcomes(&outcomes.cloned().collect::<Vec<Outcome>>());
    let what = if record.detail.is_empty() { "nothing new" } else { &record.detail };
    record.detail = format!("imported from {from}: {what}");
    record
}

impl Store {
    /// Brings the records in their order: all of them, or none.
    pub async fn import_commit(
        &self,
        call: Call,
        space: Space,
        import: Import,
    ) -> Result<Vec<Arrival>, StoreError> {
        self.write(ImportCommit { call, space, import }).await
    }
}
