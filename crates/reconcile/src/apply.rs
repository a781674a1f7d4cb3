//! Carries a verdict out on the ledger.

use crate::ledger::Ledger;
use crate::plan::Outcome;
use crate::proposal::Proposal;
use crate::statement::Statement;
use crate::verdict::Verdict;
use domain::keys::subject_key;
use domain::{
    APPROVED_BY, Action, DECIDED_AT, Earlier, Fact, FactId, Metadata, Pending, REJECTED_BY, Status, Timestamp,
};

/// The caller who stated a fact, whatever source it names.
pub(crate) const ASSERTED_BY: &str = "asserted_by";
/// Who decided on a fact and when. Only a decision sets these, so no statement can claim an approval.
pub(crate) const DECIDED_BY: &str = "decided_by";
pub(crate) const FLAG_REASON: &str = "flag_reason";

pub(crate) fn apply(ledger: &mut Ledger, p: &Proposal, statement: &Statement, verdict: Verdict) -> Outcome {
    let now = statement.now;
    let subject = spelling(ledger, p);
    let outcome = |action, value: &str, reason: &str, id| Outcome {
        action,
        subject: subject.clone(),
        value: value.to_owned(),
        reason: reason.to_owned(),
        id,
    };
    let draft = |status| draft(p, &subject, statement, status);
    match verdict {
        Verdict::Skip(reason) => outcome(Action::Skip, &p.value, &reason, None),
        Verdict::Known(id) => {
            let held = id.and_then(|id| ledger.get(id)).map(|f| f.value.clone());
            let value = if p.value.is_empty() { held.unwrap_or_default() } else { p.value.clone() };
            outcome(Action::Dedup, &value, "known already", id)
        }
        Verdict::Archive => {
            let id = ledger.insert(draft(Status::Historical));
            outcome(Action::Archive, &p.value, &p.reason, Some(id))
        }
        Verdict::Add(action) => {
            let id = ledger.insert(draft(Status::Active));
            outcome(action, &p.value, &p.reason, Some(id))
        }
        Verdict::Supersede(old) => {
            ledger.supersede(old, now);
            if let Some(moved) = p.moved_from {
                ledger.supersede(moved, now);
            }
            let id = ledger.insert(Fact { supersedes: Some(old), ..draft(Status::Active) });
            outcome(Action::Supersede, &p.value, &p.reason, Some(id))
        }
        Verdict::Refine(id) => {
            let said = draft(Status::Active);
            ledger.change(id, now, |held| refine(held, said, now));
            outcome(Action::Refine, &p.value, &p.reason, Some(id))
        }
        Verdict::Retract(old) => {
            let value = ledger.get(old).map(|f| f.value.clone()).unwrap_or_default();
            let tombstone = draft(Status::Historical);
            let id = retract(ledger, old, tombstone, now);
            outcome(Action::Retract, &value, &p.reason, id)
        }
        Verdict::Flag { action, target, reason } => {
            let fact = flagged(ledger, p, draft(Status::FlaggedConflict), action, target, &reason);
            let value = fact.value.clone();
            let id = ledger.insert(fact);
            outcome(Action::Flag, &value, &reason, Some(id))
        }
    }
}

/// The more precise value replaces the one in the row, which stays readable in `earlier`.
pub(crate) fn refine(held: &mut Fact, said: Fact, now: Timestamp) {
    let former = std::mem::replace(&mut held.value, said.value);
    held.kind = said.kind;
    held.earlier.push(Earlier { value: former, until: now });
    held.confidence = said.confidence;
    held.source = said.source;
    held.triple = said.triple;
    held.text = said.text;
    held.metadata.extend(said.metadata);
}

pub(crate) fn retracted(value: &str) -> String {
    format!("(retracted: {value})")
}

/// Keys that only a decision may set.
pub const DECISION_KEYS: [&str; 4] = [APPROVED_BY, REJECTED_BY, DECIDED_BY, DECIDED_AT];

/// The metadata without the keys that only a decision may set.
pub(crate) fn without_decision(metadata: &Metadata) -> Metadata {
    metadata
        .iter()
        .filter(|(k, _)| !DECISION_KEYS.contains(&k.as_str()))
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect()
}

fn retract(ledger: &mut Ledger, old: FactId, tombstone: Fact, now: Timestamp) -> Option<FactId> {
    let held = ledger.get(old)?.clone();
    ledger.supersede(old, now);
    let mut metadata = without_decision(&held.metadata);
    metadata.extend(tombstone.metadata);
    Some(ledger.insert(Fact {
        value: retracted(&held.value),
        scope: held.scope,
        kind: held.kind,
        list_item: held.list_item,
        triple: held.triple,
        supersedes: Some(old),
        metadata,
        ..tombstone
    }))
}

fn flagged(
    ledger: &Ledger,
    p: &Proposal,
    draft: Fact,
    action: Action,
    target: Option<FactId>,
    reason: &str,
) -> Fact {
    let held = target.and_then(|id| ledger.get(id));
    let pending = Pending {
        action,
        target,
        target_value: held.map(|f| f.value.clone()),
        // A first value needs no approval, even if it is flagged.
        gated: p.is_gated() && (target.is_some() || action == Action::Coexist),
    };
    let mut fact = Fact { pending: Some(pending), ..draft };
    fact.metadata.entry(FLAG_REASON).or_insert_with(|| reason.into());
    // A removal shows the value, scope and kind of what it would remove.
    if let Some(held) = held.filter(|_| action == Action::Retract) {
        fact.value.clone_from(&held.value);
        fact.scope.clone_from(&held.scope);
        fact.kind = held.kind;
    }
    fact
}

fn spelling(ledger: &Ledger, p: &Proposal) -> String {
    let held = if p.slot.is_none() { ledger.spelling(&subject_key(&p.subject)) } else { None };
    held.unwrap_or(&p.subject).to_owned()
}

fn draft(p: &Proposal, subject: &str, statement: &Statement, status: Status) -> Fact {
    let mut metadata = Metadata::new();
    if let Some(category) = p.slot.as_ref().and_then(|s| s.category.as_deref()) {
        metadata.insert("category".to_owned(), category.into());
    }
    metadata.extend(without_decision(statement.metadata));
    Fact {
        // The ledger gives the id.
        id: FactId(0),
        subject: subject.to_owned(),
        value: p.value.clone(),
        scope: p.scope.clone(),
        kind: p.stored_kind(),
        status,
        confidence: p.confidence,
        source: statement.source.map(str::to_owned),
        list_item: p.is_list(),
        supersedes: None,
        metadata,
        triple: p.triple.clone(),
        text: statement.text.clone(),
        pending: None,
        earlier: Vec::new(),
        created: statement.now,
        changed: statement.now,
    }
}
