//! Brings records of another memory, several in one transaction. Each is judged on what the ones before it came to.

use super::spaces::{self, SpaceQuery};
use super::{numbered_facts, storage_use};
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::facts::{FactWrites, write_steps};
use crate::rows::imports::{Arrival, Bringing, Brought, CameTo, Note, Noted, Notes, index, note};
use crate::rows::spaces::{SpaceRow, SpaceVersion};
use crate::script::{Db, Ground, Rows, Script, StoreResult};
use crate::sql::params;
use crate::storage_quota::StorageLimits;
use crate::store::Store;
use domain::{Caller, FactId, Proposer, Space, SpaceKey};
use reconcile::{Before, Outcome, Plan, SlotSchema, Statement, Trust};
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;

/// What a batch is brought with.
#[derive(Debug, Clone)]
pub struct Import {
    /// The memory that the records are from, as the audit log names it.
    pub from: String,
    pub records: Vec<Brought>,
    /// The facts that records of earlier batches came to, by the ids that links of these ones name.
    pub known: BTreeMap<String, FactId>,
    pub slots: Arc<SlotSchema>,
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
        let (mut arrivals, mut here) = (Vec::new(), import.known.clone());
        for record in &import.records {
            let space = SpaceKey { tenant, id: row.id };
            let (last_key, last_name) = &record.last;
            let asked = BTreeSet::from([(&record.key, &record.name), (last_key, last_name)]);
            let noted = noted(rows.db(), space, asked).await?;
            let arrival = match noted.known(&record.key, &record.name, &record.last) {
                Some(ids) => Arrival::Known(ids.to_vec()),
                None => {
                    let before = noted.before(record);
                    Arrival::New(self.bring(rows, row, record, before, &here).await?)
                }
            };
            let first = match &arrival {
                Arrival::Known(ids) => ids.first().copied(),
                Arrival::New(plan) => plan.outcomes.iter().find_map(|outcome| outcome.id),
            };
            here.extend(first.map(|id| (record.id.clone(), id)));
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
    async fn bring<R: Rows>(
        &self,
        rows: &mut R,
        row: SpaceRow,
        record: &Brought,
        before: Before<'_>,
        here: &BTreeMap<String, FactId>,
    ) -> StoreResult<Plan> {
        let (caller, slots) = (&self.call.caller, &self.import.slots);
        let (tenant, space) = (&caller.tenant, SpaceKey { tenant: &caller.tenant, id: row.id });
        let (plan, came_to) = match &record.how {
            Bringing::Told(words) => {
                let proposer = if words.by_model { Proposer::Model } else { Proposer::Caller };
                let proposals = reconcile::repair(&words.facts, proposer, slots);
                let statement = Statement {
                    text: &words.text,
                    source: words.source.as_deref(),
                    trust: Trust::Ordinary,
                    metadata: &words.metadata,
                    proposer: Proposer::Model,
                    said: None,
                    now: words.at,
                };
                let needs = reconcile::needs_told(&proposals, &statement, before);
                let (held, policy) = rows.db().plan_basis(space, &needs).await?;
                let telling = words.telling(before, caller.now);
                let plan = |next| {
                    reconcile::plan_told(&held, &proposals, &statement, &telling, &policy, slots, next)
                };
                let plan = numbered(rows, tenant, plan).await?;
                let came_to = CameTo::of(record, &plan, &held, before);
                (plan, came_to)
            }
            Bringing::AsIs(brought) => match brought.linked(|id| here.get(id).copied()) {
                Ok(fact) => {
                    let (held, policy) =
                        rows.db().plan_basis(space, &reconcile::needs_as_is(&fact, before)).await?;
                    let putting = brought.putting(before, &policy, slots, caller.now);
                    let plan = |next| reconcile::plan_as_is(&held, &fact, &putting, next);
                    let plan = numbered(rows, tenant, plan).await?;
                    let came_to = CameTo::of(record, &plan, &held, before);
                    (plan, came_to)
                }
                Err(skipped) => {
                    let plan = Plan { outcomes: vec![skipped], ..Plan::default() };
                    (plan, CameTo { facts: Vec::new(), is_put_down: false })
                }
            },
        };
        let secrets = rows.db().secrets();
        let FactWrites { mut steps, added } =
            write_steps::<R>(secrets, space, row, &plan.writes, caller.id(), caller.now)?;
        steps.extend(note(secrets, space, record, &came_to)?);
        if !plan.writes.is_empty() {
            // The error takes back what the batch has written so far.
            let room = storage_use::check(rows, caller, &self.import.limits, added).await?;
            room.map_err(StoreError::OverQuota)?;
        }
        rows.run_all(steps).await?;
        Ok(plan)
    }
}

async fn numbered<R: Rows>(
    rows: &mut R,
    tenant: &domain::Tenant,
    plan: impl Fn(FactId) -> Plan + Send + Sync,
) -> StoreResult<Plan> {
    let Ok(plan) = rows.numbered(tenant, |next| Ok::<_, Infallible>(plan(next))).await?;
    Ok(plan)
}

/// What is noted of records, by their keys and names, where all their facts are still there: a record whose facts were
/// erased since can be brought again. So can one whose note is in an earlier form.
async fn noted<'a, D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    records: impl IntoIterator<Item = (&'a String, &'a String)> + Send,
) -> StoreResult<Notes> {
    let mut notes = Notes::default();
    let records: Vec<(&String, &String)> = records.into_iter().collect();
    for (key, name) in records {
        let at = index(db.secrets(), space, name);
        let sql = "SELECT facts FROM statement WHERE tenant = $1 AND space = $2 AND text_ix = $3";
        let found: Option<(String,)> = db.one(sql, &params![space.tenant, space.id, at]).await?;
        let Some(last) = found.and_then(|(text,)| serde_json::from_str::<Noted>(&text).ok()) else {
            continue;
        };
        let there: BTreeSet<FactId> =
            numbered_facts::get_readable(db, space, &last.facts).await?.iter().map(|fact| fact.id).collect();
        if !last.facts.iter().all(|id| there.contains(id)) {
            continue;
        }
        let is_last = last.key == hex::encode(index(db.secrets(), space, key));
        // Several records may have one name.
        let note = notes.0.entry(name.clone()).or_insert(Note {
            key: None,
            facts: last.facts,
            is_over: last.is_over,
        });
        if is_last {
            note.key = Some(key.clone());
        }
    }
    Ok(notes)
}

