//! What a part says to have gone or become another, as the rules of English grammar read it: "Uninstalled Codecov".

use super::clauses::clauses;
use super::comparing::{Stems, set};
use super::naming::is_proper;
use super::reading::{Reading, Shift, readings};
use super::sentences::sentences;
use super::words::{Word, words};

/// The stems of the nouns that name what a part says to have gone: of "the office plants", that of "plants".
pub(super) fn things_gone(part: &str) -> Stems {
    // "Tom quit the band": Tom has not gone.
    let leaves = |value: &str| part.starts_with(value) && is_proper(&words(value));
    let gone = readings_of(part).into_iter().filter(|reading| reading.shift == Shift::Gone);
    let named = gone.filter(|reading| !leaves(&reading.value));
    named.flat_map(|reading| thing(&reading.value)).collect()
}

/// The noun that names something, or the words before it where it is one for anything: "docstring" of "the docstring rule".
fn thing(name: &str) -> Stems {
    const GENERAL: [&str; 13] = [
        "bug",
        "issue",
        "problem",
        "glitch",
        "fault",
        "error",
        "rule",
        "convention",
        "policy",
        "habit",
        "thing",
        "stuff",
        "business",
    ];
    match name.rsplit_once(' ') {
        Some((before, last)) if GENERAL.contains(&last.to_lowercase().as_str()) => set(before),
        _ => head(name),
    }
}

/// What a part says to have become another.
pub(super) struct Changed {
    /// The words of what it was: of "C4 in place of B17", that of "B17".
    former: Vec<Stems>,
    /// The stems of the nouns that name what has changed: of "we moved the payroll to Gusto", that of "payroll".
    things: Stems,
    /// All words that name what has changed.
    subjects: Vec<Stems>,
    /// The words of the names that have become others.
    names: Vec<Stems>,
}

impl Changed {
    pub fn of(part: &str) -> Self {
        let (mut former, mut things) = (Vec::new(), Stems::new());
        let (mut subjects, mut names) = (Vec::new(), Vec::new());
        for reading in readings_of(part) {
            let Shift::To { from } = reading.shift else { continue };
            if reading.subject.ends_with(" name") {
                names.extend(from.as_deref().filter(|from| is_proper(&words(from))).map(set));
            }
            former.extend(from.map(|from| set(&from)).filter(|from| !from.is_empty()));
            if !reading.pointer {
                things.extend(head(&reading.subject));
                subjects.push(set(&reading.subject));
            }
        }
        Self { former, things, subjects, names }
    }

    /// "Pinewood has been renamed Coniferous" says nothing of who looks after Pinewood.
    pub fn only_renames(&self, subject: &str, value: &str) -> bool {
        let (subject, value) = (set(subject), set(value));
        self.names.iter().any(|name| name.is_subset(&subject) && name.is_disjoint(&value))
    }

    pub fn tells_former(&self) -> bool {
        !self.former.is_empty()
    }

    /// Whether just this, by all its words, has become another.
    pub fn is_of(&self, subject: &str) -> bool {
        let subject = set(subject);
        !subject.is_empty() && self.subjects.contains(&subject)
    }

    /// Whether it is this of which the held value is said.
    pub fn names(&self, subject: &str, value: &str) -> bool {
        let (value, thing) = (set(value), head(subject));
        let was = |former: &Stems| former.is_subset(&value) || !value.is_empty() && value.is_subset(former);
        self.former.iter().any(was) || !thing.is_disjoint(&self.things)
    }
}

/// What a part says to have taken the place of a value: of "Poetry replaced pip-tools", "Poetry".
pub(super) fn successor(part: &str, old: &str) -> Option<String> {
    let old = set(old);
    readings_of(part).into_iter().find_map(|reading| match reading.shift {
        Shift::To { from: Some(from) } if !set(&from).is_disjoint(&old) => {
            Some(reading.value).filter(|value| set(value).is_disjoint(&old))
        }
        _ => None,
    })
}

/// "I've put it up", "we turned that off": whether something that is not named has been set otherwise.
pub(super) fn turns_it(said: &[Word]) -> bool {
    const BY_ITSELF: [&str; 7] = ["upped", "raised", "lowered", "reduced", "doubled", "halved", "swapped"];
    const WITH_WHERE: [&str; 8] =
        ["put", "turned", "bumped", "brought", "cranked", "knocked", "dialled", "switched"];
    said.windows(2).enumerate().any(|(at, pair)| {
        let [verb, what] = pair else { return false };
        let goes = said.get(at + 2).is_some_and(|word| word.is_any(&["up", "down", "off", "back", "over"]));
        what.is_any(&["it", "that", "them"]) && (verb.is_any(&BY_ITSELF) || verb.is_any(&WITH_WHERE) && goes)
    })
}

fn readings_of(part: &str) -> Vec<Reading> {
    sentences(part)
        .iter()
        .flat_map(|sentence| clauses(sentence))
        .flat_map(|clause| readings(&clause))
        .collect()
}

fn head(name: &str) -> Stems {
    set(name.rsplit([' ', '_']).next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{Changed, successor, things_gone, turns_it};
    use crate::built_in::comparing::set;
    use crate::built_in::words::words;

    fn names_gone(part: &str, fact: &str) -> bool {
        !things_gone(part).is_disjoint(&set(fact))
    }

    #[test]
    fn what_is_removed_has_gone_and_who_leaves_has_not() {
        assert!(names_gone("Uninstalled Codecov", "Codecov comments on every PR"));
        assert!(names_gone("The Safari picker bug was fixed yesterday", "the date picker breaks in Safari"));
        assert!(names_gone("The team voted the docstring rule away", "every function gets a docstring"));
        assert!(names_gone("We cancelled the gym membership", "gym membership at Fitline"));
        assert!(!names_gone("Uninstalled Codecov", "Renovate opens the dependency PRs"));
        assert!(!names_gone("We got rid of the office plants", "The office printer is an HP"));
        assert!(!names_gone("Tom quit the band", "My husband is Tom"));
        assert!(!names_gone("Codecov comments on every PR", "Codecov comments on every PR"));
    }

    #[test]
    fn what_has_become_another_is_named_by_what_it_was_or_what_it_is() {
        let changes = |part: &str, subject: &str, value: &str| Changed::of(part).names(subject, value);
        assert!(changes("They have given me C4 in place of B17", "parking spot", "B17"));
        assert!(changes("We moved the payroll to Gusto", "payroll", "ADP"));
        assert!(!changes("We moved the payroll to Gusto", "payroll contact", "Ines"));
        assert!(!changes("Payroll is on Gusto", "payroll", "ADP"));
        let poetry = successor("Poetry replaced pip-tools in the spring cleanup", "pip-tools");
        assert_eq!(poetry.as_deref(), Some("Poetry"));
    }

    #[test]
    fn what_is_set_otherwise_need_not_be_named() {
        for said in ["she wanted 65 so I have put it up", "we turned that off", "they halved it"] {
            assert!(turns_it(&words(said)), "{said}");
        }
        for said in ["put it there", "we raised a ticket", "they turned it into a cafe", "it is up"] {
            assert!(!turns_it(&words(said)), "{said}");
        }
    }
}
