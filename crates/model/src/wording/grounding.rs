//! Whether the words name the held facts that a model's proposals would change. A subject is told apart by its names and
//! numbers, and by the words that another held subject about the same attribute does not have.

use super::memory::Memory;
use super::naming::{by_value, is_unspaced};
use domain::keys::{item_key, subject_key, value_key};
use domain::words::{Boundary, is_function_word, split_words, stem};
use domain::{Action, Fact, FactId, RawFact};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

type Stems = BTreeSet<String>;

/// How subjects name the person who speaks.
const SPEAKER: &str = "user";
const FIRST_PERSON: [&str; 9] = ["i", "me", "mine", "my", "myself", "our", "ours", "us", "we"];

/// Of each proposal the held facts of its subject that the words do not name. `None` where the proposal only echoes a
/// fact that the model was shown.
pub(super) fn unnamed(text: &str, facts: &[RawFact], memory: &impl Memory) -> Vec<Option<BTreeSet<FactId>>> {
    let grounds = Grounds { text, said: Said::of(text), before: memory.said_before(), memory };
    let changes: Vec<Vec<Change>> = facts.iter().map(|fact| grounds.changes(fact)).collect();
    let crowded = crowded(facts, &changes);
    let is_echo =
        |fact: &RawFact, changes: &[Change]| changes.is_empty() && !is_removal(fact) && grounds.is_echo(fact);
    let echoes: Vec<bool> =
        facts.iter().zip(&changes).map(|(fact, changes)| is_echo(fact, changes)).collect();
    let all_echo = echoes.iter().all(|echo| *echo);
    let of = |(fact, (changes, echo)): (&RawFact, (&Vec<Change>, &bool))| {
        let needed = if crowded.contains(&group(fact)) { Naming::Outright } else { Naming::Enough };
        let missing = changes.iter().filter(|change| change.naming < needed);
        (all_echo || !echo).then(|| missing.map(|change| change.id).collect())
    };
    facts.iter().zip(changes.iter().zip(&echoes)).map(of).collect()
}

/// A subject of so many words that is not the speaker's is named by half of them, where no other is of its form.
const LONG: usize = 3;

/// How a held fact is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Naming {
    Not,
    /// Nothing else that is held is meant.
    Enough,
    /// By a word of its subject, its value or an alias.
    Outright,
}

/// A held fact that a proposal would change.
struct Change {
    id: FactId,
    naming: Naming,
}

struct Grounds<'a, M> {
    text: &'a str,
    said: Said,
    before: Option<Arc<str>>,
    memory: &'a M,
}

impl<M: Memory> Grounds<'_, M> {
    fn changes(&self, fact: &RawFact) -> Vec<Change> {
        let value = fact.value.as_deref().unwrap_or_default();
        let mut held = self.memory.of_subject(fact.subject.as_deref().unwrap_or_default());
        let is_here =
            |held: &Arc<Fact>| value_key(&held.scope) == value_key(fact.scope.as_deref().unwrap_or("global"));
        let any_here = held.iter().any(is_here);
        // A model may aim at a fact under another subject.
        let aimed = fact.target_id.and_then(|id| self.memory.fact(FactId(id)));
        held.extend(aimed.filter(|aimed| held.iter().all(|held| held.id != aimed.id)));
        let is_aimed = |held: &Arc<Fact>| fact.target_id == Some(held.id.0);
        let is_item = |held: &Fact| {
            !held.list_item || item_key(&held.value) == item_key(value) || fact.target_id == Some(held.id.0)
        };
        let changed = held.iter().filter(|held| {
            let differs = is_removal(fact) || value_key(&held.value) != value_key(value);
            differs && is_item(held) && (!any_here || is_here(held) || is_aimed(held))
        });
        changed.map(|held| Change { id: held.id, naming: self.naming(fact, held) }).collect()
    }

    fn naming(&self, fact: &RawFact, held: &Fact) -> Naming {
        let before = self.before.as_deref();
        if by_value(self.text, fact, held) || self.says_alias(held) {
            return Naming::Outright;
        }
        let subject = Subject::of(held);
        if !self.fits(&subject, before) {
            let recalled =
                before.is_some_and(|before| by_value(before, fact, held) && self.fits(&subject, None));
            return if recalled { Naming::Enough } else { Naming::Not };
        }
        let words = || subject.words.iter().filter(|word| *word != SPEAKER);
        let said = words().filter(|word| self.said.has(word)).count();
        // What is said of a service in general is not said of the port of one.
        let is_long = words().count() >= LONG && words().count() == subject.words.len();
        if is_long && said * 2 < words().count() && self.memory.alike(&subject.key).is_empty() {
            return Naming::Not;
        }
        if said > 0 { Naming::Outright } else { Naming::Enough }
    }

    /// Whether the words, or those that the caller said before, tell the subject from all others about its attribute.
    fn fits(&self, subject: &Subject, before: Option<&str>) -> bool {
        let before = before.map(Said::of);
        let is_said =
            |word: &String| self.said.has(word) || before.as_ref().is_some_and(|said| said.has(word));
        if !subject.names.is_empty() && !subject.names.iter().any(is_said) {
            return false;
        }
        self.memory.alike(&subject.key).iter().all(|other| {
            let other = telling(other);
            let own: Vec<&String> = subject.words.difference(&other).collect();
            let says_other = other.difference(&subject.words).any(|word| self.said.has(word));
            match own.as_slice() {
                own if own.iter().any(|word| self.said.has(word)) => true,
                _ if says_other => false,
                [] => true,
                [speaker] if *speaker == SPEAKER => true,
                own => own.iter().any(|word| is_said(word)),
            }
        })
    }

    fn says_alias(&self, held: &Fact) -> bool {
        let names = self.memory.slot_names(&held.subject);
        names
            .iter()
            .map(|name| telling(name))
            .any(|name| !name.is_empty() && name.iter().all(|word| self.said.has(word)))
    }

    /// Whether a fact is one that is held, and the words speak of neither its subject nor its value.
    fn is_echo(&self, fact: &RawFact) -> bool {
        let value = value_key(fact.value.as_deref().unwrap_or_default());
        let held = self.memory.of_subject(fact.subject.as_deref().unwrap_or_default());
        held.iter().any(|held| {
            let words = telling(&held.subject).into_iter().chain(telling(&held.value));
            value_key(&held.value) == value && !words.into_iter().any(|word| self.said.has(&word))
        })
    }
}

