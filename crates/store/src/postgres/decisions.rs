//! Decision snapshots, and the disclosures that can be erased without breaking their signature.

use super::Postgres;
use super::db::{Db, only};
use super::lane::{Ground, Work};
use super::numbers::Series;
use super::tx::Tx;
use super::walls::Reach;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::decisions::{
    DecisionRow, NewDecision, OpenDecision, SealedBelief, SealedDecision, accounts,
};
use domain::{Caller, Fact, Space};
use evidence::{Hash, Owner, Recorded};
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::Row;

fn sealed_decision(row: &Row) -> Result<SealedDecision, tokio_postgres::Error> {
    Ok(SealedDecision {
        id: row.try_get(0)?,
        created: row.try_get(1)?,
        body: row.try_get(2)?,
        signature: row.try_get(3)?,
        summary: row.try_get(4)?,
        summary_erased_by: row.try_get(5)?,
    })
}

impl Db<'_> {
    pub async fn decision_rows(&self, tenant: &str, space: i64) -> Result<Vec<SealedDecision>, StoreError> {
        self.all(
            "SELECT id, created, body, signature, summary, summary_erased_by FROM decision
             WHERE tenant = $1 AND space = $2 ORDER BY id",
            &[&tenant, &space],
            sealed_decision,
        )
        .await
    }

    /// Opens every part of the record; any part that does not open is a reason not to believe it.
    pub async fn decision_open(
        &self,
        tenant: &str,
        row: &SealedDecision,
    ) -> Result<OpenDecision, StoreError> {
        let beliefs = self.belief_rows(tenant, row.id).await?;
        let mut receipts = BTreeMap::new();
        for id in accounts(row, &beliefs) {
            receipts.extend(self.receipt_signed(tenant, id).await?.map(|signed| (id, signed)));
        }
        self.secrets.decision_open(tenant, row, &beliefs, &receipts)
    }

    /// The summaries of decisions in every space of the user whose space this is: they may speak of each other's facts.
    async fn summaries_of_user(&self, tenant: &str, space: i64) -> Result<Vec<(i64, Vec<u8>)>, StoreError> {
        self.all(
            "SELECT d.id, d.summary FROM space own
             JOIN space theirs ON theirs.tenant = own.tenant AND theirs.user_id = own.user_id
             JOIN decision d ON d.tenant = theirs.tenant AND d.space = theirs.id
             WHERE own.tenant = $1 AND own.id = $2 AND d.summary IS NOT NULL ORDER BY d.id",
            &[&tenant, &space],
            |row| Ok((row.try_get(0)?, row.try_get(1)?)),
        )
        .await
    }

    async fn belief_rows(&self, tenant: &str, decision: i64) -> Result<Vec<SealedBelief>, StoreError> {
        self.all(
            "SELECT place, memory, disclosure, erased_by FROM belief
             WHERE tenant = $1 AND decision = $2 ORDER BY place",
            &[&tenant, &decision],
            |row| {
                Ok(SealedBelief {
                    place: row.try_get(0)?,
                    memory: row.try_get(1)?,
                    disclosure: row.try_get(2)?,
                    erased_by: row.try_get(3)?,
                })
            },
        )
        .await
    }
}

impl Tx {
    async fn decision_insert(&self, tenant: &str, space: i64, recorded: &Recorded) -> Result<(), StoreError> {
        let (decision, beliefs) = self.secrets().decision_seal(tenant, recorded)?;
        self.db()
            .run(
                "INSERT INTO decision (tenant, id, space, created, body, signature, summary)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
                &[
                    &tenant,
                    &decision.id,
                    &space,
                    &decision.created,
                    &decision.body,
                    &decision.signature,
                    &decision.summary,
                ],
            )
            .await?;
        let places: Vec<i64> = beliefs.iter().map(|belief| belief.place).collect();
        let memories: Vec<i64> = beliefs.iter().map(|belief| belief.memory).collect();
        let disclosures: Vec<Option<&[u8]>> = beliefs.iter().map(|b| b.disclosure.as_deref()).collect();
        self.db()
            .run(
                "INSERT INTO belief (tenant, decision, place, memory, disclosure)
                 SELECT $1, $2, * FROM unnest($3::BIGINT[], $4::BIGINT[], $5::BYTEA[])",
                &[&tenant, &decision.id, &places, &memories, &disclosures],
            )
            .await?;
        Ok(())
    }

