//! Decision snapshots, and the disclosures that can be erased without breaking their signature.

use super::signing_view::learn;
use super::{receipts, spaces};
use crate::StoreError;
use crate::call::Call;
use crate::records::{Recorded, Taken};
use crate::rows::decisions::{
    BELIEF, BELIEF_COLUMNS, COLUMNS, DecisionRow, ErasedValues, FoundDecision, NewDecision, OpenDecision,
    SealedBelief, SealedDecision, accounts,
};
use crate::rows::spaces::SpaceRow;
use crate::script::{Db, Ground, Query, Reach, Rows, Script, Series, StoreResult};
use crate::sql::{RowWrite, numbers, params};
use crate::store::Store;
use domain::{Caller, DecisionId, ReceiptId, Space, SpaceKey, Tenant};
use evidence::{Hash, Owner};
use std::collections::{BTreeMap, BTreeSet};

pub(super) async fn of_space<D: Db>(db: &mut D, space: SpaceKey<'_>) -> StoreResult<Vec<SealedDecision>> {
    let sql = format!("SELECT {COLUMNS} FROM decision d WHERE tenant = $1 AND space = $2 ORDER BY id");
    db.all(&sql, &params![space.tenant, space.id]).await
}

/// Opens every part of the record; any part that does not open is a reason not to believe it.
pub(super) async fn open<D: Db>(
    db: &mut D,
    tenant: &Tenant,
    row: &SealedDecision,
) -> StoreResult<OpenDecision> {
    let sql =
        format!("SELECT {BELIEF_COLUMNS} FROM belief WHERE tenant = $1 AND decision = $2 ORDER BY place");
    let beliefs: Vec<SealedBelief> = db.all(&sql, &params![tenant, row.id]).await?;
    let mut accounted = BTreeMap::new();
    for id in accounts(row, &beliefs) {
        accounted.extend(receipts::vouched(db, tenant, id).await?.map(|signed| (id, signed)));
    }
    db.secrets().decision_open(tenant, row, &beliefs, &accounted)
}

async fn insert<R: Rows>(
    rows: &mut R,
    tenant: &Tenant,
    space: SpaceRow,
    taken: &evidence::Recorded,
) -> StoreResult<()> {
    let (decision, beliefs) = rows.db().secrets().decision_seal(space.key, tenant, taken)?;
    let sql = "INSERT INTO decision (tenant, id, space, created, body, signature, summary)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let id = decision.id;
    let signature = decision.signature.as_deref();
    let values = params![
        tenant,
        id,
        space.id,
        decision.created,
        &decision.body,
        signature,
        decision.summary.as_deref()
    ];
    let mut steps = vec![RowWrite::new(sql, values)];
    steps.extend(beliefs.iter().map(|belief| {
        let disclosure = belief.disclosure.as_deref();
        RowWrite::new(BELIEF, params![tenant, id, belief.place, belief.memory, disclosure])
    }));
    rows.run_all(steps).await
}

/// How many decisions there are in the spaces of the user, up to `most`.
pub(super) async fn count_of_user<D: Db>(
    db: &mut D,
    tenant: &Tenant,
    user_id: &str,
    most: usize,
) -> StoreResult<usize> {
    let sql = "SELECT d.id FROM space s JOIN decision d ON d.tenant = s.tenant AND d.space = s.id
        WHERE s.tenant = $1 AND s.user_id = $2 LIMIT $3";
    let found: Vec<(i64,)> = db.all(sql, &params![tenant, user_id, most as i64]).await?;
    Ok(found.len())
}

/// The decisions that disclose any of these facts.
pub(super) async fn resting_on<D: Db>(
    db: &mut D,
    tenant: &Tenant,
    facts: &[i64],
) -> StoreResult<BTreeSet<DecisionId>> {
    let sql =
        "SELECT DISTINCT decision FROM belief WHERE tenant = $1 AND memory = $2 AND disclosure IS NOT NULL";
    let found: Vec<(i64,)> = db.all_each(sql, tenant, facts, &[]).await?;
    Ok(found.into_iter().map(|(id,)| DecisionId(id)).collect())
}

