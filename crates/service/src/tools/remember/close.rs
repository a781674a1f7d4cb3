//! Held facts whose subject is close to a new one: perhaps the caller has only called the same thing by another name.

use domain::keys::subject_key;
use domain::{Action, Fact};
use recall::SpaceIndex;
use reconcile::Outcome;
use std::sync::Arc;

/// How many held facts are compared, best match first.
const COMPARED: usize = 32;
/// How many are named in one reply.
const NAMED: usize = 5;
/// Words that tell no two subjects apart.
const COMMON: [&str; 18] = [
    "a", "an", "and", "at", "by", "for", "in", "is", "its", "my", "of", "on", "our", "s", "the", "to",
    "user", "with",
];

/// For each fact that was added under a subject of its own, the closest that was held before.
pub(super) fn close_facts(index: &SpaceIndex, outcomes: &[Outcome]) -> Vec<Arc<Fact>> {
    let added = outcomes.iter().filter(|o| o.action == Action::Add);
    let closest = |o: &Outcome| {
        let own = subject_key(&o.subject);
        let other = |fact: &Arc<Fact>| Some(fact.id) != o.id && subject_key(&fact.subject) != own;
        let mut found = index.holding(&o.subject, COMPARED).into_iter().filter(other);
        found.find(|fact| is_close(&own, &subject_key(&fact.subject)))
    };
    added.filter_map(closest).take(NAMED).collect()
}

/// At least half of all their words are the same. Two of one length that differ in a word are two things of a kind.
fn is_close(a: &str, b: &str) -> bool {
    let telling = |key: &str| -> Vec<String> {
        key.split(' ').filter(|w| !COMMON.contains(w)).map(str::to_owned).collect()
    };
    let (a, b) = (telling(a), telling(b));
    let shared = a.iter().filter(|word| b.iter().any(|other| is_same(word, other))).count();
    let all = a.len() + b.len() - shared.min(b.len());
    let of_a_kind = a.len() == b.len() && shared < a.len();
    shared > 0 && !of_a_kind && shared * 2 >= all
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
    use super::is_close;

    #[test]
    fn another_name_for_a_thing_is_close_and_another_thing_is_not() {
        for (a, b) in [
            ("colour of the gate", "gate colour"),
            ("gate color", "gate colour"),
            ("user s gym", "gym membership"),
            ("billing database", "database"),
        ] {
            assert!(is_close(a, b) && is_close(b, a), "{a} / {b}");
        }
        for (a, b) in [
            ("port of alpha", "port of beta"),
            ("queue service owner", "audit service owner"),
            ("region 1", "region 10"),
            ("gate colour", "gate height"),
            ("the", "of"),
        ] {
            assert!(!is_close(a, b), "{a} / {b}");
        }
    }
}
