//! Commits of what was said: the plan is made inside the transaction, on what is there at that moment.

use super::Postgres;
use super::db::{Db, only};
use super::lane::{Ground, Work};
use super::numbers::Series;
use super::tx::Tx;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::deployment::{BOUND, SOURCES};
use crate::rows::statements::{Edit, Intent, Planned, Said, Verdict, ids_read, ids_write, standing_facts};
use domain::keys::text_key;
use domain::{Caller, Fact, FactId, SourcePolicy, Space, Status};
use futures_util::future::try_join;
use reconcile::{Decision, HeldFacts, Plan, Refusal, SlotSchema, Statement, Write};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Numbers that a plan is first made with, beyond any that were given out. Only once it is known how many facts are new
/// are numbers taken, and the plan is made again with them: it is the same plan.
const PROVISIONAL: FactId = 1 << 62;

impl Tx {
    /// Makes the plan with numbers of its own for the facts that it adds.
    async fn numbered<E>(
        &self,
        tenant: &str,
        plan: impl Fn(FactId) -> Result<Plan, E>,
    ) -> Result<Result<Plan, E>, StoreError> {
        let draft = match plan(PROVISIONAL) {
            Ok(draft) => draft,
            refused => return Ok(refused),
        };
        let new = draft.writes.iter().filter(|write| matches!(write, Write::Insert(_))).count();
        if new == 0 {
            return Ok(Ok(draft));
        }
        Ok(plan(self.take(tenant, Series::Fact, new).await?))
    }

    /// Notes what the words came to, where all of it now stands, and forgets it where not.
    async fn statement_note(
        &self,
        tenant: &str,
        space: i64,
        text: &str,
        plan: &Plan,
    ) -> Result<(), StoreError> {
        let index = self.secrets().index("text", tenant, space, &text_key(text));
        let Some(ids) = standing_facts(plan) else {
            self.db()
                .run(
                    "DELETE FROM statement WHERE tenant = $1 AND space = $2 AND text_ix = $3",
                    &[&tenant, &space, &index.as_slice()],
                )
                .await?;
            return Ok(());
        };
        self.db()
            .run(
                "INSERT INTO statement (tenant, space, text_ix, facts) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (tenant, space, text_ix) DO UPDATE SET facts = excluded.facts",
                &[&tenant, &space, &index.as_slice(), &ids_write(&ids)?],
            )
            .await?;
        Ok(())
    }
}

impl Db<'_> {
    async fn statement_known(
        &self,
        tenant: &str,
        space: i64,
        text: &str,
    ) -> Result<Option<Vec<Fact>>, StoreError> {
        let index = self.secrets.index("text", tenant, space, &text_key(text));
        let ids: Option<String> = self
            .one(
                "SELECT facts FROM statement WHERE tenant = $1 AND space = $2 AND text_ix = $3",
                &[&tenant, &space, &index.as_slice()],
                only,
            )
            .await?;
        let Some(ids) = ids else { return Ok(None) };
        let ids = ids_read(&ids)?;
        let found = self.facts_get(tenant, space, &ids).await?;
        let active = found.into_iter().filter(|fact| fact.status == Status::Active);
        let active: BTreeMap<FactId, Fact> = active.map(|fact| (fact.id, fact)).collect();
        Ok(ids.iter().map(|id| active.get(id).cloned()).collect())
    }
}

struct StatementCommit<D> {
    call: Call,
    space: Space,
    slots: Arc<SlotSchema>,
    said: Said,
    describe: D,
}

impl<D: Fn(&Plan) -> Record + Send + Sync + 'static> Work for StatementCommit<D> {
    type Output = Plan;

    fn ground(&self) -> Ground<'_> {
        Ground::new(self.call.caller.tenant.as_str(), Some(&self.space))
    }

    async fn run(&self, tx: &mut Tx) -> Result<Plan, StoreError> {
        let (tenant, said) = (self.call.caller.tenant.as_str(), &self.said);
        let proposals = reconcile::repair(&said.facts, &self.slots);
        let row = tx.space_open(tenant, &self.space).await?;
        let (db, needs) = (tx.db(), reconcile::needs(&proposals));
        let (held, policy) =
            try_join(db.facts_needed(tenant, row.id, &needs), db.space_policy(tenant, row.id)).await?;
        let statement = Statement {
            text: &said.text,
            source: said.source.as_deref(),
            trust: said.trust,
            metadata: &said.metadata,
            now: self.call.caller.now,
        };
        let planned = tx
            .numbered(tenant, |next| {
                Ok::<_, std::convert::Infallible>(match said.intent {
                    Intent::Remember => {
                        reconcile::plan(&held, &proposals, &statement, &policy, &self.slots, next)
                    }
                    Intent::Forget => reconcile::plan_removal(&held, &proposals, &statement, next),
                })
            })
            .await?;
        let Ok(plan) = planned;
        let note = async {
            match said.intent {
                Intent::Remember => tx.statement_note(tenant, row.id, &said.text, &plan).await,
                Intent::Forget => Ok(()),
            }
        };
        try_join(tx.facts_write(tenant, row, &plan.writes), note).await?;
        tx.record(&self.call, &(self.describe)(&plan));
        Ok(plan)
    }
}

/// What is to be done to one fact.
enum Deed {
    Update { edit: Edit, slots: Arc<SlotSchema> },
    Decide { id: FactId, verdict: Verdict, note: Option<String> },
}

