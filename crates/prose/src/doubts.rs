//! Whether a sentence asserts what it says.

use crate::phrases::{
    DISCLAIMERS, HARMLESS, HEDGES, LAUGHTER, NOBODY, PLANS, REPORTING, REQUESTS, SARCASM, SOMEBODY,
    SUPPOSITIONS,
};
use crate::removals::is_tag;
use crate::requests::order_to_keep;
use crate::sentences::{Sentence, is_code, sentences};
use crate::words::{find, has, words};
use domain::keys::subject_key;
use domain::{Doubt, RawFact};

/// Words that open a new clause after a comma or an "and".
const OPENERS: [&str; 20] = [
    "i", "we", "you", "he", "she", "they", "it", "my", "our", "your", "his", "her", "their", "the", "this",
    "that", "there", "its", "i'm", "we're",
];
const COORDINATORS: [&str; 6] = ["and", "but", "so", "while", "though", "although"];

/// Words that open a new question if more words follow than in "isn't it?".
const QUESTIONS: [&str; 18] = [
    "where", "what", "who", "when", "why", "how", "which", "can", "could", "should", "is", "are", "do",
    "does", "did", "has", "have", "shall",
];
const QUESTION_WORDS: usize = 4;
/// How many words behind "somebody" may say that they said something.
const REPORT_REACH: usize = 8;
/// A request is among the first words of its clause.
const REQUEST_WORDS: usize = 4;

/// A part of a sentence. A hedge reaches to its end and no further.
#[derive(Debug)]
struct Part {
    words: Vec<String>,
    doubt: Option<Doubt>,
}

#[derive(Debug)]
pub struct Reading {
    /// The parts of each sentence.
    sentences: Vec<Vec<Part>>,
}

impl Reading {
    pub fn of(text: &str) -> Self {
        let mut read: Vec<Vec<Part>> = Vec::new();
        for sentence in sentences(text) {
            let mut parts = parts(&sentence);
            let whole = whole_sentence(&sentence, &parts);
            // What comes before a separate question is not asked.
            let question = parts.iter().position(|part| is_question(&part.words)).unwrap_or(0);
            let question = if opens_question(&parts) { 0 } else { question };
            let reached = if whole == Some(Doubt::Asked) { question } else { 0 };
            for part in parts.iter_mut().skip(reached) {
                part.doubt = part.doubt.or(whole);
            }
            // "Not sure though." or "Haha." speaks of the sentence before it.
            if let (Some(doubt), Some(before)) = (comment(&sentence, &parts), read.last_mut()) {
                for part in before {
                    part.doubt = part.doubt.or(Some(doubt));
                }
            }
            if parts.iter().any(|part| !part.words.is_empty()) {
                read.push(parts);
            }
        }
        Self { sentences: read }
    }

    /// An event that keeps the sentence as it was told, hedge included, asserts no more than was said.
    pub fn doubt_of(&self, fact: &RawFact) -> Option<Doubt> {
        let value = fact.value.as_deref().unwrap_or_default();
        let is_event = fact.kind.as_deref().is_some_and(|k| k.trim().eq_ignore_ascii_case("event"));
        if is_event && Self::of(value).any_doubt() {
            return None;
        }
        self.doubt(fact.subject.as_deref().unwrap_or_default(), value)
    }

    /// The doubt of the sentence that has the fact's value, or most of its words. A sentence of something else says nothing
    /// of it.
    pub fn own_doubt_of(&self, fact: &RawFact) -> Option<Doubt> {
        let value: Vec<String> = words(fact.value.as_deref().unwrap_or_default()).collect();
        doubt_of_all(&self.with_value(&value))
    }

    /// Whether every part with these words is in doubt.
    pub fn is_doubted(&self, value: &str) -> bool {
        self.doubt("", value).is_some()
    }

    fn any_doubt(&self) -> bool {
        self.parts().any(|part| part.doubt.is_some())
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.sentences.iter().flatten()
    }

    fn doubt(&self, subject: &str, value: &str) -> Option<Doubt> {
        doubt_of_all(&self.sources(subject, value))
    }

