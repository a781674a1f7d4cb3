//! Words that show what a sentence is: a question, a plan, a supposition, small talk.

use crate::clause::Clause;
use crate::lexicon::LEXICON;
use crate::tagging::is_known;
use crate::word::{Tag, Word};
use crate::words::words;
use domain::words::{Boundary, split_words};
use encoder::Modality;
use prose::is_order;

/// Whether a topic has a name or a number, as the sentence spells it.
pub(crate) fn is_name(topic: &str, sentence: &str) -> bool {
    let mut written = split_words(sentence, Boundary::NotAlphanumeric);
    // The first word of a sentence has a capital anyhow.
    let first = written.next().map(str::to_lowercase).filter(|word| !is_known(word));
    let capitals: Vec<String> = written
        .filter(|word| word.starts_with(char::is_uppercase))
        .map(str::to_lowercase)
        .chain(first)
        .collect();
    let named =
        |word: &str| word.chars().any(|c| c.is_ascii_digit()) || capitals.iter().any(|name| name == word);
    split_words(topic, Boundary::NotAlphanumeric).any(named)
}

/// "Could somebody check if …", "who over there handles …": a question without its mark.
pub(crate) fn asks_for(clause: &Clause) -> bool {
    const OPENINGS: [&str; 20] = [
        "who", "what", "when", "where", "which", "why", "how", "do", "does", "did", "is", "are", "can",
        "could", "would", "will", "remind", "anyone", "any", "should",
    ];
    clause.words.first().is_some_and(|w| w.is_any(&OPENINGS))
}

/// "In three weeks", "tomorrow", "next month".
pub(crate) fn is_ahead(words: &[Word]) -> bool {
    let low: Vec<&str> = words.iter().map(|w| w.low.as_str()).collect();
    let units = ["day", "days", "week", "weeks", "month", "months", "year", "years"];
    let ahead = |w: &[&str]| w.first() == Some(&"in") && w.get(2).is_some_and(|unit| units.contains(unit));
    low.contains(&"tomorrow")
        || low.windows(3).any(ahead)
        || low
            .windows(2)
            .any(|w| w.first() == Some(&"next") && w.get(1).is_some_and(|unit| units.contains(unit)))
}

/// A supposition has a word that says so. Nothing is left out because of its tone alone.
pub(crate) fn is_unreal(meant: Modality, sentence: &str) -> bool {
    const SUPPOSING: [&str; 12] = [
        "if",
        "would",
        "could",
        "wish",
        "imagine",
        "suppose",
        "supposing",
        "hypothetically",
        "were",
        "wouldn't",
        "had",
        "say",
    ];
    let words = words(sentence);
    meant == Modality::Sarcastic || words.iter().any(|w| w.is_any(&SUPPOSING))
}

/// Whether there is hardly a word that could be asked about later. Beside a clause that told something any thing is one.
pub(crate) fn is_slight(clause: &Clause, beside: bool) -> bool {
    const FEW: usize = 4;
    let is_thing = |w: &Word| beside && w.tag == Tag::Noun && LEXICON.praise(&[w.low.as_str()]).is_none();
    let tells = |w: &Word| w.has_digit() || (w.is_capital() && w.at.start > 0 && !w.is("i")) || is_thing(w);
    clause.words.len() <= FEW && !clause.words.iter().any(tells)
}

/// "Put it in the calendar", "send them the hotfix": an order for this moment, with no name, number or date in it.
pub(crate) fn is_passing_order(text: &str, words: &[Word]) -> bool {
    let tells = |w: &Word| w.has_digit() || w.is_quoted() || w.is_capital() && w.at.start > 0 && !w.is("i");
    const LASTING: [&str; 11] =
        ["list", "lists", "never", "always", "add", "remove", "strike", "delete", "drop", "note", "record"];
    is_order(text) && !words.iter().any(|w| tells(w) || w.is_any(&LASTING))
}

/// Greetings, thanks, an order for this moment.
pub(crate) fn is_small_talk(words: &[Word]) -> bool {
    let is_apart = |w: Option<&Word>| w.is_none_or(Word::is_mark);
    // "Wow, Mel!" calls somebody by name.
    let is_called = |at: usize, w: &Word| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        at > 0
            && w.is_capital()
            && !w.has_digit()
            && is_apart(words.get(at + 1))
            && (is_apart(before) || at + 2 >= words.len())
    };
    let telling = words.iter().enumerate().filter(|(at, w)| !w.is_mark() && !is_called(*at, w));
    let bare: Vec<&str> = telling.map(|(_, w)| w.low.as_str()).collect();
    let mut rest = bare.as_slice();
    while let Some(length) = LEXICON.chatter(rest).or_else(|| LEXICON.praise(rest)) {
        rest = rest.get(length..).unwrap_or_default();
    }
    rest.is_empty() && !bare.is_empty()
}
