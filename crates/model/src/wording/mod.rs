//! The wording of a statement, read apart from what a model made of it: do the words assert a fact, or hedge it, ask it,
//! suppose it, mock it or plan it; do they say that it has gone; and do they name the held facts that it is to change?
//! This is all that the rules learn of the words.

mod grounding;
mod meant;
mod memory;
mod naming;

pub use meant::{Meant, meant, names_fit, names_said};
pub use memory::Memory;
pub use prose::{called_by_name, denies, hints_at_an_end};

use crate::built_in::Work;
use crate::request::SlotHint;
use domain::keys::subject_key;
use domain::{Fact, FactId, Named, Proposed, Proposer, RawFact, Wording};
use prose::{Owner, Reading, Removals};
use std::cell::LazyCell;

/// Each fact with what the words of the statement say of it. A long statement is read in pieces; what work that is over
/// gives is not whole.
pub(crate) fn with_wording(
    text: &str,
    facts: Vec<RawFact>,
    proposer: Proposer,
    memory: &impl Memory,
    slots: &[SlotHint],
    work: &Work,
) -> Vec<Proposed> {
    let reading = LazyCell::new(|| Reading::of(text));
    if proposer == Proposer::Caller {
        return facts
            .into_iter()
            .take_while(|_| work.goes_on())
            .map(|fact| brought(&reading, fact, memory))
            .collect();
    }
    let value = |fact: &RawFact| fact.value.clone().unwrap_or_default();
    let values: Vec<String> = facts.iter().map(value).collect();
    let removals = Removals::read(text, values.iter().map(String::as_str));
    let unnamed = grounding::unnamed(text, &facts, memory);
    let proposed = |(at, (fact, unnamed)): (usize, (RawFact, Option<_>))| {
        let wording = Wording {
            doubt: reading.doubt_of(&fact),
            removal: removals.concern(at),
            denied: denied(text, &fact),
            owner: owner(text, &fact, slots),
            target: fact
                .target_id
                .and_then(|id| memory.fact(FactId(id)))
                .map(|aimed| named(text, &fact, &aimed, memory)),
            unnamed: unnamed?,
        };
        Some(Proposed { fact, wording })
    };
    let read = facts.into_iter().zip(unnamed).enumerate().take_while(|_| work.goes_on());
    read.filter_map(proposed).collect()
}

/// Of what a caller brings, the words are asked for one thing alone: whether the fact's own sentence doubts it, where it
/// changes what is held and says nothing outright.
fn brought(
    reading: &LazyCell<Reading, impl FnOnce() -> Reading>,
    fact: RawFact,
    memory: &impl Memory,
) -> Proposed {
    let is_outright = fact.action.is_some() || fact.confidence.is_some() || fact.target_id.is_some();
    let subject = fact.subject.as_deref().unwrap_or_default();
    let doubt =
        if is_outright || memory.of_subject(subject).is_empty() { None } else { reading.own_doubt_of(&fact) };
    Proposed { wording: Wording { doubt, ..Wording::default() }, fact }
}

/// What is kept in the words of its own sentence says itself what it denies.
fn denied(text: &str, fact: &RawFact) -> bool {
    let (subject, value) = (fact.subject.as_deref(), fact.value.as_deref());
    prose::denies(text, subject.unwrap_or_default(), value.unwrap_or_default())
}

/// Who else the value of a declared slot is said of.
fn owner(text: &str, fact: &RawFact, slots: &[SlotHint]) -> Option<String> {
    let subject = subject_key(fact.subject.as_deref()?);
    let slot = slots.iter().find(|slot| slot.names().any(|name| subject_key(name) == subject))?;
    other_owner(text, fact.value.as_deref()?, slot)
}

/// Who or what else than the slot's owner the words give the value to.
pub fn other_owner(text: &str, value: &str, slot: &SlotHint) -> Option<String> {
    if slot.owner.is_empty() {
        return None;
    }
    let names: Vec<&str> = slot.names().collect();
    prose::owner_of(text, value, Owner { words: &slot.owner, slot: &names })
}

fn named(text: &str, fact: &RawFact, aimed: &Fact, memory: &impl Memory) -> Named {
    Named {
        subject: aimed.subject.clone(),
        by_value: naming::by_value(text, fact, aimed),
        by_subject: naming::by_subject(text, fact, aimed, memory),
    }
}

#[cfg(test)]
mod tests;