    /// Removes what the decisions disclose of erased facts; returns the decisions that were touched.
    pub async fn decisions_redact(
        &self,
        tenant: &str,
        space: i64,
        erased: &[Fact],
    ) -> Result<BTreeSet<i64>, StoreError> {
        let ids: Vec<i64> = erased.iter().map(|fact| fact.id).collect();
        let rested: Vec<i64> = self
            .db()
            .all(
                "UPDATE belief SET disclosure = NULL
                 WHERE tenant = $1 AND memory = ANY($2) AND disclosure IS NOT NULL RETURNING decision",
                &[&tenant, &ids],
                only,
            )
            .await?;
        let mut touched: BTreeSet<i64> = rested.into_iter().collect();
        let mut repeating = Vec::new();
        for (decision, sealed) in self.db().summaries_of_user(tenant, space).await? {
            let rested_on_it = touched.contains(&decision);
            if self.secrets().summary_repeats((tenant, decision), &sealed, rested_on_it, erased)? {
                repeating.push(decision);
            }
        }
        let sql = "UPDATE decision SET summary = NULL WHERE tenant = $1 AND id = ANY($2)";
        self.db().run(sql, &[&tenant, &repeating]).await?;
        touched.extend(repeating);
        Ok(touched)
    }

    /// Names the receipt that accounts for what was just removed from these decisions.
    pub async fn decisions_account(
        &self,
        tenant: &str,
        decisions: &BTreeSet<i64>,
        receipt: i64,
    ) -> Result<(), StoreError> {
        let decisions: Vec<i64> = decisions.iter().copied().collect();
        self.db()
            .run(
                "UPDATE belief SET erased_by = $3
                 WHERE tenant = $1 AND decision = ANY($2) AND disclosure IS NULL AND erased_by IS NULL",
                &[&tenant, &decisions, &receipt],
            )
            .await?;
        self.db()
            .run(
                "UPDATE decision SET summary_erased_by = $3
                 WHERE tenant = $1 AND id = ANY($2) AND summary IS NULL AND summary_erased_by IS NULL",
                &[&tenant, &decisions, &receipt],
            )
            .await?;
        Ok(())
    }

    pub async fn decisions_remove(&self, tenant: &str, ids: &[i64]) -> Result<(), StoreError> {
        let beliefs = "DELETE FROM belief WHERE tenant = $1 AND decision = ANY($2)";
        self.db().run(beliefs, &[&tenant, &ids]).await?;
        let decisions = "DELETE FROM decision WHERE tenant = $1 AND id = ANY($2)";
        self.db().run(decisions, &[&tenant, &ids]).await?;
        Ok(())
    }
}

struct DecisionRecord<D> {
    call: Call,
    space: Space,
    decision: NewDecision,
    describe: D,
}

impl<D: Fn(i64) -> Record + Send + Sync + 'static> Work for DecisionRecord<D> {
    type Output = (i64, Hash);

    fn ground(&self) -> Ground<'_> {
        Ground::new(self.call.caller.tenant.as_str(), Some(&self.space))
    }

    async fn run(&self, tx: &mut Tx) -> Result<(i64, Hash), StoreError> {
        let caller = &self.call.caller;
        let tenant = caller.tenant.as_str();
        let row = tx.space_open(tenant, &self.space).await?;
        let id = tx.take(tenant, Series::Decision, 1).await?;
        let owner = Owner { id, tenant: caller.tenant.clone(), space: self.space.clone() };
        let NewDecision { summary, beliefs } = &self.decision;
        let recorded = evidence::record(owner, caller.now, summary, beliefs, tx.secrets().signer.as_ref())
            .map_err(|e| StoreError::corrupt("a decision", e))?;
        tx.decision_insert(tenant, row.id, &recorded).await?;
        tx.record(&self.call, &(self.describe)(id));
        Ok((id, recorded.snapshot.digest()))
    }
}

impl Postgres {
    pub async fn decision_record(
        &self,
        call: Call,
        space: Space,
        decision: NewDecision,
        describe: impl Fn(i64) -> Record + Send + Sync + 'static,
    ) -> Result<(i64, Hash), StoreError> {
        self.lane.run(DecisionRecord { call, space, decision, describe }).await
    }

    pub async fn decision_explain(
        &self,
        caller: &Caller,
        user_id: &str,
        id: i64,
    ) -> Result<Option<DecisionRow>, StoreError> {
        let tenant = caller.tenant.as_str();
        let snapshot = self.shared.snapshot(Reach::Tenant(tenant)).await?;
        let db = snapshot.db()?;
        let row = db
            .one(
                "SELECT d.id, d.created, d.body, d.signature, d.summary, d.summary_erased_by, s.agent_id, s.run_id
                 FROM decision d JOIN space s ON s.tenant = d.tenant AND s.id = d.space
                 WHERE d.tenant = $1 AND d.id = $2 AND s.user_id = $3",
                &[&tenant, &id, &user_id],
                |row| {
                    Ok((sealed_decision(row)?, row.try_get::<_, String>(6)?, row.try_get::<_, String>(7)?))
                },
            )
            .await?;
        let Some((row, agent_id, run_id)) = row else { return Ok(None) };
        let space = Space::new(user_id.to_owned(), agent_id, run_id);
        let opened = match db.decision_open(tenant, &row).await {
            Err(error) if !error.is_of_content() => return Err(error),
            opened => opened,
        };
        Ok(Some(db.secrets.decision_explain((&caller.tenant, &space), &row, opened)))
    }
}
