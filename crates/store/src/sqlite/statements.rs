//! Commits of what was said: the plan is made inside the transaction, on what is there at that moment.

use super::Store;
use crate::StoreError;
use crate::call::{Call, Record};
use domain::{Caller, Fact, FactId, Metadata, RawFact, SourcePolicy, Space, Timestamp};
use reconcile::{Decision, Editor, Plan, Refusal, SlotSchema, Statement, Trust};
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    Remember,
    Forget,
}

/// A statement together with what the model made of it.
#[derive(Debug, Clone)]
pub struct Said {
    pub intent: Intent,
    pub text: String,
    pub source: Option<String>,
    pub trust: Trust,
    pub metadata: Metadata,
    pub facts: Vec<RawFact>,
}

/// A new value for one fact.
#[derive(Debug, Clone)]
pub struct Edit {
    pub id: FactId,
    pub value: String,
    pub editor: Editor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Confirm,
    Reject,
}

impl Store {
    /// Reconciles a statement with the space. The model is never asked again: what it proposed is judged against what
    /// is held now.
    pub async fn statement_commit(
        &self,
        call: Call,
        space: Space,
        slots: Arc<SlotSchema>,
        said: Said,
        describe: impl FnOnce(&Plan) -> Record + Send + 'static,
    ) -> Result<Plan, StoreError> {
        self.write(call, move |tx, call| {
            let tenant = call.caller.tenant.as_str();
            let proposals = reconcile::repair(&said.facts, &slots);
            let row = tx.space_open(tenant, &space)?;
            let held = tx.db().facts_needed(tenant, row.id, &reconcile::needs(&proposals))?;
            let policy = tx.db().space_policy(tenant, row.id)?;
            let statement = Statement {
                text: &said.text,
                source: said.source.as_deref(),
                trust: said.trust,
                metadata: &said.metadata,
                now: call.caller.now,
            };
            let next = tx.db().sequence_next(tenant, "fact")?;
            let plan = match said.intent {
                Intent::Remember => reconcile::plan(&held, &proposals, &statement, &policy, next),
                Intent::Forget => reconcile::plan_removal(&held, &proposals, &statement, next),
            };
            tx.facts_write(tenant, row.id, &plan.writes)?;
            let record = describe(&plan);
            Ok((plan, record))
        })
        .await
    }

    /// Gives a fact a new value; `None` when the space holds no fact of that id.
    pub async fn fact_update(
        &self,
        call: Call,
        space: Space,
        slots: Arc<SlotSchema>,
        edit: Edit,
        describe: impl FnOnce(&Option<Result<Plan, Refusal>>) -> Record + Send + 'static,
    ) -> Result<Option<Result<Plan, Refusal>>, StoreError> {
        self.on_fact(call, space, edit.id, describe, move |fact, held, now, next| {
            reconcile::plan_update(fact.id, &edit.value, held, edit.editor, &slots, now, next)
        })
        .await
    }

    /// Confirms or rejects a flagged fact; `None` when the space holds no fact of that id.
    pub async fn change_decide(
        &self,
        call: Call,
        space: Space,
        id: FactId,
        verdict: Verdict,
        note: Option<String>,
        describe: impl FnOnce(&Option<Result<Plan, Refusal>>) -> Record + Send + 'static,
    ) -> Result<Option<Result<Plan, Refusal>>, StoreError> {
        let by = call.caller.id().to_owned();
        self.on_fact(call, space, id, describe, move |fact, held, now, _| {
            let decision = Decision { by: &by, note: note.as_deref(), now };
            match verdict {
                Verdict::Confirm => reconcile::plan_confirm(fact.id, held, &decision),
                Verdict::Reject => reconcile::plan_reject(fact.id, held, &decision),
            }
        })
        .await
    }

    async fn on_fact(
        &self,
        call: Call,
        space: Space,
        id: FactId,
        describe: impl FnOnce(&Option<Result<Plan, Refusal>>) -> Record + Send + 'static,
        plan: impl FnOnce(&Fact, &reconcile::Held, Timestamp, FactId) -> Result<Plan, Refusal> + Send + 'static,
    ) -> Result<Option<Result<Plan, Refusal>>, StoreError> {
        self.write(call, move |tx, call| {
            let tenant = call.caller.tenant.as_str();
            let Some(row) = tx.db().space_find(tenant, &space)? else { return Ok((None, describe(&None))) };
            let Some(fact) = tx.db().fact_get(tenant, row.id, id)? else {
                return Ok((None, describe(&None)));
            };
            let held = tx.db().facts_needed(tenant, row.id, &reconcile::needs_of(&fact))?;
            let next = tx.db().sequence_next(tenant, "fact")?;
            let planned = plan(&fact, &held, call.caller.now, next);
            if let Ok(plan) = &planned {
                tx.facts_write(tenant, row.id, &plan.writes)?;
            }
            let result = Some(planned);
            let record = describe(&result);
            Ok((result, record))
        })
        .await
    }

    pub async fn policy_set(
        &self,
        call: Call,
        space: Space,
        policy: SourcePolicy,
        record: Record,
    ) -> Result<(), StoreError> {
        self.write(call, move |tx, call| {
            let tenant = call.caller.tenant.as_str();
            let row = tx.space_open(tenant, &space)?;
            tx.space_policy_set(tenant, row.id, &policy)?;
            Ok(((), record))
        })
        .await
    }

    pub async fn policy_get(&self, caller: &Caller, space: &Space) -> Result<SourcePolicy, StoreError> {
        self.in_space(caller, space, |db, tenant, space| db.space_policy(tenant, space))
            .await
            .map(Option::unwrap_or_default)
    }
}
