//! The scope that words limit a value to.

use crate::clause::Clause;
use crate::lexicon::LEXICON;
use crate::reading::Reading;

pub(crate) const GLOBAL: &str = "global";

/// "Debug in staging and info in production": what holds where, each by itself.
pub(crate) fn scoped(reading: &Reading, clause: &Clause) -> Vec<(Reading, String)> {
    let all: Vec<&str> = clause.words.iter().map(|w| w.low.as_str()).collect();
    let lead = scope_in(all.iter().position(|w| *w == ",").and_then(|at| all.get(..at)).unwrap_or_default());
    let mut found = Vec::new();
    let pieces: Vec<&str> = reading.value.split(" and ").collect();
    let of_piece = |piece: &str| {
        let low = piece.to_lowercase();
        let (length, word) = scope_in(&low.split_whitespace().collect::<Vec<_>>())?;
        let kept: Vec<&str> = piece.split_whitespace().collect();
        let value = kept.get(..kept.len().checked_sub(length)?)?.join(" ");
        (!value.is_empty()).then_some((value, word))
    };
    for piece in &pieces {
        if let Some((value, scope)) = of_piece(piece) {
            found.push((Reading { value, ..reading.clone() }, scope));
        }
    }
    if found.len() == pieces.len() {
        return found;
    }
    let subject: Vec<&str> = reading.subject.split_whitespace().collect();
    if let Some((length, scope)) = scope_in(&subject) {
        let subject = subject.get(..subject.len() - length).unwrap_or_default().join(" ");
        if !subject.is_empty() {
            return vec![(Reading { subject, ..reading.clone() }, scope)];
        }
    }
    vec![(reading.clone(), lead.map_or_else(|| GLOBAL.to_owned(), |(_, scope)| scope))]
}

/// "… on mobile": the scope that the words end with, and in how many words.
fn scope_in(words: &[&str]) -> Option<(usize, String)> {
    let at =
        |back: usize| words.len().checked_sub(back).and_then(|at| words.get(at)).copied().unwrap_or_default();
    let scope = Some(at(1)).filter(|word| LEXICON.is_scope(word))?;
    let opens = |word: &str| matches!(word, "on" | "in" | "for" | "at");
    if opens(at(2)) {
        Some((2, scope.to_owned()))
    } else if at(2) == "the" && opens(at(3)) {
        Some((3, scope.to_owned()))
    } else {
        None
    }
}
