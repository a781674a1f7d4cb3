//! What a question asks for: which sort of answer, about whom, and in which words.

use super::meeting::{Term, is_scope, terms};
use super::stem::{plain_words, stems};
use super::values::is_time;
use super::vectors::{Meaning, similarity};
use super::words::{Tag, Word, tag, words};
use std::collections::BTreeSet;

/// Words that a question puts around what it asks for, and that facts often leave out.
const GENERAL: [&str; 37] = [
    "patient", "custom", "client", "servic", "account", "compani", "team", "system", "app", "project", "pay",
    "written", "version", "current", "name", "number", "use", "get", "take", "go", "come", "make", "want",
    "keep", "run", "need", "should", "must", "thing", "stuff", "work", "put", "set", "show", "kind", "type",
    "forc",
];
/// Words that stand for whom a fact is about; any fact may be.
const ROLES: [&str; 6] = ["patient", "custom", "client", "compani", "team", "account"];
/// Words that say that the question means the present.
const PRESENT: [&str; 12] = [
    "right now",
    "now",
    "at present",
    "these days",
    "on file",
    "on record",
    "at the moment",
    "in force",
    "as of today",
    "today",
    "currently",
    "still",
];
/// Words that say that the question means what was so once.
const EARLIER: [&str; 4] = ["before that", "previously", "formerly", "back then"];
/// Words that bring in somebody else than the one who asks.
const OTHERS: [&str; 10] = ["my", "he", "she", "they", "him", "her", "them", "his", "their", "we"];
/// Words of a question that ask for nothing themselves.
const LOOSE: [&str; 17] = [
    "nowadays",
    "please",
    "tell me",
    "do you know",
    "remind me",
    "how many",
    "how much",
    "how long",
    "how often",
    "how old",
    "what kind of",
    "which kind of",
    "what type of",
    "what sort of",
    "mr",
    "mrs",
    "ms",
];

/// What sort of answer a question wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Who,
    Where,
    When,
    /// A time of day.
    WhatTime,
    HowMuch,
    Whether,
    Which,
}

#[derive(Debug, Clone)]
pub(super) struct Question {
    pub asked: Asked,
    /// The stems of names: whom the question is about.
    pub names: BTreeSet<String>,
    /// All that it asks for, names among it.
    pub terms: Vec<Term>,
    /// Whether it says that it means the present.
    pub now: bool,
    /// The question without the words that say that it means what was so once, where it does.
    pub earlier: Option<String>,
    /// Whether it asks about the one who asks.
    pub own: bool,
    /// Whether about nobody else: "where do I live", not "where does my wife live".
    pub own_alone: bool,
    stems: BTreeSet<String>,
    /// Whether it names what to choose from.
    pub chooses: bool,
    /// What it wants one of: "city" of "in which city".
    head: Option<String>,
}

impl Question {
    pub fn of(text: &str) -> Self {
        let plain = plain_words(text);
        let mut loose = format!(" {} ", plain.join(" "));
        let now = PRESENT.iter().any(|phrase| loose.contains(&format!(" {phrase} ")));
        let earlier = earlier(&loose);
        if let Some(asked) = &earlier {
            loose = format!(" {asked} ");
        }
        for phrase in PRESENT.iter().chain(&LOOSE) {
            loose = loose.replace(&format!(" {phrase} "), " ");
        }
        let names = names(text);
        Self {
            asked: Asked::of(&plain),
            now,
            earlier,
            terms: terms(&loose),
            own_alone: plain.iter().any(|w| w == "i") && !plain.iter().any(|w| OTHERS.contains(&w.as_str())),
            own: plain.iter().any(|w| matches!(w.as_str(), "i" | "my" | "me" | "i'm" | "mine")),
            stems: stems(text).into_iter().collect(),
            chooses: plain.iter().any(|w| w == "or"),
            head: head(text),
            names,
        }
    }

    /// Whether any fact that speaks of what is asked for answers: "is it so", "this or that".
    pub fn is_choice(&self) -> bool {
        self.asked == Asked::Whether || self.chooses
    }

    /// Whether it asks who somebody is, and the fact says where they live or for whom they work.
    pub fn asks_for_another(&self, subject: &str) -> bool {
        let attribute = subject.rsplit([' ', '_']).next().unwrap_or_default();
        let asked = || stems(attribute).iter().any(|stem| self.stems.contains(stem));
        self.asked == Asked::Who && matches!(attribute, "employer" | "home") && !asked()
    }

    /// Whether it asks what the one who asks is called.
    pub fn asks_own_name(&self) -> bool {
        self.own
            && self.terms.iter().all(|term| term.stems.iter().all(|stem| stem == "name" || stem == "call"))
    }

    pub fn is_name(&self, term: &Term) -> bool {
        !term.stems.is_empty() && term.stems.iter().all(|s| self.names.contains(s))
    }

