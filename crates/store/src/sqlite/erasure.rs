//! Removing for good: facts, what decisions disclose of them, and on request decisions, receipts and audit details.

use super::Sqlite;
use super::db::Db;
use super::tx::Tx;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::audit::ranges;
use crate::rows::deployment::ANCHOR;
use crate::rows::erasure::{Also, ERASED_WORDS, Erased, Expired, Reach, Rows, Work};
use domain::keys::text_key;
use domain::{Fact, Space, Timestamp};
use evidence::{Anchor, Erased as What, Hash, Position, ReceiptKind, Signed};
use std::collections::BTreeSet;

impl Db<'_> {
    fn facts_doomed(&self, tenant: &str, space: i64, rows: &Rows<'_>) -> Result<Vec<Fact>, StoreError> {
        let mut facts = match rows {
            Rows::Subject(subject) => self.fact_history(tenant, space, subject)?,
            Rows::All | Rows::Before(_) => self.facts_of_space(tenant, space)?,
        };
        rows.retain_doomed(&mut facts);
        Ok(facts)
    }

    /// The decisions that go: those that hold a doomed fact, or are of the space and old enough.
    fn decisions_doomed(
        &self,
        tenant: &str,
        space: i64,
        rows: &Rows<'_>,
        facts: &[Fact],
    ) -> Result<Vec<i64>, StoreError> {
        let before = match rows {
            Rows::Subject(_) => {
                let mut decisions = Vec::new();
                for fact in facts {
                    decisions.extend(self.all(
                        "SELECT DISTINCT decision FROM belief WHERE tenant = ?1 AND memory = ?2",
                        (tenant, fact.id),
                        |row| row.get::<_, i64>(0),
                    )?);
                }
                decisions.sort_unstable();
                decisions.dedup();
                return Ok(decisions);
            }
            Rows::All => i64::MAX,
            Rows::Before(cutoff) => cutoff.as_microsecond(),
        };
        self.all(
            "SELECT id FROM decision WHERE tenant = ?1 AND space = ?2 AND created < ?3 ORDER BY id",
            (tenant, space, before),
            |row| row.get(0),
        )
    }
}

