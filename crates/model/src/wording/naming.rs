//! Whether a statement's words name a held fact.

use super::memory::Memory;
use domain::keys::{item_key, subject_key};
use domain::{Action, Fact, RawFact};
use prose::sentences;

/// Words that too many subjects have in common to tell them apart.
const COMMON: [&str; 26] = [
    "a", "an", "and", "at", "by", "for", "her", "his", "in", "is", "its", "my", "name", "new", "of", "on",
    "or", "our", "s", "the", "their", "to", "user", "users", "value", "with",
];
/// Words that mark an item of a list as the old one, not as one more item.
const CHANGE: [&str; 22] = [
    "became",
    "becomes",
    "changed",
    "dropped",
    "from",
    "gone",
    "instead",
    "longer",
    "not",
    "rather",
    "removed",
    "replace",
    "replaced",
    "replaces",
    "replacing",
    "stopped",
    "swapped",
    "switched",
    "than",
    "was",
    "were",
    "wrong",
];
const JOINING: [&str; 6] = ["and", "or", "plus", "also", "as", "well"];

/// Whether the words contain the held value, other than as a part of the new one or next to it in a list.
pub(super) fn by_value(text: &str, fact: &RawFact, aimed: &Fact) -> bool {
    let removes = fact.action.as_deref().and_then(Action::from_word) == Some(Action::Retract);
    let new = if removes { String::new() } else { subject_key(fact.value.as_deref().unwrap_or_default()) };
    let held = subject_key(&aimed.value);
    if aimed.list_item {
        let item = item_key(&aimed.value);
        return sentences(text).iter().any(|sentence| {
            let said = subject_key(&sentence.join(" "));
            let changes = removes || said.split(' ').any(|w| CHANGE.contains(&w) || w == "n't" || w == "t");
            changes && (occurs_apart(&said, &held, &new) || occurs_apart(&said, &item, &new))
        });
    }
    occurs_apart(&subject_key(text), &held, &new)
}

/// Whether the words contain a word of the held subject that tells it from every other subject of the same form,
/// including the proposal's own.
pub(super) fn by_subject(text: &str, fact: &RawFact, aimed: &Fact, memory: &impl Memory) -> bool {
    let (text, held) = (subject_key(text), subject_key(&aimed.subject));
    let own = subject_key(fact.subject.as_deref().unwrap_or_default());
    let (held_words, own_words) = (words(&held), words(&own));
    let said = |word: &str| occurs(&text, word);
    let same_form = |other: &[&str]| other.len() == held_words.len();
    // The statement is about something else of the same kind if it says a word that only its own subject has, or does
    // not say one that only the held subject has.
    let is_other = same_form(&own_words)
        || telling(&own_words).any(|w| !held_words.contains(&w) && said(w))
        || telling(&held_words).any(|w| !own_words.contains(&w) && !said(w));
    let tells_apart = |word: &str| {
        let holds = |other: &Fact| {
            let key = subject_key(&other.subject);
            key != held && same_form(&words(&key)) && words(&key).contains(&word)
        };
        let is_of_other = own_words.contains(&word) && is_other;
        let is_shared = memory.holding(word).iter().any(|other| holds(other));
        !is_of_other && !is_shared
    };
    telling(&held_words).any(|word| said(word) && tells_apart(word))
}

fn words(key: &str) -> Vec<&str> {
    key.split(' ').collect()
}

fn telling<'a>(words: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    words.iter().copied().filter(|w| !COMMON.contains(w))
}

fn occurs(text: &str, words: &str) -> bool {
    if words.chars().any(is_unspaced) {
        return !words.is_empty() && text.replace(' ', "").contains(&words.replace(' ', ""));
    }
    !positions(text, words).is_empty()
}

/// Whether the old value occurs outside the new one, and not next to it as in a list.
fn occurs_apart(text: &str, old: &str, new: &str) -> bool {
    if old.is_empty() || words(old).iter().all(|w| COMMON.contains(w)) {
        return false;
    }
    if old.chars().any(is_unspaced) {
        return old != new && occurs(text, old);
    }
    let all = words(text);
    let (length, new_length) = (words(old).len(), words(new).len());
    let new_positions = if new.is_empty() { Vec::new() } else { positions(text, new) };
    positions(text, old).into_iter().any(|at| {
        !new_positions.iter().any(|new_at| {
            let within = *new_at <= at && at + length <= new_at + new_length;
            let (first_end, second) =
                if at < *new_at { (at + length, *new_at) } else { (new_at + new_length, at) };
            let listed =
                all.get(first_end..second).is_some_and(|gap| gap.iter().all(|w| JOINING.contains(w)));
            within || listed
        })
    })
}

/// The positions of the wanted words in the text, counted in words.
fn positions(text: &str, wanted: &str) -> Vec<usize> {
    let (text, wanted) = (words(text), words(wanted));
    if wanted == [""] {
        return Vec::new();
    }
    text.windows(wanted.len()).enumerate().filter(|(_, w)| *w == wanted).map(|(at, _)| at).collect()
}

/// Scripts that put no space between words.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'
        | '\u{0e00}'..='\u{0eff}')
}
