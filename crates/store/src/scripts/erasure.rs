//! Removing for good: facts, what decisions disclose of them, and on request decisions, receipts and audit details.

use super::spaces::Reached;
use super::{decisions, deployment, facts, receipts, spaces};
use crate::StoreError;
use crate::call::Call;
use crate::records::Recorded;
use crate::rows::audit::ranges;
use crate::rows::deployment::ANCHOR;
use crate::rows::erasure::{Also, Doomed, ERASED_WORDS, ErasureSummary, Expired, Extent, UnderWay};
use crate::rows::facts::{UNEMBED, write_steps};
use crate::rows::outbox;
use crate::rows::restorations::position;
use crate::rows::statement_texts;
use crate::rows::statements::FORGET;
use crate::script::{Alone, Db, Ground, Reach, Rows, Script, StoreResult, Touches};
use crate::sql::{numbers, params};
use crate::store::Store;
use domain::keys::text_key;
use domain::{DecisionId, EntryNumber, Fact, FactId, ReceiptId, Space, SpaceKey, Tenant, Timestamp};
use evidence::{Anchor, Erased, ReceiptKind, Signed};
use reconcile::Write;
use std::collections::BTreeSet;

async fn facts_doomed<D: Db>(db: &mut D, space: SpaceKey<'_>, doomed: &Doomed<'_>) -> StoreResult<Vec<Fact>> {
    match doomed {
        Doomed::Subject(subject) => facts::history(db, space, subject).await,
        Doomed::All => facts::of_space(db, space).await,
        Doomed::Before(cutoff) => {
            let mut facts = facts::of_space(db, space).await?;
            facts.retain(|fact| fact.created < *cutoff);
            Ok(facts)
        }
    }
}

/// The decisions that go: those that hold a doomed fact, or are of the space and old enough.
async fn decisions_doomed<D: Db>(
    db: &mut D,
    space: SpaceKey<'_>,
    doomed: &Doomed<'_>,
    facts: &[FactId],
) -> StoreResult<Vec<DecisionId>> {
    let before = match doomed {
        Doomed::Subject(_) => {
            let sql = "SELECT DISTINCT decision FROM belief WHERE tenant = $1 AND memory = $2";
            let found: Vec<(i64,)> = db.all_each(sql, space.tenant, &numbers(facts), &[]).await?;
            let decisions: BTreeSet<DecisionId> = found.into_iter().map(|(id,)| DecisionId(id)).collect();
            return Ok(decisions.into_iter().collect());
        }
        Doomed::All => i64::MAX,
        Doomed::Before(cutoff) => cutoff.as_microsecond(),
    };
    let sql = "SELECT id FROM decision WHERE tenant = $1 AND space = $2 AND created < $3 ORDER BY id";
    let found: Vec<(i64,)> = db.all(sql, &params![space.tenant, space.id, before]).await?;
    Ok(found.into_iter().map(|(id,)| DecisionId(id)).collect())
}

/// Attestations go; the proofs of earlier erasures hold no value and stay.
async fn receipts_remove<R: Rows>(
    rows: &mut R,
    space: SpaceKey<'_>,
    doomed: &Doomed<'_>,
) -> StoreResult<u64> {
    let removable = "DELETE FROM receipt WHERE tenant = $1 AND space = $2 AND subject_ix IS NOT NULL";
    let (tenant, id) = (space.tenant, space.id);
    match doomed {
        Doomed::All => rows.run(removable, &params![tenant, id]).await,
        Doomed::Before(cutoff) => {
            rows.run(&format!("{removable} AND created < $3"), &params![tenant, id, *cutoff]).await
        }
        Doomed::Subject(subject) => {
            let [key, former] = facts::subject_indexes(rows.db(), space, subject);
            let sql = format!("{removable} AND subject_ix IN ($3, $4)");
            rows.run(&sql, &params![tenant, id, key, former]).await
        }
    }
}

/// Another fact of the same statement keeps its own value, and loses the words that told of the erased one.
async fn words_forget<R: Rows>(
    rows: &mut R,
    reached: &Reached,
    space: SpaceKey<'_>,
    erased: &[Fact],
    now: Timestamp,
) -> StoreResult<()> {
    let texts = erased.iter().map(|fact| &*fact.text).filter(|text| *text != ERASED_WORDS);
    let texts: BTreeSet<&str> = texts.collect();
    let mut writes = Vec::new();
    for text in &texts {
        let siblings = facts::of_words(rows.db(), space, text).await?;
        let bare = |sibling| Write::Update(Fact { text: ERASED_WORDS.into(), ..sibling });
        writes.extend(siblings.into_iter().map(bare));
        let index = rows.db().secrets().index("text", space, &text_key(text));
        rows.run(FORGET, &params![space.tenant, space.id, index]).await?;
    }
    // A row that is written anew keeps its writer.
    let writes = write_steps::<R>(rows.db().secrets(), space, reached.row.at, &writes, "", now)?;
    rows.run_all(writes.steps).await?;
    for text in texts {
        if let Some(index) = rows.db().secrets().statement_index(space, text) {
            rows.run(statement_texts::FORGET, &params![space.tenant, index]).await?;
        }
    }
    Ok(())
}

