//! Changes that are told without a word for them: "Grandma has moved in with us in Turku" after "Grandma lives in
//! Tampere". What happened speaks of a held fact and brings another value of the same make.

use super::clauses::Adjunct;
use super::lexicon::LEXICON;
use super::memory::{Known, Stems, set, share};
use super::reading::Reading;
use super::values::is_time;
use super::words::{Tag, Word, spell};

/// The clause that a reading was taken from, as far as values can stand in it.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    pub object: Vec<Word>,
    pub adjuncts: Vec<Adjunct>,
}

/// The fact that has changed, with its new value.
pub(super) fn implied<'a>(reading: &Reading, known: &'a [Known]) -> Option<(&'a Known, String)> {
    let said = set(&reading.said);
    let mut found = known.iter().filter(|k| !k.event && k.id.is_some()).filter_map(|k| {
        let value = like_kind(reading, k).or_else(|| {
            like_figure(reading, k, &said)
                .or_else(|| like_noun(reading, k, &said))
                .or_else(|| like_name(reading, k, &said))
        })?;
        (set(&value) != k.values).then_some((k, value))
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// The clause names the attribute, though perhaps not the thing it belongs to.
fn names(known: &Known, said: &Stems) -> bool {
    share(&known.key, said) >= 0.5
}

/// "They set up direct debit" after "they pay by bank transfer".
fn like_kind(reading: &Reading, known: &Known) -> Option<String> {
    let (name, kind) = *LEXICON.kinds_in(&reading.value).first()?;
    if known.kind.as_deref() != Some(kind) || set(name).is_subset(&known.values) {
        return None;
    }
    Some(reading.value.clone())
}

fn like_figure(reading: &Reading, known: &Known, said: &Stems) -> Option<String> {
    let unit = unit_of(&known.value)?;
    if !names(known, said) {
        return None;
    }
    let words: Vec<Word> = all_words(&reading.parts);
    let at = words.iter().position(|w| w.tag == Tag::Number && !is_time(std::slice::from_ref(w)))?;
    let text = spell(words.get(at..).unwrap_or_default());
    let mut parts = text.split_whitespace();
    let figure = parts.next()?.to_owned();
    match parts.next() {
        Some(next) if !unit.is_empty() && same_unit(next, &unit) => Some(format!("{figure} {next}")),
        _ if unit.is_empty() => Some(figure),
        _ => None,
    }
}

/// The word behind the figure; empty for a bare one, none for a value without one.
fn unit_of(value: &str) -> Option<String> {
    let mut words = value.split_whitespace();
    let first = words.next()?;
    first
        .starts_with(|c: char| c.is_ascii_digit() || "$€£".contains(c))
        .then(|| words.next().unwrap_or_default().to_lowercase())
}

fn same_unit(a: &str, b: &str) -> bool {
    let form = |text: &str| set(text).into_iter().next().unwrap_or_default();
    form(a) == form(b)
}

/// "Fifth floor" after "second floor", "a normal diet" for the diet.
fn like_noun(reading: &Reading, known: &Known, said: &Stems) -> Option<String> {
    let last = known.value.split_whitespace().last()?.to_owned();
    let shared_value = known.values.len() > 1;
    let phrases = phrases(&reading.parts);
    phrases.into_iter().find_map(|phrase| {
        let head = phrase.last()?;
        let bare: Vec<Word> = phrase.iter().filter(|w| w.tag != Tag::Determiner).cloned().collect();
        if bare.len() < 2 || bare.len() > 4 {
            return None;
        }
        let stem = set(&head.low);
        if shared_value && stem == set(&last) && !stem.is_empty() {
            return Some(spell(&bare));
        }
        let of_subject =
            !stem.is_empty() && stem.is_subset(&known.key) && names(known, said) && known.values.len() == 1;
        of_subject.then(|| spell(bare.get(..bare.len() - 1).unwrap_or_default()))
    })
}

/// Another name where a name is held.
fn like_name(reading: &Reading, known: &Known, said: &Stems) -> Option<String> {
    let proper =
        |text: &str| text.split_whitespace().all(|w| w.chars().next().is_some_and(char::is_uppercase));
    if !proper(&known.value) || !names(known, said) {
        return None;
    }
    let last = reading.parts.adjuncts.iter().rev().find(|a| {
        matches!(a.prep.as_str(), "in" | "to" | "with" | "at" | "on" | "by" | "from")
            && !is_time(&a.words)
            && proper(&spell(&a.words))
    })?;
    Some(spell(&last.words))
}

fn phrases(parts: &Parts) -> Vec<Vec<Word>> {
    std::iter::once(parts.object.clone())
        .chain(parts.adjuncts.iter().filter(|a| !is_time(&a.words)).map(|a| a.words.clone()))
        .collect()
}

fn all_words(parts: &Parts) -> Vec<Word> {
    parts.object.iter().cloned().chain(parts.adjuncts.iter().flat_map(|a| a.words.iter().cloned())).collect()
}
