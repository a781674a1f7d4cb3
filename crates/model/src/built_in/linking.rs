//! Which held fact a reading is about.

use super::fitting::fit;
use super::lexicon::LEXICON;
use super::memory::{Known, Stems, best, full_key, set, share};
use super::reading::{Reading, Shift};
use super::sentences::has_any;
use super::stem::plain_words;

/// Words that may stand around a restatement without adding anything.
const ADDS_NOTHING: [&str; 24] = [
    "still", "remain", "same", "yes", "confirm", "remind", "note", "said", "keep", "tell", "most", "love",
    "alway", "done", "via", "per", "exact", "again", "day", "chang", "noth", "new", "before", "call",
];

/// The held fact that says this already, in whatever words.
pub(super) fn restated<'a>(reading: &Reading, announced: bool, known: &'a [Known]) -> Option<&'a Known> {
    let said = set(&reading.said);
    let least = if announced { 0.3 } else { 0.6 };
    best(known, least, |k| {
        if k.event || k.id.is_none() || k.values.is_empty() || share(&k.values, &said) < value_share(k) {
            return 0.0;
        }
        let whole: Stems = k.own().union(&k.text).cloned().collect();
        let rest: Stems = said
            .iter()
            .filter(|s| !k.values.contains(*s) && !ADDS_NOTHING.contains(&s.as_str()))
            .cloned()
            .collect();
        let figures_differ = said.iter().any(|s| has_digit(s) && !whole.contains(s));
        let about = said.iter().any(|s| k.key.contains(s) || k.text.contains(s));
        if figures_differ || !about {
            return 0.0;
        }
        if rest.is_empty() { 1.0 } else { share(&rest, &whole) }
    })
}

/// A long value is repeated by most of its words, a short one by all.
fn value_share(known: &Known) -> f64 {
    if known.values.len() > 3 && !known.values.iter().any(|s| has_digit(s)) { 0.5 } else { 1.0 }
}

fn has_digit(stem: &str) -> bool {
    stem.chars().any(|c| c.is_ascii_digit())
}

/// The held fact that has gone, by what the clause calls it.
pub(super) fn ended<'a>(reading: &Reading, known: &'a [Known]) -> Option<&'a Known> {
    if reading.pointer && set(&reading.value).is_empty() {
        return match known {
            [only] => Some(only),
            _ => None,
        };
    }
    let wanted = set(&reading.value);
    let wanted = if wanted.is_empty() { set(&reading.subject) } else { wanted };
    let said = set(&reading.said);
    best(known, 0.5, |k| {
        let own = k.own();
        let direct = share(&wanted, &own);
        let by_text = share(&wanted, &k.text) * 0.7;
        let named = share(&k.values, &said) * 0.3;
        let score = direct.max(by_text);
        if score < 0.5 { 0.0 } else { score + named + share(&k.key, &said) * 0.1 }
    })
}

/// A clause that names something held and says by some word that it has gone: "he let the Aviva policy lapse".
pub(super) fn ended_by_words<'a>(reading: &Reading, known: &'a [Known]) -> Option<&'a Known> {
    let words = plain_words(&reading.said);
    if !has_any(&words, &LEXICON.endings) {
        return None;
    }
    let said = set(&reading.said);
    best(known, 0.5, |k| {
        if k.event || k.id.is_none() {
            return 0.0;
        }
        share(&k.values, &said).max(share(&k.key, &said) * 0.9).max(share(&distinct(&k.own(), known), &said))
    })
}

/// The words of one fact that no other held fact has.
fn distinct(own: &Stems, known: &[Known]) -> Stems {
    own.iter().filter(|s| known.iter().filter(|k| k.own().contains(*s)).count() == 1).cloned().collect()
}

/// The held fact whose value has become another.
pub(super) fn changed<'a>(reading: &Reading, known: &'a [Known]) -> Option<&'a Known> {
    changed_surely(reading, known).or_else(|| {
        let by_looks = by_kind(&reading.value, known).or_else(|| by_form(reading, known));
        by_looks.filter(|k| !k.event && reading.shift != Shift::None)
    })
}