/// What is erased.
enum ErasureTarget {
    Subject(String),
    /// The space, or with neither agent nor run named every space of the user.
    Space,
    Expired(Expired),
}

struct Erase {
    call: Call,
    space: Space,
    target: ErasureTarget,
    also: Also,
}

impl Script for Erase {
    type Output = ErasureSummary;

    fn touches(&self) -> Touches {
        if self.also.audit { Touches::RowsApart } else { Touches::Rows }
    }

    fn ground(&self) -> Ground<'_> {
        Ground::within(&self.call, &self.space)
    }

    /// The call's own audit entry names the entries that it blanked.
    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<ErasureSummary> {
        let (erased, blanked) = match &self.target {
            ErasureTarget::Subject(subject) => self.subject(rows, subject).await?,
            ErasureTarget::Space => self.space(rows).await?,
            ErasureTarget::Expired(expired) => self.expired(rows, *expired).await?,
        };
        rows.record(&self.call, &erased.record(), &ranges(&blanked)).await?;
        Ok(erased)
    }
}

impl Erase {
    fn tenant(&self) -> &Tenant {
        &self.call.caller.tenant
    }

    async fn subject<R: Rows>(
        &self,
        rows: &mut R,
        subject: &str,
    ) -> StoreResult<(ErasureSummary, Vec<EntryNumber>)> {
        let mut work = UnderWay::new(Erased::Subject(subject.to_owned()));
        if let Some(row) = spaces::lock(rows, self.tenant(), &self.space).await? {
            let reached = Reached { row, space: self.space.clone() };
            self.erase(rows, &reached, &Doomed::Subject(subject), &mut work).await?;
        }
        if work.is_nothing() {
            return Ok((work.summed(None), Vec::new()));
        }
        let blanked = self.blanked(rows, Extent::Space, &mut work).await?;
        let receipt = self.prove(rows, &work).await?;
        Ok((work.summed(Some(receipt)), blanked))
    }

    async fn space<R: Rows>(&self, rows: &mut R) -> StoreResult<(ErasureSummary, Vec<EntryNumber>)> {
        let (what, extent) = if self.space.is_whole_user() {
            (Erased::User, Extent::User)
        } else {
            (Erased::Space, Extent::Space)
        };
        let mut work = UnderWay::new(what);
        for reached in spaces::lock_reached(rows, self.tenant(), &self.space).await? {
            self.erase(rows, &reached, &Doomed::All, &mut work).await?;
        }
        let blanked = self.blanked(rows, extent, &mut work).await?;
        let receipt = self.prove(rows, &work).await?;
        Ok((work.summed(Some(receipt)), blanked))
    }

    async fn expired<R: Rows>(
        &self,
        rows: &mut R,
        expired: Expired,
    ) -> StoreResult<(ErasureSummary, Vec<EntryNumber>)> {
        let reached = spaces::lock_reached(rows, self.tenant(), &self.space).await?;
        let spaces = reached.iter().map(|reached| reached.space.clone()).collect();
        let mut work = UnderWay::new(Erased::OlderThanDays { days: expired.older_than_days, spaces });
        for reached in reached {
            self.erase(rows, &reached, &Doomed::Before(expired.before), &mut work).await?;
        }
        if self.also.audit {
            work.done.audit_blanked = self.purge(rows, expired.before).await?;
        }
        let receipt = match work.is_nothing() {
            true => None,
            false => Some(self.prove(rows, &work).await?),
        };
        Ok((work.summed(receipt), Vec::new()))
    }

    /// Erases within one space, and adds what was done to the count.
    async fn erase<R: Rows>(
        &self,
        rows: &mut R,
        reached: &Reached,
        doomed: &Doomed<'_>,
        work: &mut UnderWay,
    ) -> StoreResult<()> {
        let tenant = self.tenant();
        let space = SpaceKey { tenant, id: reached.row.id };
        let facts = facts_doomed(rows.db(), space, doomed).await?;
        let ids: Vec<FactId> = facts.iter().map(|fact| fact.id).collect();
        if self.also.decisions {
            let decisions = decisions_doomed(rows.db(), space, doomed, &ids).await?;
            decisions::remove(rows, tenant, &decisions).await?;
            work.done.decisions_removed += decisions.len() as u64;
        }
        work.redact(decisions::redact(rows, space, &facts).await?);
        if self.also.receipts {
            work.done.receipts_removed += receipts_remove(rows, space, doomed).await?;
        }
        if facts.is_empty() {
            return Ok(());
        }
        let (numbers, now) = (numbers(&ids), self.call.caller.now);
        let waiting: Vec<(i64,)> =
            rows.db().all_each(outbox::ERASED, tenant, &numbers, &params![now]).await?;
        work.wait_for(waiting.into_iter().map(|(seq,)| seq));
        rows.run_each(UNEMBED, tenant, &numbers, &[]).await?;
        rows.run_each("DELETE FROM fact WHERE tenant = $1 AND id = $2", tenant, &numbers, &[]).await?;
        words_forget(rows, reached, space, &facts, now).await?;
        spaces::forget_cached(rows, space).await?;
        work.done.memory_ids.extend(ids);
        Ok(())
    }

