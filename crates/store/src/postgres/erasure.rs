//! Removing for good: facts, what decisions disclose of them, and on request decisions, receipts and audit details.

use super::Postgres;
use super::db::{Db, only};
use super::lane::{Ground, Touches, Work as Transaction};
use super::tx::Tx;
use super::walls;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::audit::ranges;
use crate::rows::deployment::ANCHOR;
use crate::rows::erasure::{Also, ERASED_WORDS, Erased, Expired, Reach, Rows, Work};
use domain::keys::{subject_keys, text_key};
use domain::{Fact, Space, Timestamp};
use evidence::{Anchor, Erased as What, Hash, Position, ReceiptKind, Signed};
use std::collections::BTreeSet;

/// Any number that nobody else uses: the lock that a purge of the audit log holds until it commits.
const PURGING: i64 = 0x7376_635f_7075_7267;

impl Db<'_> {
    async fn facts_doomed(&self, tenant: &str, space: i64, rows: &Rows<'_>) -> Result<Vec<Fact>, StoreError> {
        let mut facts = match rows {
            Rows::Subject(subject) => self.fact_history(tenant, space, subject).await?,
            Rows::All | Rows::Before(_) => self.facts_of_space(tenant, space).await?,
        };
        rows.retain_doomed(&mut facts);
        Ok(facts)
    }

    /// The decisions that go: those that hold a doomed fact, or are of the space and old enough.
    async fn decisions_doomed(
        &self,
        tenant: &str,
        space: i64,
        rows: &Rows<'_>,
        facts: &[i64],
    ) -> Result<Vec<i64>, StoreError> {
        let before = match rows {
            Rows::Subject(_) => {
                let sql = "SELECT DISTINCT decision FROM belief WHERE tenant = $1 AND memory = ANY($2)
                    ORDER BY decision";
                return self.all(sql, &[&tenant, &facts], only).await;
            }
            Rows::All => i64::MAX,
            Rows::Before(cutoff) => cutoff.as_microsecond(),
        };
        let sql = "SELECT id FROM decision WHERE tenant = $1 AND space = $2 AND created < $3 ORDER BY id";
        self.all(sql, &[&tenant, &space, &before], only).await
    }
}

impl Tx {
    /// Erases within one space, and adds what was done to the count.
    async fn space_erase_rows(
        &self,
        tenant: &str,
        space: i64,
        rows: &Rows<'_>,
        also: Also,
        work: &mut Work,
    ) -> Result<(), StoreError> {
        let facts = self.db().facts_doomed(tenant, space, rows).await?;
        let ids: Vec<i64> = facts.iter().map(|fact| fact.id).collect();
        if also.decisions {
            let decisions = self.db().decisions_doomed(tenant, space, rows, &ids).await?;
            self.decisions_remove(tenant, &decisions).await?;
            work.done.decisions_removed += decisions.len() as u64;
        }
        work.redact(self.decisions_redact(tenant, space, &facts).await?);
        if also.receipts {
            work.done.receipts_removed += self.receipts_remove(tenant, space, rows).await?;
        }
        if facts.is_empty() {
            return Ok(());
        }
        let vectors = "DELETE FROM vector WHERE tenant = $1 AND fact = ANY($2)";
        self.db().run(vectors, &[&tenant, &ids]).await?;
        self.db().run("DELETE FROM fact WHERE tenant = $1 AND id = ANY($2)", &[&tenant, &ids]).await?;
        self.words_forget(tenant, space, &facts).await?;
        self.space_forget_cached(tenant, space).await?;
        work.done.memory_ids.extend(ids);
        Ok(())
    }

    /// Another fact of the same statement keeps its own value, and loses the words in which the erased one stood.
    async fn words_forget(&self, tenant: &str, space: i64, erased: &[Fact]) -> Result<(), StoreError> {
        let texts: BTreeSet<&str> = erased.iter().map(|fact| fact.text.as_str()).collect();
        let version = self.space_advance(tenant, space).await?;
        for text in texts {
            for sibling in self.db().facts_of_words(tenant, space, text).await? {
                let bare = Fact { text: ERASED_WORDS.to_owned(), ..sibling };
                self.fact_update(tenant, space, version, &bare).await?;
            }
            let index = self.secrets().index("text", tenant, space, &text_key(text));
            let sql = "DELETE FROM statement WHERE tenant = $1 AND space = $2 AND text_ix = $3";
            self.db().run(sql, &[&tenant, &space, &index.as_slice()]).await?;
        }
        Ok(())
    }