/// The decisions in all spaces of the user whose summary repeats one of the values: spaces of one user may speak of each
/// other's facts.
pub(super) async fn repeating<D: Db>(
    db: &mut D,
    tenant: &Tenant,
    user_id: &str,
    values: &ErasedValues,
    rested: &BTreeSet<DecisionId>,
) -> StoreResult<Vec<DecisionId>> {
    if values.is_empty() {
        return Ok(Vec::new());
    }
    let sql = "SELECT d.id, d.summary FROM space s JOIN decision d ON d.tenant = s.tenant AND d.space = s.id
        WHERE s.tenant = $1 AND s.user_id = $2 AND d.summary IS NOT NULL ORDER BY d.id";
    let summaries: Vec<(i64, Vec<u8>)> = db.all(sql, &params![tenant, user_id]).await?;
    let mut found = Vec::new();
    for (id, sealed) in summaries {
        let decision = DecisionId(id);
        let rested_on_it = rested.contains(&decision);
        match db.secrets().summary_repeats(tenant, decision, &sealed, rested_on_it, values) {
            Ok(true) => found.push(decision),
            Ok(false) => {}
            // What does not open tells nobody of the erased value.
            Err(error) if error.is_of_content() => {
                tracing::error!(%error, %tenant, decision = decision.0, "the summary of a decision does not open");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// The decisions in all spaces of the user that have a summary.
pub(super) async fn summarized<D: Db>(
    db: &mut D,
    tenant: &Tenant,
    user_id: &str,
) -> StoreResult<Vec<DecisionId>> {
    let sql = "SELECT d.id FROM space s JOIN decision d ON d.tenant = s.tenant AND d.space = s.id
        WHERE s.tenant = $1 AND s.user_id = $2 AND d.summary IS NOT NULL ORDER BY d.id";
    let found: Vec<(i64,)> = db.all(sql, &params![tenant, user_id]).await?;
    Ok(found.into_iter().map(|(id,)| DecisionId(id)).collect())
}

/// Removes what decisions disclose of these facts; the receipt accounts for it.
pub(super) async fn disclosures_erase<R: Rows>(
    rows: &mut R,
    tenant: &Tenant,
    facts: &[i64],
    receipt: ReceiptId,
) -> StoreResult<()> {
    let sql = "UPDATE belief SET disclosure = NULL, erased_by = $3
        WHERE tenant = $1 AND memory = $2 AND disclosure IS NOT NULL";
    rows.run_each(sql, tenant, facts, &params![receipt]).await
}

/// Removes the summaries of these decisions; the receipt accounts for it.
pub(super) async fn summaries_erase<R: Rows>(
    rows: &mut R,
    tenant: &Tenant,
    decisions: &[DecisionId],
    receipt: ReceiptId,
) -> StoreResult<()> {
    let sql = "UPDATE decision SET summary = NULL, summary_erased_by = $3 WHERE tenant = $1 AND id = $2";
    rows.run_each(sql, tenant, &numbers(decisions), &params![receipt]).await
}

pub(super) async fn remove<R: Rows>(rows: &mut R, tenant: &Tenant, ids: &[DecisionId]) -> StoreResult<()> {
    let ids = numbers(ids);
    let beliefs = "DELETE FROM belief WHERE tenant = $1 AND decision = $2";
    rows.run_each(beliefs, tenant, &ids, &[]).await?;
    let decisions = "DELETE FROM decision WHERE tenant = $1 AND id = $2";
    rows.run_each(decisions, tenant, &ids, &[]).await
}

struct DecisionRecord {
    call: Call,
    space: Space,
    decision: NewDecision,
}

impl Script for DecisionRecord {
    type Output = (DecisionId, Hash);

    fn ground(&self) -> Ground<'_> {
        Ground::within(&self.call, &self.space)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<(DecisionId, Hash)> {
        let caller = &self.call.caller;
        let tenant = &caller.tenant;
        let row = spaces::open(rows, tenant, &self.space).await?;
        let id = DecisionId(rows.take(tenant, Series::Decision, 1).await?);
        let owner = Owner { id, tenant: tenant.clone(), space: self.space.clone() };
        let NewDecision { summary, beliefs } = &self.decision;
        let signing = rows.db().secrets().signing();
        let signer = signing.as_ref().map(|signing| &signing.signer);
        let taken = evidence::record(owner, caller.now, summary, beliefs, signer)
            .map_err(|e| StoreError::corrupt("a decision", e))?;
        insert(rows, tenant, row, &taken).await?;
        let record = Taken { id, beliefs: beliefs.len() }.record();
        rows.record(&self.call, &record, &[]).await?;
        Ok((id, taken.snapshot.digest()))
    }
}

struct DecisionExplain {
    tenant: Tenant,
    user_id: String,
    id: DecisionId,
}

impl Query for DecisionExplain {
    type Output = Option<(Space, DecisionRow)>;

    fn reach(&self) -> Reach<'_> {
        Reach::Tenant(&self.tenant)
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Self::Output> {
        let Self { tenant, user_id, id } = self;
        spaces::settled(db, tenant, user_id).await?;
        learn(db).await?;
        let sql = format!(
            "SELECT {COLUMNS}, s.agent_id, s.run_id
             FROM decision d JOIN space s ON s.tenant = d.tenant AND s.id = d.space
             WHERE d.tenant = $1 AND d.id = $2 AND s.user_id = $3"
        );
        let found: Option<FoundDecision> = db.one(&sql, &params![tenant, *id, user_id]).await?;
        let Some(FoundDecision { row, agent_id, run_id }) = found else { return Ok(None) };
        let space = Space::new(user_id.clone(), agent_id, run_id);
        let opened = match open(db, tenant, &row).await {
            Err(error) if !error.is_of_content() => return Err(error),
            opened => opened,
        };
        let explained = db.secrets().decision_explain(tenant, &space, &row, opened);
        Ok(Some((space, explained)))
    }
}

impl Store {
    /// Records the decision; returns its number and the hash of what was signed.
    pub async fn decision_record(
        &self,
        call: Call,
        space: Space,
        decision: NewDecision,
    ) -> Result<(DecisionId, Hash), StoreError> {
        self.write(DecisionRecord { call, space, decision }).await
    }

    /// Finds a decision of that user in the caller's tenant, and in which of the user's spaces it was recorded.
    pub async fn decision_explain(
        &self,
        caller: &Caller,
        user_id: &str,
        id: DecisionId,
    ) -> Result<Option<(Space, DecisionRow)>, StoreError> {
        self.read(DecisionExplain { tenant: caller.tenant.clone(), user_id: user_id.to_owned(), id }).await
    }
}