/// By its old value, or by its name.
pub(super) fn changed_surely<'a>(reading: &Reading, known: &'a [Known]) -> Option<&'a Known> {
    let Shift::To { from } = &reading.shift else { return None };
    let mut old = from.as_deref().map(set).unwrap_or_default();
    if old.len() > 1 {
        old.retain(|s| !matches!(s.as_str(), "out" | "off" | "away" | "over"));
    }
    // "The trustee is Bastian, not Dev" may well be about another office of Dev's.
    let denied = reading.said.contains(", not ");
    let by_old = best(known, 0.6, |k| {
        let hit = share(&old, &k.values).max(share(&old, &k.own()) * 0.9);
        if k.event || hit < 0.6 || denied && contrasts(reading, k) {
            0.0
        } else {
            hit + share(&set(&reading.subject), &k.key) * 0.2
        }
    });
    by_old
        .or_else(|| by_name(reading, known).filter(|k| !k.event))
        .or_else(|| by_kind(&reading.value, known).filter(|k| !k.event && !contrasts(reading, k)))
}

/// Each speaks of something that the other does not: "the personal account" and "the joint account".
pub(super) fn contrasts(reading: &Reading, known: &Known) -> bool {
    let any = ["everyth", "all", "anyth", "thing", "stuff", "rest", "whole"];
    let mine: Stems = set(&reading.subject).into_iter().filter(|s| !any.contains(&s.as_str())).collect();
    let theirs: Stems = known.own().union(&known.text).cloned().collect();
    let said = set(&reading.said);
    mine.iter().any(|s| !theirs.contains(s))
        && known.key.iter().any(|s| !said.contains(s) && !known.values.contains(s))
}

/// By the attribute's name, which may be said in more or fewer words than before.
pub(super) fn by_name<'a>(reading: &Reading, known: &'a [Known]) -> Option<&'a Known> {
    let key = full_key(&reading.subject, reading.scope.as_deref().unwrap_or("global"));
    if key.is_empty() {
        return None;
    }
    if let Some(exact) = known.iter().find(|k| k.key == key) {
        return Some(exact);
    }
    // "She has an allergy" waits to be told which.
    let bare = |k: &&Known| !k.event && k.values.is_subset(&k.key) && k.key.is_subset(&key);
    if let Some(waiting) = known.iter().find(bare) {
        return Some(waiting);
    }
    let scope = reading.scope.as_deref().map(set).unwrap_or_default();
    best(known, 0.99, |k| {
        if key.is_subset(&k.key) && scope.is_subset(&k.key) {
            1.0 + key.len() as f64 / k.key.len() as f64
        } else {
            0.0
        }
    })
}

pub(super) fn by_kind<'a>(value: &str, known: &'a [Known]) -> Option<&'a Known> {
    let kind = LEXICON.kind(value)?;
    let mut same =
        known.iter().filter(|k| k.kind.as_deref() == Some(kind) || k.key == full_key(kind, "global"));
    same.next().filter(|_| same.next().is_none())
}

/// A value of the same make: "bed 4 on Ward F" after "bed 12 on Ward C"; or the only thing that can be meant.
fn by_form<'a>(reading: &Reading, known: &'a [Known]) -> Option<&'a Known> {
    let words: Stems = set(&reading.value).into_iter().filter(|s| !has_digit(s) && s.len() > 1).collect();
    let said = set(&reading.said);
    if let Some(found) = best(known, 0.3, |k| share(&words, &k.values).max(share(&k.key, &said) * 0.9)) {
        return Some(found);
    }
    if has_digit(&reading.value) && reading.subject.is_empty() {
        let alike: Vec<&Known> = known.iter().filter(|k| !k.event && fit(&reading.value, k) >= 0.6).collect();
        let latest: Vec<&Known> = alike.iter().filter(|k| k.latest).copied().collect();
        match (alike.as_slice(), latest.as_slice()) {
            ([one], _) | (_, [one]) => return Some(one),
            _ => {}
        }
    }
    let moved = said.contains("move") || said.contains("reloc");
    if moved && reading.subject.is_empty() {
        let homes: Vec<&Known> =
            known.iter().filter(|k| k.key.contains("home") || k.key.contains("locat")).collect();
        if let [one] = homes.as_slice() {
            return Some(one);
        }
    }
    match known {
        [only] if reading.subject.is_empty() && only.same_shape(&reading.value) => Some(only),
        _ => None,
    }
}

