//! Which declared slot a reading belongs to.

use crate::lexicon::LEXICON;
use crate::mention::{Stems, set};
use crate::reading::{Reading, TAKES};
use crate::tagging::is_known;
use crate::word::{Word, spell};
use crate::words::words;
use domain::keys::subject_key;
use model::SlotHint;
use std::cell::LazyCell;

/// The most slots that the network is asked about.
const ASKED: usize = 3;
/// The probability from which on its answer is accepted.
const SURE: f32 = 0.8;

/// The slot with the subject's name, or with the usual name of its attribute.
pub(crate) fn named<'a>(reading: &Reading, slots: &'a [SlotHint]) -> Option<&'a SlotHint> {
    let is = |name: &str| subject_key(name) == subject_key(&reading.subject);
    let exact = slots.iter().find(|slot| slot.names().any(is));
    let usual = |name: &str| LEXICON.attribute(&name.replace('_', " "));
    // The attribute comes last, in up to three words.
    let words: Vec<&str> = reading.subject.split(' ').collect();
    let tail = |count: usize| words.get(words.len().saturating_sub(count)..).unwrap_or_default().join(" ");
    let (last, last_two, last_three) = (tail(1), tail(2), tail(3));
    let taken = reading.subject.contains(TAKES).then_some("medication");
    let attribute = taken
        .or_else(|| usual(&last_three))
        .or_else(|| usual(&last_two))
        .or_else(|| usual(&last))
        .or_else(|| usual(&reading.subject));
    let same = |slot: &&SlotHint| attribute.is_some() && slot.names().any(|name| usual(name) == attribute);
    // "User partner saskia loves" is not the partner: of what has a name something else is told.
    let subject = set(&reading.subject);
    let names = LazyCell::new(|| {
        let is_name = |word: &&&str| !is_known(word) && !THINGS.contains(word);
        words.iter().filter(is_name).flat_map(|word| set(word)).collect::<Stems>()
    });
    let within = |slot: &&SlotHint| {
        let owner: Stems = slot.owner.iter().flat_map(|owner| set(owner)).collect();
        let name = slot.names().map(set).find(|name| !name.is_empty() && name.is_subset(&subject));
        name.is_some_and(|name| names.iter().all(|word| name.contains(word) || owner.contains(word)))
    };
    exact
        .or_else(|| slots.iter().find(same))
        .or_else(|| slots.iter().filter(within).max_by_key(|slot| slot.name.len()))
}

/// Words that the tagger does not know, and no names.
const THINGS: [&str; 6] = ["user", "repo", "pt", "app", "prod", "db"];

/// The slot with that name.
pub(crate) fn of_name<'a>(name: &str, slots: &'a [SlotHint]) -> Option<&'a SlotHint> {
    let key = subject_key(name);
    slots.iter().find(|slot| slot.names().any(|name| subject_key(name) == key))
}

/// The slot that holds this attribute.
pub(crate) fn of_attribute<'a>(attribute: &str, slots: &'a [SlotHint]) -> Option<&'a SlotHint> {
    let usual = |name: &str| LEXICON.attribute(&name.replace('_', " "));
    slots.iter().find(|slot| slot.names().any(|name| usual(name).is_some_and(|usual| usual == attribute)))
}

/// The slot that a phrase is, behind its article: "our test command".
pub(crate) fn of_phrase<'a>(phrase: &[Word], slots: &'a [SlotHint]) -> Option<&'a SlotHint> {
    const OPENING: [&str; 12] =
        ["our", "my", "the", "a", "an", "your", "his", "her", "their", "new", "another", "also"];
    let name = phrase.iter().skip_while(|w| w.is_any(&OPENING));
    let words: Vec<Word> = name.filter(|w| !w.is("here") && !w.is("now")).cloned().collect();
    of_name(&spell(&words), slots)
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

fn words_of(slot: &SlotHint) -> Stems {
    let all: Vec<&str> = slot.names().chain([slot.description.as_str()]).collect();
    set(&all.join(" "))
}

