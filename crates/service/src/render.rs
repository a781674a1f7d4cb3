//! What several replies have in common.

use domain::{Fact, Timestamp};

/// A confidence with no more digits than it needs: `0.95`, `0.5`, `1.0`.
pub(crate) fn confidence(confidence: f64) -> String {
    format!("{:?}", (confidence * 1000.0).round() / 1000.0)
}

/// `subject = value`
pub(crate) fn pair(subject: &str, value: &str) -> String {
    if value.is_empty() { subject.to_owned() } else { format!("{subject} = {value}") }
}

/// `conf 0.95, from ops`; the source only where there is one.
pub(crate) fn grounds(certainty: f64, source: Option<&str>) -> String {
    let from = source.map_or_else(String::new, |source| format!(", from {source}"));
    format!("conf {}{from}", confidence(certainty))
}

/// ` (since 2023, until 2024-05)`, where that was given.
pub(crate) fn validity(fact: &Fact) -> String {
    fact.times.validity("since").map_or_else(String::new, |dates| format!(" ({dates})"))
}

/// The text on one line, so that nothing in it can pass for another line of the reply.
pub(crate) fn line(text: &str) -> String {
    let breaks = |c: char| c.is_whitespace() || c.is_control();
    text.split(breaks).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The first words of a longer text.
pub(crate) fn excerpt(text: &str, most: usize) -> String {
    let flat = line(text);
    match flat.char_indices().nth(most) {
        None => flat,
        Some((end, _)) => format!("{}…", flat.get(..end).unwrap_or_default()),
    }
}

/// Until when a key works, behind the word for it; nothing where it does not expire.
pub(crate) fn key_end(expires: Option<Timestamp>) -> String {
    expires.map_or_else(String::new, |at| format!(" (works until {at})"))
}