    pub fn is_all_names(&self) -> bool {
        self.terms.iter().all(|term| self.is_name(term))
    }

    pub fn is_head(&self, term: &Term) -> bool {
        self.head.as_ref().is_some_and(|head| term.stems.last() == Some(head))
    }

    pub fn wants_place(&self) -> bool {
        const PLACES: [&str; 8] = ["citi", "town", "countri", "place", "state", "region", "locat", "street"];
        self.head.as_ref().is_some_and(|head| PLACES.contains(&head.as_str()))
    }

    /// Whether the term asks for a place, and the value names one.
    pub fn is_place(&self, term: &Term, value: &str) -> bool {
        self.wants_place()
            && self.is_head(term)
            && words(value).iter().any(|w| w.is_capital() && w.low.len() > 2 && !is_day(w))
    }

    /// Whether a fact that has this term can be about what is asked.
    pub fn is_telling(&self, term: &Term) -> bool {
        let tells = |t: &Term| !self.is_name(t) && !is_scope(t) && !self.is_general(t);
        let may = |t: &Term| !self.is_name(t) && !t.stems.iter().all(|s| ROLES.contains(&s.as_str()));
        match (self.terms.iter().any(tells), self.terms.iter().any(may)) {
            (true, _) => tells(term),
            (false, true) => may(term),
            (false, false) => !self.is_name(term),
        }
    }

    pub fn is_general(&self, term: &Term) -> bool {
        term.stems.iter().all(|s| GENERAL.contains(&s.as_str()))
    }

    pub fn has(&self, stem: &str) -> bool {
        self.stems.contains(stem)
    }

    /// The same where the value tells nothing new: "premium package = what they have" says which package it is.
    pub fn fits_subject(&self, subject: &str) -> bool {
        let has_head = || self.head.as_ref().is_some_and(|head| stems(subject).contains(head));
        (self.asked != Asked::Which || has_head()) && self.fits(subject)
    }

    /// Whether a text can hold an answer of the sort that is asked for, beyond what the question says itself.
    pub fn fits(&self, text: &str) -> bool {
        let words = words(text);
        let new = |w: &&Word| stems(&w.low).iter().any(|s| !self.has(s));
        match self.asked {
            Asked::When => is_time(&words) || words.iter().filter(new).any(|w| is_number(w) || is_day(w)),
            Asked::WhatTime => {
                words.iter().any(|w| w.has_digit() || w.is_any(&["noon", "midnight", "half", "quarter"]))
            }
            Asked::Where => {
                words.iter().any(Word::is_preposition) || words.iter().filter(new).any(is_somewhere)
            }
            Asked::HowMuch => words.iter().filter(new).any(is_number),
            // Farther on, a strange word is a typing error more often than a name.
            Asked::Who => {
                words.iter().filter(new).any(is_somebody)
                    || words.iter().take(4).filter(new).any(|w| is_strange(&w.low))
            }
            Asked::Which => stems(text).iter().any(|s| !self.has(s)),
            Asked::Whether => true,
        }
    }
}

/// A name, or a word for a place.
fn is_somewhere(word: &Word) -> bool {
    const PLACES: [&str; 6] = ["city", "building", "office", "server", "cloud", "downstairs"];
    let near = PLACES.iter().any(|place| similarity(&word.low, place) > 0.45);
    near || (word.is_capital() && !is_day(word)) || is_strange(&word.low)
}

/// The noun that ends the phrase after "which" or "what": "package" of "which support package do they have".
fn head(question: &str) -> Option<String> {
    let mut words = words(question);
    tag(&mut words);
    let at = words.iter().position(|w| w.is_any(&["which", "what"]))?;
    if words.get(at + 1).is_some_and(|w| w.is_any(&["time", "day", "date"])) {
        return None;
    }
    let phrase =
        words.iter().skip(at + 1).take_while(|w| matches!(w.tag, Tag::Noun | Tag::Adjective | Tag::Name));
    stems(&phrase.last().filter(|w| w.tag == Tag::Noun)?.low).pop()
}

impl Asked {
    fn of(words: &[String]) -> Self {
        let word = |at: usize| words.get(at).map(String::as_str).unwrap_or_default();
        let asks = |at: usize| match (word(at), word(at + 1)) {
            ("who" | "whom" | "whose", _) => Some(Self::Who),
            ("when", _) | ("what" | "which", "day" | "date") => Some(Self::When),
            ("what", "time") => Some(Self::WhatTime),
            ("where", _) => Some(Self::Where),
            ("how", "much" | "many" | "old" | "often" | "long") => Some(Self::HowMuch),
            ("what" | "which" | "how", _) => Some(Self::Which),
            _ => None,
        };
        // "On which day", "To whom", "After how long".
        let first = (0..words.len().min(3)).find_map(asks);
        let whether = matches!(
            word(0),
            "is" | "are" | "does" | "do" | "did" | "has" | "have" | "am" | "was" | "were" | "can" | "will"
        );
        if whether { Self::Whether } else { first.unwrap_or(Self::Which) }
    }
}

