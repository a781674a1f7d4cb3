//! The names that a fact is found by in the graph, and those that a question may mean.
//!
//! A name is compared in lower case, without separators, articles and English endings, so that "the M3 motors" and
//! "M3-motor" are one. Names never leave this process: the graph gets a keyed hash of each.

use domain::Fact;
use domain::keys::subject_key;
use domain::words::{is_function_word, stem};
use std::collections::BTreeSet;

/// A longer value is a sentence about things rather than the name of one.
const WORDS_IN_A_NAME: usize = 6;
/// Longer names are seldom called by one of their words.
const WORDS_WITH_SHORT_FORMS: usize = 4;
/// So many things are taken out of a value that is a sentence.
const THINGS_IN_A_SENTENCE: usize = 6;
/// "The checkout", "our checkout" and "checkout" are one thing.
const DETERMINERS: [&str; 10] = ["a", "an", "the", "my", "our", "your", "his", "her", "its", "their"];
/// So many words of a question are searched for names; whoever asks more names what matters before.
const WORDS_OF_A_QUESTION: usize = 100;
/// A bound on what one fact puts into the graph.
const NAMES_OF_A_FACT: usize = 24;

/// What a fact names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The things that it is about, by their whole names.
    pub whole: BTreeSet<String>,
    /// By what else they may be called: a word of the name, its beginning.
    pub short: BTreeSet<String>,
}

impl Names {
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.whole.iter().chain(&self.short).map(String::as_str)
    }
}

/// The things that a fact relates: the two ends of its triple, the thing that its subject says something of, and its
/// value.
pub fn names_of(fact: &Fact) -> Names {
    let mut names = Names::default();
    for end in [&fact.triple.head, &fact.triple.tail] {
        names.whole.insert(name(&words(end)));
    }
    let value = words(&fact.value);
    if value.len() <= WORDS_IN_A_NAME {
        names.whole.insert(name(&value));
    } else {
        names.whole.extend(things_in(&fact.value));
    }
    let subject = words(&fact.subject);
    match subject.split_last() {
        // "checkout owner" is about checkout; "mobile gateway login dependency" may be about the mobile gateway.
        Some((_, thing)) if !thing.is_empty() => {
            names.whole.insert(name(thing));
            names.short.extend((1..thing.len()).map(|end| name(thing.get(..end).unwrap_or_default())));
        }
        _ => {
            names.whole.insert(name(&subject));
        }
    }
    names.whole.remove("");
    let short: Vec<String> = names.whole.iter().flat_map(|whole| short_forms(whole)).collect();
    names.short.extend(short);
    names.short.retain(|short| !names.whole.contains(short));
    let room = NAMES_OF_A_FACT.saturating_sub(names.whole.len());
    names.short = names.short.into_iter().take(room).collect();
    names
}

/// A part of a question that may be a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub name: String,
    start: usize,
    end: usize,
}

impl Span {
    /// Whether the other one is a part of this: "Blue Heron" of "Blue Heron Haulage".
    pub fn covers(&self, other: &Self) -> bool {
        self.start <= other.start && other.end <= self.end && self.end - self.start > other.end - other.start
    }
}

/// Every run of words that a question could name a thing with.
pub fn spans_of(question: &str) -> Vec<Span> {
    let mut words = words(question);
    words.truncate(WORDS_OF_A_QUESTION);
    let mut spans = Vec::new();
    for start in 0..words.len() {
        for end in (start + 1)..=words.len().min(start + WORDS_IN_A_NAME) {
            let run = words.get(start..end).unwrap_or_default();
            let named = [run.first(), run.last()].into_iter().flatten().all(|word| !is_function_word(word));
            if named {
                spans.push(Span { name: name(run), start, end });
            }
        }
    }
    spans
}

/// The words of a text in lower case; the "s" of "Heron's" is none.
fn words(text: &str) -> Vec<String> {
    let key = subject_key(text);
    let mut words: Vec<&str> = key.split(' ').filter(|word| !word.is_empty()).collect();
    let determiners = words.iter().take_while(|word| DETERMINERS.contains(word)).count();
    if determiners < words.len() {
        words.drain(..determiners);
    }
    words
        .into_iter()
        .enumerate()
        .filter(|(at, word)| *at == 0 || *word != "s")
        .map(|(_, w)| w.into())
        .collect()
}

fn name(words: &[String]) -> String {
    words.iter().map(|word| stem(word)).collect::<Vec<_>>().join(" ")
}

/// "Blue Heron Haulage" is also called "Blue Heron", "Blue", "Heron" or "Haulage". Of the words that say nothing of it
/// by themselves none is a name.
fn short_forms(whole: &str) -> Vec<String> {
    let words: Vec<&str> = whole.split(' ').collect();
    if !(2..=WORDS_WITH_SHORT_FORMS).contains(&words.len()) {
        return Vec::new();
    }
    let single = words.iter().filter(|word| word.chars().nth(1).is_some() && !is_function_word(word));
    let beginnings = (2..words.len()).filter_map(|end| words.get(..end));
    single.map(|word| (*word).to_owned()).chain(beginnings.map(|words| words.join(" "))).collect()
}

