//! The word lists, read once, when the reader is first asked something. They are text files beside this one, so people
//! can extend them without reading code.

use crate::stem::{stem, stems};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

pub(crate) static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::read);

pub(crate) struct Lexicon {
    prepositions: HashSet<String>,
    /// Openings and asides that tell nothing, the longest first.
    chatter: Vec<Vec<String>>,
    /// What is said for company: praise, joy, good wishes.
    praise: Vec<Vec<String>>,
    irregular: HashMap<String, String>,
    common_verbs: HashSet<String>,
    changes: HashSet<String>,
    removals: HashSet<(String, Option<String>)>,
    stative: HashSet<String>,
    relations: HashMap<(String, Option<String>), Relation>,
    /// What a verb fills, where such a slot is declared.
    fills: HashMap<(String, Option<String>), String>,
    /// By the sorted stems of any name of the attribute.
    attributes: HashMap<Vec<String>, String>,
    /// Names of things with their kind, those of most words first.
    kinds: Vec<(Vec<String>, String)>,
    scopes: HashSet<String>,
}

/// What a verb says about its subject and its object, one value at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The object is the value of this attribute of the subject; of the verb itself where no attribute is named.
    Attribute(Option<String>),
    /// The subject is the value of this attribute of the object.
    Owner(String),
}

impl Lexicon {
    fn read() -> Self {
        Self {
            prepositions: lines(include_str!("lexicon/prepositions.txt")).map(str::to_owned).collect(),
            chatter: phrases(include_str!("lexicon/chatter.txt")),
            praise: phrases(include_str!("lexicon/praise.txt")),
            irregular: pairs(include_str!("lexicon/irregular.txt"))
                .map(|(form, base)| (form.to_owned(), base.trim_start_matches('>').trim().to_owned()))
                .collect(),
            common_verbs: lines(include_str!("lexicon/common_verbs.txt")).map(stem).collect(),
            changes: lines(include_str!("lexicon/changes.txt")).map(stem).collect(),
            removals: lines(include_str!("lexicon/removals.txt")).map(with_particle).collect(),
            stative: lines(include_str!("lexicon/stative.txt")).map(stem).collect(),
            relations: relations(include_str!("lexicon/relations.txt")),
            fills: lines(include_str!("lexicon/fills.txt"))
                .filter_map(|line| line.split_once(": "))
                .map(|(verb, attribute)| (with_particle(verb), attribute.to_owned()))
                .collect(),
            attributes: attributes(include_str!("lexicon/attributes.txt")),
            kinds: kinds(include_str!("lexicon/kinds.txt")),
            scopes: lines(include_str!("lexicon/scopes.txt")).map(str::to_owned).collect(),
        }
    }

    pub fn is_preposition(&self, word: &str) -> bool {
        self.prepositions.contains(word)
    }

    /// How many of the words open with chatter.
    pub fn chatter(&self, words: &[&str]) -> Option<usize> {
        opening(&self.chatter, words)
    }

    /// How many of the words open with praise.
    pub fn praise(&self, words: &[&str]) -> Option<usize> {
        opening(&self.praise, words)
    }

    /// The stem of a verb's base form.
    pub fn verb(&self, form: &str) -> String {
        self.irregular.get(form).map_or_else(|| stem(form), |base| stem(base))
    }

    pub fn is_irregular_verb(&self, form: &str) -> bool {
        self.irregular.contains_key(form)
    }

    pub fn is_common_verb(&self, form: &str) -> bool {
        self.common_verbs.contains(&stem(form)) || self.changes.contains(&stem(form))
    }

    pub fn is_change(&self, verb: &str) -> bool {
        self.changes.contains(verb)
    }

    pub fn is_removal(&self, verb: &str, particle: Option<&str>) -> bool {
        let listed = |p: Option<&str>| self.removals.contains(&(verb.to_owned(), p.map(str::to_owned)));
        listed(particle) || listed(None)
    }

    pub fn is_stative(&self, verb: &str) -> bool {
        self.stative.contains(verb)
    }

