//! Which held fact a reading changes, if any. The network may see a change only among the few facts that the sentence
//! names; where two could be meant, a person is asked.

use crate::frame::{Arity, Reading, Shift};
use crate::named::{Known, Stems, set};
use domain::keys::{subject_key, value_key};
use domain::{Action, Fact, FactId};
use encoder::{Relation, Weighed};

/// At most so many facts are weighed against a clause.
const WEIGHED: usize = 3;
/// From here on the network is taken at its word that a named fact is replaced or has ended.
const SURE: f32 = 0.8;
/// From here on it may be so, and a person is asked.
const MAYBE: f32 = 0.5;
/// A told sentence longer than this says too much besides; the fact's subject and value stand for it.
const TOLD_WORDS: usize = 24;

/// What a reading does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placed {
    pub subject: String,
    pub action: Action,
    pub target: Option<FactId>,
    pub sure: bool,
}

impl Placed {
    fn new(subject: &str, action: Action, target: Option<FactId>) -> Self {
        Self { subject: subject.to_owned(), action, target, sure: true }
    }

    fn asking(self) -> Self {
        Self { sure: false, ..self }
    }
}

/// Where the value of a reading belongs.
pub(crate) fn place(reading: &Reading, scope: &str, clause: &str, known: &[Known<'_>]) -> Placed {
    let said = set(clause);
    let (subject, value) = (subject_key(&reading.subject), value_key(&reading.value));
    let here = |k: &&Known<'_>| {
        subject_key(&k.fact.subject) == subject && subject_key(&k.fact.scope) == subject_key(scope)
    };
    let list = |k: &&Known<'_>| k.fact.list_item;
    if let Some(same) = known.iter().filter(here).find(|k| value_key(&k.fact.value) == value) {
        return Placed::new(&reading.subject, Action::Dedup, Some(same.fact.id));
    }
    if reading.arity == Arity::Many {
        return beside_all(reading, known);
    }
    if let Some(holder) = known.iter().filter(here).find(|k| !list(k)) {
        return over(reading, holder, clause);
    }
    let mut named: Vec<&Known<'_>> = known
        .iter()
        .filter(|k| {
            !list(k) && subject_key(&k.fact.scope) == subject_key(scope) && is_meant(k, reading, &said)
        })
        .collect();
    if let Shift::Became { from: Some(from) } = &reading.shift {
        let from = set(from);
        let of_former = |k: &&Known<'_>| !k.value.is_empty() && (k.value == from || k.value.is_subset(&from));
        let former: Vec<&&Known<'_>> = named.iter().filter(|k| of_former(k)).collect();
        match former.as_slice() {
            [] => {}
            [only] => return Placed::new(&only.fact.subject, Action::Supersede, Some(only.fact.id)),
            several => {
                let weighed = weigh(clause, &several.iter().map(|k| k.fact).collect::<Vec<_>>());
                return settled(several.iter().map(|k| k.fact).zip(weighed), &reading.subject, reading);
            }
        }
    }
    named.sort_by(|a, b| b.share_in(&said).total_cmp(&a.share_in(&said)));
    named.truncate(WEIGHED);
    let facts: Vec<&Fact> = named.iter().map(|k| k.fact).collect();
    let weighed = weigh(clause, &facts);
    settled(facts.into_iter().zip(weighed), &reading.subject, reading)
}

/// The place is held. Where it takes one value only, or the words say that it has changed, the new one takes it.
fn over(reading: &Reading, holder: &Known<'_>, clause: &str) -> Placed {
    let (old, new) = (&holder.value, set(&reading.value));
    let refines = reading.shift == Shift::Is && old.is_subset(&new) && !old.is_empty();
    let action = if refines { Action::Refine } else { Action::Supersede };
    let placed = Placed::new(&reading.subject, action, Some(holder.fact.id));
    if reading.arity == Arity::One || reading.shift != Shift::Is {
        return placed;
    }
    let touches = weigh(clause, &[holder.fact])
        .first()
        .map_or(0.0, |w| 1.0 - of(w, Relation::None) - of(w, Relation::Ends));
    if touches >= MAYBE { placed } else { beside(reading) }
}

/// One of several that a thing may have at a time, under a name of its own.
fn beside(reading: &Reading) -> Placed {
    Placed::new(&format!("{} {}", reading.subject, reading.value.to_lowercase()), Action::Add, None)
}

