//! Dates as terms: "7 May 2023", "May 7th, 2023" and `2023-05-07` are found by the same words.

use crate::when::When;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH_NAMES: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// A date of which parts may be missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Partial {
    year: Option<u32>,
    month: Option<u32>,
    day: Option<u32>,
}

impl Partial {
    /// The most exact term, and that of its month.
    fn asked(self) -> Vec<String> {
        let Self { year, month: Some(month), day } = self else { return Vec::new() };
        let year = year.map_or_else(|| "--".to_owned(), |year| format!("{year}-"));
        let month = format!("{year}{month:02}");
        day.map(|day| format!("{month}-{day:02}")).into_iter().chain([month]).collect()
    }

    /// Every term that a question for this date may have.
    fn known(self) -> Vec<String> {
        let mut terms = self.asked();
        if self.year.is_some() {
            terms.extend(Self { year: None, ..self }.asked());
        }
        terms.extend(self.year.map(|year| year.to_string()));
        terms
    }
}

/// The terms of the dates in a question. A year by itself is a word like others.
pub fn asked_dates(question: &str) -> Vec<String> {
    distinct(dates(question).into_iter().flat_map(Partial::asked))
}

/// The terms of the dates in a text. Its years are among its words already.
pub fn told_dates(text: &str) -> Vec<String> {
    let terms = dates(text).into_iter().flat_map(Partial::known);
    distinct(terms.filter(|term| term.contains('-')))
}

/// The terms of a date that was given.
pub fn date_terms(when: When) -> Vec<String> {
    let text = when.to_string();
    let mut parts = text.get(..10).unwrap_or(&text).split('-').map(|part| part.parse().ok());
    let mut next = || parts.next().flatten();
    Partial { year: next(), month: next(), day: next() }.known()
}

fn distinct(terms: impl Iterator<Item = String>) -> Vec<String> {
    let mut found = Vec::new();
    for term in terms {
        if !found.contains(&term) {
            found.push(term);
        }
    }
    found
}

fn dates(text: &str) -> Vec<Partial> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let at = |at: Option<usize>| at.and_then(|at| words.get(at)).copied().unwrap_or_default();
    let mut found = Vec::new();
    for (here, word) in words.iter().enumerate() {
        let (before, next, after) = (at(here.checked_sub(1)), at(Some(here + 1)), at(Some(here + 2)));
        if let Some(month) = month(word) {
            let date = match (day(before), day(next)) {
                (Some(day), _) => Partial { year: year(next), month: Some(month), day: Some(day) },
                (None, Some(day)) => Partial { year: year(after), month: Some(month), day: Some(day) },
                (None, None) => Partial { year: year(next), month: Some(month), day: None },
            };
            found.push(date);
        } else if let Some(year) = year(word)
            && let Some(month) = numbered(next, 12)
        {
            found.push(Partial { year: Some(year), month: Some(month), day: numbered(after, 31) });
        }
    }
    found
}

pub fn is_month(word: &str) -> bool {
    month(word).is_some()
}

/// A month by its name, which has a capital: "may" is mostly another word.
fn month(word: &str) -> Option<u32> {
    if !word.starts_with(char::is_uppercase) {
        return None;
    }
    let lower = word.to_lowercase();
    let at = |names: &[&str]| names.iter().position(|name| *name == lower);
    at(&MONTH_NAMES).or_else(|| at(&MONTHS)).map(|at| at as u32 + 1)
}

fn year(word: &str) -> Option<u32> {
    if word.len() != 4 { None } else { word.parse().ok().filter(|year| (1900..2100).contains(year)) }
}

/// "7" or "7th".
fn day(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_ordinal = matches!(word.get(digits.len()..), Some("" | "st" | "nd" | "rd" | "th"));
    if is_ordinal { digits.parse().ok().filter(|day| (1..=31).contains(day)) } else { None }
}

/// A month or a day in two digits, as in `2023-05-07`.
fn numbered(word: &str, most: u32) -> Option<u32> {
    if word.len() != 2 { None } else { word.parse().ok().filter(|number| (1..=most).contains(number)) }
}

#[cfg(test)]
mod tests {
    use super::{asked_dates, date_terms, told_dates};

    #[test]
    fn a_date_is_asked_for_as_it_is_written() {
        for text in ["on 7 May 2023?", "on May 7th, 2023", "since 2023-05-07"] {
            assert_eq!(asked_dates(text), ["2023-05-07", "2023-05"], "{text}");
        }
        assert_eq!(asked_dates("in May or on June 3"), ["--05", "--06-03", "--06"]);
        assert_eq!(asked_dates("it may be 2023"), [""; 0]);
    }

    #[test]
    fn a_fact_is_found_by_its_date_however_vaguely_it_is_asked_for() {
        assert_eq!(told_dates("We met on 7 May 2023."), ["2023-05-07", "2023-05", "--05-07", "--05"]);
        assert_eq!(date_terms("2023-05".parse().unwrap()), ["2023-05", "--05", "2023"]);
        assert_eq!(date_terms("2023".parse().unwrap()), ["2023"]);
    }
}
