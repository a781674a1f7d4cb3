//! What a model proposed, made fit for the rules: nothing missing, nothing mistyped, nothing beyond the limits.

use crate::slot_schema::{Slot, SlotSchema};
use domain::{Action, FactId, FactKind, Proposed, RawFact, TimeRef, Triple, Wording, limits};

const DEFAULT_SCOPE: &str = "global";
/// A reason is one line of a reply.
const REASON_CHARS: usize = 300;
/// As much of an over-long text as helps to recognise it in a reply.
const EXCERPT_CHARS: usize = 60;

#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The declared slot's name, when the subject folded onto one.
    pub subject: String,
    /// Empty only where a removal does not say what it removes.
    pub value: String,
    pub scope: String,
    /// As the model put it. The value of a declared slot is stored as a state in any case; see `stored_kind`.
    pub kind: FactKind,
    pub time_ref: TimeRef,
    pub action: Action,
    /// From 0 to 1.
    pub confidence: f64,
    pub reason: String,
    pub target: Option<FactId>,
    pub triple: Triple,
    pub slot: Option<Slot>,
    /// What the statement's words say of it.
    pub wording: Wording,
    /// Why it cannot be used, if so: it is then skipped.
    pub unusable: Option<String>,
    /// Why a person should look at it, if that is known before the rules are applied.
    pub(crate) misgiving: Option<&'static str>,
    /// The fact that has this value under the proposal's own subject. It is superseded when the value moves to the
    /// target's subject.
    pub(crate) moved_from: Option<FactId>,
}

impl Proposal {
    /// The kind of the fact that is stored.
    pub(crate) fn stored_kind(&self) -> FactKind {
        if self.slot.is_some() { FactKind::State } else { self.kind }
    }

    pub(crate) fn is_list(&self) -> bool {
        self.slot.as_ref().is_some_and(|s| s.multi)
    }

    pub(crate) fn is_gated(&self) -> bool {
        self.slot.as_ref().is_some_and(|s| s.confirm)
    }
}

pub fn repair(proposed: &[Proposed], slots: &SlotSchema) -> Vec<Proposal> {
    let mut proposals: Vec<Proposal> = Vec::new();
    let mut dropped: usize = 0;
    for Proposed { fact, wording } in proposed {
        let proposal = repair_one(fact, wording, slots);
        if proposals.contains(&proposal) {
            continue;
        }
        if proposals.len() < limits::FACTS_PER_STATEMENT {
            proposals.push(proposal);
        } else {
            dropped += 1;
        }
    }
    if dropped > 0 {
        proposals.push(surplus(dropped));
    }
    proposals
}

fn repair_one(raw: &RawFact, wording: &Wording, slots: &SlotSchema) -> Proposal {
    let said = clean(raw.subject.as_deref());
    let slot = slots.fold(&said).cloned();
    let mut proposal = Proposal {
        subject: slot.as_ref().map_or(said, |s| s.name.clone()),
        value: without_date(&clean(raw.value.as_deref())).to_owned(),
        scope: Some(clean(raw.scope.as_deref()))
            .filter(|s| !s.is_empty())
            .unwrap_or(DEFAULT_SCOPE.to_owned()),
        kind: repair_kind(raw.kind.as_deref()),
        time_ref: repair_time(raw.time_ref.as_deref()),
        action: raw.action.as_deref().and_then(Action::from_word).unwrap_or(Action::Flag),
        confidence: repair_confidence(raw.confidence),
        reason: shorten(&clean(raw.reason.as_deref()), REASON_CHARS),
        target: raw.target_id.map(FactId),
        triple: repair_triple(raw),
        slot,
        wording: wording.clone(),
        unusable: None,
        misgiving: None,
        moved_from: None,
    };
    proposal.unusable = why_unusable(&proposal);
    if proposal.unusable.is_some() {
        proposal.subject = shorten(&proposal.subject, EXCERPT_CHARS);
        proposal.value = shorten(&proposal.value, EXCERPT_CHARS);
        proposal.scope = shorten(&proposal.scope, EXCERPT_CHARS);
    }
    proposal
}

/// Prompts show held facts with the day since which they are known, and some models copy that into the value.
fn without_date(value: &str) -> &str {
    let kept = value.strip_suffix(']').and_then(|v| v.rsplit_once('[')).filter(|(_, note)| {
        let words = note.trim_start().to_ascii_lowercase();
        words.starts_with("since ")
    });
    kept.map_or(value, |(before, _)| before.trim_end())
}

/// Cutting a text would store something that nobody said, so an over-long one is not stored at all.
pub(crate) fn why_unusable(proposal: &Proposal) -> Option<String> {
    let over = |what: &str, max: usize| Some(format!("the {what} is longer than {max} bytes"));
    if proposal.subject.is_empty() {
        Some("no subject".to_owned())
    } else if proposal.subject.len() > limits::SUBJECT_BYTES {
        over("subject", limits::SUBJECT_BYTES)
    } else if proposal.value.len() > limits::VALUE_BYTES {
        over("value", limits::VALUE_BYTES)
    } else if proposal.scope.len() > limits::SCOPE_BYTES {
        over("scope", limits::SCOPE_BYTES)
    } else {
        None
    }
}

fn surplus(dropped: usize) -> Proposal {
    Proposal {
        subject: "further facts".to_owned(),
        value: format!("{dropped} dropped"),
        scope: DEFAULT_SCOPE.to_owned(),
        kind: FactKind::State,
        time_ref: TimeRef::Unknown,
        action: Action::Skip,
        confidence: limits::UNSTATED_CONFIDENCE,
        reason: String::new(),
        target: None,
        triple: Triple::default(),
        slot: None,
        wording: Wording::default(),
        unusable: Some(format!("one statement holds at most {} facts", limits::FACTS_PER_STATEMENT)),
        misgiving: None,
        moved_from: None,
    }
}

fn repair_kind(word: Option<&str>) -> FactKind {
    match word.map(|w| w.trim().to_ascii_lowercase()).as_deref() {
        Some("event") => FactKind::Event,
        _ => FactKind::State,
    }
}

fn repair_time(word: Option<&str>) -> TimeRef {
    match word.map(|w| w.trim().to_ascii_lowercase()).as_deref() {
        Some("current") => TimeRef::Current,
        Some("past") => TimeRef::Past,
        Some("future") => TimeRef::Future,
        _ => TimeRef::Unknown,
    }
}

fn repair_confidence(confidence: Option<f64>) -> f64 {
    confidence.filter(|c| c.is_finite()).map_or(limits::UNSTATED_CONFIDENCE, |c| c.clamp(0.0, 1.0))
}

/// The entity graph has no use for half a relation, nor for an essay.
fn repair_triple(raw: &RawFact) -> Triple {
    let part = |text: &Option<String>| {
        Some(clean(text.as_deref())).filter(|t| !t.is_empty() && t.len() <= limits::SUBJECT_BYTES)
    };
    match (part(&raw.head), part(&raw.relation), part(&raw.tail)) {
        (Some(head), Some(relation), Some(tail)) => Triple { head, relation, tail },
        _ => Triple::default(),
    }
}

/// Replies are read line by line, so a line break becomes a space. Other control characters are dropped.
pub(crate) fn clean(text: Option<&str>) -> String {
    let kept: String = text
        .unwrap_or_default()
        .chars()
        .map(|c| if matches!(c, '\n' | '\r' | '\t' | '\u{85}' | '\u{2028}' | '\u{2029}') { ' ' } else { c })
        .filter(|c| !c.is_control())
        .collect();
    kept.trim().to_owned()
}

fn shorten(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}
