//! What a part says to have gone, as the rules of English grammar read it: "Uninstalled Codecov".

use super::clauses::{Clause, clauses};
use super::comparing::{Stems, set};
use super::naming::is_proper;
use super::reading::{Reading, Shift, readings};
use super::sentences::sentences;
use super::words::words;

/// Whether a part says that something has gone which a fact, known by these words, speaks of.
pub(super) fn names_gone(part: &str, known: &Stems) -> bool {
    let names = |reading: &Reading| {
        // "Tom quit the band": Tom has not gone.
        let leaves = part.starts_with(&reading.value) && is_proper(&words(&reading.value));
        // "The office plants" are not "the office printer".
        let head = reading.value.rsplit(' ').next().unwrap_or_default();
        reading.shift == Shift::Gone && !leaves && !set(head).is_disjoint(known)
    };
    let clauses: Vec<Clause> = sentences(part).iter().flat_map(|sentence| clauses(sentence)).collect();
    clauses.iter().flat_map(readings).any(|reading| names(&reading))
}

#[cfg(test)]
mod tests {
    use super::names_gone;
    use crate::built_in::comparing::set;

    #[test]
    fn what_is_removed_has_gone_and_who_leaves_has_not() {
        assert!(names_gone("Uninstalled Codecov", &set("Codecov comments on every PR")));
        assert!(names_gone("We cancelled the gym membership", &set("gym membership at Fitline")));
        assert!(!names_gone("Uninstalled Codecov", &set("Renovate opens the dependency PRs")));
        assert!(!names_gone("We got rid of the office plants", &set("The office printer is an HP")));
        assert!(!names_gone("Tom quit the band", &set("My husband is Tom")));
        assert!(!names_gone("Codecov comments on every PR", &set("Codecov comments on every PR")));
    }
}