impl Tx<'_> {
    /// Erases within one space, and adds what was done to the count.
    fn space_erase_rows(
        &mut self,
        tenant: &str,
        space: i64,
        rows: &Rows<'_>,
        also: Also,
        work: &mut Work,
    ) -> Result<(), StoreError> {
        let facts = self.db().facts_doomed(tenant, space, rows)?;
        if also.decisions {
            for decision in self.db().decisions_doomed(tenant, space, rows, &facts)? {
                self.decision_remove(tenant, decision)?;
                work.done.decisions_removed += 1;
            }
        }
        work.redact(self.decisions_redact(tenant, space, &facts)?);
        if also.receipts {
            work.done.receipts_removed += self.receipts_remove(tenant, space, rows)? as u64;
        }
        for fact in &facts {
            self.db().run("DELETE FROM vector WHERE tenant = ?1 AND fact = ?2", (tenant, fact.id))?;
            self.db().run("DELETE FROM fact WHERE tenant = ?1 AND id = ?2", (tenant, fact.id))?;
        }
        if !facts.is_empty() {
            self.words_forget(tenant, space, &facts)?;
            self.space_forget_cached(tenant, space)?;
        }
        work.done.memory_ids.extend(facts.into_iter().map(|fact| fact.id));
        Ok(())
    }

    /// Another fact of the same statement keeps its own value, and loses the words in which the erased one stood.
    fn words_forget(&mut self, tenant: &str, space: i64, erased: &[Fact]) -> Result<(), StoreError> {
        let texts: BTreeSet<&str> = erased.iter().map(|fact| fact.text.as_str()).collect();
        let version = self.space_advance(tenant, space)?;
        for text in texts {
            for sibling in self.db().facts_of_words(tenant, space, text)? {
                self.fact_update(tenant, space, version, &Fact { text: ERASED_WORDS.to_owned(), ..sibling })?;
            }
            let index = self.secrets.index("text", tenant, space, &text_key(text));
            self.db().run(
                "DELETE FROM statement WHERE tenant = ?1 AND space = ?2 AND text_ix = ?3",
                (tenant, space, index),
            )?;
        }
        Ok(())
    }

    /// Attestations go; the proofs of earlier erasures hold no value and stay.
    fn receipts_remove(&mut self, tenant: &str, space: i64, rows: &Rows<'_>) -> Result<usize, StoreError> {
        let removable = "DELETE FROM receipt WHERE tenant = ?1 AND space = ?2 AND subject_ix IS NOT NULL";
        match rows {
            Rows::All => self.db().run(removable, (tenant, space)),
            Rows::Before(cutoff) => self
                .db()
                .run(&format!("{removable} AND created < ?3"), (tenant, space, cutoff.as_microsecond())),
            Rows::Subject(subject) => {
                let [key, former] = domain::keys::subject_keys(subject)
                    .map(|key| self.secrets.index("subject", tenant, space, &key));
                self.db()
                    .run(&format!("{removable} AND subject_ix IN (?3, ?4)"), (tenant, space, key, former))
            }
        }
    }

    /// Blanks the details of the space's entries, or of every space of the user.
    fn audit_blank_space(
        &mut self,
        tenant: &str,
        space: &Space,
        reach: Reach,
    ) -> Result<Vec<i64>, StoreError> {
        let condition = match reach {
            Reach::User => "",
            Reach::Space => "AND agent_id = ?3 AND run_id = ?4",
        };
        let seqs: Vec<i64> = self.db().all(
            &format!(
                "SELECT seq FROM audit_entry WHERE tenant = ?1 AND user_id = ?2 {condition} AND ?3 = ?3 AND ?4 = ?4
                 AND detail IS NOT NULL ORDER BY seq"
            ),
            (tenant, &space.user_id, &space.agent_id, &space.run_id),
            |row| row.get(0),
        )?;
        self.audit_blank(&seqs)?;
        Ok(seqs)
    }

    /// Removes the entries before the time; the chain goes on from a signed anchor.
    fn audit_purge(&mut self, before: Timestamp, now: Timestamp) -> Result<u64, StoreError> {
        let first_kept: Option<i64> = self
            .db()
            .one("SELECT min(seq) FROM audit_entry WHERE ts >= ?1", [before.as_microsecond()], |row| {
                row.get(0)
            })?
            .flatten();
        let last = self.db().one(
            "SELECT seq, hash FROM audit_entry WHERE seq < ?1 ORDER BY seq DESC LIMIT 1",
            [first_kept.unwrap_or(i64::MAX)],
            |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<Vec<u8>>>(1)?)),
        )?;
        let Some((seq, hash)) = last else { return Ok(0) };
        let hash = hash.and_then(|hash| <[u8; 32]>::try_from(hash).ok());
        let hash =
            Hash(hash.ok_or_else(|| StoreError::corrupt("the audit log", "an entry without its hash"))?);
        let size = u64::try_from(seq).map_err(|e| StoreError::corrupt("the audit log", e))?;
        let anchor =
            Signed::new(Anchor { at: Position { size, hash }, ts: now }, self.secrets.signer.as_ref());
        self.db().deployment_set(ANCHOR, &anchor.encode())?;
        Ok(self.db().run("DELETE FROM audit_entry WHERE seq <= ?1", [seq])? as u64)
    }
}

impl Sqlite {
    /// Erases one subject of one space. A subject that is not there leaves everything as it is, without a receipt.
    pub async fn subject_erase(
        &self,
        call: Call,
        space: Space,
        subject: String,
        also: Also,
        describe: impl FnOnce(&Erased) -> Record + Send + 'static,
    ) -> Result<Erased, StoreError> {
        self.erase(call, describe, move |tx, call| {
            let tenant = call.caller.tenant.as_str();
            let mut work = Work::new(What::Subject(subject.clone()));
            if let Some(row) = tx.db().space_find(tenant, &space)? {
                tx.space_erase_rows(tenant, row.id, &Rows::Subject(&subject), also, &mut work)?;
            }
            if work.is_nothing() {
                return Ok((work.summed(None), Vec::new()));
            }
            let blanked = tx.blanked(call, &space, also, Reach::Space, &mut work)?;
            let receipt = tx.erasure_prove(call, &space, &work)?;
            Ok((work.summed(Some(receipt)), blanked))
        })
        .await
    }