    /// Attestations go; the proofs of earlier erasures hold no value and stay.
    async fn receipts_remove(&self, tenant: &str, space: i64, rows: &Rows<'_>) -> Result<u64, StoreError> {
        let removable = "DELETE FROM receipt WHERE tenant = $1 AND space = $2 AND subject_ix IS NOT NULL";
        match rows {
            Rows::All => self.db().run(removable, &[&tenant, &space]).await,
            Rows::Before(cutoff) => {
                let sql = format!("{removable} AND created < $3");
                self.db().run(&sql, &[&tenant, &space, &cutoff.as_microsecond()]).await
            }
            Rows::Subject(subject) => {
                let index = |key: &String| self.secrets().index("subject", tenant, space, key).to_vec();
                let indexes: Vec<Vec<u8>> = subject_keys(subject).iter().map(index).collect();
                let sql = format!("{removable} AND subject_ix = ANY($3)");
                self.db().run(&sql, &[&tenant, &space, &indexes]).await
            }
        }
    }

    /// Blanks the details of the space's entries, or of every space of the user; the call's own entry must then name
    /// them.
    async fn audit_blank(&self, tenant: &str, space: &Space, reach: Reach) -> Result<Vec<i64>, StoreError> {
        let one_space = matches!(reach, Reach::Space);
        let mut seqs: Vec<i64> = self
            .db()
            .all(
                "UPDATE audit_entry SET detail = NULL WHERE tenant = $1 AND user_id = $2
                 AND (NOT $5 OR (agent_id = $3 AND run_id = $4)) AND detail IS NOT NULL RETURNING seq",
                &[&tenant, &space.user_id, &space.agent_id, &space.run_id, &one_space],
                only,
            )
            .await?;
        seqs.sort_unstable();
        Ok(seqs)
    }

    /// Removes the entries before the time; the chain goes on from a signed anchor.
    async fn audit_purge(
        &mut self,
        tenant: &str,
        before: Timestamp,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        self.reach(walls::Reach::Deployment).await?;
        // Two purges at once would each cut from what they saw, and the later anchor could stand before the earlier cut.
        self.db().run("SELECT pg_advisory_xact_lock($1)", &[&PURGING]).await?;
        let first_kept: Option<Option<i64>> = self
            .db()
            .one("SELECT min(seq) FROM audit_entry WHERE ts >= $1", &[&before.as_microsecond()], only)
            .await?;
        let last: Option<(i64, Option<Vec<u8>>)> = self
            .db()
            .one(
                "SELECT seq, hash FROM audit_entry WHERE seq < $1 ORDER BY seq DESC LIMIT 1",
                &[&first_kept.flatten().unwrap_or(i64::MAX)],
                |row| Ok((row.try_get(0)?, row.try_get(1)?)),
            )
            .await?;
        let purged = match last {
            None => 0,
            Some((seq, hash)) => self.audit_cut(seq, hash, now).await?,
        };
        self.reach(walls::Reach::Tenant(tenant)).await?;
        Ok(purged)
    }

    async fn audit_cut(&self, seq: i64, hash: Option<Vec<u8>>, now: Timestamp) -> Result<u64, StoreError> {
        let hash = hash.and_then(|hash| <[u8; 32]>::try_from(hash).ok());
        let hash =
            Hash(hash.ok_or_else(|| StoreError::corrupt("the audit log", "an entry without its hash"))?);
        let size = u64::try_from(seq).map_err(|e| StoreError::corrupt("the audit log", e))?;
        let anchor = Anchor { at: Position { size, hash }, ts: now };
        let anchor = Signed::new(anchor, self.secrets().signer.as_ref());
        self.db()
            .run(
                "INSERT INTO deployment (name, value) VALUES ($1, $2)
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                &[&ANCHOR, &anchor.encode()],
            )
            .await?;
        self.db().run("DELETE FROM audit_entry WHERE seq <= $1", &[&seq]).await
    }

    /// Issues the receipt, and names it wherever something is now missing from a decision.
    async fn erasure_prove(&self, call: &Call, space: &Space, work: &Work) -> Result<i64, StoreError> {
        let audit = self.db().log_end().await?;
        let receipt = self.receipt_issue(call, space, ReceiptKind::Erasure(work.done.clone()), audit).await?;
        self.decisions_account(call.caller.tenant.as_str(), &work.redacted, receipt).await?;
        Ok(receipt)
    }
}

/// What is erased.
enum Target {
    Subject(String),
    /// The space, or with neither agent nor run named every space of the user.
    Space,
    Expired(Expired),
}

struct Erase<D> {
    call: Call,
    space: Space,
    target: Target,
    also: Also,
    describe: D,
}

