//! Decision snapshots, and the disclosures that can be erased without breaking their signature.

use super::Sqlite;
use super::db::Db;
use super::tx::Tx;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::decisions::{
    DecisionRow, NewDecision, OpenDecision, SealedBelief, SealedDecision, accounts,
};
use domain::{Caller, Fact, Space};
use evidence::{Hash, Owner, Recorded};
use std::collections::{BTreeMap, BTreeSet};

impl Db<'_> {
    pub fn decision_rows(&self, tenant: &str, space: i64) -> Result<Vec<SealedDecision>, StoreError> {
        self.all(
            "SELECT id, created, body, signature, summary, summary_erased_by FROM decision
             WHERE tenant = ?1 AND space = ?2 ORDER BY id",
            (tenant, space),
            sealed_decision,
        )
    }

    /// Opens every part of the record; any part that does not open is a reason not to believe it.
    pub fn decision_open(&self, tenant: &str, row: &SealedDecision) -> Result<OpenDecision, StoreError> {
        let beliefs = self.belief_rows(tenant, row.id)?;
        let mut receipts = BTreeMap::new();
        for id in accounts(row, &beliefs) {
            receipts.extend(self.receipt_signed(tenant, id)?.map(|signed| (id, signed)));
        }
        self.secrets.decision_open(tenant, row, &beliefs, &receipts)
    }

    /// The decisions in every space of the user whose space this is: they may speak of each other's facts.
    fn decisions_of_user(&self, tenant: &str, space: i64) -> Result<Vec<i64>, StoreError> {
        self.all(
            "SELECT d.id FROM space own JOIN space theirs ON theirs.tenant = own.tenant AND theirs.user_id = own.user_id
             JOIN decision d ON d.tenant = theirs.tenant AND d.space = theirs.id
             WHERE own.tenant = ?1 AND own.id = ?2 AND d.summary IS NOT NULL ORDER BY d.id",
            (tenant, space),
            |row| row.get(0),
        )
    }

    fn belief_rows(&self, tenant: &str, decision: i64) -> Result<Vec<SealedBelief>, StoreError> {
        self.all(
            "SELECT place, memory, disclosure, erased_by FROM belief
             WHERE tenant = ?1 AND decision = ?2 ORDER BY place",
            (tenant, decision),
            |row| {
                Ok(SealedBelief {
                    place: row.get(0)?,
                    memory: row.get(1)?,
                    disclosure: row.get(2)?,
                    erased_by: row.get(3)?,
                })
            },
        )
    }
}

fn sealed_decision(row: &rusqlite::Row<'_>) -> rusqlite::Result<SealedDecision> {
    Ok(SealedDecision {
        id: row.get(0)?,
        created: row.get(1)?,
        body: row.get(2)?,
        signature: row.get(3)?,
        summary: row.get(4)?,
        summary_erased_by: row.get(5)?,
    })
}