    /// Blanks the details of audit entries where that was asked for.
    async fn blanked<R: Rows>(
        &self,
        rows: &mut R,
        extent: Extent,
        work: &mut UnderWay,
    ) -> StoreResult<Vec<EntryNumber>> {
        if !self.also.audit {
            return Ok(Vec::new());
        }
        let Space { user_id, agent_id, run_id } = &self.space;
        let one_space = matches!(extent, Extent::Space);
        let sql = "UPDATE audit_entry SET detail = NULL WHERE tenant = $1 AND user_id = $2
            AND (NOT $5 OR (agent_id = $3 AND run_id = $4)) AND detail IS NOT NULL RETURNING seq";
        let values = params![self.tenant(), user_id, agent_id, run_id, one_space];
        let blanked: Vec<(i64,)> = rows.db().all(sql, &values).await?;
        let mut seqs: Vec<EntryNumber> = blanked.into_iter().map(|(seq,)| EntryNumber(seq)).collect();
        seqs.sort_unstable();
        work.done.audit_blanked = seqs.len() as u64;
        Ok(seqs)
    }

    /// Removes the entries before the time; the chain goes on from a signed anchor.
    async fn purge<R: Rows>(&self, rows: &mut R, before: Timestamp) -> StoreResult<u64> {
        rows.reach(Reach::Deployment).await?;
        rows.alone(Alone::Purging).await?;
        let sql = "SELECT min(seq) FROM audit_entry WHERE ts >= $1";
        let first_kept: Option<(Option<i64>,)> = rows.db().one(sql, &params![before]).await?;
        let first_kept = first_kept.and_then(|(seq,)| seq).unwrap_or(i64::MAX);
        let sql = "SELECT seq, hash FROM audit_entry WHERE seq < $1 ORDER BY seq DESC LIMIT 1";
        let last: Option<(i64, Option<Vec<u8>>)> = rows.db().one(sql, &params![first_kept]).await?;
        let purged = match last {
            None => 0,
            Some((seq, hash)) => {
                let anchor = Anchor { at: position(EntryNumber(seq), hash)?, ts: self.call.caller.now };
                let anchor = Signed::new(anchor, rows.db().secrets().signer.as_ref());
                deployment::set(rows, ANCHOR, &anchor.encode()).await?;
                rows.run("DELETE FROM audit_entry WHERE seq <= $1", &params![seq]).await?
            }
        };
        rows.reach(Reach::Tenant(self.tenant())).await?;
        Ok(purged)
    }

    /// Issues the receipt, and names it wherever something is now missing from a decision, or is still to be removed
    /// from the entity graph.
    async fn prove<R: Rows>(&self, rows: &mut R, work: &UnderWay) -> StoreResult<ReceiptId> {
        let audit = rows.log_end().await?;
        let kind = ReceiptKind::Erasure(work.done.clone());
        let receipt = receipts::issue(rows, &self.call, &self.space, kind, audit).await?;
        let sql = "UPDATE graph_outbox SET receipt = $3 WHERE tenant = $1 AND seq = $2";
        rows.run_each(sql, self.tenant(), &work.waiting, &params![receipt]).await?;
        decisions::account(rows, self.tenant(), &work.redacted, receipt).await?;
        Ok(receipt)
    }
}

impl Store {
    /// What was typed goes before the erasure: should that fail, less is lost than if it were the other way round.
    async fn erase(
        &self,
        call: Call,
        space: Space,
        target: ErasureTarget,
        also: Also,
    ) -> Result<ErasureSummary, StoreError> {
        self.typed_lines_remove()?;
        self.write(Erase { call, space, target, also }).await
    }

    /// Erases one subject of one space. A subject that is not there leaves everything as it is, without a receipt.
    pub async fn subject_erase(
        &self,
        call: Call,
        space: Space,
        subject: String,
        also: Also,
    ) -> Result<ErasureSummary, StoreError> {
        self.erase(call, space, ErasureTarget::Subject(subject), also).await
    }

    /// Erases the space, or with neither agent nor run named every space of the user.
    pub async fn space_erase(
        &self,
        call: Call,
        space: Space,
        also: Also,
    ) -> Result<ErasureSummary, StoreError> {
        self.erase(call, space, ErasureTarget::Space, also).await
    }

    /// Erases what is older than the time. With `also.audit` the whole log is cut off before it.
    pub async fn expired_purge(
        &self,
        call: Call,
        space: Space,
        expired: Expired,
        also: Also,
    ) -> Result<ErasureSummary, StoreError> {
        self.erase(call, space, ErasureTarget::Expired(expired), also).await
    }
}
