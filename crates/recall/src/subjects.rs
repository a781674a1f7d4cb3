//! The subjects of a space: which facts have each, and which of them are about the same attribute.

use domain::FactId;
use domain::keys::subject_key;
use domain::words::stem;
use std::collections::{BTreeSet, HashMap};

#[derive(Debug, Default)]
pub(crate) struct Subjects {
    facts: HashMap<String, BTreeSet<FactId>>,
    /// The keys of the subjects that are about an attribute.
    alike: HashMap<String, BTreeSet<String>>,
    bytes: usize,
}

/// What an entry of a tree or a table takes besides its text.
const ENTRY: usize = 64;

impl Subjects {
    pub fn insert(&mut self, subject: &str, id: FactId) {
        let key = subject_key(subject);
        if !self.facts.contains_key(&key) {
            self.alike.entry(attribute(&key)).or_default().insert(key.clone());
            self.bytes += 2 * (key.len() + ENTRY);
        }
        self.facts.entry(key).or_default().insert(id);
    }

    pub fn remove(&mut self, subject: &str, id: FactId) {
        let key = subject_key(subject);
        let Some(ids) = self.facts.get_mut(&key) else { return };
        ids.remove(&id);
        if !ids.is_empty() {
            return;
        }
        self.facts.remove(&key);
        self.bytes -= 2 * (key.len() + ENTRY);
        let attribute = attribute(&key);
        if let Some(keys) = self.alike.get_mut(&attribute) {
            keys.remove(&key);
            if keys.is_empty() {
                self.alike.remove(&attribute);
            }
        }
    }

    pub fn facts(&self, key: &str) -> impl Iterator<Item = FactId> + '_ {
        self.facts.get(key).into_iter().flatten().copied()
    }

    /// Other subjects about the same attribute.
    pub fn alike<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        let keys = self.alike.get(&attribute(key)).into_iter().flatten();
        keys.map(String::as_str).filter(move |other| *other != key)
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

const PREPOSITIONS: [&str; 8] = ["at", "for", "from", "in", "of", "on", "to", "with"];

/// What a subject says of its owner: its last word, or the one before a preposition. "owner of pricing" and "search
/// service owner" are about the same attribute.
fn attribute(key: &str) -> String {
    let words: Vec<&str> = key.split(' ').collect();
    let end =
        words.iter().skip(1).position(|word| PREPOSITIONS.contains(word)).map_or(words.len(), |at| at + 1);
    words.get(..end).and_then(<[&str]>::last).map(|word| stem(word).into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Subjects;
    use domain::FactId;

    #[test]
    fn subjects_of_one_attribute_are_alike() {
        let mut subjects = Subjects::default();
        for (id, subject) in (1..).map(FactId).zip([
            "Pricing service owner",
            "search-service owner",
            "owner of billing",
            "budget",
        ]) {
            subjects.insert(subject, id);
        }
        let alike = |key: &str| subjects.alike(key).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(alike("pricing service owner"), ["owner of billing", "search service owner"]);
        assert!(alike("budget").is_empty());
        assert_eq!(subjects.facts("search service owner").collect::<Vec<_>>(), [FactId(2)]);
    }

    #[test]
    fn a_subject_goes_with_its_last_fact() {
        let mut subjects = Subjects::default();
        subjects.insert("a budget", FactId(1));
        subjects.insert("A-Budget", FactId(2));
        subjects.remove("a budget", FactId(1));
        assert_eq!(subjects.facts("a budget").collect::<Vec<_>>(), [FactId(2)]);
        subjects.remove("a budget", FactId(2));
        assert_eq!((subjects.bytes(), subjects.alike("b budget").count()), (0, 0));
    }
}