impl Tx<'_> {
    fn decision_insert(&mut self, tenant: &str, space: i64, recorded: &Recorded) -> Result<(), StoreError> {
        let (decision, beliefs) = self.secrets.decision_seal(tenant, recorded)?;
        self.db().run(
            "INSERT INTO decision (tenant, id, space, created, body, signature, summary)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            (
                tenant,
                decision.id,
                space,
                decision.created,
                decision.body,
                decision.signature,
                decision.summary,
            ),
        )?;
        for belief in beliefs {
            self.db().run(
                "INSERT INTO belief (tenant, decision, place, memory, disclosure) VALUES (?1, ?2, ?3, ?4, ?5)",
                (tenant, decision.id, belief.place, belief.memory, belief.disclosure),
            )?;
        }
        Ok(())
    }

    /// Removes what the decisions disclose of erased facts; returns the decisions that were touched.
    pub fn decisions_redact(
        &mut self,
        tenant: &str,
        space: i64,
        erased: &[Fact],
    ) -> Result<BTreeSet<i64>, StoreError> {
        let mut touched = BTreeSet::new();
        for fact in erased {
            let decisions: Vec<i64> = self.db().all(
                "UPDATE belief SET disclosure = NULL
                 WHERE tenant = ?1 AND memory = ?2 AND disclosure IS NOT NULL RETURNING decision",
                (tenant, fact.id),
                |row| row.get(0),
            )?;
            touched.extend(decisions);
        }
        for decision in self.db().decisions_of_user(tenant, space)? {
            if self.summary_redact(tenant, decision, touched.contains(&decision), erased)? {
                touched.insert(decision);
            }
        }
        Ok(touched)
    }

    /// Removes the summary if it repeats an erased value; returns whether it did.
    fn summary_redact(
        &mut self,
        tenant: &str,
        id: i64,
        rested_on_it: bool,
        erased: &[Fact],
    ) -> Result<bool, StoreError> {
        let sealed: Option<Vec<u8>> = self
            .db()
            .one("SELECT summary FROM decision WHERE tenant = ?1 AND id = ?2", (tenant, id), |row| {
                row.get(0)
            })?
            .flatten();
        let Some(sealed) = sealed else { return Ok(false) };
        if !self.secrets.summary_repeats((tenant, id), &sealed, rested_on_it, erased)? {
            return Ok(false);
        }
        self.db().run("UPDATE decision SET summary = NULL WHERE tenant = ?1 AND id = ?2", (tenant, id))?;
        Ok(true)
    }

    /// Names the receipt that accounts for what was just removed from these decisions.
    pub fn decisions_account(
        &mut self,
        tenant: &str,
        decisions: &BTreeSet<i64>,
        receipt: i64,
    ) -> Result<(), StoreError> {
        for decision in decisions {
            self.db().run(
                "UPDATE belief SET erased_by = ?3
                 WHERE tenant = ?1 AND decision = ?2 AND disclosure IS NULL AND erased_by IS NULL",
                (tenant, decision, receipt),
            )?;
            self.db().run(
                "UPDATE decision SET summary_erased_by = ?3
                 WHERE tenant = ?1 AND id = ?2 AND summary IS NULL AND summary_erased_by IS NULL",
                (tenant, decision, receipt),
            )?;
        }
        Ok(())
    }

    pub fn decision_remove(&mut self, tenant: &str, id: i64) -> Result<(), StoreError> {
        self.db().run("DELETE FROM belief WHERE tenant = ?1 AND decision = ?2", (tenant, id))?;
        self.db().run("DELETE FROM decision WHERE tenant = ?1 AND id = ?2", (tenant, id))?;
        Ok(())
    }
}

impl Sqlite {
    /// Records the decision; returns its number and the hash of what was signed.
    pub async fn decision_record(
        &self,
        call: Call,
        space: Space,
        decision: NewDecision,
        describe: impl FnOnce(i64) -> Record + Send + 'static,
    ) -> Result<(i64, Hash), StoreError> {
        self.write(call, move |tx, call| {
            let tenant = call.caller.tenant.as_str();
            let row = tx.space_open(tenant, &space)?;
            let id = tx.sequence_take(tenant, "decision")?;
            let owner = Owner { id, tenant: call.caller.tenant.clone(), space };
            let recorded = evidence::record(
                owner,
                call.caller.now,
                &decision.summary,
                &decision.beliefs,
                tx.secrets.signer.as_ref(),
            )
            .map_err(|e| StoreError::corrupt("a decision", e))?;
            tx.decision_insert(tenant, row.id, &recorded)?;
            Ok(((id, recorded.snapshot.digest()), describe(id)))
        })
        .await
    }

    /// Finds a decision of that user in the caller's tenant, in whichever of the user's spaces it was recorded.
    pub async fn decision_explain(
        &self,
        caller: &Caller,
        user_id: &str,
        id: i64,
    ) -> Result<Option<DecisionRow>, StoreError> {
        let (tenant, user_id) = (caller.tenant.clone(), user_id.to_owned());
        self.read(move |db| {
            let row = db.one(
                "SELECT d.id, d.created, d.body, d.signature, d.summary, d.summary_erased_by, s.agent_id, s.run_id
                 FROM decision d JOIN space s ON s.tenant = d.tenant AND s.id = d.space
                 WHERE d.tenant = ?1 AND d.id = ?2 AND s.user_id = ?3",
                (tenant.as_str(), id, &user_id),
                |row| Ok((sealed_decision(row)?, row.get::<_, String>(6)?, row.get::<_, String>(7)?)),
            )?;
            let Some((row, agent_id, run_id)) = row else { return Ok(None) };
            let space = Space::new(user_id.clone(), agent_id, run_id);
            let opened = db.decision_open(tenant.as_str(), &row);
            Ok(Some(db.secrets.decision_explain((&tenant, &space), &row, opened)))
        })
        .await
    }
}
