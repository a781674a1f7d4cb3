//! What a statement as a whole has probably changed, where none of its clauses was found to change it.

use super::fitting::fit;
use super::memory::{Known, set, share};
use super::place::{DOUBTFUL, LINKED, PLAIN, Place};
use super::proposing::doubted;
use super::stem::plain_words;
use super::suspicion::{only_one, siblings, speaks_of_moving, suspects};
use super::values::{is_time, tidy_value};
use super::words::{Word, spell, words};
use crate::ask::Extract;
use domain::{Action, RawFact};

/// Values this much alike can stand in each other's place.
const ALIKE: f64 = 0.6;
/// A longer statement is no value.
const MOST_WORDS: usize = 40;

/// Adds to the proposals of a statement what else it has made doubtful.
pub(super) fn afterthoughts(ask: &Extract<'_>, proposals: &mut Vec<RawFact>) {
    let held = Known::all(ask.held.iter().copied());
    let touched: Vec<i64> = proposals.iter().filter(|p| changes(p)).filter_map(|p| p.target_id).collect();
    let linked = proposals.iter().any(|p| p.target_id.is_some() && is_sure(p));
    let doubts = if !touched.is_empty() {
        siblings(&touched, &held)
    } else if linked {
        Vec::new()
    } else if let Some(old) = replaced(ask.statement, &held, proposals) {
        proposals.retain(|p| p.target_id != old.id || is_sure(p));
        Vec::new()
    } else {
        suspects(ask.statement, &held, &added(proposals))
    };
    let slotted = doubts.iter().find(|k| ask.slots.iter().any(|slot| slot.name == k.subject));
    let waits = slotted.and_then(|old| wait(ask.statement, old, proposals));
    let known = |k: &&&Known| waits == k.id || proposals.iter().any(|p| p.target_id == k.id);
    let more: Vec<RawFact> = doubts.iter().filter(|k| !known(k)).map(|k| doubted(k)).collect();
    proposals.extend(more);
}

/// What may be meant for a declared slot does not stand beside it: it waits, as a change to the slot.
fn wait(statement: &str, old: &Known, proposals: &mut Vec<RawFact>) -> Option<i64> {
    let adds = |p: &RawFact| p.action.as_deref() == Some(Action::Add.word()) && p.target_id.is_none();
    let fits = |p: &&mut RawFact| adds(p) && fit(p.value.as_deref().unwrap_or_default(), old) > 0.0;
    let reason = "it may be meant to replace this";
    if let Some(new) = proposals.iter_mut().find(fits) {
        put_in_place(new, old, DOUBTFUL, reason);
        // The rest of what was said belongs to it.
        let state = |p: &RawFact| p.kind.as_deref() == Some("state");
        proposals.retain(|p| !adds(p) || !state(p));
    } else if proposals.iter().any(adds) || plain_words(statement).len() > MOST_WORDS {
        return None;
    } else {
        let place = Place::at(old).with(statement.trim().to_owned());
        proposals.push(place.fact(Action::Supersede, DOUBTFUL, reason));
    }
    old.id
}

/// The values that the statement adds.
fn added(proposals: &[RawFact]) -> Vec<String> {
    let adds = |p: &&RawFact| p.action.as_deref() == Some(Action::Add.word());
    proposals.iter().filter(adds).filter_map(|p| p.value.clone()).collect()
}

/// Makes of something added a change of something held.
fn put_in_place(new: &mut RawFact, old: &Known, confidence: f64, reason: &str) {
    let value = new.value.take().unwrap_or_default();
    *new = Place::at(old).with(value).fact(Action::Supersede, confidence, reason);
}

/// "From discovery to negotiation", whatever the verb, where the first is held.
fn from_to<'a>(statement: &str, held: &'a [Known]) -> Option<(&'a Known, String)> {
    let said: Vec<Word> = words(statement);
    let from = said.iter().position(|w| w.is("from"))?;
    let to = from + 1 + said.iter().skip(from + 1).position(|w| w.is_any(&["to", "into", "onto"]))?;
    let left = set(&spell(said.get(from + 1..to)?));
    let rest = said.get(to + 1..)?;
    let end =
        rest.iter().position(|w| w.is_mark() || w.is_preposition() || w.is_any(&["because", "since", "and"]));
    let came: Vec<Word> = rest.get(..end.unwrap_or(rest.len()))?.to_vec();
    let value = tidy_value(spell(&came).trim_end_matches('.'));
    let states = held.iter().filter(|k| !k.event && k.id.is_some());
    let mut meant = states.filter(|k| !left.is_empty() && share(&left, &k.values) >= ALIKE);
    let old = meant.next().filter(|_| meant.next().is_none() && !value.is_empty() && !is_time(&came))?;
    Some((old, value))
}

/// Where the statement says that something is now otherwise, and only one held fact can be meant, the value that is like
/// its own takes its place.
fn replaced<'a>(statement: &str, held: &'a [Known], proposals: &mut Vec<RawFact>) -> Option<&'a Known> {
    if let Some((old, value)) = from_to(statement, held) {
        // What was kept of the same words says nothing else.
        let said = set(statement);
        let repeats = |p: &RawFact| {
            p.target_id.is_none() && set(p.value.as_deref().unwrap_or_default()).is_subset(&said)
        };
        proposals.retain(|p| !repeats(p));
        let place = Place::at(old).with(value);
        proposals.push(place.fact(Action::Supersede, PLAIN, "it went from one to the other"));
        return Some(old);
    }
    const NOW: [&str; 8] =
        ["now", "instead", "nowadays", "these days", "from now on", "from today", "as of", "since then"];
    let told = format!(" {} ", plain_words(statement).join(" "));
    let doubted = proposals.iter().any(|p| p.action.as_deref() == Some(Action::Flag.word()));
    let moved = speaks_of_moving(statement);
    if doubted || !moved && !NOW.iter().any(|now| told.contains(&format!(" {now} "))) {
        return None;
    }
    let old = only_one(statement, held)?;
    let fits = |p: &&mut RawFact| {
        p.action.as_deref() == Some(Action::Add.word())
            && fit(p.value.as_deref().unwrap_or_default(), old) >= ALIKE
    };
    let new = proposals.iter_mut().find(fits)?;
    put_in_place(new, old, LINKED, "it is now otherwise");
    Some(old)
}

/// Whether a proposal puts an end to what it points to.
fn changes(proposal: &RawFact) -> bool {
    let action = proposal.action.as_deref().and_then(Action::from_word);
    matches!(action, Some(Action::Supersede | Action::Retract)) && is_sure(proposal)
}

fn is_sure(proposal: &RawFact) -> bool {
    proposal.confidence.is_some_and(|confidence| confidence > DOUBTFUL)
}
