//! Decision snapshots, and the disclosures that can be erased without breaking their signature.

use super::Store;
use super::db::Db;
use super::tx::Tx;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::secrets::Place;
use domain::{Caller, Fact, FactId, Space, Timestamp};
use evidence::{
    Belief, Canonical, Disclosed, Disclosure, Explained, Hash, Kind, Owner, Signature, Signed, Snapshot,
};
use std::collections::BTreeSet;

/// A decision to be recorded.
#[derive(Debug, Clone)]
pub struct NewDecision {
    pub summary: String,
    pub beliefs: Vec<Belief>,
}

/// A decision as it was found.
#[derive(Debug, Clone)]
pub enum DecisionRow {
    Verified(Explained),
    /// Signing is off, and nothing contradicts the record.
    Unsigned(Explained),
    /// The record is not what was signed.
    Altered {
        recorded: Option<Timestamp>,
    },
}

fn body_place(tenant: &str, decision: i64) -> Place<'_> {
    Place::new("a decision", tenant, decision)
}

fn summary_place(tenant: &str, decision: i64) -> Place<'_> {
    Place::new("a decision's summary", tenant, decision)
}

fn belief_place(tenant: &str, decision: i64, place: i64) -> Place<'_> {
    Place::new("a belief", tenant, decision).within(place, 0)
}

/// The columns of one decision.
pub(crate) struct SealedDecision {
    pub id: i64,
    created: i64,
    body: Vec<u8>,
    signature: Option<Vec<u8>>,
    summary: Option<Vec<u8>>,
    summary_erased_by: Option<i64>,
}

/// The columns of one belief.
struct SealedBelief {
    place: i64,
    memory: FactId,
    disclosure: Option<Vec<u8>>,
    erased_by: Option<i64>,
}

