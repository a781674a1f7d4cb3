//! Which held facts the words of a sentence name. Nothing that they do not name is changed.

use crate::stem::stems;
use domain::{Fact, FactKind};
use std::collections::BTreeSet;

/// The words of a text by which things are told apart.
pub(crate) type Stems = BTreeSet<String>;

pub(crate) fn set(text: &str) -> Stems {
    stems(&text.replace(['_', '/'], " ").replace("'s", " ").replace("’s", " ")).into_iter().collect()
}

/// A held fact with the words that name it.
#[derive(Debug)]
pub(crate) struct HeldState<'a> {
    pub fact: &'a Fact,
    pub subject: Stems,
    pub value: Stems,
    /// Words of its subject that are names or numbers.
    names: Stems,
}

impl<'a> HeldState<'a> {
    /// The states among the facts. Notes, which are kept as they were told, are never replaced.
    pub fn states(held: &[&'a Fact]) -> Vec<Self> {
        let states = held.iter().copied().filter(|fact| fact.kind == FactKind::State);
        let with_words = states.map(|fact| {
            let subject = set(&fact.subject);
            let names = &subject & &names(&fact.text);
            Self { fact, value: set(&fact.value), names, subject }
        });
        with_words.collect()
    }

    /// The words of its subject that a sentence contains, if they are enough to identify it: a name or a number, or
    /// half of them.
    pub fn named_by(&self, sentence: &Stems) -> Stems {
        let shared = &self.subject & sentence;
        let enough = shared.len() * 2 >= self.subject.len() || !shared.is_disjoint(&self.names);
        if enough { shared } else { Stems::new() }
    }

    /// Whether the sentence speaks of another of its kind: of "project 147", and this is a fact of "project 130".
    pub fn is_another_number(&self, sentence: &str) -> bool {
        let said = numbered(sentence);
        numbered(&self.fact.subject).iter().any(|own| {
            said.iter().any(|(word, number)| *word == own.0 && *number != own.1) && !said.contains(own)
        })
    }

    /// Whether the sentence contains the value. A small number does not count.
    pub fn has_value_in(&self, sentence: &Stems) -> bool {
        let tells = |word: &String| word.len() >= 3;
        self.value.iter().any(tells) && self.value.is_subset(sentence)
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

/// The numbers in a text, each with the word before it.
fn numbered(text: &str) -> Vec<(String, String)> {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let words: Vec<String> = text.split(|c: char| c.is_whitespace() || c == '_').map(bare).collect();
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let pairs = words.iter().zip(words.iter().skip(1));
    pairs
        .filter(|(word, number)| !word.is_empty() && !is_number(word) && is_number(number))
        .map(|(word, number)| (word.clone(), number.clone()))
        .collect()
}

/// Words with a digit, and words with a capital that do not open a sentence.
fn names(text: &str) -> Stems {
    let mut opens = true;
    let mut found = Stems::new();
    for word in text.split_whitespace() {
        let capital = word.starts_with(char::is_uppercase) && !opens;
        if capital || word.chars().any(|c| c.is_ascii_digit()) {
            found.extend(set(word));
        }
        opens = word.ends_with(['.', '!', '?', ':']);
    }
    found
}
