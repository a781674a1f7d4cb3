//! Carrying an erasure out: the parts of its plan, and at the end the receipt.

use super::tree::tree_at;
use super::{decisions, deployment, facts, numbered_facts, receipts, spaces, state};
use crate::call::Call;
use crate::records::Recorded;
use crate::rows::audit::ranges;
use crate::rows::deployment::ANCHOR;
use crate::rows::erasure::{
    ERASED_WORDS, ErasureIntent, ErasurePiece, ErasurePlan, ErasureSummary, ErasureTarget, Kept,
};
use crate::rows::facts::{UNEMBED, write_steps};
use crate::rows::outbox;
use crate::rows::restorations::position;
use crate::rows::statement_texts;
use crate::rows::statements::{FORGET, FORGET_OF_FACT, FORGET_REPLIES};
use crate::script::{Alone, Db, Reach, Rows, Series, StoreResult};
use crate::sql::{numbers, params};
use domain::keys::text_key;
use domain::{DecisionId, EntryNumber, Fact, FactId, ReceiptId, Space, SpaceKey, Tenant, Timestamp};
use evidence::{Anchor, Erasure, ReceiptKind};
use reconcile::Write;
use std::collections::BTreeSet;

/// Erases a part of the plan. What goes missing from a decision names the receipt that will account for it.
pub(super) async fn carry_out<R: Rows>(
    rows: &mut R,
    tenant: &Tenant,
    piece: &ErasurePiece<'_>,
    receipt: ReceiptId,
    now: Timestamp,
) -> StoreResult<()> {
    decisions::remove(rows, tenant, piece.decisions).await?;
    decisions::summaries_erase(rows, tenant, piece.summaries, receipt).await?;
    seal_anew(rows, tenant, piece).await?;
    for of_space in piece.facts.chunk_by(|(a, _), (b, _)| a == b) {
        let ids: Vec<FactId> = of_space.iter().map(|(_, id)| *id).collect();
        if let Some((id, _)) = of_space.first() {
            facts_erase(rows, SpaceKey { tenant, id: *id }, &ids, receipt, now).await?;
        }
    }
    Ok(())
}

/// Seals what stays under the key that the user's spaces have by now.
async fn seal_anew<R: Rows>(rows: &mut R, tenant: &Tenant, piece: &ErasurePiece<'_>) -> StoreResult<()> {
    let ids = numbers(piece.summaries_kept);
    let sql = "SELECT d.id, d.summary, d.space FROM decision d
        WHERE d.tenant = $1 AND d.id = $2 AND d.summary IS NOT NULL";
    let kept: Vec<Kept> = rows.db().all_each(sql, tenant, &ids, &[]).await?;
    for Kept { id, sealed, space } in kept {
        let key = spaces::row(rows.db(), SpaceKey { tenant, id: space }).await?.key;
        let anew = rows.db().secrets().summary_reseal(key, tenant, DecisionId(id), &sealed)?;
        let sql = "UPDATE decision SET summary = $3 WHERE tenant = $1 AND id = $2";
        if let Some(anew) = anew {
            rows.run(sql, &params![tenant, id, anew]).await?;
        }
    }
    let ids = numbers(piece.receipts_kept);
    let sql = "SELECT r.id, r.body, r.space FROM receipt r WHERE r.tenant = $1 AND r.id = $2";
    let kept: Vec<Kept> = rows.db().all_each(sql, tenant, &ids, &[]).await?;
    for Kept { id, sealed, space } in kept {
        let key = spaces::row(rows.db(), SpaceKey { tenant, id: space }).await?.key;
        let anew = rows.db().secrets().receipt_reseal(key, tenant, ReceiptId(id), &sealed)?;
        let sql = "UPDATE receipt SET body = $3 WHERE tenant = $1 AND id = $2";
        if let Some(anew) = anew {
            rows.run(sql, &params![tenant, id, anew]).await?;
        }
    }
    Ok(())
}