/// "An allergy to horse dander", "one more allergy, celery": what follows the slot's name.
pub(crate) fn behind_name<'a>(slot: &SlotHint, words: &'a [Word]) -> Option<&'a [Word]> {
    let called: Stems = slot.names().flat_map(|name| set(&name.replace('_', " "))).collect();
    let is_name = |w: &Word| !set(&w.low).is_disjoint(&called);
    let at = words
        .windows(2)
        .rposition(|pair| matches!(pair, [name, mark] if is_name(name) && mark.is_any(&["to", ",", ":"])))?;
    let rest = words.get(at + 2..)?;
    let end = rest.iter().position(|w| w.is(",") || w.is("please")).unwrap_or(rest.len());
    rest.get(..end).filter(|rest| !rest.is_empty())
}

/// What is left of an enumeration without one of its items.
pub(crate) fn without(value: &str, gone: &str) -> Option<String> {
    let all = items(&words(value));
    let gone = set(gone);
    // "Kingsdown" is no item of "physiotherapist at Kingsdown, mostly knees and shoulders".
    let is_gone = |item: &String| {
        let item = set(item);
        !gone.is_empty() && gone.is_subset(&item) && item.len() <= gone.len() + 1
    };
    let rest: Vec<String> = all.iter().filter(|item| !is_gone(item)).cloned().collect();
    (all.len() > 2 && !rest.is_empty() && rest.len() < all.len()).then(|| rest.join(", "))
}

/// "The old contact email": what is said is of one that was.
pub(crate) fn is_former(slot: &SlotHint, text: &str) -> bool {
    let said = words(text);
    slot.names().any(|name| {
        let first = name.split(['_', ' ']).next().unwrap_or_default();
        said.windows(2).any(|pair| {
            matches!(pair, [old, named] if old.is_any(&["old", "former", "previous"]) && named.is(first))
        })
    })
}

/// The value before the name of another declared slot, that slot, and what stands behind its name.
pub(crate) fn also_filled<'a>(
    own: &SlotHint,
    value: &str,
    slots: &'a [SlotHint],
) -> Option<(String, &'a SlotHint, String)> {
    let low = value.to_lowercase();
    let others = slots.iter().filter(|slot| slot.name != own.name);
    let named = others.flat_map(|slot| slot.names().map(move |name| (slot, name.replace('_', " "))));
    let found = named.filter_map(|(slot, name)| {
        let seams = [format!(", {name} "), format!(" and {name} "), format!(" with {name} ")];
        seams.iter().find_map(|seam| Some((low.find(seam.as_str())?, seam.len(), slot)))
    });
    let (at, length, slot) = found.min_by_key(|(at, _, _)| *at)?;
    let (before, behind) = (value.get(..at)?, value.get(at + length..)?);
    let behind =
        ["is ", "are ", "of ", "= "].iter().find_map(|lead| behind.strip_prefix(lead)).unwrap_or(behind);
    (!before.trim().is_empty() && !behind.trim().is_empty())
        .then(|| (before.trim().to_owned(), slot, behind.trim().to_owned()))
}

/// The slot of the owner that the subject is, where the value is of a kind that only this slot holds: "the patient is full
/// code", "our codebase is OCaml", "production runs on MySQL".
pub(crate) fn of_owner<'a>(subject: &str, value: &str, slots: &'a [SlotHint]) -> Option<&'a SlotHint> {
    const OURS: [&str; 7] = ["app", "backend", "code", "codebas", "prod", "product", "stack"];
    const DOING: [&str; 8] = ["base", "deploy", "host", "live", "run", "sit", "work", "write"];
    let kind = LEXICON.kind(value)?;
    let slot = of_attribute(kind, slots)?;
    let said_of: Stems = set(subject).into_iter().filter(|word| !DOING.contains(&word.as_str())).collect();
    let owners: Vec<Stems> = slot.owner.iter().map(|owner| set(owner)).collect();
    let is_ours = slot.owner.iter().any(|owner| matches!(owner.as_str(), "we" | "our"));
    let is_owner =
        owners.iter().any(|owner| !owner.is_empty() && said_of.is_subset(owner) && !said_of.is_empty());
    let is_thing = is_ours && said_of.iter().all(|word| OURS.contains(&word.as_str()));
    (is_owner || is_thing).then_some(slot)
}