    /// The parts that contain the value, or else words of the subject, or else all parts.
    fn sources(&self, subject: &str, value: &str) -> Vec<&Part> {
        let value: Vec<String> = words(value).collect();
        let with_value = self.with_value(&value);
        if !with_value.is_empty() {
            return with_value;
        }
        let subject: Vec<String> = subject_key(subject).split(' ').map(str::to_owned).collect();
        let about = self.sharing(&subject, 1);
        if about.is_empty() { self.parts().filter(|part| !part.words.is_empty()).collect() } else { about }
    }

    /// The parts that contain the value, or else most of its words.
    fn with_value(&self, value: &[String]) -> Vec<&Part> {
        let whole: Vec<&Part> = self.parts().filter(|part| holds(&part.words, value)).collect();
        if !whole.is_empty() {
            return whole;
        }
        let across: Vec<&Part> = self
            .sentences
            .iter()
            .filter(|parts| {
                let all: Vec<String> = parts.iter().flat_map(|part| part.words.clone()).collect();
                holds(&all, value)
            })
            .filter_map(|parts| parts.iter().find(|part| part.doubt.is_some()).or(parts.first()))
            .collect();
        if !across.is_empty() {
            return across;
        }
        self.sharing(value, value.iter().filter(|w| is_telling(w)).count().div_ceil(2))
    }

    /// The parts that share the most telling words, if they share as many as are needed.
    fn sharing(&self, wanted: &[String], needed: usize) -> Vec<&Part> {
        let shared = |part: &Part| wanted.iter().filter(|w| is_telling(w) && part.words.contains(w)).count();
        let most = self.parts().map(shared).max().unwrap_or(0);
        if most < needed.max(1) {
            Vec::new()
        } else {
            self.parts().filter(|part| shared(part) == most).collect()
        }
    }
}

/// A fact is in doubt if every part that it may come from is.
fn doubt_of_all(sources: &[&Part]) -> Option<Doubt> {
    let first = sources.first().and_then(|part| part.doubt)?;
    sources.iter().all(|part| part.doubt.is_some()).then_some(first)
}

fn is_telling(word: &str) -> bool {
    word.chars().count() > 2 || word.chars().all(|c| c.is_ascii_digit())
}

fn holds(words: &[String], value: &[String]) -> bool {
    !value.is_empty() && words.windows(value.len()).any(|window| window == value)
}

/// A doubt that reaches every part of its sentence.
fn whole_sentence(sentence: &Sentence, parts: &[Part]) -> Option<Doubt> {
    if order_to_keep(&sentence.join(" ")).is_some() {
        return None;
    }
    let all: Vec<String> = parts.iter().flat_map(|part| part.words.clone()).collect();
    let last = sentence.iter().rev().find(|chunk| !is_code(chunk))?;
    let asks = last.trim_end_matches(['"', '\'', ')', '”', '’']).ends_with('?');
    if asks || parts.iter().any(|part| is_request(&part.words)) {
        return Some(Doubt::Asked);
    }
    if sentence.iter().any(|chunk| is_tag(chunk)) || has(&all, SARCASM) {
        return Some(Doubt::Mocked);
    }
    has(&all, DISCLAIMERS).then_some(Doubt::Hedged)
}

/// The doubt that a sentence raises which only comments on the one before it.
fn comment(sentence: &Sentence, parts: &[Part]) -> Option<Doubt> {
    let all: Vec<String> = parts.iter().flat_map(|part| part.words.clone()).collect();
    let only = |phrases: &[&str], more: usize| {
        phrases.iter().any(|p| find(&all, p).next().is_some() && all.len() <= p.split(' ').count() + more)
    };
    if sentence.iter().all(|chunk| is_tag(chunk)) || only(SARCASM, 1) || only(LAUGHTER, 0) {
        Some(Doubt::Mocked)
    } else if only(DISCLAIMERS, 4) {
        Some(Doubt::Hedged)
    } else {
        None
    }
}

fn is_question(words: &[String]) -> bool {
    is_request(words) || words.len() >= QUESTION_WORDS && asks(words)
}

/// "Is she pregnant, has anybody run a test?" asks from the start.
fn opens_question(parts: &[Part]) -> bool {
    parts.first().is_some_and(|part| asks(&part.words))
}

