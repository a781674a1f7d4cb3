//! Commits of what was said: the plan is made inside the transaction, on what is there at that moment.

use super::spaces::{self, SpaceQuery};
use super::{facts, storage_use};
use crate::StoreError;
use crate::call::{Call, Record};
use crate::records::{Reconciled, Recorded};
use crate::rows::facts::{FactWrites, write_steps};
use crate::rows::spaces::SpaceVersion;
use crate::rows::statements::{
    Intent, KEPT_REPLY, Reached, Said, ids_read, keep_reply, kept_reply, note, reply_index,
};
use crate::script::{Db, Ground, Rows, Script, StoreResult};
use crate::sql::params;
use crate::storage_quota::OverStorage;
use crate::store::Store;
use domain::keys::text_key;
use domain::{Caller, Fact, FactId, Space, SpaceKey, Status, Timestamp, When};
use reconcile::{Proposal, Refusal, SlotSchema, Statement, Trust};
use std::collections::BTreeMap;
use std::sync::Arc;

struct StatementCommit {
    call: Call,
    space: Space,
    slots: Arc<SlotSchema>,
    said: Said,
}

impl Script for StatementCommit {
    type Output = Result<Result<Reached, Refusal>, OverStorage>;

    fn ground(&self) -> Ground<'_> {
        Ground::within(&self.call, &self.space)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<Self::Output> {
        let (tenant, said) = (&self.call.caller.tenant, &self.said);
        let proposals = reconcile::repair(&said.facts, said.proposer, &self.slots);
        storage_use::lock(rows, tenant, &said.limits).await?;
        let row = spaces::open(rows, tenant, &self.space).await?;
        let space = SpaceKey { tenant, id: row.id };
        let is_first = said.trust == Trust::AfterRemoval
            && !is_after_removal(rows.db(), space, row.at, &proposals).await?;
        let trust = if is_first { Trust::Ordinary } else { said.trust };
        let statement = Statement {
            text: &said.text,
            source: said.source.as_deref(),
            trust,
            metadata: &said.metadata,
            proposer: said.proposer,
            said: said.said,
            now: self.call.caller.now,
        };
        if let Some(once) = &said.once
            && let Some(reply) = answered(rows.db(), space, &once.key, statement.now).await?
        {
            rows.record(&self.call, &Record::done("answered as before"), &[]).await?;
            return Ok(Ok(Ok(Reached::Reply(reply))));
        }
        let needs = reconcile::needs(&proposals, &statement, &said.due);
        rows.db().secrets().unreadable.refuse_replaced(space)?;
        let (held, policy) = rows.db().plan_basis(space, &needs).await?;
        let plan = |next| match said.intent {
            Intent::Remember => reconcile::plan(&held, &proposals, &statement, &policy, &self.slots, next),
            Intent::Forget => Ok(reconcile::plan_removal(&held, &proposals, &statement, &policy, next)),
        };
        let plan = match rows.numbered(tenant, plan).await? {
            Ok(plan) => plan,
            Err(refusal) => return Ok(Ok(Err(refusal))),
        };
        let secrets = rows.db().secrets();
        let (caller, now) = (&self.call.caller, statement.now);
        let FactWrites { mut steps, added } =
            write_steps::<R>(secrets, space, row, &plan.writes, caller.id(), now)?;
        if said.intent == Intent::Remember {
            steps.push(note(secrets, space, &said.text, &plan)?);
        }
        if let Some(once) = &said.once {
            steps.push(keep_reply(secrets, (space, row.key), once, &plan, now)?);
        }
        if !plan.writes.is_empty()
            && let Err(over) = storage_use::check(rows, caller, &said.limits, added).await?
        {
            return Ok(Err(over));
        }
        rows.run_all(steps).await?;
        let record = Reconciled { plan: &plan, proposer: said.proposer }.record();
        rows.record(&self.call, &record, &[]).await?;
        Ok(Ok(Ok(Reached::Plan(plan))))
    }
}

/// Whether a first value could follow one that was erased, or one whose removal somebody else approved without knowing what
/// would come next.
pub(super) async fn is_after_removal<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    at: SpaceVersion,
    proposals: &[Proposal],
) -> StoreResult<bool> {
    if at.was_erased_from() {
        return Ok(true);
    }
    // A further item of a list takes nobody's place.
    for proposal in proposals.iter().filter(|proposal| proposal.is_gated() && !proposal.list) {
        if facts::was_superseded(db, space, &proposal.subject).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What a call with this key was answered, if there was one.
async fn answered<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    key: &str,
    now: Timestamp,
) -> StoreResult<Option<String>> {
    let index = reply_index(db.secrets(), space, key);
    let kept: Option<(String,)> = db.one(KEPT_REPLY, &params![space.tenant, space.id, index]).await?;
    Ok(kept.and_then(|(kept,)| kept_reply(db.secrets(), space, &kept, now)))
}

struct Answered {
    key: String,
    now: Timestamp,
}

impl SpaceQuery for Answered {
    type Output = Option<String>;

    async fn run<D: Db>(
        &self,
        db: &mut D,
        space: SpaceKey<'_>,
        _: SpaceVersion,
    ) -> StoreResult<Self::Output> {
        answered(db, space, &self.key, self.now).await
    }
}

/// The facts that the words came to when they were said then, if every one of them is still active.
struct StatementKnown {
    text: String,
    said: Option<When>,
    now: Timestamp,
}

impl SpaceQuery for StatementKnown {
    type Output = Option<Vec<Fact>>;

    async fn run<D: Db>(
        &self,
        db: &mut D,
        space: SpaceKey<'_>,
        _: SpaceVersion,
    ) -> StoreResult<Self::Output> {
        let index = db.secrets().index("text", space, &text_key(&self.text));
        let sql = "SELECT facts FROM statement WHERE tenant = $1 AND space = $2 AND text_ix = $3";
        let ids: Option<(String,)> = db.one(sql, &params![space.tenant, space.id, index]).await?;
        let Some((ids,)) = ids else { return Ok(None) };
        let ids = ids_read(&ids)?;
        let found = facts::get(db, space, &ids).await?;
        let found = found.into_iter().map(|fact| fact.counted_at(self.now));
        let is_it = |fact: &Fact| fact.status == Status::Active && fact.times.said == self.said;
        let active = found.filter(is_it);
        let active: BTreeMap<FactId, Fact> = active.map(|fact| (fact.id, fact)).collect();
        Ok(ids.iter().map(|id| active.get(id).cloned()).collect())
    }
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
    ) -> Result<Result<Reached, Refusal>, StoreError> {
        self.write(StatementCommit { call, space, slots, said }).await?.map_err(StoreError::OverQuota)
    }

    /// What a call with this key was answered, for thirty days.
    pub async fn statement_answered(
        &self,
        caller: &Caller,
        space: &Space,
        key: &str,
    ) -> Result<Option<String>, StoreError> {
        let answered = Answered { key: key.to_owned(), now: caller.now };
        Ok(self.read_in(caller, space, answered).await?.flatten())
    }

    /// The facts that these very words came to when they were said then, if every one of them is still active.
    pub async fn statement_known(
        &self,
        caller: &Caller,
        space: &Space,
        text: &str,
        said: Option<When>,
    ) -> Result<Option<Vec<Fact>>, StoreError> {
        let known = StatementKnown { text: text.to_owned(), said, now: caller.now };
        Ok(self.read_in(caller, space, known).await?.flatten())
    }
}
