//! Held facts whose subject is nearly that of a new one: perhaps the caller has only called the same thing by another name.

use super::reply::Close;
use domain::keys::subject_key;
use domain::words::{Boundary, split_words, stem};
use domain::{Action, Fact, FactId};
use recall::SpaceIndex;
use reconcile::Outcome;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many held facts are compared, best match first.
const COMPARED: usize = 12;
/// How many are named in one reply.
const NAMED: usize = 3;
/// Words that tell no two attributes apart.
const COMMON: [&str; 27] = [
    "a", "an", "and", "at", "by", "current", "detail", "for", "in", "info", "is", "it", "main", "my", "name",
    "new", "of", "on", "our", "own", "primary", "s", "the", "to", "user", "valu", "with",
];

/// For each fact that was added under a subject of its own, one that was held before, of the same owner and nearly the
/// same attribute.
pub(super) fn close_facts(index: &SpaceIndex, outcomes: &[Outcome]) -> Vec<Close> {
    let written: BTreeSet<FactId> = outcomes.iter().filter_map(|outcome| outcome.id).collect();
    let closest = |outcome: &Outcome| {
        let (added, own) = (outcome.id?, subject_key(&outcome.subject));
        let other = |fact: &Arc<Fact>| !written.contains(&fact.id) && subject_key(&fact.subject) != own;
        let mut found = index.holding(&outcome.subject, COMPARED).into_iter().filter(other);
        let added_subject = Subject::of(&outcome.subject);
        let held = found.find(|fact| added_subject.is_close(&Subject::of(&fact.subject)))?;
        Some(Close { added, held })
    };
    let added = outcomes.iter().filter(|outcome| outcome.action == Action::Add);
    added.filter_map(closest).take(NAMED).collect()
}

struct Subject {
    words: BTreeSet<String>,
    /// The first of them, which may be somebody's name in lower case.
    first: Option<String>,
    owner: BTreeSet<String>,
}

impl Subject {
    fn of(subject: &str) -> Self {
        let words: Vec<String> = telling(subject).collect();
        Self { first: words.first().cloned(), words: words.into_iter().collect(), owner: owner(subject) }
    }

    fn is_close(&self, other: &Self) -> bool {
        let is_first = |word: &String| Some(word) == self.first.as_ref();
        let alike = |word: &String| {
            other.words.iter().any(|other| word == other || (!is_first(word) && is_same(word, other)))
        };
        (self.owner == other.owner || self.words == other.words)
            && !self.words.is_empty()
            && self.words.len() == other.words.len()
            && self.words.iter().all(alike)
    }
}

/// The words of a subject that say whose attribute it is, and which, whatever their order and ending.
fn telling(subject: &str) -> impl Iterator<Item = String> {
    let key = subject_key(subject);
    let words: Vec<String> = key.split(' ').map(|word| stem(word).into_owned()).collect();
    words.into_iter().filter(|word| !COMMON.contains(&word.as_str()))
}

/// The names in a subject: words with a capital letter or a digit.
fn owner(subject: &str) -> BTreeSet<String> {
    let is_name = |word: &&str| word.chars().any(|c| c.is_uppercase() || c.is_ascii_digit());
    split_words(subject, Boundary::NotAlphanumeric).filter(is_name).map(str::to_lowercase).collect()
}

/// Equal, or one letter apart in a word that is long enough to be mistyped.
fn is_same(a: &str, b: &str) -> bool {
    const LONG: usize = 5;
    if a == b {
        return true;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let has_digit = a.iter().chain(&b).any(char::is_ascii_digit);
    if has_digit || a.len().min(b.len()) < LONG || a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let same_start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let same_end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    same_start + same_end + 1 >= a.len().max(b.len())
}

#[cfg(test)]
mod tests {
    use super::Subject;

    fn is_close(a: &str, b: &str) -> bool {
        Subject::of(a).is_close(&Subject::of(b))
    }

    #[test]
    fn another_name_for_a_thing_is_close_and_another_thing_is_not() {
        for (a, b) in [
            ("colour of the gate", "gate colour"),
            ("gate color", "gate colour"),
            ("gate colour code", "gate colur code"),
            ("Maria volunteering", "Maria's volunteer"),
            ("database name", "database"),
            ("user's gym", "gym"),
            ("kim's city", "Kim City"),
        ] {
            assert!(is_close(a, b) && is_close(b, a), "{a} / {b}");
        }
        for (a, b) in [
            ("port of alpha", "port of beta"),
            ("Ida bike", "Uwe bike"),
            ("Maria hobby", "John hobby"),
            ("billing database", "database"),
            ("region 1", "region 10"),
            ("maria city", "marta city"),
            ("gate colour", "gate height"),
            ("the", "of"),
        ] {
            assert!(!is_close(a, b), "{a} / {b}");
        }
    }
}