/// One more, unless it is held already.
fn beside_all(reading: &Reading, known: &[Known<'_>]) -> Placed {
    let placed = beside(reading);
    let key = subject_key(&placed.subject);
    let held = known.iter().find(|k| subject_key(&k.fact.subject) == key);
    held.map_or(placed, |k| Placed::new(&k.fact.subject, Action::Dedup, Some(k.fact.id)))
}

/// The likeliest of the facts that the sentence names.
fn settled<'a>(
    weighed: impl Iterator<Item = (&'a Fact, Weighed)>,
    subject: &str,
    reading: &Reading,
) -> Placed {
    let best = weighed.max_by(|a, b| of(&a.1, Relation::Replaces).total_cmp(&of(&b.1, Relation::Replaces)));
    let Some((fact, weighed)) = best else { return new(subject, reading) };
    let replaces = of(&weighed, Relation::Replaces);
    let change = || Placed::new(&fact.subject, Action::Supersede, Some(fact.id));
    if replaces >= SURE {
        change()
    } else if replaces >= MAYBE && reading.shift != Shift::Is {
        change().asking()
    } else if of(&weighed, Relation::Same) >= SURE && set(&fact.value) == set(&reading.value) {
        Placed::new(&fact.subject, Action::Dedup, Some(fact.id))
    } else {
        new(subject, reading)
    }
}

fn new(subject: &str, reading: &Reading) -> Placed {
    if reading.arity == Arity::One { Placed::new(subject, Action::Add, None) } else { beside(reading) }
}

/// Whether the sentence names the fact and could speak of it: the first word of its subject stands there, which tells
/// the audit service from the queue service, or its value does.
fn is_meant(known: &Known<'_>, reading: &Reading, said: &Stems) -> bool {
    let first = crate::stem::stems(&known.fact.subject.replace("'s", " ")).into_iter().next();
    let has_first = first.is_some_and(|word| said.contains(&word));
    let has_from = matches!(&reading.shift, Shift::Became { from: Some(from) } if !known.value.is_empty() && known.value.is_subset(&set(from)));
    has_from || has_first && known.has_subject_in(said)
}

/// What the words say has gone, if it is held and named.
pub(crate) fn ended(reading: Option<&Reading>, clause: &str, known: &[Known<'_>]) -> Vec<(FactId, bool)> {
    let said = set(clause);
    let gone = reading.map(|r| set(&r.value)).unwrap_or_default();
    let named = |k: &&Known<'_>| {
        let by_value = k.has_value_in(&said) && (gone.is_empty() || !k.value.is_disjoint(&gone));
        let by_subject =
            !k.subject.is_empty() && k.subject.iter().filter(|w| *w != "user").all(|w| said.contains(w));
        by_value || by_subject
    };
    let mut found: Vec<&Known<'_>> = known.iter().filter(named).collect();
    found.sort_by(|a, b| b.share_in(&said).total_cmp(&a.share_in(&said)));
    found.truncate(WEIGHED);
    let facts: Vec<&Fact> = found.iter().map(|k| k.fact).collect();
    let weighed = weigh(clause, &facts);
    let ends = |w: &Weighed| of(w, Relation::Ends) + of(w, Relation::Replaces);
    let mut likely: Vec<(&Known<'_>, f32)> = found.into_iter().zip(weighed.iter().map(ends)).collect();
    likely.sort_by(|a, b| b.1.total_cmp(&a.1));
    let enough = if reading.is_some() { MAYBE } else { SURE };
    match likely.as_slice() {
        [(only, ends)] if *ends >= enough => vec![(only.fact.id, true)],
        [(best, ends), (_, next), ..] if *ends >= enough => vec![(best.fact.id, *ends - *next >= 0.3)],
        [(best, ends), ..] if *ends >= MAYBE => vec![(best.fact.id, false)],
        _ => Vec::new(),
    }
}

fn weigh(clause: &str, facts: &[&Fact]) -> Vec<Weighed> {
    if facts.is_empty() {
        return Vec::new();
    }
    let told: Vec<String> = facts.iter().map(|fact| told(fact)).collect();
    let pairs: Vec<(&str, &str)> = told.iter().map(|told| (clause, told.as_str())).collect();
    encoder::relations(&pairs)
}

/// A held fact as a sentence, as the network was taught to read it.
pub(crate) fn told(fact: &Fact) -> String {
    let words = fact.text.split_whitespace().count();
    let is_one = fact.text.trim_end_matches(['.', '!']).find(['.', '!', '?', '\n']).is_none();
    if words <= TOLD_WORDS && is_one && set(&fact.value).is_subset(&set(&fact.text)) && !fact.text.is_empty()
    {
        return fact.text.clone();
    }
    let scope = if fact.scope == "global" { String::new() } else { format!(" for {}", fact.scope) };
    format!("{}{scope}: {}", fact.subject.replace('_', " "), fact.value)
}

fn of(weighed: &Weighed, relation: Relation) -> f32 {
    weighed.relation.get(relation as usize).copied().unwrap_or_default()
}
