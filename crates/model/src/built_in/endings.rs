//! What a part says to have gone, as the rules of English grammar read it: "Uninstalled Codecov".

use super::clauses::{Clause, clauses};
use super::comparing::{Stems, set};
use super::naming::is_proper;
use super::reading::{Shift, readings};
use super::sentences::sentences;
use super::words::words;

/// The stems of the nouns that name what a part says to have gone: of "the office plants", that of "plants".
pub(super) fn things_gone(part: &str) -> Stems {
    // "Tom quit the band": Tom has not gone.
    let leaves = |value: &str| part.starts_with(value) && is_proper(&words(value));
    let clauses: Vec<Clause> = sentences(part).iter().flat_map(|sentence| clauses(sentence)).collect();
    let gone = clauses.iter().flat_map(readings).filter(|reading| reading.shift == Shift::Gone);
    let named = gone.filter(|reading| !leaves(&reading.value));
    named.flat_map(|reading| set(reading.value.rsplit(' ').next().unwrap_or_default())).collect()
}

#[cfg(test)]
mod tests {
    use super::things_gone;
    use crate::built_in::comparing::set;

    fn names_gone(part: &str, fact: &str) -> bool {
        !things_gone(part).is_disjoint(&set(fact))
    }

    #[test]
    fn what_is_removed_has_gone_and_who_leaves_has_not() {
        assert!(names_gone("Uninstalled Codecov", "Codecov comments on every PR"));
        assert!(names_gone("We cancelled the gym membership", "gym membership at Fitline"));
        assert!(!names_gone("Uninstalled Codecov", "Renovate opens the dependency PRs"));
        assert!(!names_gone("We got rid of the office plants", "The office printer is an HP"));
        assert!(!names_gone("Tom quit the band", "My husband is Tom"));
        assert!(!names_gone("Codecov comments on every PR", "Codecov comments on every PR"));
    }
}
