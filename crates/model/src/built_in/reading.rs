//! What a clause says: of what, which value, and whether that value is new, changed or gone.

use super::changes;
use super::clauses::{Adjunct, Clause, Verb};
use super::copula::{copula, possession};
use super::fragments::fragment;
use super::naming::{Sort, Topic, plain_name, topic};
use super::values::{is_time, tidy_value};
use super::verbs::{framed, general, order};
use super::words::{Word, spell};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shift {
    /// It is so; nothing is said of before.
    None,
    /// It has become so.
    To { from: Option<String> },
    /// It is no longer so.
    Gone,
}

#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub subject: String,
    /// Whether the subject is a word such as "it", to be looked up among what is held.
    pub pointer: bool,
    pub scope: Option<String>,
    pub value: String,
    pub event: bool,
    pub shift: Shift,
    /// The whole clause, to compare with what was said before.
    pub said: String,
    /// The attribute that a declared slot would be found by, where the subject also names an item.
    pub attribute: Option<&'static str>,
}

pub(super) fn readings(clause: &Clause) -> Vec<Reading> {
    let mut found = if let Some(verb) = &clause.verb {
        changes::read(clause, verb).unwrap_or_else(|| state(clause, verb))
    } else {
        fragment(&clause.words)
    };
    let habit = !clause.verb.as_ref().is_some_and(|v| v.past);
    let scope = scope(&clause.lead, habit);
    for reading in &mut found {
        reading.said = spell(&clause.words);
        if reading.scope.is_none() {
            reading.scope.clone_from(&scope);
        }
        tidy(reading);
    }
    if let [only] = found.as_mut_slice()
        && only.scope.is_none()
        && only.shift == Shift::None
    {
        trailing_scope(only, clause);
    }
    found.retain(|r| !r.value.is_empty() || r.shift == Shift::Gone);
    found
}

pub(super) fn reading(subject: impl Into<String>, value: impl Into<String>) -> Reading {
    Reading {
        subject: subject.into(),
        pointer: false,
        scope: None,
        value: value.into(),
        event: false,
        shift: Shift::None,
        said: String::new(),
        attribute: None,
    }
}

/// "7/10 at rest", "dark mode on my phone": the last adjunct says where the value holds.
fn trailing_scope(reading: &mut Reading, clause: &Clause) {
    let Some(last) = clause.adjuncts.last().filter(|a| !is_time(&a.words) && !clause.object.is_empty())
    else {
        return;
    };
    let own = last.words.first().is_some_and(|w| w.is("my")) && last.prep == "on";
    let measured = clause.object.len() <= 3
        && clause.object.iter().any(Word::has_digit)
        && !last.words.iter().any(Word::has_digit)
        && matches!(last.prep.as_str(), "at" | "on" | "during" | "in");
    let tail = format!(" {} {}", last.prep, spell(&last.words));
    if (own || measured)
        && let Some(value) = reading.value.strip_suffix(&tail)
    {
        reading.value = value.to_owned();
        reading.scope = Some(plain_name(&last.words).replace("user's ", ""));
    }
}

fn tidy(reading: &mut Reading) {
    if let Some((value, not)) = reading.value.split_once(", not ")
        && reading.shift == Shift::None
    {
        reading.shift = Shift::To { from: Some(not.to_owned()) };
        reading.value = value.to_owned();
    }
    reading.value = tidy_value(&reading.value);
    reading.subject = reading.subject.split_whitespace().collect::<Vec<_>>().join(" ");
}

/// "In staging", "On weekdays", "For US customers": what stands before the subject limits the fact to a part.
fn scope(lead: &[Adjunct], habit: bool) -> Option<String> {
    const RECURRING: [&str; 13] = [
        "summer", "winter", "spring", "autumn", "weekend", "weekends", "morning", "mornings", "evening",
        "evenings", "night", "nights", "day",
    ];
    let recurs =
        |a: &Adjunct| habit && a.words.iter().all(|w| RECURRING.contains(&w.low.as_str()) || w.is("the"));
    lead.iter()
        .filter(|a| {
            matches!(a.prep.as_str(), "in" | "on" | "at" | "for" | "with" | "within" | "under" | "during")
                || a.prep == "by" && recurs(a)
        })
        .filter(|a| recurs(a) || !is_time(&a.words))
        .map(|a| plain_name(&a.words))
        .find(|name| !name.is_empty())
}

/// "user's" or "her" before a bare attribute, the name itself for a thing.
pub(super) fn of_topic(topic: &Topic, attribute: &str) -> String {
    match (topic.name.as_str(), topic.sort) {
        ("", _) => attribute.to_owned(),
        ("he", _) => format!("his {attribute}"),
        ("she", _) => format!("her {attribute}"),
        ("they", _) => format!("their {attribute}"),
        (name, Sort::Person) => format!("{name}'s {attribute}"),
        (name, _) => format!("{name} {attribute}"),
    }
}

fn state(clause: &Clause, verb: &Verb) -> Vec<Reading> {
    let about = topic(&clause.subject);
    if (clause.subject.is_empty() || clause.inherited)
        && let Some(found) = order(clause, verb)
    {
        return found;
    }
    if verb.stem == "be" && !verb.passive {
        return copula(clause, verb, &about);
    }
    if verb.stem == "becom" {
        let mut became = copula(clause, verb, &about);
        became.iter_mut().for_each(|r| r.shift = Shift::To { from: None });
        return became;
    }
    if verb.stem == "have" && !verb.perfect {
        return possession(clause, verb, &about);
    }
    if let Some(found) = framed(clause, verb, &about) {
        return found;
    }
    general(clause, verb, &about)
}