impl<D: Fn(&Erased) -> Record + Send + Sync + 'static> Transaction for Erase<D> {
    type Output = Erased;

    fn touches(&self) -> Touches {
        if self.also.audit { Touches::Past } else { Touches::Rows }
    }

    fn ground(&self) -> Ground<'_> {
        Ground::new(self.call.caller.tenant.as_str(), Some(&self.space))
    }

    /// The call's own audit entry names the entries that it blanked.
    async fn run(&self, tx: &mut Tx) -> Result<Erased, StoreError> {
        let (erased, blanked) = match &self.target {
            Target::Subject(subject) => self.subject(tx, subject).await?,
            Target::Space => self.space(tx).await?,
            Target::Expired(expired) => self.expired(tx, *expired).await?,
        };
        tx.record_blanking(&self.call, &(self.describe)(&erased), &ranges(&blanked));
        Ok(erased)
    }
}

impl<D> Erase<D> {
    fn tenant(&self) -> &str {
        self.call.caller.tenant.as_str()
    }

    async fn subject(&self, tx: &Tx, subject: &str) -> Result<(Erased, Vec<i64>), StoreError> {
        let mut work = Work::new(What::Subject(subject.to_owned()));
        if let Some(row) = tx.space_lock(self.tenant(), &self.space).await? {
            let rows = Rows::Subject(subject);
            tx.space_erase_rows(self.tenant(), row.id, &rows, self.also, &mut work).await?;
        }
        if work.is_nothing() {
            return Ok((work.summed(None), Vec::new()));
        }
        let blanked = self.blanked(tx, Reach::Space, &mut work).await?;
        let receipt = tx.erasure_prove(&self.call, &self.space, &work).await?;
        Ok((work.summed(Some(receipt)), blanked))
    }

    async fn space(&self, tx: &Tx) -> Result<(Erased, Vec<i64>), StoreError> {
        let (what, reach) =
            if self.space.is_whole_user() { (What::User, Reach::User) } else { (What::Space, Reach::Space) };
        let mut work = Work::new(what);
        for (row, _) in tx.spaces_lock(self.tenant(), &self.space).await? {
            tx.space_erase_rows(self.tenant(), row, &Rows::All, self.also, &mut work).await?;
        }
        let blanked = self.blanked(tx, reach, &mut work).await?;
        let receipt = tx.erasure_prove(&self.call, &self.space, &work).await?;
        Ok((work.summed(Some(receipt)), blanked))
    }

    async fn expired(&self, tx: &mut Tx, expired: Expired) -> Result<(Erased, Vec<i64>), StoreError> {
        let reached = tx.spaces_lock(self.tenant(), &self.space).await?;
        let mut work = Work::new(expired.in_spaces(&reached));
        for (row, _) in reached {
            let rows = Rows::Before(expired.before);
            tx.space_erase_rows(self.tenant(), row, &rows, self.also, &mut work).await?;
        }
        if self.also.audit {
            let now = self.call.caller.now;
            work.done.audit_blanked = tx.audit_purge(self.tenant(), expired.before, now).await?;
        }
        let receipt = match work.is_nothing() {
            true => None,
            false => Some(tx.erasure_prove(&self.call, &self.space, &work).await?),
        };
        Ok((work.summed(receipt), Vec::new()))
    }

    /// Blanks the audit details where that was asked for.
    async fn blanked(&self, tx: &Tx, reach: Reach, work: &mut Work) -> Result<Vec<i64>, StoreError> {
        if !self.also.audit {
            return Ok(Vec::new());
        }
        let blanked = tx.audit_blank(self.tenant(), &self.space, reach).await?;
        work.done.audit_blanked = blanked.len() as u64;
        Ok(blanked)
    }
}

impl Postgres {
    pub async fn subject_erase(
        &self,
        call: Call,
        space: Space,
        subject: String,
        also: Also,
        describe: impl Fn(&Erased) -> Record + Send + Sync + 'static,
    ) -> Result<Erased, StoreError> {
        self.lane.run(Erase { call, space, target: Target::Subject(subject), also, describe }).await
    }

    pub async fn space_erase(
        &self,
        call: Call,
        space: Space,
        also: Also,
        describe: impl Fn(&Erased) -> Record + Send + Sync + 'static,
    ) -> Result<Erased, StoreError> {
        self.lane.run(Erase { call, space, target: Target::Space, also, describe }).await
    }

    pub async fn expired_purge(
        &self,
        call: Call,
        space: Space,
        expired: Expired,
        also: Also,
        describe: impl Fn(&Erased) -> Record + Send + Sync + 'static,
    ) -> Result<Erased, StoreError> {
        self.lane.run(Erase { call, space, target: Target::Expired(expired), also, describe }).await
    }
}