async fn facts_erase<R: Rows>(
    rows: &mut R,
    space: SpaceKey<'_>,
    ids: &[FactId],
    receipt: ReceiptId,
    now: Timestamp,
) -> StoreResult<()> {
    let tenant = space.tenant;
    let erased = numbered_facts::get_readable(rows.db(), space, ids).await?;
    let is_whole = erased.len() == ids.len();
    let ids = numbers(ids);
    if !is_whole {
        // The words of a fact that does not open are known by its row alone.
        rows.run_each(FORGET_OF_FACT, tenant, &ids, &params![space.id]).await?;
    }
    rows.run(FORGET_REPLIES, &params![tenant, space.id]).await?;
    decisions::disclosures_erase(rows, tenant, &ids, receipt).await?;
    rows.run_each(UNEMBED, tenant, &ids, &[]).await?;
    rows.run_each("DELETE FROM fact WHERE tenant = $1 AND id = $2", tenant, &ids, &[]).await?;
    words_forget(rows, space, &erased, now).await?;
    if !is_whole {
        rows.run(statement_texts::FORGET_UNUSED, &params![tenant, space.id]).await?;
    }
    Ok(())
}

/// Another fact of the same statement keeps its own value, and loses the words that told of the erased one.
async fn words_forget<R: Rows>(
    rows: &mut R,
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
    if !writes.is_empty() {
        let row = spaces::row(rows.db(), space).await?;
        // A row that is written anew keeps its writer.
        let writes = write_steps::<R>(rows.db().secrets(), space, row, &writes, "", now)?;
        rows.run_all(writes.steps).await?;
    }
    for text in texts {
        if let Some(index) = rows.db().secrets().statement_index(space, text) {
            rows.run(statement_texts::FORGET, &params![space.tenant, index]).await?;
        }
    }
    Ok(())
}

/// Once all of the plan is carried out: what one statement each can do, the receipt, and the call's audit entry, which
/// names the entries that it blanked.
pub(super) async fn finish<R: Rows>(
    rows: &mut R,
    call: &Call,
    intent: &ErasureIntent,
    plan: &ErasurePlan,
    receipt: Option<ReceiptId>,
) -> StoreResult<ErasureSummary> {
    let tenant = &call.caller.tenant;
    let mut done = plan.account(intent);
    for (id, _) in &plan.spaces {
        let space = SpaceKey { tenant, id: *id };
        if intent.also.receipts {
            done.receipts_removed += receipts_remove(rows, space, &intent.target).await?;
        }
        if plan.facts.iter().any(|(of, _)| of == id) {
            spaces::forget_cached(rows, space).await?;
        }
    }
    let mut blanked = Vec::new();
    match &intent.target {
        ErasureTarget::Subject(_) if is_nothing(&done) => {}
        ErasureTarget::Expired(expired) if intent.also.audit => {
            done.audit_blanked = audit_purge(rows, call, expired.before).await?;
        }
        ErasureTarget::Expired(_) => {}
        ErasureTarget::Subject(_) | ErasureTarget::Space if intent.also.audit => {
            blanked = audit_blank(rows, tenant, intent).await?;
            done.audit_blanked = blanked.len() as u64;
        }
        ErasureTarget::Subject(_) | ErasureTarget::Space => {}
    }
    let proven = matches!(intent.target, ErasureTarget::Space) || !is_nothing(&done);
    let receipt = if proven { Some(prove(rows, call, intent, receipt, &mut done).await?) } else { None };
    let is_signed = rows.db().secrets().signing().is_some();
    let audit_kept = match intent.target {
        ErasureTarget::Space if !intent.also.audit => details_kept(rows.db(), tenant, intent).await?,
        _ => 0,
    };
    let summary = ErasureSummary { audit_kept, ..ErasureSummary::of(&done, receipt, is_signed) };
    rows.record(call, &summary.record(), &ranges(&blanked)).await?;
    Ok(summary)
}

const fn is_nothing(done: &Erasure) -> bool {
    done.memory_ids.is_empty()
        && done.decisions_redacted == 0
        && done.decisions_removed == 0
        && done.receipts_removed == 0
        && done.audit_blanked == 0
}

/// Attestations go; the proofs of earlier erasures hold no value and stay.
async fn receipts_remove<R: Rows>(
    rows: &mut R,
    space: SpaceKey<'_>,
    target: &ErasureTarget,
) -> StoreResult<u64> {
    let removable = "DELETE FROM receipt WHERE tenant = $1 AND space = $2 AND subject_ix IS NOT NULL";
    let (tenant, id) = (space.tenant, space.id);
    match target {
        ErasureTarget::Space => rows.run(removable, &params![tenant, id]).await,
        ErasureTarget::Expired(expired) => {
            rows.run(&format!("{removable} AND created < $3"), &params![tenant, id, expired.before]).await
        }
        ErasureTarget::Subject(subject) => {
            let [key, former] = facts::subject_indexes(rows.db(), space, subject);
            let sql = format!("{removable} AND subject_ix IN ($3, $4)");
            rows.run(&sql, &params![tenant, id, key, former]).await
        }
    }
}

