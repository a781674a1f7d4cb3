//! A second look at the words of a statement, whatever a model made of them: is what they say of a fact asserted,
//! hedged, asked, supposed, mocked or planned; do they say that it has gone; and do they name the held fact that it is
//! to change? The rules learn of the words through this alone.

mod doubts;
mod markers;
mod naming;
mod phrases;
mod sentences;

use domain::{Fact, FactId, Look, Named, Proposed, RawFact};
use doubts::Reading;
use markers::Removals;
use std::sync::Arc;

/// The active facts of the space, as far as the words have to be held against them.
pub trait Memory {
    fn fact(&self, id: FactId) -> Option<Arc<Fact>>;
    /// Facts that hold the word, in whatever form; as many as can tell whether it is rare.
    fn holding(&self, word: &str) -> Vec<Arc<Fact>>;
}

/// Each fact with what the statement's words say of it.
pub fn second_look(text: &str, facts: Vec<RawFact>, memory: &impl Memory) -> Vec<Proposed> {
    let reading = Reading::of(text);
    let value = |fact: &RawFact| fact.value.clone().unwrap_or_default();
    let values: Vec<String> = facts.iter().map(value).collect();
    let removals = Removals::read(text, values.iter().map(String::as_str));
    let look = |(at, fact): (usize, RawFact)| Proposed {
        look: Look {
            doubt: reading.doubt_of(&fact),
            removal: removals.concern(at),
            target: fact
                .target_id
                .and_then(|id| memory.fact(id))
                .map(|aimed| named(text, &fact, &aimed, memory)),
        },
        fact,
    };
    facts.into_iter().enumerate().map(look).collect()
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
