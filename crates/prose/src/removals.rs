//! Words in a statement that say that something has gone, and words that take this back: hedges, questions, sarcasm.

use crate::phrases::{EMPTY_WORDS, LAUGHTER, LEAVING, LIMITS, REMOVAL, REMOVAL_HEDGES, REPLACEMENT, SARCASM};
use crate::sentences::{Sentence, is_code, sentences};
use crate::words::{find, is_negation, words};
use domain::keys::value_key;

/// How far before a removal word a negation still takes it back: "have not yet been removed".
const NEGATION_REACH: usize = 3;
/// How many words may be between the two halves of "not … any more".
const ANY_MORE_REACH: usize = 6;
/// A part after a comma or an "and" is a clause of its own from this many words on; a shorter one is an item of an
/// enumeration.
const CLAUSE_WORDS: usize = 3;

type Clause = Vec<String>;

/// Which of a statement's values its words say have gone.
#[derive(Debug)]
pub struct Removals(Vec<bool>);

impl Removals {
    pub fn read<'a>(text: &str, values: impl Iterator<Item = &'a str>) -> Self {
        let values: Vec<Clause> = values.map(|v| words(&value_key(v)).collect()).collect();
        let mut clauses = Vec::new();
        let mut removing = Vec::new();
        for (sentence, said) in spoken(text) {
            if !is_hedged(&sentence, &said) {
                let here = said.iter().enumerate().filter(|(_, clause)| says_removal(clause));
                removing.extend(here.map(|(at, _)| clauses.len() + at));
            }
            clauses.extend(said);
        }
        Self(values.iter().map(|value| is_removed(value, &values, &clauses, &removing)).collect())
    }

    pub fn concern(&self, index: usize) -> bool {
        self.0.get(index).copied().unwrap_or(false)
    }
}

/// A clause that says that something has gone means the values it names. One that names nothing ("but no longer")
/// refers to the last clause that does. A value that the text does not spell out is taken as what is meant, if nothing
/// else can be.
fn is_removed(value: &[String], values: &[Clause], clauses: &[Clause], removing: &[usize]) -> bool {
    let removing = || removing.iter().filter_map(|at| Some((*at, clauses.get(*at)?)));
    let names_any = |clause: &[String]| values.iter().any(|v| mentions(clause, v));
    if !clauses.iter().any(|c| mentions(c, value)) {
        return removing()
            .any(|(_, clause)| !names_any(clause) && (values.len() == 1 || names_nothing(clause)));
    }
    removing().any(|(at, clause)| {
        let antecedent =
            || clauses.iter().take(at).rev().chain(clauses.iter().skip(at + 1)).find(|c| names_any(c));
        says_removal_of(clause, value)
            || (!names_any(clause)
                && names_nothing(clause)
                && antecedent().is_some_and(|c| mentions(c, value)))
    })
}

fn says_removal(clause: &[String]) -> bool {
    let negated = |at: usize, reach: usize| clause.iter().take(at).rev().take(reach).any(|w| is_negation(w));
    let is_limit = |at: usize| LIMITS.iter().any(|phrase| find(clause, phrase).any(|limit| limit == at));
    find(clause, "any more").chain(find(clause, "anymore")).any(|at| negated(at, ANY_MORE_REACH))
        || taken_off(clause)
        || REMOVAL
            .iter()
            .any(|phrase| find(clause, phrase).any(|at| !negated(at, NEGATION_REACH) && !is_limit(at)))
}

/// "Took him off", "struck it out": what is taken off is named between, or behind.
fn taken_off(clause: &[String]) -> bool {
    const TAKING: [&str; 8] = ["taken", "took", "take", "taking", "struck", "strike", "crossed", "cross"];
    const BETWEEN: usize = 3;
    let off = |at: usize| clause.iter().skip(at + 1).take(BETWEEN).any(|word| word == "off");
    let negated = |at: usize| clause.iter().take(at).rev().take(NEGATION_REACH).any(|w| is_negation(w));
    let mut taking = clause.iter().enumerate().filter(|(_, word)| TAKING.contains(&word.as_str()));
    taking.any(|(at, _)| off(at) && !negated(at))
}

/// Whether a text says in any way, and in whatever doubt, that something ends, pauses or gives way: enough to ask before
/// one acts on what it speaks of.
pub fn hints_at_an_end(text: &str) -> bool {
    const ENDING: &str = "end ends ended ending hold holds holding held withheld pause pauses paused suspend suspended \
        stop stops stopping off void history instead replace replaces expire expires expired lapse gone over taper \
        tapering tapered wean weaned left";
    let said: Clause = words(text).collect();
    let ends = |word: &String| is_negation(word) || word == "no" || ENDING.split(' ').any(|one| one == word);
    said.iter().any(ends) || REMOVAL.iter().any(|phrase| find(&said, phrase).next().is_some())
}