/// The values that proposals give to more than one held fact, and removals of more than one.
fn crowded(facts: &[RawFact], changes: &[Vec<Change>]) -> BTreeSet<String> {
    let mut given: BTreeMap<String, BTreeSet<FactId>> = BTreeMap::new();
    for (fact, changes) in facts.iter().zip(changes) {
        given.entry(group(fact)).or_default().extend(changes.iter().map(|change| change.id));
    }
    given.into_iter().filter(|(_, held)| held.len() > 1).map(|(group, _)| group).collect()
}

/// Removals are one group, whatever value they name.
fn group(fact: &RawFact) -> String {
    if is_removal(fact) { String::new() } else { value_key(fact.value.as_deref().unwrap_or_default()) }
}

fn is_removal(fact: &RawFact) -> bool {
    fact.action.as_deref().and_then(Action::from_word) == Some(Action::Retract)
}

/// The words of a text, and whether the speaker speaks of himself.
struct Said {
    text: String,
    stems: Stems,
}

impl Said {
    fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let words = || split_words(&lower, Boundary::NameSeparator);
        let mut stems: Stems = words().map(|word| stem(word).into_owned()).collect();
        if words().any(|word| FIRST_PERSON.contains(&word)) {
            stems.insert(SPEAKER.to_owned());
        }
        Self { stems, text: lower }
    }

    fn has(&self, word: &str) -> bool {
        self.stems.contains(word) || (word.chars().any(is_unspaced) && self.text.contains(word))
    }
}

/// A held fact's subject.
struct Subject {
    key: String,
    words: Stems,
    /// Its names and numbers.
    names: Stems,
}

impl Subject {
    fn of(fact: &Fact) -> Self {
        let is_name = |word: &&str| is_name(word, fact);
        let names = split_words(&fact.subject, Boundary::NameSeparator).filter(is_name);
        Self {
            key: subject_key(&fact.subject),
            words: telling(&fact.subject),
            names: names.flat_map(telling).collect(),
        }
    }
}

/// Whether a word of the subject is a number or a name: it has a capital, and the statement that it comes from does not
/// write it without one. Short words of capitals alone are abbreviations.
fn is_name(word: &str, fact: &Fact) -> bool {
    if word.chars().any(|c| c.is_ascii_digit()) {
        return true;
    }
    let has_capital =
        |word: &str| word.starts_with(char::is_uppercase) && word.chars().any(char::is_lowercase);
    let lower = word.to_lowercase();
    let mut told = split_words(&fact.text, Boundary::NameSeparator)
        .enumerate()
        .filter(|(_, told)| told.to_lowercase() == lower)
        .peekable();
    if told.peek().is_none() {
        return has_capital(word);
    }
    told.all(|(at, told)| has_capital(told) && (at > 0 || has_capital(word)))
}

