//! What a sequence scores: every label against what the memory holds.

use super::exported_fact::ExportedFact;
use super::sequence::{Ask, Label, Sequence};
use super::words::{Pattern, is_affirmation, is_denial, is_reserved, words};
use domain::{FactId, FactKind, Status};
use model::is_ignorance;
use std::collections::BTreeSet;

/// From best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Every label holds.
    Correct,
    /// Something is missed or waits for a person, but nothing false is held or said.
    Safe,
    /// Something false is current without a flag, or is given as an answer.
    SilentlyWrong,
}

impl Grade {
    pub const ALL: [Self; 3] = [Self::Correct, Self::Safe, Self::SilentlyWrong];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Correct => "correct",
            Self::Safe => "safe",
            Self::SilentlyWrong => "silently wrong",
        }
    }
}

/// A label that does not hold, and how bad that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub grade: Grade,
    pub text: String,
}

pub fn grade(findings: &[Finding]) -> Grade {
    findings.iter().map(|finding| finding.grade).max().unwrap_or(Grade::Correct)
}

/// The labels that do not hold; none where all do.
pub fn findings(sequence: &Sequence, held: &[ExportedFact], answer: Option<&str>) -> Vec<Finding> {
    let facts: Vec<Read> = held.iter().map(Read::new).collect();
    let active: Vec<&Read> = facts.iter().filter(|fact| fact.held.is_active()).collect();
    let disputed = Disputed::of(held);
    let mut findings = Vec::new();
    for label in &sequence.current {
        findings.extend(missing(label, &sequence.current, &active, &disputed));
    }
    // What happened stays true after what it brought about has ended, unless it never happened. A sentence that is kept
    // as it was told, its "might" and "if" included, says no more than that it was said.
    let counts = |fact: &Read| {
        fact.held.kind == FactKind::State || sequence.kind.is_unreal() && !fact.held.is_as_told()
    };
    for label in &sequence.not_current {
        let standing = active.iter().filter(|fact| counts(fact) && fact.asserts(label));
        findings.extend(
            standing.map(|fact| disputed.weigh(fact, format!("{fact} is current"))).max_by_key(|f| f.grade),
        );
    }
    for label in &sequence.flagged {
        let waits = |fact: &Read| fact.held.is_flagged() && fact.holds(label);
        if !facts.iter().any(waits) {
            findings.push(safe(format!("'{}' does not wait for a person", label.value)));
        }
    }
    for label in &sequence.history {
        if !facts.iter().any(|fact| fact.remembers(label)) {
            findings.push(safe(format!("'{}' is not in history", label.value)));
        }
    }
    if let (Some(ask), Some(answer)) = (&sequence.ask, answer) {
        findings.extend(answered(ask, answer, &sequence.not_current));
    }
    findings
}

/// Whether the fact is what a label of `current` asks for.
pub fn supports(sequence: &Sequence, held: &ExportedFact) -> bool {
    let fact = Read::new(held);
    sequence.current.iter().any(|label| fact.holds(label))
}

/// The facts that a flagged one waits to change or end: whoever looks at them is told so.
struct Disputed(BTreeSet<FactId>);

impl Disputed {
    fn of(held: &[ExportedFact]) -> Self {
        Self(held.iter().filter_map(ExportedFact::disputes).collect())
    }

    fn has(&self, fact: &Read) -> bool {
        self.0.contains(&fact.held.id)
    }

    fn weigh(&self, fact: &Read, text: String) -> Finding {
        if self.has(fact) { safe(format!("{text}, with a flag")) } else { wrong(text) }
    }
}

/// Why a label is not current. Another value in its place is worse than none. A fact that another label accounts for is
/// in nobody's place.
fn missing(label: &Label, labels: &[Label], active: &[&Read], disputed: &Disputed) -> Option<Finding> {
    if active.iter().any(|fact| fact.holds(label)) {
        return None;
    }
    let instead = active.iter().find(|fact| {
        fact.is_in_place_of(label)
            && !labels.iter().any(|other| fact.holds(other))
            && !label.value.has_part(&fact.value)
    });
    Some(match instead {
        Some(fact) => disputed.weigh(fact, format!("{fact} is current where '{}' should be", label.value)),
        None => safe(format!("'{}' is not current", label.value)),
    })
}

