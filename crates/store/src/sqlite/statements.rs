//! Commits of what was said: the plan is made inside the transaction, on what is there at that moment.

use super::Sqlite;
use super::db::Db;
use super::tx::Tx;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::deployment::{BOUND, SOURCES};
use crate::rows::statements::{Edit, Intent, Planned, Said, Verdict, ids_read, ids_write, standing_facts};
use domain::keys::text_key;
use domain::{Caller, Fact, FactId, SourcePolicy, Space, Status, Timestamp};
use reconcile::{Decision, Plan, Refusal, SlotSchema, Statement};
use std::sync::Arc;

impl Db<'_> {
    fn statement_known(&self, tenant: &str, space: i64, text: &str) -> Result<Option<Vec<Fact>>, StoreError> {
        let index = self.secrets.index("text", tenant, space, &text_key(text));
        let ids: Option<String> = self.one(
            "SELECT facts FROM statement WHERE tenant = ?1 AND space = ?2 AND text_ix = ?3",
            (tenant, space, index),
            |row| row.get(0),
        )?;
        let Some(ids) = ids else { return Ok(None) };
        let mut facts = Vec::new();
        for id in ids_read(&ids)? {
            match self.fact_get(tenant, space, id)? {
                Some(fact) if fact.status == Status::Active => facts.push(fact),
                _ => return Ok(None),
            }
        }
        Ok(Some(facts))
    }
}

impl Tx<'_> {
    /// Notes what the words came to, where all of it now stands; forgets it where some was flagged, archived,
    /// retracted or skipped.
    fn statement_note(
        &mut self,
        tenant: &str,
        space: i64,
        text: &str,
        plan: &Plan,
    ) -> Result<(), StoreError> {
        let index = self.secrets.index("text", tenant, space, &text_key(text));
        let Some(ids) = standing_facts(plan) else {
            self.db().run(
                "DELETE FROM statement WHERE tenant = ?1 AND space = ?2 AND text_ix = ?3",
                (tenant, space, index),
            )?;
            return Ok(());
        };
        self.db().run(
            "INSERT INTO statement (tenant, space, text_ix, facts) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (tenant, space, text_ix) DO UPDATE SET facts = excluded.facts",
            (tenant, space, index, ids_write(&ids)?),
        )?;
        Ok(())
    }
}

impl Sqlite {
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
                Intent::Remember => reconcile::plan(&held, &proposals, &statement, &policy, &slots, next),
                Intent::Forget => reconcile::plan_removal(&held, &proposals, &statement, next),
            };
            tx.facts_write(tenant, row.id, &plan.writes)?;
            if said.intent == Intent::Remember {
                tx.statement_note(tenant, row.id, &said.text, &plan)?;
            }
            let record = describe(&plan);
            Ok((plan, record))
        })
        .await
    }

    /// The facts that these very words came to, if every one of them is still active.
    pub async fn statement_known(
        &self,
        caller: &Caller,
        space: &Space,
        text: &str,
    ) -> Result<Option<Vec<Fact>>, StoreError> {
        let text = text.to_owned();
        let known =
            self.in_space(caller, space, move |db, tenant, space| db.statement_known(tenant, space, &text));
        Ok(known.await?.flatten())
    }

    /// Gives a fact a new value; `None` when the space holds no fact of that id.
    pub async fn fact_update(
        &self,
        call: Call,
        space: Space,
        slots: Arc<SlotSchema>,
        edit: Edit,
        describe: impl FnOnce(Option<&Planned>) -> Record + Send + 'static,
    ) -> Result<Option<Planned>, StoreError> {
        let by = call.caller.id().to_owned();
        self.on_fact(call, space, edit.id, describe, move |fact, held, now, next| {
            let how = reconcile::Edit { editor: edit.editor, by: &by, now };
            reconcile::plan_update(fact.id, &edit.value, held, &how, &slots, next)
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
        describe: impl FnOnce(Option<&Planned>) -> Record + Send + 'static,
    ) -> Result<Option<Planned>, StoreError> {
        let by = call.caller.id().to_owned();
        self.on_fact(call, space, id, describe, move |fact, held, now, _| {
            let decision = Decision { by: &by, note: note.as_deref(), now };
            match verdict {
                Verdict::Confirm(approver) => reconcile::plan_confirm(fact.id, held, &decision, approver),
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
        describe: impl FnOnce(Option<&Planned>) -> Record + Send + 'static,
        plan: impl FnOnce(&Fact, &reconcile::HeldFacts, Timestamp, FactId) -> Result<Plan, Refusal>
        + Send
        + 'static,
    ) -> Result<Option<Planned>, StoreError> {
        self.write(call, move |tx, call| {
            let tenant = call.caller.tenant.as_str();
            let Some(row) = tx.db().space_find(tenant, &space)? else { return Ok((None, describe(None))) };
            let Some(fact) = tx.db().fact_get(tenant, row.id, id)? else {
                return Ok((None, describe(None)));
            };
            let held = tx.db().facts_needed(tenant, row.id, &reconcile::needs_of(&fact))?;
            let next = tx.db().sequence_next(tenant, "fact")?;
            let plan = plan(&fact, &held, call.caller.now, next);
            if let Ok(plan) = &plan {
                tx.facts_write(tenant, row.id, &plan.writes)?;
            }
            let planned = Planned { fact, plan };
            let record = describe(Some(&planned));
            Ok((Some(planned), record))
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

    pub async fn sources_bound(&self) -> Result<bool, StoreError> {
        self.read(|db| Ok(db.deployment_get(SOURCES)?.as_deref() == Some(BOUND))).await
    }

    pub async fn policy_get(&self, caller: &Caller, space: &Space) -> Result<SourcePolicy, StoreError> {
        self.in_space(caller, space, |db, tenant, space| db.space_policy(tenant, space))
            .await
            .map(Option::unwrap_or_default)
    }
}