/// From the first figure on.
pub(super) fn figure(value: &str) -> String {
    let words: Vec<&str> = value.split_whitespace().collect();
    let at = words.iter().position(|w| has_digit(w)).unwrap_or(0);
    words.get(at..).unwrap_or_default().join(" ")
}

/// The only held figure in the unit of this one.
pub(super) fn by_unit<'a>(value: &str, known: &'a [Known]) -> Option<&'a Known> {
    let unit = |text: &str| figure(text).split_whitespace().nth(1).map(str::to_lowercase);
    let wanted = unit(value).filter(|_| value.chars().any(|c| c.is_ascii_digit()))?;
    let mut same = known.iter().filter(|k| !k.event && unit(&k.value).as_ref() == Some(&wanted));
    same.next().filter(|_| same.next().is_none())
}

/// A value made of the same words but for its figures: "iPhone 15" after "iPhone 12".
pub(super) fn alike<'a>(reading: &Reading, known: &'a [Known]) -> Option<&'a Known> {
    let words: Stems = set(&reading.value).into_iter().filter(|s| !has_digit(s) && s.len() > 1).collect();
    let figures = reading.value.chars().any(|c| c.is_ascii_digit());
    let several = set(&reading.value).len() > 1;
    best(known, 0.5, |k| {
        let both = figures && k.value.chars().any(|c| c.is_ascii_digit());
        if !k.event && (both || several) { share(&words, &k.values) } else { 0.0 }
    })
}

/// The fact that "it" points to.
pub(super) fn pointed<'a>(reading: &Reading, corrects: bool, known: &'a [Known]) -> Option<&'a Known> {
    let value = set(&reading.value);
    let more = best(known, 0.99, |k| if !k.values.is_empty() { share(&k.values, &value) } else { 0.0 });
    more.or_else(|| by_kind(&reading.value, known)).or_else(|| {
        let states: Vec<&Known> = known.iter().filter(|k| !k.event).collect();
        let fits = |k: &&&Known| k.same_shape(&reading.value);
        // A value that says no more than its subject waits to be told what it is: "I have a car."
        let bare = |k: &&&Known| k.values.is_subset(&k.key);
        match states.as_slice() {
            [.., last] if !corrects && bare(&last) && reading.subject.is_empty() => Some(*last),
            [only] if corrects => Some(*only),
            several if corrects => {
                let mut fitting = several.iter().filter(fits);
                fitting.next().filter(|_| fitting.next().is_none()).copied()
            }
            _ => None,
        }
    })
}

/// A clause that is built like one that was said before, with another value.
pub(super) fn by_pattern<'a>(reading: &Reading, known: &'a [Known]) -> Option<&'a Known> {
    let values = set(&reading.value);
    let frame: Stems = set(&reading.said).difference(&values).cloned().collect();
    best(known, 0.75, |k| {
        let theirs: Stems = k.text.difference(&k.values).cloned().collect();
        let union = frame.union(&theirs).count();
        if frame.len() < 2 || union == 0 || !k.same_shape(&reading.value) || !key_overlaps(reading, k) {
            return 0.0;
        }
        frame.intersection(&theirs).count() as f64 / union as f64
    })
}

fn key_overlaps(reading: &Reading, known: &Known) -> bool {
    let key = full_key(&reading.subject, "global");
    let scope = reading.scope.as_deref().map(set).unwrap_or_default();
    share(&key, &known.own()) > 0.0 && (scope.is_empty() || scope == set(&known.scope))
}