/// The stems of words with a capital. One that stands alone and has a meaning is a word like others: "Icelandic".
fn names(question: &str) -> BTreeSet<String> {
    const TITLES: [&str; 6] = ["mr", "mrs", "ms", "dr", "prof", "miss"];
    let all: Vec<&str> = question.split_whitespace().collect();
    let capital = |at: usize| {
        let letters: Vec<char> =
            all.get(at).map(|w| w.chars().filter(|c| c.is_alphabetic()).collect()).unwrap_or_default();
        let short = letters.len() <= 4 && letters.iter().all(|c| c.is_uppercase());
        at > 0 && letters.first().is_some_and(|c| c.is_uppercase()) && !short
    };
    let is_name = |at: &usize| {
        let known = || all.get(*at).is_some_and(|w| plain_words(w).iter().all(|w| Meaning::of(w).is_some()));
        capital(*at) && (capital(*at + 1) || at.checked_sub(1).is_some_and(capital) || !known())
    };
    let stems = (0..all.len()).filter(is_name).filter_map(|at| all.get(at)).flat_map(|w| stems(w));
    stems.filter(|s| !TITLES.contains(&s.as_str())).collect()
}

fn is_number(word: &Word) -> bool {
    const NUMBERS: [&str; 26] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "fifteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred",
        "thousand", "million", "once", "twice",
    ];
    word.has_digit()
        || word.low.split('-').any(|part| NUMBERS.contains(&part))
        || matches!(
            word.low.as_str(),
            "daily" | "weekly" | "monthly" | "yearly" | "half" | "dozen" | "every" | "no"
        )
}

fn is_day(word: &Word) -> bool {
    let one = word.low.trim_end_matches('s');
    one.ends_with("day") || word.low.ends_with("ly") || is_time(&[Word::new(one, true)])
}

/// A name, or what stands for one: a family member, a role, a team.
fn is_somebody(word: &Word) -> bool {
    const PEOPLE: [&str; 38] = [
        "sister",
        "brother",
        "mother",
        "father",
        "wife",
        "husband",
        "son",
        "daughter",
        "mum",
        "mom",
        "dad",
        "niece",
        "nephew",
        "aunt",
        "uncle",
        "cousin",
        "partner",
        "friend",
        "neighbour",
        "neighbor",
        "boss",
        "manager",
        "team",
        "squad",
        "committee",
        "board",
        "director",
        "head",
        "lead",
        "officer",
        "cto",
        "cfo",
        "ceo",
        "assistant",
        "colleague",
        "doctor",
        "nurse",
        "staff",
    ];
    const PRONOUNS: [&str; 18] = [
        "i",
        "i'm",
        "i've",
        "we",
        "he",
        "she",
        "they",
        "it",
        "my",
        "our",
        "somebody",
        "someone",
        "anybody",
        "anyone",
        "nobody",
        "everybody",
        "everyone",
        "none",
    ];
    PEOPLE.contains(&word.low.as_str())
        || (!PRONOUNS.contains(&word.low.as_str())
            && word.is_capital()
            && word.low.len() > 1
            && !is_day(word))
}

/// Whether a word could be a name that is written small: nothing that has a meaning.
pub(super) fn is_strange(word: &str) -> bool {
    word.len() > 2
        && word.chars().all(char::is_alphabetic)
        && !super::stem::is_empty_word(word)
        && Meaning::of(word).is_none()
        // "barkin"
        && Meaning::of(&format!("{word}g")).is_none()
}

/// "Where did I live before?" asks where I live, of an earlier time; "what do we use to track bugs?" does not.
fn earlier(question: &str) -> Option<String> {
    const PAST: [&str; 4] = [" did ", " was ", " were ", " had "];
    let habit = || {
        let (before, after) = question.split_once(" used to ").or_else(|| question.split_once(" use to "))?;
        let who = before.split_whitespace().next_back()?;
        let past =
            question.contains(" did ") || matches!(who, "i" | "we" | "he" | "she" | "they" | "you" | "it");
        (past && !question.contains(" do ") && !question.contains(" does "))
            .then(|| format!("{before} {after}"))
    };
    let by_phrase = || EARLIER.iter().find_map(|phrase| question.split_once(&format!(" {phrase} ")));
    let at_end = || {
        let asked = question.trim_end();
        let asked = asked.strip_suffix(" before").or_else(|| asked.strip_suffix(" earlier"))?;
        PAST.iter().any(|word| question.contains(word)).then(|| asked.to_owned())
    };
    let asked = habit().or_else(|| by_phrase().map(|(a, b)| format!("{a} {b}"))).or_else(at_end)?;
    Some(asked.split_whitespace().collect::<Vec<_>>().join(" "))
}
