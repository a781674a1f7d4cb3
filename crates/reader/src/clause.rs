//! The clauses of a sentence: each says one thing about one subject.

use crate::lexicon::LEXICON;
use crate::word::{Tag, Word};
use std::ops::Range;

#[derive(Debug, Clone)]
pub(crate) struct Clause {
    /// Without the words that only open it ("also", "by the way").
    pub words: Vec<Word>,
    /// The subject of the sentence, where the clause has none of its own: "…and listens on port 8001".
    pub subject: Option<Vec<Word>>,
    /// What the clause before it in the sentence spoke of, where that has a name or a number.
    pub of: Option<String>,
}

impl Clause {
    /// Its bytes in the sentence.
    pub fn span(&self) -> Option<Range<usize>> {
        Some(self.words.first()?.at.start..self.words.last()?.at.end)
    }
}

/// Cut at semicolons, and at "and", "but" and commas behind which a clause of its own begins.
pub(crate) fn clauses(sentence: &[Word]) -> Vec<Clause> {
    let mut found: Vec<Clause> = Vec::new();
    let mut start = 0;
    for at in 0..=sentence.len() {
        let ends = at == sentence.len() || is_seam(sentence, start, at);
        if !ends {
            continue;
        }
        let words = opened(sentence.get(start..at).unwrap_or_default());
        start = at + 1;
        if words.iter().all(Word::is_mark) {
            continue;
        }
        let inherits = finite_verb(&words) == Some(0) || opens_with_verb(&words);
        let before = found.last().and_then(subject_of);
        let subject = before.filter(|_| inherits && !found.is_empty());
        found.push(Clause { words, subject, of: None });
    }
    found
}

/// The words before the verb, or the subject that the clause shares with the one before it.
fn subject_of(clause: &Clause) -> Option<Vec<Word>> {
    let verb = finite_verb(&clause.words)?;
    let own = clause.words.get(..verb).unwrap_or_default();
    if own.is_empty() { clause.subject.clone() } else { Some(own.to_vec()) }
}

/// Whether a clause ends before this word, and another begins behind it.
fn is_seam(sentence: &[Word], start: usize, at: usize) -> bool {
    let Some(word) = sentence.get(at) else { return true };
    if word.is(";") || matches!(word.text.as_str(), "—" | "–") && word.spaced {
        return true;
    }
    if !word.is_any(&[",", "and", "but", "so", "while"]) {
        return false;
    }
    let before = sentence.get(start..at).unwrap_or_default();
    if finite_verb(before).is_none() || is_open(before) {
        return false;
    }
    let after = opened(sentence.get(at + 1..).unwrap_or_default());
    let next = after.iter().position(|w| w.is_any(&[",", ";", "and", "but"])).unwrap_or(after.len());
    let piece = after.get(..next).unwrap_or_default();
    // "…, which is slow" says more about what comes before it.
    if piece
        .first()
        .is_some_and(|w| w.is_any(&["which", "who", "where", "when", "because", "since", "as", "if"]))
    {
        return false;
    }
    const SUBJECT_WORDS: usize = 7;
    opens_with_verb(piece) || finite_verb(piece).is_some_and(|verb| verb <= SUBJECT_WORDS)
}

/// "If the build fails, …", "When we moved, …": what follows belongs to it.
fn is_open(words: &[Word]) -> bool {
    words
        .first()
        .is_some_and(|w| w.is_any(&["if", "when", "unless", "whenever", "after", "before", "while", "once"]))
}

/// Openings that need no mark behind them.
const LIGHT: [&str; 26] = [
    "also",
    "now",
    "currently",
    "actually",
    "today",
    "finally",
    "fyi",
    "btw",
    "so",
    "please",
    "hey",
    "hi",
    "hiya",
    "hello",
    "ok",
    "okay",
    "oh",
    "omg",
    "hmm",
    "yeah",
    "yes",
    "yep",
    "ugh",
    "ughhh",
    "well",
    "anyway",
];

/// Without chatter at its head, and without marks.
fn opened(words: &[Word]) -> Vec<Word> {
    let mut rest = words;
    loop {
        while let Some((first, after)) = rest.split_first()
            && (first.is_mark() || first.is_any(&["and", "but"]))
        {
            rest = after;
        }
        let low: Vec<&str> = rest.iter().take(6).map(|word| word.low.as_str()).collect();
        let Some(length) = LEXICON.chatter(&low) else { break };
        let after = rest.get(length..).unwrap_or_default();
        // "Right" and "well" open a sentence only where a mark sets them off; "now" and "also" always.
        let set_off = after.first().is_none_or(Word::is_mark);
        let light = rest.first().is_some_and(|w| w.is_any(&LIGHT));
        if !(set_off || light || length > 1) {
            break;
        }
        rest = after;
    }
    let end = rest.iter().rposition(|word| !word.is_mark() || word.is(")")).map_or(0, |last| last + 1);
    rest.get(..end).unwrap_or_default().to_vec()
}

/// The first verb that a subject can have.
pub(crate) fn finite_verb(words: &[Word]) -> Option<usize> {
    (0..words.len()).find(|at| is_finite(words, *at))
}

fn is_finite(words: &[Word], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    let before = at.checked_sub(1).and_then(|i| words.get(i));
    // "14 May" has no verb.
    let is_date = word.text == "May" && [before, words.get(at + 1)].iter().flatten().any(|w| w.has_digit());
    match word.tag {
        Tag::Aux => !before.is_some_and(|w| w.is("to")) && !is_date,
        Tag::Verb => {
            !before.is_some_and(|w| w.is("to") || w.tag == Tag::Determiner || w.is("'s"))
                && (!word.low.ends_with("ing") || before.is_some_and(|w| w.tag == Tag::Aux))
        }
        _ => false,
    }
}

/// "…and owns billing", "…and work for Vodafone": a clause may open with a word that only looks like a noun.
fn opens_with_verb(words: &[Word]) -> bool {
    let Some(first) = words.first() else { return false };
    let particle = words.get(1).map(|w| w.low.as_str());
    LEXICON.is_common_verb(&first.low) && first.low.ends_with('s')
        || particle.is_some() && LEXICON.relation(&LEXICON.verb(&first.low), particle).is_some()
}