impl Deed {
    fn fact(&self) -> FactId {
        match self {
            Self::Update { edit, .. } => edit.id,
            Self::Decide { id, .. } => *id,
        }
    }

    fn plan(&self, fact: &Fact, held: &HeldFacts, caller: &Caller, next: FactId) -> Result<Plan, Refusal> {
        let (by, now) = (caller.id(), caller.now);
        match self {
            Self::Update { edit, slots } => {
                let how = reconcile::Edit { editor: edit.editor, by, now };
                reconcile::plan_update(fact.id, &edit.value, held, &how, slots, next)
            }
            Self::Decide { verdict, note, .. } => {
                let decision = Decision { by, note: note.as_deref(), now };
                match verdict {
                    Verdict::Confirm(approver) => {
                        reconcile::plan_confirm(fact.id, held, &decision, *approver)
                    }
                    Verdict::Reject => reconcile::plan_reject(fact.id, held, &decision),
                }
            }
        }
    }
}

struct OnFact<D> {
    call: Call,
    space: Space,
    deed: Deed,
    describe: D,
}

impl<D: Fn(Option<&Planned>) -> Record + Send + Sync + 'static> Work for OnFact<D> {
    type Output = Option<Planned>;

    fn ground(&self) -> Ground<'_> {
        Ground::new(self.call.caller.tenant.as_str(), Some(&self.space))
    }

    async fn run(&self, tx: &mut Tx) -> Result<Option<Planned>, StoreError> {
        let planned = self.planned(tx).await?;
        tx.record(&self.call, &(self.describe)(planned.as_ref()));
        Ok(planned)
    }
}

impl<D> OnFact<D> {
    async fn planned(&self, tx: &Tx) -> Result<Option<Planned>, StoreError> {
        let tenant = self.call.caller.tenant.as_str();
        let Some(row) = tx.space_lock(tenant, &self.space).await? else { return Ok(None) };
        let Some(fact) = tx.db().fact_get(tenant, row.id, self.deed.fact()).await? else { return Ok(None) };
        let held = tx.db().facts_needed(tenant, row.id, &reconcile::needs_of(&fact)).await?;
        let plan = tx.numbered(tenant, |next| self.deed.plan(&fact, &held, &self.call.caller, next)).await?;
        if let Ok(plan) = &plan {
            tx.facts_write(tenant, row, &plan.writes).await?;
        }
        Ok(Some(Planned { fact, plan }))
    }
}

struct PolicySet {
    call: Call,
    space: Space,
    policy: SourcePolicy,
    record: Record,
}

impl Work for PolicySet {
    type Output = ();

    fn ground(&self) -> Ground<'_> {
        Ground::new(self.call.caller.tenant.as_str(), Some(&self.space))
    }

    async fn run(&self, tx: &mut Tx) -> Result<(), StoreError> {
        let tenant = self.call.caller.tenant.as_str();
        let row = tx.space_open(tenant, &self.space).await?;
        tx.space_policy_set(tenant, row.id, &self.policy).await?;
        tx.record(&self.call, &self.record);
        Ok(())
    }
}

impl Postgres {
    pub async fn statement_commit(
        &self,
        call: Call,
        space: Space,
        slots: Arc<SlotSchema>,
        said: Said,
        describe: impl Fn(&Plan) -> Record + Send + Sync + 'static,
    ) -> Result<Plan, StoreError> {
        self.lane.run(StatementCommit { call, space, slots, said, describe }).await
    }

    pub async fn statement_known(
        &self,
        caller: &Caller,
        space: &Space,
        text: &str,
    ) -> Result<Option<Vec<Fact>>, StoreError> {
        let Some((snapshot, row)) = self.shared.space_snapshot(caller, space).await? else {
            return Ok(None);
        };
        snapshot.db()?.statement_known(caller.tenant.as_str(), row.id, text).await
    }

    pub async fn fact_update(
        &self,
        call: Call,
        space: Space,
        slots: Arc<SlotSchema>,
        edit: Edit,
        describe: impl Fn(Option<&Planned>) -> Record + Send + Sync + 'static,
    ) -> Result<Option<Planned>, StoreError> {
        self.lane.run(OnFact { call, space, deed: Deed::Update { edit, slots }, describe }).await
    }

    pub async fn change_decide(
        &self,
        call: Call,
        space: Space,
        id: FactId,
        verdict: Verdict,
        note: Option<String>,
        describe: impl Fn(Option<&Planned>) -> Record + Send + Sync + 'static,
    ) -> Result<Option<Planned>, StoreError> {
        self.lane.run(OnFact { call, space, deed: Deed::Decide { id, verdict, note }, describe }).await
    }

    pub async fn policy_set(
        &self,
        call: Call,
        space: Space,
        policy: SourcePolicy,
        record: Record,
    ) -> Result<(), StoreError> {
        self.lane.run(PolicySet { call, space, policy, record }).await
    }

    pub async fn sources_bound(&self) -> Result<bool, StoreError> {
        let client = self.shared.desk.get().await?;
        let db = Db { client: &client, secrets: &self.shared.secrets };
        Ok(db.deployment_get(SOURCES).await?.as_deref() == Some(BOUND))
    }

    pub async fn policy_get(&self, caller: &Caller, space: &Space) -> Result<SourcePolicy, StoreError> {
        let Some((snapshot, row)) = self.shared.space_snapshot(caller, space).await? else {
            return Ok(SourcePolicy::default());
        };
        snapshot.db()?.space_policy(caller.tenant.as_str(), row.id).await
    }
}