/// The words of the value itself do not count: "turned off" or "do not use tabs" may well be a value.
fn says_removal_of(clause: &[String], value: &[String]) -> bool {
    let Some(at) = clause.windows(value.len().max(1)).position(|window| window == value) else {
        return false;
    };
    let mut rest: Clause = clause.to_vec();
    rest.splice(at..at + value.len(), ["…".to_owned()]);
    says_removal(&rest)
}

/// The sentences with their clauses. One that is nothing but sarcasm ("We dropped it. Haha.") becomes part of the
/// sentence before it.
fn spoken(text: &str) -> Vec<(Sentence<'_>, Vec<Clause>)> {
    let mut spoken: Vec<(Sentence, Vec<Clause>)> = Vec::new();
    for sentence in sentences(text) {
        let said = clauses(&sentence);
        match spoken.last_mut() {
            Some((before, its_clauses)) if is_all_sarcasm(&sentence, &said) => {
                before.extend(sentence);
                its_clauses.extend(said);
            }
            _ => spoken.push((sentence, said)),
        }
    }
    spoken
}

fn is_hedged(sentence: &[&str], clauses: &[Clause]) -> bool {
    let has = |phrases: &[&str]| clauses.iter().any(|c| phrases.iter().any(|p| find(c, p).next().is_some()));
    let asks = sentence.iter().any(|chunk| chunk.ends_with('?') && !is_code(chunk));
    asks || sentence.iter().any(|chunk| is_tag(chunk))
        || has(&REMOVAL_HEDGES)
        || has(SARCASM)
        || has(LAUGHTER)
}

fn is_all_sarcasm(sentence: &[&str], clauses: &[Clause]) -> bool {
    let sarcastic =
        |clause: &Clause| SARCASM.iter().chain(LAUGHTER).any(|phrase| clause.iter().eq(phrase.split(' ')));
    sentence.iter().all(|chunk| is_tag(chunk)) || (!clauses.is_empty() && clauses.iter().all(sarcastic))
}

/// The mark for "I am being sarcastic".
pub(crate) fn is_tag(chunk: &str) -> bool {
    chunk.trim_matches(|c: char| "().!,".contains(c)) == "/s"
}

fn names_nothing(clause: &[String]) -> bool {
    let marker = |w: &String| REMOVAL.iter().any(|phrase| phrase.split(' ').any(|m| m == w));
    clause.iter().all(|w| EMPTY_WORDS.contains(&w.as_str()) || is_negation(w) || marker(w))
}

fn mentions(clause: &[String], value: &[String]) -> bool {
    !value.is_empty() && clause.windows(value.len()).any(|w| w == value)
}

fn clauses(sentence: &[&str]) -> Vec<Clause> {
    let mut clauses = Vec::new();
    for stretch in prose(sentence).split(['.', ';', '!', '?', ':', '(', ')']) {
        for piece in parts(stretch) {
            let own = piece.len() >= CLAUSE_WORDS || says_removal(&piece) || is_destination(&piece);
            match clauses.last_mut() {
                Some(Part::Open(last)) if !own => Vec::extend(last, piece),
                _ => clauses.push(Part::Open(piece)),
            }
        }
        if let Some(last) = clauses.last_mut() {
            last.end();
        }
    }
    clauses.into_iter().map(Part::words).filter(|c| !c.is_empty()).collect()
}

/// A clause that an enumeration may still continue, or one that has ended.
enum Part {
    Open(Clause),
    Ended(Clause),
}

impl Part {
    fn end(&mut self) {
        if let Self::Open(words) = self {
            *self = Self::Ended(std::mem::take(words));
        }
    }

    fn words(self) -> Clause {
        match self {
            Self::Open(words) | Self::Ended(words) => words,
        }
    }
}

/// The stretch, cut at commas, dashes, "and", "but", and before a replacement.
fn parts(stretch: &str) -> Vec<Clause> {
    let mut parts: Vec<Clause> = Vec::new();
    for stretch in stretch.split([',', '—', '–']) {
        let all: Clause = words(stretch).collect();
        let mut cuts: Vec<usize> =
            ["and", "but", "while"].iter().chain(&REPLACEMENT).flat_map(|p| find(&all, p)).collect();
        cuts.sort_unstable();
        let mut part = Clause::new();
        for (at, word) in all.iter().enumerate() {
            let arrives = is_destination(std::slice::from_ref(word)) && leaves(&part);
            if (cuts.contains(&at) || arrives) && !part.is_empty() {
                parts.push(std::mem::take(&mut part));
            }
            part.push(word.clone());
        }
        parts.push(part);
    }
    parts
}

fn leaves(clause: &[String]) -> bool {
    LEAVING.iter().any(|phrase| find(clause, phrase).next().is_some())
}

fn is_destination(clause: &[String]) -> bool {
    clause.first().is_some_and(|word| matches!(word.as_str(), "to" | "onto" | "for"))
}

/// The sentence without what is not prose: addresses, tokens, encoded blobs. Each is replaced by a full stop, so no
/// phrase reaches across it.
fn prose(sentence: &[&str]) -> String {
    sentence.iter().map(|chunk| if is_code(chunk) { "." } else { chunk }).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