    pub fn relation(&self, verb: &str, particle: Option<&str>) -> Option<&Relation> {
        self.relations.get(&(verb.to_owned(), particle.map(str::to_owned)))
    }

    /// The attribute that a verb fills.
    pub fn fills(&self, verb: &str, particle: Option<&str>) -> Option<&str> {
        self.fills.get(&(verb.to_owned(), particle.map(str::to_owned))).map(String::as_str)
    }

    /// The usual name of the attribute with this name.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.get(&key(name)).map(String::as_str)
    }

    /// The kind of the known thing that the text names, where it names hardly anything else.
    pub fn kind(&self, text: &str) -> Option<&str> {
        let words = phrase(text);
        let has = |name: &Vec<String>| words.windows(name.len()).any(|w| w == name.as_slice());
        let found = self.kinds.iter().find(|(name, _)| has(name) && words.len() <= name.len() + 2);
        found.map(|(_, kind)| kind.as_str())
    }

    /// The known things that the text names, each with its kind.
    pub fn kinds_in(&self, text: &str) -> Vec<(String, &str)> {
        let words = phrase(text);
        let has = |name: &Vec<String>| words.windows(name.len()).any(|w| w == name.as_slice());
        let named = self.kinds.iter().filter(|(name, _)| has(name));
        named.map(|(name, kind)| (name.join(" "), kind.as_str())).collect()
    }

    pub fn is_scope(&self, word: &str) -> bool {
        self.scopes.contains(word)
    }
}

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn pairs(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    lines(text).filter_map(|line| line.split_once('=')).map(|(a, b)| (a.trim(), b.trim()))
}

/// `key: a, b, c`
fn groups(text: &'static str) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    lines(text)
        .filter_map(|line| line.split_once(": "))
        .map(|(key, rest)| (key.trim(), rest.split(',').map(str::trim).filter(|s| !s.is_empty()).collect()))
}

fn phrase(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split_whitespace()
        .map(|w| w.trim_matches(|c: char| ",;:()\"".contains(c)).trim_end_matches('.').to_owned())
        .filter(|w| !w.is_empty())
        .collect()
}

fn opening(phrases: &[Vec<String>], words: &[&str]) -> Option<usize> {
    let opens = |phrase: &&Vec<String>| {
        words.len() >= phrase.len() && words.iter().zip(*phrase).all(|(word, said)| word == said)
    };
    phrases.iter().find(opens).map(Vec::len)
}

fn phrases(text: &'static str) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = lines(text).map(phrase).collect();
    all.sort_by_key(|p| std::cmp::Reverse(p.len()));
    all
}

/// The stems of a name, in no order.
fn key(name: &str) -> Vec<String> {
    let mut key = stems(name);
    key.sort();
    key.dedup();
    key
}

fn attributes(text: &'static str) -> HashMap<Vec<String>, String> {
    let mut by_key = HashMap::new();
    for (usual, others) in groups(text) {
        for name in std::iter::once(usual).chain(others) {
            by_key.entry(key(name)).or_insert_with(|| usual.to_owned());
        }
    }
    by_key
}

/// `verb` or `verb + particle`
fn with_particle(verb: &str) -> (String, Option<String>) {
    match verb.split_once('+') {
        Some((base, particle)) => (stem(base.trim()), Some(particle.trim().to_owned())),
        None => (stem(verb.trim()), None),
    }
}

fn kinds(text: &'static str) -> Vec<(Vec<String>, String)> {
    let mut all: Vec<(Vec<String>, String)> = groups(text)
        .flat_map(|(kind, names)| names.into_iter().map(move |name| (phrase(name), kind.to_owned())))
        .collect();
    all.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    all
}

fn relations(text: &'static str) -> HashMap<(String, Option<String>), Relation> {
    let read = |line: &str| {
        let (verb, what) = line.split_once(':').unwrap_or((line, ""));
        let relation = match what.trim() {
            "" => Relation::Attribute(None),
            what => match what.strip_prefix("OWNER ") {
                Some(role) => Relation::Owner(role.to_owned()),
                None => Relation::Attribute(Some(what.to_owned())),
            },
        };
        (with_particle(verb), relation)
    };
    lines(text).map(read).collect()
}
