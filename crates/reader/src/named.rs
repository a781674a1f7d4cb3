//! Which held facts the words of a sentence name. Nothing that they do not name is changed.

use crate::stem::stems;
use domain::{Fact, Kind};
use std::collections::{BTreeSet, HashSet};

/// The words of a text by which things are told apart.
pub(crate) type Stems = BTreeSet<String>;

pub(crate) fn set(text: &str) -> Stems {
    stems(&text.replace(['_', '/'], " ").replace("'s", " ").replace("’s", " ")).into_iter().collect()
}

/// A held fact with the words that name it.
#[derive(Debug)]
pub(crate) struct Known<'a> {
    pub fact: &'a Fact,
    pub subject: Stems,
    pub value: Stems,
    /// Words of its subject that no other held subject of the same form has.
    pub own: Stems,
}

impl<'a> Known<'a> {
    /// The states among the facts. What was kept as it was told is replaced by nothing.
    pub fn states(held: &[&'a Fact]) -> Vec<Self> {
        let states: Vec<&Fact> = held.iter().copied().filter(|fact| fact.kind == Kind::State).collect();
        let subjects: Vec<Stems> = states.iter().map(|fact| set(&fact.subject)).collect();
        let own = |at: usize, subject: &Stems| -> Stems {
            let twins: HashSet<&String> = subjects
                .iter()
                .enumerate()
                .filter(|(other, words)| {
                    *other != at && words.len() == subject.len() && !words.is_disjoint(subject)
                })
                .flat_map(|(_, words)| words)
                .collect();
            subject.iter().filter(|word| !twins.contains(word)).cloned().collect()
        };
        let known = states.iter().zip(&subjects).enumerate();
        known
            .map(|(at, (fact, subject))| Self {
                fact,
                subject: subject.clone(),
                value: set(&fact.value),
                own: own(at, subject),
            })
            .collect()
    }

    /// Whether the sentence holds the value, or words of the subject that tell it from others of its form.
    pub fn is_named_in(&self, sentence: &Stems) -> bool {
        self.has_value_in(sentence) || self.has_subject_in(sentence)
    }

    pub fn has_value_in(&self, sentence: &Stems) -> bool {
        !self.value.is_empty() && self.value.is_subset(sentence)
    }

    pub fn has_subject_in(&self, sentence: &Stems) -> bool {
        !self.own.is_disjoint(sentence)
    }

    /// How much of the fact the sentence names.
    pub fn share_in(&self, sentence: &Stems) -> f32 {
        let share = |words: &Stems| {
            if words.is_empty() {
                0.0
            } else {
                words.intersection(sentence).count() as f32 / words.len() as f32
            }
        };
        share(&self.subject) + share(&self.value)
    }
}
