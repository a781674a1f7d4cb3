//! Which declared slot a reading belongs to.

use crate::lexicon::LEXICON;
use crate::mention::{Stems, set};
use crate::reading::{Reading, TAKES};
use crate::word::{Word, spell};
use domain::keys::subject_key;
use model::SlotHint;

/// The most slots that the network is asked about.
const ASKED: usize = 3;
/// The probability from which on its answer is accepted.
const SURE: f32 = 0.8;

/// The slot with the subject's name, or with the usual name of its attribute.
pub(crate) fn named<'a>(reading: &Reading, slots: &'a [SlotHint]) -> Option<&'a SlotHint> {
    let subject = set(&reading.subject);
    let is = |name: &str| subject_key(name) == subject_key(&reading.subject);
    let exact = slots.iter().find(|slot| names(slot).any(is));
    let within =
        |slot: &&SlotHint| names(slot).any(|name| !set(name).is_empty() && set(name).is_subset(&subject));
    let usual = |name: &str| LEXICON.attribute(&name.replace('_', " "));
    // The attribute comes last, in one word or two.
    let words: Vec<&str> = reading.subject.split(' ').collect();
    let tail = |count: usize| words.get(words.len().saturating_sub(count)..).unwrap_or_default().join(" ");
    let (last, last_two) = (tail(1), tail(2));
    let taken = reading.subject.contains(TAKES).then_some("medication");
    let attribute =
        taken.or_else(|| usual(&last_two)).or_else(|| usual(&last)).or_else(|| usual(&reading.subject));
    let same = |slot: &&SlotHint| attribute.is_some() && names(slot).any(|name| usual(name) == attribute);
    exact
        .or_else(|| slots.iter().find(same))
        .or_else(|| slots.iter().filter(within).max_by_key(|slot| slot.name.len()))
}

/// The slot that the network takes the clause to fill, among the few that share a word with it.
pub(crate) fn filled_by<'a>(clause: &str, slots: &'a [SlotHint]) -> Option<&'a SlotHint> {
    let said = set(clause);
    let shared = |slot: &&SlotHint| said.intersection(&words_of(slot)).count();
    let mut near: Vec<&SlotHint> = slots.iter().filter(|slot| shared(slot) > 0).collect();
    near.sort_by_key(|slot| std::cmp::Reverse(shared(slot)));
    near.truncate(ASKED);
    let asked: Vec<String> =
        near.iter().map(|s| format!("{}: {}", s.name.replace('_', " "), s.description)).collect();
    let pairs: Vec<(&str, &str)> = asked.iter().map(|asked| (asked.as_str(), clause)).collect();
    if pairs.is_empty() {
        return None;
    }
    let likely = near.into_iter().zip(encoder::answers(&pairs));
    likely.filter(|(_, likely)| *likely >= SURE).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(slot, _)| slot)
}

fn names(slot: &SlotHint) -> impl Iterator<Item = &str> {
    std::iter::once(slot.name.as_str()).chain(slot.aliases.iter().map(String::as_str))
}

fn words_of(slot: &SlotHint) -> Stems {
    let all: Vec<&str> = names(slot).chain([slot.description.as_str()]).collect();
    set(&all.join(" "))
}

/// "An allergy to horse dander", "one more allergy, celery": what follows the slot's name.
pub(crate) fn behind_name<'a>(slot: &SlotHint, words: &'a [Word]) -> Option<&'a [Word]> {
    let called: Stems = names(slot).flat_map(|name| set(&name.replace('_', " "))).collect();
    let is_name = |w: &Word| !set(&w.low).is_disjoint(&called);
    let at = words
        .windows(2)
        .rposition(|pair| matches!(pair, [name, mark] if is_name(name) && mark.is_any(&["to", ",", ":"])))?;
    let rest = words.get(at + 2..)?;
    let end = rest.iter().position(|w| w.is(",") || w.is("please")).unwrap_or(rest.len());
    rest.get(..end).filter(|rest| !rest.is_empty())
}

/// Whether a value says more than the slot's own words.
pub(crate) fn tells(slot: &SlotHint, value: &str) -> bool {
    let named: Stems = names(slot).flat_map(|name| set(&name.replace('_', " "))).collect();
    let value = set(value);
    let is_figure = |word: &String| word.chars().all(|c| c.is_ascii_digit());
    let counts = slot.list && value.iter().all(is_figure);
    !value.is_subset(&named) && !counts
}

/// The items of an enumeration: "penicillin, latex and iodine".
pub(crate) fn items(value: &[Word]) -> Vec<String> {
    let parts = value.split(|word| word.is_any(&[",", "and", ";", "&", "plus"]));
    let items: Vec<String> =
        parts.map(spell).filter(|item| item.chars().any(char::is_alphanumeric)).collect();
    let short = |item: &String| item.split_whitespace().count() <= 6;
    if items.iter().all(short) { items } else { vec![spell(value)] }
}
