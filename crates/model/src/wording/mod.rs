//! The wording of a statement, read apart from what a model made of it: do the words assert a fact, or hedge it, ask it,
//! suppose it, mock it or plan it; do they say that it has gone; and do they name the held fact that it is to change?
//! This is all that the rules learn of the words.

mod doubts;
mod memory;
mod naming;
mod phrases;
mod removals;
mod sentences;

pub use memory::Memory;

use crate::built_in::Work;
use domain::{Fact, FactId, Named, Proposed, RawFact, Wording};
use doubts::Reading;
use removals::Removals;

/// Each fact with what the words of the statement say of it. A long statement is read in pieces; what work that is over
/// gives is not whole.
pub(crate) fn with_wording(
    text: &str,
    facts: Vec<RawFact>,
    memory: &impl Memory,
    work: &Work,
) -> Vec<Proposed> {
    let reading = Reading::of(text);
    let value = |fact: &RawFact| fact.value.clone().unwrap_or_default();
    let values: Vec<String> = facts.iter().map(value).collect();
    let removals = Removals::read(text, values.iter().map(String::as_str));
    let proposed = |(at, fact): (usize, RawFact)| Proposed {
        wording: Wording {
            doubt: reading.doubt_of(&fact),
            removal: removals.concern(at),
            target: fact
                .target_id
                .and_then(|id| memory.fact(FactId(id)))
                .map(|aimed| named(text, &fact, &aimed, memory)),
        },
        fact,
    };
    facts.into_iter().enumerate().take_while(|_| work.goes_on()).map(proposed).collect()
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