/// Why an answer is not right. One that says that a change waits for a person deceives nobody.
fn answered(ask: &Ask, answer: &str, untrue: &[Label]) -> Option<Finding> {
    let said = words(answer);
    // The facts that an answer is given with, one a line with their numbers, are its grounds and not what it asserts.
    let answer = answer.split("\n  #").next().unwrap_or(answer);
    let asserted = words(answer);
    if is_ignorance(answer) {
        let expected = ask.answer.is_empty() || ask.answer.iter().all(|pattern| pattern.is_in(&said));
        return (!expected).then(|| safe("the answer does not know".to_owned()));
    }
    let wrong = if is_reserved(answer) {
        |text| safe(format!("{text}, and says that a change waits"))
    } else {
        wrong
    };
    let question = words(&ask.question);
    let asked_for = |pattern: &Pattern| pattern.is_empty() || pattern.begins_in(&question);
    let about_this = |label: &&Label| asked_for(&label.about) && asked_for(&label.scope);
    if let Some(label) = untrue.iter().filter(about_this).find(|label| label.value.is_asserted_in(&asserted))
    {
        return Some(wrong(format!("the answer asserts '{}'", label.value)));
    }
    let missed: Vec<&Pattern> = ask.answer.iter().filter(|pattern| !pattern.is_in(&said)).collect();
    let first = missed.first().map(|pattern| format!("the answer lacks '{pattern}'"));
    match first {
        None if ask.answer.is_empty() => Some(wrong("the answer should be that it is not known".to_owned())),
        None => None,
        // An answer without any of the words says something else.
        Some(text) if missed.len() == ask.answer.len() => Some(wrong(text)),
        Some(text) => Some(safe(text)),
    }
}

fn safe(text: String) -> Finding {
    Finding { grade: Grade::Safe, text }
}

fn wrong(text: String) -> Finding {
    Finding { grade: Grade::SilentlyWrong, text }
}

/// A fact with its words.
struct Read<'a> {
    held: &'a ExportedFact,
    subject: Vec<String>,
    value: Vec<String>,
    /// Subject, value and scope: where the words of a label are looked for that say what it is about.
    all: Vec<String>,
}

impl<'a> Read<'a> {
    fn new(held: &'a ExportedFact) -> Self {
        let (subject, value) = (words(&held.subject), words(&held.value));
        let all = [subject.clone(), value.clone(), words(&held.scope)].concat();
        Self { held, subject, value, all }
    }

    /// Whether the fact says what the label says. A model may put a part of it into the subject: "penicillin
    /// allergy = hives".
    fn holds(&self, label: &Label) -> bool {
        let said = if is_denial(&self.value) { &self.value } else { &self.all };
        label.value.is_in(said) && self.is_about(label)
    }

    /// Whether the fact says that this value holds. Only the value counts, since a subject may well name what has
    /// gone ("database before MySQL was dropped"), unless the value merely affirms its subject.
    fn asserts(&self, label: &Label) -> bool {
        let said = if is_affirmation(&self.value) { &self.subject } else { &self.value };
        label.value.is_asserted_in(said) && self.is_about(label)
    }

    fn is_about(&self, label: &Label) -> bool {
        (label.about.is_empty() || label.about.begins_in(&self.all))
            && (label.scope.is_empty() || label.scope.begins_in(&self.all))
    }

    /// Whether the fact gives the label's subject a value.
    fn is_in_place_of(&self, label: &Label) -> bool {
        self.held.kind == FactKind::State
            && label.about.begins_in(&self.subject)
            && !is_denial(&self.value)
            && !is_affirmation(&self.value)
            && (label.scope.is_empty() || self.held.scope == "global" || label.scope.begins_in(&self.all))
    }

    fn remembers(&self, label: &Label) -> bool {
        let retired = matches!(self.held.status, Status::Superseded | Status::Historical);
        let earlier = || self.held.refined_from.iter().any(|former| label.value.is_in(&words(former)));
        (retired && self.holds(label)) || earlier()
    }
}

impl std::fmt::Display for Read<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "'{} = {}'", self.held.subject, self.held.value)
    }
}

#[cfg(test)]
mod tests;
