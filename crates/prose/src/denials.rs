//! Whether words deny a value: "is not allergic to latex", "Mongo is not our database".

use crate::clauses::clauses;
use crate::sentences::sentences;
use crate::words::{find, is_negation, position, words};
use domain::words::{is_function_word, stem};

/// How many words may stand between a negation and what it denies.
const REACH: usize = 6;
/// How soon behind a value its denial follows.
const BEHIND: usize = 3;
/// Negations that deny nothing of what follows them: they limit it, doubt it, or say that it has gone.
const OTHER: [&str; 25] = [
    "no longer",
    "no more",
    "not only",
    "not just",
    "no doubt",
    "no problem",
    "no later",
    "no less",
    "no fewer",
    "never mind",
    "not sure",
    "not certain",
    "not clear",
    "don't know",
    "don't think",
    "don't forget",
    "can't tell",
    "no idea",
    "no matter",
    "why not",
    "if not",
    "not to mention",
    "no wonder",
    "not until",
    "no wait",
];
/// Words between a negation and a value that make it a limit or an exception.
const LIMITING: [&str; 19] = [
    "than", "below", "above", "over", "under", "before", "after", "until", "till", "unless", "except",
    "besides", "beyond", "without", "exceed", "exceeds", "within", "since", "that",
];

/// What is denied behind a value, in other words than its subject's: "Bristol isn't where I live", "the morphine allergy
/// isn't his".
const TOLD_OF: [&str; 10] =
    ["where", "who", "what", "when", "his", "hers", "theirs", "ours", "true", "correct"];

/// Whether the words deny the value of the subject, and nowhere else give it.
pub fn denies(text: &str, subject: &str, value: &str) -> bool {
    let value: Vec<String> = words(value).collect();
    let subject = telling(subject);
    let mut denied = false;
    for sentence in sentences(text) {
        for clause in clauses(&sentence.join(" ")) {
            let Some(at) = position(&clause, &value) else { continue };
            if is_denied(&clause, at, value.len(), &subject) {
                denied = true;
            } else if names(&clause, &subject) {
                return false;
            }
        }
    }
    denied
}

fn is_denied(clause: &[String], at: usize, length: usize, subject: &[String]) -> bool {
    let end = at + length;
    let reaches = |from: usize| {
        let between = clause.get(from + 1..at).unwrap_or_default();
        between.len() <= REACH && !between.iter().any(|word| LIMITING.contains(&word.as_str()))
    };
    let is_behind = |from: usize| {
        let rest = clause.get(from + 1..).unwrap_or_default();
        let between = clause.get(end..from).unwrap_or_default();
        let told_of = rest.first().is_some_and(|word| TOLD_OF.contains(&word.as_str()));
        from - end < BEHIND && (names(rest, subject) || told_of && (from == end || names(between, subject)))
    };
    negations(clause).into_iter().any(|from| from < at && reaches(from) || from >= end && is_behind(from))
}

/// Where words deny something.
fn negations(clause: &[String]) -> Vec<usize> {
    let is_other = |at: usize| OTHER.iter().any(|phrase| find(clause, phrase).any(|other| other == at));
    let denies = |word: &str| is_negation(word) || matches!(word, "no" | "none" | "nothing" | "nobody");
    let found = clause.iter().enumerate().filter(|(_, word)| denies(word)).map(|(at, _)| at);
    found.filter(|at| !is_other(*at) && !ends_any_more(clause, *at)).collect()
}

/// "Not … any more" says that something has gone.
fn ends_any_more(clause: &[String], at: usize) -> bool {
    let rest = clause.get(at..).unwrap_or_default();
    find(rest, "any more").chain(find(rest, "anymore")).chain(find(rest, "any longer")).next().is_some()
}

/// The stems of the words by which a subject is known.
fn telling(subject: &str) -> Vec<String> {
    let low = subject.replace('_', " ");
    words(&low)
        .filter(|word| !is_function_word(word) && word != "user")
        .map(|word| stem(&word).into_owned())
        .collect()
}

fn names(clause: &[String], subject: &[String]) -> bool {
    clause.iter().any(|word| subject.iter().any(|named| *named == stem(word)))
}

#[cfg(test)]
mod tests {
    use super::denies;

    #[test]
    fn a_denied_value_is_not_given() {
        for (text, subject, value) in [
            ("The patient is not allergic to latex.", "allergy", "latex"),
            ("She is not allergic to latex though, normal gloves are fine.", "allergy", "latex"),
            ("No allergy to shellfish, he eats prawns every Friday.", "allergy", "shellfish"),
            ("We never deploy to Heroku.", "deployment_target", "Heroku"),
            ("Mongo is not our production database.", "database", "Mongo"),
            ("Irene Vos is not the account manager.", "account_manager", "Irene Vos"),
            ("Femke de Wit doesn't manage this account.", "account_manager", "Femke de Wit"),
            ("They don't have Premium.", "plan", "Premium"),
            ("It isn't 250,000, somebody typed a zero too many.", "signatory_limit", "250,000"),
            ("My birthday is not on 3 May.", "birthday", "3 May"),
            ("The customer has no SLA of four hours.", "sla", "four hours"),
            ("No, Bristol isn't where I live.", "home_city", "Bristol"),
            ("The morphine allergy isn't his.", "allergy", "morphine"),
        ] {
            assert!(denies(text, subject, value), "{text}");
        }
    }

    #[test]
    fn a_negation_of_something_else_denies_nothing() {
        for (text, subject, value) in [
            ("Our primary language isn't Python, it's Elixir.", "language", "Elixir"),
            ("Our tester Tom isn't in Berlin.", "tester", "Tom"),
            ("We no longer use Sentry.", "error tracking", "Sentry"),
            ("I don't live in Utrecht any more.", "home", "Utrecht"),
            ("We never deploy later than 5 pm.", "deploy time", "5 pm"),
            ("It is not only Postgres.", "database", "Postgres"),
            ("I'm not sure it is Postgres.", "database", "Postgres"),
            ("They never upgraded to 9.1; the customer runs 8.7.", "product_version", "8.7"),
            ("No, our bank is KBC.", "bank", "KBC"),
            ("He is allergic to nothing except latex.", "allergy", "latex"),
            ("The morphine allergy isn't severe.", "allergy", "morphine"),
            ("Tabs are not welcome.", "style", "Tabs are not welcome"),
        ] {
            assert!(!denies(text, subject, value), "{text}");
        }
    }
}