/// What a sentence writes as names are written: "Lena Fischer", "Postgres 16", "ledger-pg".
fn things_in(sentence: &str) -> Vec<String> {
    let mut things: Vec<Vec<&str>> = vec![Vec::new()];
    for word in sentence.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        if is_written_as_name(bare) {
            if let Some(last) = things.last_mut() {
                last.push(bare);
            }
        } else {
            things.push(Vec::new());
        }
        if word.ends_with([',', ';', ':', '.', ')']) {
            things.push(Vec::new());
        }
    }
    let runs = things.into_iter().filter(|run| (1..=WORDS_WITH_SHORT_FORMS).contains(&run.len()));
    let names =
        runs.map(|run| words(&run.join(" "))).filter(|run| !run.iter().all(|word| is_function_word(word)));
    names.map(|run| name(&run)).take(THINGS_IN_A_SENTENCE).collect()
}

fn is_written_as_name(word: &str) -> bool {
    let mut chars = word.chars();
    let begins = chars.next().is_some_and(|c| c.is_uppercase() || c.is_numeric());
    begins || chars.any(|c| c.is_numeric() || matches!(c, '-' | '_' | '/'))
}

#[cfg(test)]
mod tests {
    use super::{names_of, spans_of};
    use domain::{Fact, FactId, FactKind, Metadata, Status, Timestamp, Triple};
    use proptest::prelude::{prop_assert, proptest};
    use std::collections::BTreeSet;

    fn fact(subject: &str, value: &str, triple: [&str; 3]) -> Fact {
        let [head, relation, tail] = triple.map(str::to_owned);
        Fact {
            id: FactId(1),
            subject: subject.to_owned(),
            value: value.to_owned(),
            scope: "global".to_owned(),
            kind: FactKind::State,
            status: Status::Active,
            confidence: 1.0,
            source: None,
            list_item: false,
            supersedes: None,
            metadata: Metadata::new(),
            triple: Triple { head, relation, tail },
            text: "".into(),
            pending: None,
            earlier: Vec::new(),
            times: domain::Times::default(),
            created: Timestamp::UNIX_EPOCH,
            changed: Timestamp::UNIX_EPOCH,
        }
    }

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_fact_names_the_ends_of_its_triple_the_thing_of_its_subject_and_its_value() {
        let names = names_of(&fact(
            "mobile gateway login dependency",
            "Gatekeeper",
            ["the mobile gateway", "depends on", "Gatekeeper"],
        ));
        assert_eq!(names.whole, set(&["gatekeep", "mobil gateway", "mobil gateway login"]));
        assert!(names.short.is_superset(&set(&["mobil", "gateway"])), "{names:?}");
    }

    #[test]
    fn without_a_triple_the_thing_is_the_subject_without_its_last_word() {
        let names = names_of(&fact("stock-pg caretaker", "Mei-Ling Zhou", ["", "", ""]));
        assert_eq!(names.whole, set(&["stock pg", "mei ling zhou"]));
        assert!(names.short.contains("zhou") && names.short.contains("mei ling"));
        assert_eq!(names_of(&fact("database", "Postgres", ["", "", ""])).whole, set(&["databas", "postgr"]));
    }

    #[test]
    fn a_sentence_names_what_is_written_as_a_name() {
        let value = "the on-call rota of Lena Fischer, who also looks after ledger-pg in Frankfurt";
        let names = names_of(&fact("note", value, ["", "", ""]));
        assert_eq!(names.whole, set(&["note", "on call", "lena fischer", "ledger pg", "frankfurt"]));
    }

    #[test]
    fn spelling_and_number_make_no_difference() {
        let whole = |text: &str| names_of(&fact("x", text, ["", "", ""])).whole;
        assert_eq!(whole("the M3 motors"), whole("M3-motor"));
        assert_ne!(whole("M3 motor"), whole("M4 motor"));
    }

    #[test]
    fn a_question_holds_every_name_in_it() {
        let spans = spans_of("Which firm drives to Hanse Chem and Brightwell's depot?");
        let names: BTreeSet<&str> = spans.iter().map(|span| span.name.as_str()).collect();
        assert!(names.contains("hans chem") && names.contains("brightwel"), "{names:?}");
        assert!(!names.contains("to") && !names.contains("and brightwel"));
        let long = spans.iter().find(|span| span.name == "hans chem").unwrap();
        assert!(spans.iter().any(|span| span.name == "chem" && long.covers(span)));
        assert!(!long.covers(long));
    }

    proptest! {
        #[test]
        fn any_fact_has_a_bounded_number_of_distinct_names(subject: String, value: String, head: String, tail: String) {
            let fact = fact(&subject, &value, [head.as_str(), "is", tail.as_str()]);
            let names = names_of(&fact);
            prop_assert!(names.all().count() <= super::NAMES_OF_A_FACT);
            prop_assert!(names.whole.is_disjoint(&names.short));
            prop_assert!(!names.whole.contains("") && !names.short.contains(""));
            prop_assert!(names == names_of(&fact), "the same fact must keep its names");
        }

        #[test]
        fn a_short_name_is_found_in_a_question_that_has_it(value in "[A-Z][a-z]{3,8}( [A-Z][a-z]{3,8}){0,2}") {
            let whole = names_of(&fact("thing kind", &value, ["", "", ""])).whole;
            let spans = spans_of(&format!("What do we know about {value} these days?"));
            let own = whole.iter().filter(|name| *name != "thing");
            prop_assert!(own.into_iter().all(|name| spans.iter().any(|span| span.name == *name)), "{whole:?}");
        }
    }
}
