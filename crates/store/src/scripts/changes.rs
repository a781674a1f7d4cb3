//! A new value for one fact, and the decision on a flagged one.

use super::{facts, spaces, storage_use};
use crate::StoreError;
use crate::call::Call;
use crate::records::{Decided, Recorded, Updated};
use crate::rows::facts::{FactWrites, write_steps};
use crate::rows::statements::{ChangeVerdict, Edit, Planned};
use crate::script::{Db, Ground, Rows, Script, StoreResult};
use crate::storage_quota::{OverStorage, StorageLimits};
use crate::store::Store;
use domain::{Caller, Fact, FactId, SourcePolicy, Space, SpaceKey};
use reconcile::{Decision, HeldFacts, Plan, Refusal, SlotSchema};
use std::sync::Arc;

/// What is to be done to one fact.
enum Change {
    Update { edit: Edit, slots: Arc<SlotSchema> },
    Decide { id: FactId, verdict: ChangeVerdict, note: Option<String> },
}

impl Change {
    fn fact(&self) -> FactId {
        match self {
            Self::Update { edit, .. } => edit.id,
            Self::Decide { id, .. } => *id,
        }
    }

    /// A decision on what is there already needs no room.
    fn limits(&self) -> StorageLimits {
        match self {
            Self::Update { edit, .. } => edit.limits,
            Self::Decide { .. } => StorageLimits::default(),
        }
    }

    fn plan(
        &self,
        fact: &Fact,
        (held, policy): (&HeldFacts, &SourcePolicy),
        caller: &Caller,
        next: FactId,
    ) -> Result<Plan, Refusal> {
        let (by, now) = (caller.id(), caller.now);
        match self {
            Self::Update { edit, slots } => {
                let how = reconcile::Edit { editor: edit.editor, source: edit.source.as_deref(), by, now };
                reconcile::plan_update(fact.id, &edit.value, held, &how, policy, slots, next)
            }
            Self::Decide { verdict: ChangeVerdict::Withdraw, .. } => {
                reconcile::plan_withdrawal(fact.id, held, by, now)
            }
            Self::Decide { verdict, note, .. } => {
                let shown = caller.shown.as_deref();
                let decision = Decision { by, note: note.as_deref(), now, shown };
                match verdict {
                    ChangeVerdict::Confirm(approver) => {
                        reconcile::plan_confirm(fact.id, held, &decision, *approver)
                    }
                    ChangeVerdict::Reject | ChangeVerdict::Withdraw => {
                        reconcile::plan_reject(fact.id, held, &decision)
                    }
                }
            }
        }
    }

    fn record(&self, planned: Option<&Planned>) -> crate::Record {
        match self {
            Self::Update { edit, .. } => Updated { id: edit.id, planned }.record(),
            Self::Decide { id, verdict, .. } => Decided { id: *id, verdict: *verdict, planned }.record(),
        }
    }
}

struct FactChange {
    call: Call,
    space: Space,
    change: Change,
}

impl Script for FactChange {
    type Output = Result<Option<Planned>, OverStorage>;

    fn ground(&self) -> Ground<'_> {
        Ground::within(&self.call, &self.space)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<Self::Output> {
        let planned = self.planned(rows).await?;
        if let Ok(planned) = &planned {
            rows.record(&self.call, &self.change.record(planned.as_ref()), &[]).await?;
        }
        Ok(planned)
    }
}

impl FactChange {
    async fn planned<R: Rows>(&self, rows: &mut R) -> StoreResult<Result<Option<Planned>, OverStorage>> {
        let (caller, limits) = (&self.call.caller, self.change.limits());
        let tenant = &caller.tenant;
        storage_use::lock(rows, tenant, &limits).await?;
        let Some(row) = spaces::lock(rows, tenant, &self.space).await? else { return Ok(Ok(None)) };
        let space = SpaceKey { tenant, id: row.id };
        let Some(fact) = facts::get(rows.db(), space, &[self.change.fact()]).await?.pop() else {
            return Ok(Ok(None));
        };
        rows.db().secrets().unreadable.refuse_replaced(space)?;
        let (held, policy) = rows.db().plan_basis(space, &reconcile::needs_of(&fact)).await?;
        let plan = |next| self.change.plan(&fact, (&held, &policy), &self.call.caller, next);
        let plan = rows.numbered(tenant, plan).await?;
        if let Ok(plan) = &plan {
            let secrets = rows.db().secrets();
            let FactWrites { steps, added } =
                write_steps::<R>(secrets, space, row, &plan.writes, caller.id(), caller.now)?;
            if let Err(over) = storage_use::check(rows, caller, &limits, added).await? {
                return Ok(Err(over));
            }
            rows.run_all(steps).await?;
        }
        Ok(Ok(Some(Planned { fact, plan })))
    }
}

impl Store {
    /// Gives a fact a new value; `None` when the space holds no fact of that id.
    pub async fn fact_update(
        &self,
        call: Call,
        space: Space,
        slots: Arc<SlotSchema>,
        edit: Edit,
    ) -> Result<Option<Planned>, StoreError> {
        let change = Change::Update { edit, slots };
        self.write(FactChange { call, space, change }).await?.map_err(StoreError::OverQuota)
    }

    /// Confirms or rejects a flagged fact; `None` when the space holds no fact of that id.
    pub async fn change_decide(
        &self,
        call: Call,
        space: Space,
        id: FactId,
        verdict: ChangeVerdict,
        note: Option<String>,
    ) -> Result<Option<Planned>, StoreError> {
        let change = Change::Decide { id, verdict, note };
        self.write(FactChange { call, space, change }).await?.map_err(StoreError::OverQuota)
    }
}