/// How many audit entries of the space, or of the whole user, still have their detail.
async fn details_kept<D: Db>(db: &mut D, tenant: &Tenant, intent: &ErasureIntent) -> StoreResult<u64> {
    let Space { user_id, agent_id, run_id } = &intent.space;
    let sql = "SELECT count(*) FROM audit_entry WHERE tenant = $1 AND user_id = $2
        AND (NOT $5 OR (agent_id = $3 AND run_id = $4)) AND detail IS NOT NULL";
    let values = params![tenant, user_id, agent_id, run_id, !intent.reaches_whole_user()];
    let kept: Option<(i64,)> = db.one(sql, &values).await?;
    Ok(kept.map_or(0, |(kept,)| kept.unsigned_abs()))
}

/// Blanks the details of the audit entries of the space, or of the whole user.
async fn audit_blank<R: Rows>(
    rows: &mut R,
    tenant: &Tenant,
    intent: &ErasureIntent,
) -> StoreResult<Vec<EntryNumber>> {
    let Space { user_id, agent_id, run_id } = &intent.space;
    let one_space = !intent.reaches_whole_user();
    let sql = "UPDATE audit_entry SET detail = NULL WHERE tenant = $1 AND user_id = $2
        AND (NOT $5 OR (agent_id = $3 AND run_id = $4)) AND detail IS NOT NULL RETURNING seq";
    let values = params![tenant, user_id, agent_id, run_id, one_space];
    let blanked: Vec<(i64,)> = rows.db().all(sql, &values).await?;
    let mut seqs: Vec<EntryNumber> = blanked.into_iter().map(|(seq,)| EntryNumber(seq)).collect();
    seqs.sort_unstable();
    Ok(seqs)
}

/// Removes the entries before the time; the chain goes on from a signed anchor.
async fn audit_purge<R: Rows>(rows: &mut R, call: &Call, before: Timestamp) -> StoreResult<u64> {
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
            let at = position(EntryNumber(seq), hash)?;
            let end = rows.log_end().await?;
            let tree = Some(tree_at(rows.db(), at.size, &end.tree).await?);
            let anchor = Anchor { at, ts: call.caller.now, tree };
            let anchor = rows.db().secrets().sign(anchor);
            deployment::set(rows, ANCHOR, &anchor.encode()).await?;
            // What the entries that go say of the rows is said again by the entry of this call.
            if let Some(ledger) = state::ledger(rows.db(), seq).await? {
                rows.list_rows(u64::try_from(seq).unwrap_or_default(), ledger.all());
            }
            rows.run("DELETE FROM audit_entry WHERE seq <= $1", &params![seq]).await?
        }
    };
    rows.reach(Reach::Tenant(&call.caller.tenant)).await?;
    Ok(purged)
}

/// Issues the receipt, under the number that it was given where the erasure took several pieces, and has the facts
/// removed from the entity graph.
async fn prove<R: Rows>(
    rows: &mut R,
    call: &Call,
    intent: &ErasureIntent,
    receipt: Option<ReceiptId>,
    done: &mut Erasure,
) -> StoreResult<ReceiptId> {
    let tenant = &call.caller.tenant;
    let receipt = match receipt {
        Some(receipt) => receipt,
        None => ReceiptId(rows.take(tenant, Series::Receipt, 1).await?),
    };
    let erased = outbox::erased::<R>(tenant, done.memory_ids.iter().copied(), receipt, call.caller.now);
    done.graph_pending = rows.run(erased.sql, &erased.params).await? > 0;
    let audit = rows.log_end().await?.at();
    let space = spaces::open(rows, tenant, &intent.space).await?;
    let kind = ReceiptKind::Erasure(done.clone());
    receipts::keep(rows, &call.caller, receipt, (space, &intent.space), kind, audit).await?;
    Ok(receipt)
}
