//! Whether two values are of one make, so that one could stand in the place of the other.

use super::lexicon::LEXICON;
use super::memory::{Known, Stems, set};
use super::stem::plain_words;
use super::values::is_time;
use super::vectors::similarity;
use super::words::words;

/// Words this close in meaning name things of one sort.
const NEAR: f32 = 0.55;

/// How alike in make two values are.
pub(super) fn fit(phrase: &str, k: &Known) -> f64 {
    let mine = set(phrase);
    if mine.is_empty() || mine == k.values {
        return 0.0;
    }
    let (a, b) = (figure_and_unit(phrase), figure_and_unit(&k.value));
    match (a, b) {
        (Some(a), Some(b)) => return if a == b { if a.is_empty() { 0.6 } else { 1.0 } } else { 0.2 },
        (None, Some(_)) | (Some(_), None) => return 0.0,
        (None, None) => {}
    }
    if let (Some(mine), Some(theirs)) = (LEXICON.kind(phrase), k.kind.as_deref()) {
        return if mine == theirs { 1.0 } else { 0.1 };
    }
    if is_time(&words(phrase)) && is_time(&words(&k.value)) {
        return 0.9;
    }
    if mine.intersection(&k.values).next().is_some() {
        return 0.8;
    }
    let near = |a: &String| plain_words(&k.value).iter().any(|b| similarity(a, b) >= NEAR);
    if plain_words(phrase).iter().any(near) {
        return 0.7;
    }
    let proper = |text: &str| {
        text.split_whitespace().next().is_some_and(|w| w.len() > 1 && w.starts_with(char::is_uppercase))
    };
    if proper(phrase) && proper(&k.value) { 0.6 } else { 0.3 }
}

/// The unit of the first figure; empty for a bare one, none for a text without one.
fn figure_and_unit(text: &str) -> Option<Stems> {
    let words = plain_words(text);
    let figure = |w: &String| {
        set(w).iter().any(|s| s.trim_start_matches(['$', '€', '£']).starts_with(|c: char| c.is_ascii_digit()))
    };
    let at = words.iter().position(figure)?;
    let attached: String = words
        .get(at)?
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .filter(|c| c.is_alphabetic() || *c == '%')
        .collect();
    // "40 grand", "48k" and "32,000" are sums alike.
    const SUMS: [&str; 12] = [
        "k", "m", "grand", "thousand", "million", "usd", "eur", "gbp", "dollars", "euros", "pounds", "francs",
    ];
    let is_sum = |unit: &str| SUMS.contains(&unit);
    let next = words.get(at + 1).map(String::as_str).unwrap_or_default();
    if is_sum(&attached) || (attached.is_empty() && is_sum(next)) {
        return Some(Stems::new());
    }
    Some(if attached.is_empty() {
        words.get(at + 1).map(|w| set(w)).unwrap_or_default()
    } else {
        set(&attached)
    })
}
