//! Which declared slot a reading belongs to.

use super::comparing::set;
use super::lexicon::LEXICON;
use super::naming::key;
use super::reading::Reading;
use super::sentences::{has_finite_verb, sentences};
use super::stem::stems;
use crate::ask::SlotHint;
use domain::keys::subject_key;

/// The slot's name, if the subject goes by any of its names, or else the value is of the kind that the slot holds.
pub(super) fn slot_of(reading: &Reading, slots: &[SlotHint]) -> Option<String> {
    if slots.is_empty() {
        return None;
    }
    let named = |name: &str| {
        let wanted = usual(name);
        slots.iter().find(|slot| names(slot).any(|name| usual(name) == wanted)).map(|slot| slot.name.clone())
    };
    if let Some(attribute) = reading.attribute {
        return named(attribute).or_else(|| (attribute == "allergy").then(|| named("diet")).flatten());
    }
    let words: Vec<&str> = reading.subject.split_whitespace().collect();
    if let Some(slot) = slots.iter().find(|slot| is_name(slot, &reading.subject)) {
        return Some(slot.name.clone());
    }
    let by_subject = (0..words.len()).find_map(|start| named(&words.get(start..)?.join(" ")));
    by_subject.or_else(|| by_words(reading, slots)).or_else(|| by_telling_word(reading, slots)).or_else(
        || {
            let kind = LEXICON.kind(&reading.value)?;
            (words.len() <= 2 || reading.subject.contains(kind)).then(|| named(kind)).flatten()
        },
    )
}

/// All names that a slot goes by.
fn names(slot: &SlotHint) -> impl Iterator<Item = &String> {
    std::iter::once(&slot.name).chain(&slot.aliases)
}

/// Whether what is told under this name is held in the slot, whatever else may speak against it.
pub(super) fn is_name(slot: &SlotHint, subject: &str) -> bool {
    names(slot).any(|name| subject_key(name) == subject_key(subject))
}

/// "Legal name Tobias Van Rossem, pays his taxes in Belgium": whether a text gives the slot's value right behind its name,
/// and it is another one.
pub(super) fn gives_another(slot: &SlotHint, text: &str, value: &str) -> bool {
    let (low, value) = (text.to_ascii_lowercase(), set(value));
    let named = |name: &String| {
        let name = name.replace('_', " ").to_ascii_lowercase();
        let at = low.find(&name)?;
        let is_whole = low.get(..at)?.chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        // "The company I work for is Bosch" gives it behind a verb.
        let given = text.get(at + name.len()..)?.strip_prefix(' ')?.split(',').next()?;
        let gives = given.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
        let has_verb = has_finite_verb(&sentences(given).concat());
        (is_whole && gives && !has_verb).then(|| set(given).is_disjoint(&value))
    };
    names(slot).filter_map(named).any(|other| other)
}

/// A name in the form in which names of one attribute are equal.
fn usual(name: &str) -> Vec<String> {
    let plain = name.replace('_', " ");
    match LEXICON.attribute(&plain) {
        Some(usual) => {
            let mut key = stems(usual);
            key.sort();
            key
        }
        None => key(&plain),
    }
}

/// Words that many slots have in their names.
const GENERAL: [&str; 34] = [
    "account", "status", "type", "contact", "function", "command", "value", "date", "point", "need", "step",
    "path", "issu", "holder", "object", "owner", "code", "deal", "version", "primari", "name", "activ",
    "policy", "manag", "member", "term", "custom", "product", "current", "next", "open", "agre", "contract",
    "net",
];

/// The subject has a word that only one slot has in its name: "payouts go" is about the payout account.
fn by_telling_word(reading: &Reading, slots: &[SlotHint]) -> Option<String> {
    let subject = stems(&reading.subject);
    let tells = |slot: &&SlotHint| {
        stems(&slot.name.replace('_', " "))
            .iter()
            .any(|word| !GENERAL.contains(&word.as_str()) && subject.contains(word))
    };
    let mut found = slots.iter().filter(tells);
    found.next().filter(|_| found.next().is_none()).map(|slot| slot.name.clone())
}

/// All words of a name of the slot's stand in the subject.
fn by_words(reading: &Reading, slots: &[SlotHint]) -> Option<String> {
    let subject = stems(&reading.subject);
    let fits = |slot: &&SlotHint| {
        names(slot).any(|name| {
            let name = stems(&name.replace('_', " "));
            !name.is_empty() && name.iter().all(|word| subject.contains(word))
        })
    };
    slots.iter().filter(fits).max_by_key(|slot| slot.name.len()).map(|slot| slot.name.clone())
}

#[cfg(test)]
mod tests {
    use super::gives_another;
    use crate::ask::SlotHint;

    #[test]
    fn a_value_stands_right_behind_the_name_unless_a_verb_does() {
        let slot = SlotHint {
            name: "employer".to_owned(),
            aliases: vec!["company".to_owned()],
            description: String::new(),
            list: false,
            verbatim: false,
        };
        assert!(gives_another(&slot, "Company Bosch, pays me monthly", "monthly"));
        assert!(!gives_another(&slot, "Company Bosch, pays me monthly", "Bosch"));
        assert!(!gives_another(&slot, "The company I work for is Bosch", "Bosch"));
        assert!(!gives_another(&slot, "The company İ picked is Bosch", "Bosch"));
    }
}