    /// Erases the space, or with neither agent nor run named every space of the user.
    pub async fn space_erase(
        &self,
        call: Call,
        space: Space,
        also: Also,
        describe: impl FnOnce(&Erased) -> Record + Send + 'static,
    ) -> Result<Erased, StoreError> {
        self.erase(call, describe, move |tx, call| {
            let tenant = call.caller.tenant.as_str();
            let (what, reach) =
                if space.is_whole_user() { (What::User, Reach::User) } else { (What::Space, Reach::Space) };
            let mut work = Work::new(what);
            for (row, _) in tx.db().space_reach(tenant, &space)? {
                tx.space_erase_rows(tenant, row, &Rows::All, also, &mut work)?;
            }
            let blanked = tx.blanked(call, &space, also, reach, &mut work)?;
            let receipt = tx.erasure_prove(call, &space, &work)?;
            Ok((work.summed(Some(receipt)), blanked))
        })
        .await
    }

    /// Erases what is older than the time. With `also.audit` the whole log is cut off before it.
    pub async fn expired_purge(
        &self,
        call: Call,
        space: Space,
        expired: Expired,
        also: Also,
        describe: impl FnOnce(&Erased) -> Record + Send + 'static,
    ) -> Result<Erased, StoreError> {
        self.erase(call, describe, move |tx, call| {
            let tenant = call.caller.tenant.as_str();
            let reached = tx.db().space_reach(tenant, &space)?;
            let mut work = Work::new(expired.in_spaces(&reached));
            for (row, _) in reached {
                tx.space_erase_rows(tenant, row, &Rows::Before(expired.before), also, &mut work)?;
            }
            if also.audit {
                work.done.audit_blanked = tx.audit_purge(expired.before, call.caller.now)?;
            }
            let receipt = match work.is_nothing() {
                true => None,
                false => Some(tx.erasure_prove(call, &space, &work)?),
            };
            Ok((work.summed(receipt), Vec::new()))
        })
        .await
    }

    /// An erasure's own audit entry names the entries that it blanked.
    async fn erase(
        &self,
        call: Call,
        describe: impl FnOnce(&Erased) -> Record + Send + 'static,
        work: impl FnOnce(&mut Tx<'_>, &Call) -> Result<(Erased, Vec<i64>), StoreError> + Send + 'static,
    ) -> Result<Erased, StoreError> {
        self.writer
            .run(super::writer::Durability::Now, move |tx| {
                let (erased, blanked) = work(tx, &call)?;
                tx.record_blanking(&call, &describe(&erased), &ranges(&blanked))?;
                Ok(erased)
            })
            .await
    }
}

impl Tx<'_> {
    /// Blanks the audit details where that was asked for.
    fn blanked(
        &mut self,
        call: &Call,
        space: &Space,
        also: Also,
        reach: Reach,
        work: &mut Work,
    ) -> Result<Vec<i64>, StoreError> {
        if !also.audit {
            return Ok(Vec::new());
        }
        let blanked = self.audit_blank_space(call.caller.tenant.as_str(), space, reach)?;
        work.done.audit_blanked = blanked.len() as u64;
        Ok(blanked)
    }

    /// Issues the receipt, and names it wherever something is now missing from a decision.
    fn erasure_prove(&mut self, call: &Call, space: &Space, work: &Work) -> Result<i64, StoreError> {
        let receipt = self.receipt_issue(call, space, ReceiptKind::Erasure(work.done.clone()))?;
        self.decisions_account(call.caller.tenant.as_str(), &work.redacted, receipt)?;
        Ok(receipt)
    }
}
