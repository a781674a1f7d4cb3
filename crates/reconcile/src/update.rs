//! The `update_memory` tool: a person replaces the value of one fact.

use crate::apply::{ASSERTED_BY, FLAG_REASON, without_decision};
use crate::ledger::Ledger;
use crate::needs::HeldFacts;
use crate::plan::{Outcome, Plan};
use crate::proposal::clean;
use crate::refusal::Refusal;
use crate::rules::{GATED, dispute};
use crate::slot_schema::SlotSchema;
use domain::keys::subject_key;
use domain::{Action, Fact, FactId, Metadata, Pending, SourcePolicy, Status, Times, Timestamp, limits};

/// Whether the person may approve changes to confirm-gated slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Editor {
    Approver,
    Writer,
}

/// Who edits, and when.
#[derive(Debug, Clone, Copy)]
pub struct Edit<'a> {
    pub editor: Editor,
    /// The caller's name. A source may always correct itself.
    pub source: Option<&'a str>,
    /// The authenticated caller.
    pub by: &'a str,
    pub now: Timestamp,
}

/// `held` answers `needs_of` the fact. The outcome is SUPERSEDE, FLAG where the change needs approval, or DEDUP: with
/// the fact's own id if it has that value already, or with the id of the flagged proposal if that change is already
/// waiting.
pub fn plan_update(
    id: FactId,
    new_value: &str,
    held: &HeldFacts,
    edit: &Edit,
    policy: &SourcePolicy,
    slots: &SlotSchema,
    next_id: FactId,
) -> Result<Plan, Refusal> {
    let ledger = Ledger::open(held, next_id, edit.now);
    let fact = ledger.get(id).ok_or(Refusal::Unknown(id))?.clone();
    let value = check_value(new_value)?;
    if fact.status != Status::Active {
        return Err(Refusal::NotActive { id, status: fact.status });
    }
    if fact.value == value {
        return Ok(nothing_new(&fact, id, "that is the current value"));
    }
    // The source and the words of the old value do not apply to the new one.
    let edited = Fact {
        text: value.as_str().into(),
        value,
        source: None,
        supersedes: Some(id),
        metadata: carried(&fact, edit.by),
        earlier: Vec::new(),
        times: Times { until: fact.times.until, ..Times::default() },
        created: edit.now,
        changed: edit.now,
        ..fact.clone()
    };
    if let Some(other) = rival(&ledger, &edited) {
        return Err(Refusal::Taken { by: other });
    }
    let own = edit.source.filter(|name| fact.source.as_deref().is_some_and(|s| s.eq_ignore_ascii_case(name)));
    let gated = slots.fold(&fact.subject).is_some_and(|slot| slot.confirm);
    let needs_approval = (gated && edit.editor == Editor::Writer).then(|| GATED.to_owned());
    Ok(match needs_approval.or_else(|| dispute(&fact, own, policy)) {
        Some(why) => propose(ledger, edited, &fact, gated, &why),
        None => replace(ledger, &edited, id, edit.now),
    })
}

fn check_value(new_value: &str) -> Result<String, Refusal> {
    let value = clean(Some(new_value));
    if value.is_empty() {
        Err(Refusal::EmptyValue)
    } else if value.len() > limits::VALUE_BYTES {
        Err(Refusal::LongValue)
    } else {
        Ok(value)
    }
}

/// Another item of the same list that the edit would collide with.
fn rival(ledger: &Ledger, edited: &Fact) -> Option<FactId> {
    ledger.occupants(edited).into_iter().find(|id| *id != edited.id)
}

fn nothing_new(fact: &Fact, id: FactId, reason: &str) -> Plan {
    Plan { outcomes: vec![outcome(Action::Dedup, fact, reason, id)], ..Plan::default() }
}

fn propose(mut ledger: Ledger, edited: Fact, target: &Fact, gated: bool, why: &str) -> Plan {
    let pending = Pending {
        action: Action::Supersede,
        target: Some(target.id),
        target_value: Some(target.value.clone()),
        gated,
    };
    let subject = subject_key(&edited.subject);
    let queued = ledger
        .flagged(&subject)
        .find(|r| {
            r.fact.value == edited.value
                && r.fact.scope == edited.scope
                && r.fact.pending.as_ref() == Some(&pending)
        })
        .map(|r| r.fact.id);
    if let Some(id) = queued {
        return nothing_new(&edited, id, "that change awaits approval already");
    }
    let mut fact =
        Fact { status: Status::FlaggedConflict, supersedes: None, pending: Some(pending), ..edited };
    fact.metadata.insert(FLAG_REASON.to_owned(), why.into());
    let (id, now) = (ledger.insert(fact.clone()), fact.created);
    ledger.settle_waiting(now);
    Plan {
        outcomes: vec![outcome(Action::Flag, &fact, why, id)],
        writes: ledger.into_writes(),
        ..Plan::default()
    }
}

fn replace(mut ledger: Ledger, edited: &Fact, old: FactId, now: Timestamp) -> Plan {
    ledger.supersede(old, now, now);
    let id = ledger.insert(edited.clone());
    ledger.settle_waiting(now);
    Plan {
        outcomes: vec![outcome(Action::Supersede, edited, "edited", id)],
        writes: ledger.into_writes(),
        ..Plan::default()
    }
}

fn outcome(action: Action, fact: &Fact, reason: &str, id: FactId) -> Outcome {
    Outcome {
        action,
        subject: fact.subject.clone(),
        value: fact.value.clone(),
        reason: reason.to_owned(),
        id: Some(id),
    }
}

/// Decisions and flags on the old value do not apply to the new one.
fn carried(fact: &Fact, by: &str) -> Metadata {
    let mut metadata = without_decision(&fact.metadata);
    metadata.remove(FLAG_REASON);
    metadata.insert(ASSERTED_BY.to_owned(), by.into());
    metadata
}