/// "On PostgreSQL 15", "in Sheffield": without the preposition before a name or a figure.
pub(crate) fn bare(value: &str) -> &str {
    const LEADING: [&str; 6] = ["on ", "in ", "at ", "with ", "through ", "to "];
    let rest = LEADING.iter().find_map(|lead| value.strip_prefix(lead));
    rest.filter(|rest| rest.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())).unwrap_or(value)
}

/// Whether a value can be one of the slot: a weekday is none of a slot that holds no time, and a pronoun of none.
pub(crate) fn takes(slot: &SlotHint, value: &str) -> bool {
    const POINTING: [&str; 10] =
        ["it", "them", "this", "that", "him", "her", "these", "those", "one", "itself"];
    if value.split_whitespace().next().is_some_and(|first| POINTING.contains(&first.to_lowercase().as_str()))
    {
        return false;
    }
    const DAYS: [&str; 9] =
        ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "weekend", "night"];
    const TIMES: [&str; 10] =
        ["date", "day", "when", "time", "deadline", "birthday", "schedule", "policy", "convention", "step"];
    let low = value.to_lowercase();
    let mut words =
        low.split_whitespace().filter(|word| !matches!(*word, "on" | "a" | "the" | "at")).peekable();
    let is_day = words.peek().is_some()
        && words.all(|word| {
            DAYS.contains(&word.trim_end_matches(|c: char| !c.is_alphanumeric()).trim_end_matches('s'))
        });
    let told = format!("{} {}", slot.name, slot.description).to_lowercase();
    !is_day || TIMES.iter().any(|time| told.contains(time))
}

/// Whether a sentence orders that something be added.
pub(crate) fn adds(sentence: &str) -> bool {
    const POLITE: [&str; 4] = ["please", "can", "could", "you"];
    words(sentence).iter().find(|w| !w.is_any(&POLITE)).is_some_and(|w| w.is_any(&["add", "include"]))
}

/// Whether a value says more than the slot's own words.
pub(crate) fn tells(slot: &SlotHint, value: &str) -> bool {
    let named: Stems = slot.names().flat_map(|name| set(&name.replace('_', " "))).collect();
    let value = set(value);
    let is_figure = |word: &String| word.chars().all(|c| c.is_ascii_digit());
    let counts = slot.list && value.iter().all(is_figure);
    !value.is_subset(&named) && !counts
}

/// The items of an enumeration: "penicillin, latex and iodine".
pub(crate) fn items(value: &[Word]) -> Vec<String> {
    let parts = value.split(|word| word.is_any(&[",", "and", ";", "&", "plus"]));
    let items: Vec<String> = parts
        .map(spell)
        .filter(|item| item.chars().any(char::is_alphanumeric))
        .map(|item| dose_behind(&item).unwrap_or(item))
        .collect();
    let short = |item: &String| item.split_whitespace().count() <= 6;
    if items.iter().all(short) { items } else { vec![spell(value)] }
}

/// "20 mg atorvastatin" as "atorvastatin 20 mg": an item goes by what is before its dose.
fn dose_behind(item: &str) -> Option<String> {
    const UNITS: [&str; 8] = ["mg", "g", "mcg", "µg", "ml", "units", "iu", "puffs"];
    const SCHEDULE: [&str; 12] =
        ["at", "in", "on", "every", "each", "once", "twice", "daily", "od", "bd", "tds", "nocte"];
    let words: Vec<&str> = item.split_whitespace().collect();
    let (figure, rest) =
        words.split_first().filter(|(first, _)| first.starts_with(|c: char| c.is_ascii_digit()))?;
    let (unit, rest) = rest.split_first().filter(|(unit, _)| UNITS.contains(unit))?;
    let rest = rest.strip_prefix(&["of"]).unwrap_or(rest);
    let end = rest.iter().position(|word| SCHEDULE.contains(word)).unwrap_or(rest.len());
    let (name, schedule) = rest.split_at_checked(end).filter(|(name, _)| !name.is_empty())?;
    let all = name.iter().chain([figure, unit]).chain(schedule);
    Some(all.copied().collect::<Vec<_>>().join(" "))
}