/// `imported from mem0: ADD subject; …`
fn record_of(from: &str, arrivals: &[Arrival]) -> Record {
    let outcomes: Vec<Outcome> = arrivals
        .iter()
        .flat_map(|arrival| match arrival {
            Arrival::Known(_) => &[],
            Arrival::New(plan) => plan.outcomes.as_slice(),
        })
        .cloned()
        .collect();
    let mut record = Record::of_outcomes(&outcomes);
    if outcomes.is_empty() {
        record.detail.push_str("nothing new");
    }
    record.detail.insert_str(0, &format!("imported from {from}: "));
    record
}

struct NotedOf {
    records: Vec<(String, String)>,
}

impl SpaceQuery for NotedOf {
    type Output = Notes;

    async fn run<D: Db>(
        &self,
        db: &mut D,
        space: SpaceKey<'_>,
        _: SpaceVersion,
    ) -> StoreResult<Self::Output> {
        noted(db, space, self.records.iter().map(|(key, name)| (key, name))).await
    }
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

    /// What is noted of records with these keys and names.
    pub async fn imports_noted(
        &self,
        caller: &Caller,
        space: &Space,
        records: Vec<(String, String)>,
    ) -> Result<Notes, StoreError> {
        Ok(self.read_in(caller, space, NotedOf { records }).await?.unwrap_or_default())
    }
}