/// A decision with what is left of its disclosures.
pub(crate) struct OpenDecision {
    pub signed: Signed<Snapshot>,
    pub disclosed: Disclosed,
}

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
        let malformed = |e: &dyn std::fmt::Display| StoreError::corrupt("a decision", e.to_string());
        let body = self.secrets.open(body_place(tenant, row.id), &row.body)?;
        let statement = Snapshot::decode(&body).map_err(|e| malformed(&e))?;
        if statement.ts.as_microsecond() != row.created {
            return Err(malformed(&"its time was changed"));
        }
        let signature =
            row.signature.as_deref().map(Signature::decode).transpose().map_err(|e| malformed(&e))?;
        let disclosure = |place: Place<'_>, sealed: &[u8]| -> Result<Disclosure, StoreError> {
            Disclosure::decode(&self.secrets.open(place, sealed)?).map_err(|e| malformed(&e))
        };
        let summary = row
            .summary
            .as_deref()
            .map(|sealed| disclosure(summary_place(tenant, row.id), sealed))
            .transpose()?;
        let beliefs = self.belief_rows(tenant, row.id)?;
        if beliefs.iter().zip(&statement.beliefs).any(|(belief, (id, _))| belief.memory != *id) {
            return Err(malformed(&"a belief was given another memory's number"));
        }
        let unaccounted = beliefs.iter().filter(|belief| belief.disclosure.is_none());
        for belief in unaccounted {
            self.erasure_of(tenant, belief.erased_by, Some(belief.memory))?;
        }
        if summary.is_none() {
            self.erasure_of(tenant, row.summary_erased_by, None)?;
        }
        let beliefs = beliefs
            .iter()
            .map(|belief| {
                let sealed = belief.disclosure.as_deref();
                sealed
                    .map(|sealed| disclosure(belief_place(tenant, row.id, belief.place), sealed))
                    .transpose()
            })
            .collect::<Result<_, _>>()?;
        Ok(OpenDecision {
            signed: Signed { statement, signature },
            disclosed: Disclosed { summary, beliefs },
        })
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

    /// What is missing from a record must have been erased by a receipt that we signed: removed by other means it is
    /// an alteration.
    fn erasure_of(
        &self,
        tenant: &str,
        receipt: Option<i64>,
        memory: Option<FactId>,
    ) -> Result<(), StoreError> {
        let unexplained =
            || StoreError::corrupt("a decision", "something was removed from it without an erasure");
        let signed =
            self.receipt_signed(tenant, receipt.ok_or_else(unexplained)?)?.ok_or_else(unexplained)?;
        match &signed.statement.kind {
            Kind::Erasure(erasure) if memory.is_none_or(|id| erasure.memory_ids.contains(&id)) => Ok(()),
            _ => Err(unexplained()),
        }
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
    fn decision_insert(
        &mut self,
        tenant: &str,
        space: i64,
        recorded: &evidence::Recorded,
    ) -> Result<(), StoreError> {
        let snapshot = &recorded.snapshot.statement;
        let id = snapshot.owner.id;
        let body = self.secrets.seal(body_place(tenant, id), &recorded.snapshot.body())?;
        let summary = self.secrets.seal(summary_place(tenant, id), &recorded.summary.encode())?;
        self.db().run(
            "INSERT INTO decision (tenant, id, space, created, body, signature, summary)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            (
                tenant,
                id,
                space,
                snapshot.ts.as_microsecond(),
                body,
                recorded.snapshot.signature.map(|s| s.encode().to_vec()),
                summary,
            ),
        )?;
        for (place, ((memory, _), disclosure)) in
            (0_i64..).zip(snapshot.beliefs.iter().zip(&recorded.beliefs))
        {
            let sealed = self.secrets.seal(belief_place(tenant, id, place), &disclosure.encode())?;
            self.db().run(
                "INSERT INTO belief (tenant, decision, place, memory, disclosure) VALUES (?1, ?2, ?3, ?4, ?5)",
                (tenant, id, place, memory, sealed),
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

    /// A summary that repeats an erased value would keep it alive, also in a decision that did not rest on it. There a
    /// very short value, such as a number, is taken for a coincidence. Returns whether it was removed.
    fn summary_redact(
        &mut self,
        tenant: &str,
        id: i64,
        rested_on_it: bool,
        erased: &[Fact],
    ) -> Result<bool, StoreError> {
        const COINCIDENCE: usize = 2;
        let sealed: Option<Vec<u8>> = self
            .db()
            .one("SELECT summary FROM decision WHERE tenant = ?1 AND id = ?2", (tenant, id), |row| {
                row.get(0)
            })?
            .flatten();
        let Some(sealed) = sealed else { return Ok(false) };
        let opened = self.secrets.open(summary_place(tenant, id), &sealed)?;
        let disclosure =
            Disclosure::decode(&opened).map_err(|e| StoreError::corrupt("a decision's summary", e))?;
        let summary = format!(" {} ", words(&String::from_utf8_lossy(&disclosure.content)));
        let repeats = |value: &str| {
            let words = words(value);
            let telling = if rested_on_it { !words.is_empty() } else { words.chars().count() > COINCIDENCE };
            telling && summary.contains(&format!(" {words} "))
        };
        let mut values = erased.iter().flat_map(|f| f.earlier.iter().map(|e| &e.value).chain([&f.value]));
        if !values.any(|value| repeats(value)) {
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

fn words(text: &str) -> String {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect::<Vec<_>>()
        .join(" ")
}

impl Store {
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
            let altered = DecisionRow::Altered { recorded: super::db::time(row.created).ok() };
            let Ok(open) = db.decision_open(tenant.as_str(), &row) else { return Ok(Some(altered)) };
            if open.signed.statement.owner.space != Space::new(user_id.clone(), agent_id, run_id) {
                return Ok(Some(altered));
            }
            let keys = db.secrets.keyring.as_ref();
            let explained = evidence::explain(&open.signed, keys, &open.disclosed, (id, &tenant, &user_id));
            Ok(Some(match (explained, keys) {
                (Ok(explained), Some(_)) => DecisionRow::Verified(explained),
                (Ok(explained), None) => DecisionRow::Unsigned(explained),
                (Err(_), _) => altered,
            }))
        })
        .await
    }
}