/// The stems of a subject's words, those aside that tell nothing apart.
fn telling(subject: &str) -> Stems {
    let key = subject_key(subject);
    let words =
        split_words(&key, Boundary::NameSeparator).filter(|word| !is_function_word(word) && *word != "s");
    words.map(|word| if word == "users" { SPEAKER.to_owned() } else { stem(word).into_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::unnamed;
    use crate::wording::tests::Facts;
    use domain::RawFact;

    fn proposal(subject: &str, value: &str, action: &str) -> RawFact {
        RawFact {
            subject: Some(subject.to_owned()),
            value: Some(value.to_owned()),
            action: Some(action.to_owned()),
            ..RawFact::default()
        }
    }

    fn is_named(text: &str, subject: &str, held: &Facts) -> bool {
        unnamed(text, &[proposal(subject, "new", "SUPERSEDE")], held)[0].as_ref().unwrap().is_empty()
    }

    #[test]
    fn a_subject_alone_of_its_attribute_needs_no_naming() {
        let held = Facts::of(&[("database", "Postgres"), ("user home city", "Lisbon")]);
        assert!(is_named("We moved to SQLite.", "database", &held));
        assert!(is_named("I moved to Berlin.", "user home city", &held));
    }

    #[test]
    fn of_subjects_of_one_attribute_the_one_that_is_said_changes() {
        let held = Facts::of(&[("pricing service owner", "Bo"), ("search service owner", "Al")]);
        assert!(is_named("Pricing is with Cy from today.", "pricing service owner", &held));
        assert!(!is_named("Pricing is with Cy from today.", "search service owner", &held));
        assert!(!is_named("The service is with Cy from today.", "search service owner", &held));
        assert!(is_named("Al is no longer the one, it is Cy.", "search service owner", &held));
    }

    #[test]
    fn a_name_in_the_subject_must_be_said() {
        let held = Facts::of(&[("Zeal Wines invoice contact", "Bo")]);
        assert!(is_named("The contact at Zeal is Cy.", "Zeal Wines invoice contact", &held));
        assert!(!is_named("The invoice contact is Cy.", "Zeal Wines invoice contact", &held));
    }

    #[test]
    fn the_speaker_is_named_by_the_first_person_or_by_nobody_else() {
        let held = Facts::of(&[("user employer", "Acme"), ("Tom employer", "Initech")]);
        assert!(is_named("I work at Umbrella now.", "user employer", &held));
        assert!(is_named("Works at Umbrella now.", "user employer", &held));
        assert!(!is_named("Tom works at Umbrella now.", "user employer", &held));
        assert!(!is_named("I work at Umbrella now.", "Tom employer", &held));
    }

    #[test]
    fn a_shorter_subject_is_not_meant_where_the_longer_one_is_said() {
        let held = Facts::of(&[("budget", "500"), ("marketing budget", "300")]);
        assert!(is_named("The budget is 600.", "budget", &held));
        assert!(!is_named("The marketing budget is 600.", "budget", &held));
    }

    #[test]
    fn the_statement_before_names_it_too() {
        let facts = [("pricing service owner", "Bo"), ("search service owner", "Al")];
        let told = Facts::of(&facts).after("Let us talk about search.");
        assert!(is_named("The owner is Cy from today.", "search service owner", &told));
        assert!(!is_named("Pricing is with Cy from today.", "search service owner", &told));
        assert!(!is_named("The owner is Cy from today.", "search service owner", &Facts::of(&facts)));
    }

    #[test]
    fn one_value_for_several_facts_changes_those_that_are_said() {
        let held = Facts::of(&[("web hosting", "Heroku"), ("queue", "Redis"), ("editor", "vim")]);
        let facts =
            ["web hosting", "queue", "editor"].map(|subject| proposal(subject, "Render", "SUPERSEDE"));
        let found = unnamed("Hosting goes to Render.", &facts, &held);
        let named: Vec<bool> = found.iter().map(|ids| ids.as_ref().unwrap().is_empty()).collect();
        assert_eq!(named, [true, false, false]);
        let gone = ["queue", "editor"].map(|subject| proposal(subject, "", "RETRACT"));
        let found = unnamed("We are on Render.", &gone, &held);
        assert!(found.iter().all(|ids| !ids.as_ref().unwrap().is_empty()));
    }

    #[test]
    fn a_fact_that_is_aimed_at_under_another_subject_must_be_named_too() {
        let held =
            Facts::of(&[("cousin Tolga emergency contact", "Nilgun"), ("telemetry service port", "18465")]);
        let aims =
            |subject: &str, id| RawFact { target_id: Some(id), ..proposal(subject, "new", "SUPERSEDE") };
        let named = |text: &str, fact: RawFact| unnamed(text, &[fact], &held)[0].as_ref().unwrap().is_empty();
        assert!(!named("My emergency contact is Dario.", aims("emergency contact", 1)));
        assert!(named("Tolga's emergency contact is Dario.", aims("emergency contact", 1)));
        assert!(!named("This service goes to Node 22.", aims("node version", 2)));
        assert!(!named(
            "This service goes to Node 22.",
            proposal("telemetry service port", "22", "SUPERSEDE")
        ));
        assert!(named(
            "Telemetry service is on 22 now.",
            proposal("telemetry service port", "22", "SUPERSEDE")
        ));
    }

    #[test]
    fn an_echo_is_dropped_beside_news() {
        let held = Facts::of(&[("queue", "Redis"), ("editor", "vim")]);
        let facts = [proposal("hosting", "Render", "ADD"), proposal("queue", "Redis", "DEDUP")];
        let found = unnamed("Hosting is Render.", &facts, &held);
        assert!(found[0].is_some() && found[1].is_none());
        assert!(unnamed("Hosting is Render.", &facts[1..], &held)[0].is_some());
    }
}
