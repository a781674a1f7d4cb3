//! What a model or a caller proposed, made fit for the rules: nothing missing, nothing mistyped, nothing beyond the limits.

use crate::slot_schema::{Slot, SlotSchema};
use domain::{Action, FactId, FactKind, Proposer, RawFact, TimeRef, Times, Triple, Wording, limits};

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
    /// Whether the scope was given.
    pub is_scoped: bool,
    /// As the model put it. The value of a declared slot is stored as a state in any case; see `stored_kind`.
    pub kind: FactKind,
    /// Whether the kind was given.
    pub has_kind: bool,
    pub time_ref: TimeRef,
    pub action: Action,
    /// From 0 to 1.
    pub confidence: f64,
    pub reason: String,
    pub target: Option<FactId>,
    /// Whether the caller said what it does, how sure it is, or which fact it changes.
    pub is_explicit: bool,
    /// Whether the subject holds several values.
    pub list: bool,
    /// Since when it holds, and until when.
    pub times: Times,
    pub triple: Triple,
    pub slot: Option<Slot>,
    /// What the statement's words say of it.
    pub wording: Wording,
    /// Why it cannot be used, if so: it is then skipped.
    pub unusable: Option<String>,
    /// Why a person should look at it, if that is known before the rules are applied.
    pub(crate) misgiving: Option<&'static str>,
    /// Whether the caller aims at a fact of a confirm-gated slot.
    pub(crate) aims_at_gated: bool,
    /// The fact that has this value under the proposal's own subject. It is superseded when the value moves to the
    /// target's subject.
    pub(crate) moved_from: Option<FactId>,
}

impl Proposal {
    /// The kind of the fact that is stored.
    pub(crate) fn stored_kind(&self) -> FactKind {
        if self.slot.is_some() { FactKind::State } else { self.kind }
    }

    pub fn is_gated(&self) -> bool {
        self.aims_at_gated || self.slot.as_ref().is_some_and(|s| s.confirm)
    }
}

pub(crate) fn repair_one(
    raw: &RawFact,
    wording: &Wording,
    proposer: Proposer,
    slots: &SlotSchema,
) -> Proposal {
    let said = clean(raw.subject.as_deref());
    let declared = slots.fold(&said).cloned();
    // What is somebody else's is a fact about them, and no value of the slot.
    let owner = wording.owner.as_deref().filter(|_| declared.is_some());
    let said = match (owner, &declared) {
        (Some(owner), Some(slot)) => format!("{owner} {}", slot.name.replace('_', " ")),
        _ => said,
    };
    let list = declared.as_ref().map_or(raw.list, |slot| slot.multi);
    let slot = declared.filter(|_| owner.is_none());
    let scope = Some(clean(raw.scope.as_deref())).filter(|s| !s.is_empty());
    let explicit = raw.action.is_some() || raw.confidence.is_some() || raw.target_id.is_some();
    let mut proposal = Proposal {
        subject: slot.as_ref().map_or(said, |s| s.name.clone()),
        value: without_date(&clean(raw.value.as_deref())).to_owned(),
        is_scoped: scope.is_some(),
        scope: scope.unwrap_or(DEFAULT_SCOPE.to_owned()),
        kind: repair_kind(raw.kind.as_deref()),
        has_kind: raw.kind.is_some(),
        time_ref: repair_time(raw.time_ref.as_deref()),
        action: repair_action(raw, proposer),
        confidence: repair_confidence(raw.confidence, proposer),
        reason: shorten(&clean(raw.reason.as_deref()), REASON_CHARS),
        target: raw.target_id.map(FactId),
        is_explicit: explicit && proposer == Proposer::Caller,
        list,
        times: Times { from: raw.valid_from, until: raw.valid_until, ..Times::default() },
        triple: repair_triple(raw),
        slot,
        wording: wording.clone(),
        unusable: None,
        misgiving: None,
        aims_at_gated: false,
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

pub(crate) fn surplus(dropped: usize) -> Proposal {
    Proposal {
        subject: "further facts".to_owned(),
        value: format!("{dropped} dropped"),
        scope: DEFAULT_SCOPE.to_owned(),
        is_scoped: false,
        kind: FactKind::State,
        has_kind: false,
        time_ref: TimeRef::Unknown,
        action: Action::Skip,
        confidence: limits::UNSTATED_CONFIDENCE,
        reason: String::new(),
        target: None,
        is_explicit: false,
        list: false,
        times: Times::default(),
        triple: Triple::default(),
        slot: None,
        wording: Wording::default(),
        unusable: Some(format!("one statement holds at most {} facts", limits::FACTS_PER_STATEMENT)),
        misgiving: None,
        aims_at_gated: false,
        moved_from: None,
    }
}

/// A fact that a caller brings without an action is a plain statement of a value, or a change of what it aims at.
fn repair_action(raw: &RawFact, proposer: Proposer) -> Action {
    match (&raw.action, proposer) {
        (None, Proposer::Caller) if raw.target_id.is_some() => Action::Supersede,
        (None, Proposer::Caller) => Action::Add,
        (word, _) => word.as_deref().and_then(Action::from_word).unwrap_or(Action::Flag),
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

fn repair_confidence(confidence: Option<f64>, proposer: Proposer) -> f64 {
    let unstated = match proposer {
        Proposer::Model => limits::UNSTATED_CONFIDENCE,
        Proposer::Caller => limits::CALLER_CONFIDENCE,
    };
    confidence.filter(|c| c.is_finite()).map_or(unstated, |c| c.clamp(0.0, 1.0))
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
