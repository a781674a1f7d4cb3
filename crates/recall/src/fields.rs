//! The words that a fact is found by, each part of the fact by itself.

use crate::terms::{each_term, subject_terms};
use domain::Fact;
use domain::date_terms::{date_terms, told_dates};
use std::collections::{HashMap, HashSet};

/// How soon further occurrences of a term stop counting: the usual value.
const SATURATION: f32 = 1.2;
/// How much the length of a part counts against it.
const LENGTH_WEIGHT: f32 = 0.5;

/// A part of a fact: what one occurrence of a term in it counts, and its usual length. With fixed lengths the score of
/// a fact does not hang on what else is held.
#[derive(Debug, Clone, Copy)]
struct Field {
    weight: f32,
    length: f32,
}

const SUBJECT: Field = Field { weight: 1.5, length: 4.0 };
const VALUE: Field = Field { weight: 1.0, length: 6.0 };
const SENTENCE: Field = Field { weight: 0.8, length: 20.0 };
/// Scope, category and source.
const LABEL: Field = Field { weight: 1.0, length: 1.0 };
const DATE: f32 = 1.0;

/// Of a longer statement a fact is found by its subject and value alone: the rest speaks of other things.
const TOLD_BYTES: usize = 2000;

/// What a term counts in a fact, from 0 to 1, and whether it is one of those that tell the subject.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TermWeight {
    pub weight: f32,
    pub in_subject: bool,
}

/// The terms of a fact.
pub fn term_weights(fact: &Fact) -> HashMap<String, TermWeight> {
    let [told, subject, value, labels @ ..] = read_parts(fact);
    let mut sums: HashMap<String, f32> = HashMap::new();
    for (text, field) in [(subject, SUBJECT), (value, VALUE), (told, SENTENCE)] {
        add(&mut sums, text.unwrap_or_default(), field);
    }
    for label in labels.into_iter().flatten() {
        add(&mut sums, label, LABEL);
    }
    for term in dates(fact, told.unwrap_or_default()) {
        *sums.entry(term).or_default() += DATE;
    }
    let telling: HashSet<String> = subject_terms(&fact.subject).into_iter().collect();
    let weight = |sum: f32| sum / (sum + SATURATION);
    let weigh = |(term, sum): (String, f32)| {
        let in_subject = telling.contains(&term);
        (term, TermWeight { weight: weight(sum), in_subject })
    };
    sums.into_iter().map(weigh).collect()
}

fn add(sums: &mut HashMap<String, f32>, text: &str, field: Field) {
    let mut terms: Vec<String> = Vec::new();
    each_term(text, |token| terms.push(token.term.to_owned()));
    let length = terms.len() as f32 / field.length;
    let each = field.weight / (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length);
    for term in terms {
        *sums.entry(term).or_default() += each;
    }
}

fn dates(fact: &Fact, told: &str) -> HashSet<String> {
    let given = [fact.times.said, fact.times.from, fact.times.until];
    let given = given.into_iter().flatten().flat_map(date_terms);
    given.chain([told, &fact.subject, &fact.value].into_iter().flat_map(told_dates)).collect()
}

/// The text to embed for a fact: the sentence that it was told in, and what else its subject and value say. A word that
/// is in both counts once.
pub fn indexed_text(fact: &Fact) -> String {
    let parts = read_parts(fact);
    let told = parts.first().copied().flatten().unwrap_or_default();
    let known: HashSet<String> = words(told).collect();
    let more = parts.into_iter().skip(1).flatten().flat_map(str::split_whitespace);
    let mut text = told.to_owned();
    for word in more.filter(|word| !words(word).all(|word| known.contains(&word))) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn read_parts(fact: &Fact) -> [Option<&str>; 6] {
    let scope = Some(fact.scope.as_str()).filter(|scope| !scope.eq_ignore_ascii_case("global"));
    let told = Some(&*fact.text).filter(|text| text.len() <= TOLD_BYTES);
    [told, Some(&fact.subject), Some(&fact.value), scope, fact.category(), fact.source.as_deref()]
}

/// Whether two facts are found by the same words.
pub fn reads_alike(a: &Fact, b: &Fact) -> bool {
    read_parts(a) == read_parts(b) && a.times == b.times
}

#[cfg(test)]
mod tests {
    use super::{indexed_text, term_weights};
    use crate::samples::{critical_fact, fact};
    use domain::{Fact, FactId};

    #[test]
    fn a_fact_is_found_by_all_that_describes_it() {
        let fact = Fact {
            scope: "staging".to_owned(),
            source: Some("alice".to_owned()),
            ..critical_fact(FactId(1), "db", "Postgres", "infra")
        };
        assert_eq!(indexed_text(&fact), "db Postgres staging infra alice");
        let told = Fact { text: "Our db, in short: Postgres.".into(), ..fact.clone() };
        assert_eq!(indexed_text(&told), "Our db, in short: Postgres. staging infra alice");
        let long = Fact { text: "x".repeat(3000).into(), ..fact.clone() };
        assert_eq!(indexed_text(&long), indexed_text(&fact));
        assert_eq!(
            indexed_text(&Fact { scope: "Global".to_owned(), source: None, ..fact }),
            "db Postgres infra"
        );
    }

    #[test]
    fn the_subject_counts_more_than_the_value_and_the_value_more_than_the_sentence() {
        let mut fact = Fact { text: "By the way, the van is red.".into(), ..fact(FactId(1), "car", "blue") };
        fact.times.said = Some("2023-05-07".parse().unwrap());
        let weights = term_weights(&fact);
        let weight = |term: &str| weights.get(term).unwrap().weight;
        assert!(weight("car") > weight("blue") && weight("blue") > weight("van"));
        assert!(weights.get("car").unwrap().in_subject && !weights.get("blue").unwrap().in_subject);
        assert!(weights.contains_key("2023-05-07"));
    }
}