fn asks(words: &[String]) -> bool {
    words.first().is_some_and(|w| QUESTIONS.contains(&w.as_str()))
}

/// "Remind me who has the key": a question without its mark.
fn is_request(words: &[String]) -> bool {
    let opening = words.get(..words.len().min(REQUEST_WORDS)).unwrap_or_default();
    has(opening, REQUESTS)
}

/// The sentence, cut where a new clause begins, each part with the doubt that it raises.
fn parts(sentence: &Sentence) -> Vec<Part> {
    let mut cut: Vec<Vec<String>> = vec![Vec::new()];
    let mut ended = false;
    let mut supposed = false;
    let chunks: Vec<&str> = sentence.iter().copied().filter(|chunk| !is_code(chunk)).collect();
    for (at, chunk) in chunks.iter().enumerate() {
        let here: Vec<String> = spoken(chunk);
        let first = here.first().map(String::as_str).unwrap_or_default();
        let next = chunks.get(at + 1).and_then(|c| spoken(c).into_iter().next()).unwrap_or_default();
        // "Rumour in the channel: …" announces what follows.
        let announced = at > 0
            && chunks.get(at - 1).is_some_and(|chunk| chunk.ends_with(':'))
            && cut.last().is_some_and(|part| raised(part).is_some());
        let opens = ended && !announced && (OPENERS.contains(&first) || QUESTIONS.contains(&first));
        let joins =
            COORDINATORS.contains(&first) && (ended || first == "but" || OPENERS.contains(&next.as_str()));
        // What depends on an "if" continues after its comma, but not after a "but".
        // So does what somebody is said to have said.
        let reported = cut.last().is_some_and(|part| reports(part));
        if (joins && (!(supposed || reported) || first == "but")) || (opens && !supposed) {
            cut.push(Vec::new());
            supposed = false;
        }
        let begins = cut.last().is_some_and(Vec::is_empty);
        supposed |= matches!(first, "if" | "suppose" | "imagine" | "unless")
            || (begins && matches!(first, "were" | "had" | "with" | "should"));
        if let Some(last) = cut.last_mut() {
            last.extend(here);
        }
        ended = chunk.ends_with([',', ';', ':']) || matches!(*chunk, "-" | "–" | "—");
    }
    cut.into_iter().map(|words| Part { doubt: raised(&words), words }).collect()
}

/// "Somebody in sales mentioned", "a guy at the booth said", "people say": nobody in particular answers for it.
fn reports(words: &[String]) -> bool {
    let nobody = |at: &usize| {
        let word = words.get(*at).map(String::as_str).unwrap_or_default();
        let next = words.get(at + 1).map(String::as_str).unwrap_or_default();
        let is_somebody = || SOMEBODY.iter().any(|phrase| find(words, phrase).any(|found| found == *at));
        NOBODY.contains(&word) || word == "one" && next == "of" || is_somebody()
    };
    (0..words.len())
        .filter(nobody)
        .any(|at| words.iter().skip(at + 1).take(REPORT_REACH).any(|word| REPORTING.contains(&word.as_str())))
}

/// Its words. A "May" that is a month keeps its capital.
fn spoken(chunk: &str) -> Vec<String> {
    let month = chunk.starts_with("May") && chunk.trim_end_matches(|c: char| !c.is_alphanumeric()) == "May";
    if month { vec!["May".to_owned()] } else { words(chunk).collect() }
}

fn raised(words: &[String]) -> Option<Doubt> {
    let mut left: Vec<String> = words.to_vec();
    for phrase in HARMLESS {
        let length = phrase.split(' ').count();
        let found: Vec<usize> = find(&left, phrase).collect();
        for at in found.into_iter().rev() {
            left.splice(at..at + length, ["…".to_owned()]);
        }
    }
    if has(&left, SUPPOSITIONS) {
        Some(Doubt::Supposed)
    } else if has(&left, HEDGES) || reports(&left) {
        Some(Doubt::Hedged)
    } else if has(&left, PLANS) {
        Some(Doubt::Planned)
    } else {
        None
    }
}
