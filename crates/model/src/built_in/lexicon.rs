//! The word lists, read once, when the built-in model is first asked something. They are text files beside this one,
//! so that a person can extend them without reading code.

use super::stem::{stem, stems};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Words of a phrase, in lower case.
pub(super) type Phrase = Vec<String>;

pub(super) struct Lexicon {
    pub casual: HashMap<String, Vec<String>>,
    /// What is written = what is meant, where it is only weighed.
    pub hasty: HashMap<String, Vec<String>>,
    pub common_words: HashSet<String>,
    pub chatter: Vec<Phrase>,
    /// Phrases that say no more than that something is not sure.
    pub hedges: Vec<Phrase>,
    pub prepositions: HashSet<String>,
    irregular: HashMap<String, String>,
    common_verbs: HashSet<String>,
    changes: HashSet<String>,
    removals: HashSet<(String, Option<String>)>,
    stative: HashSet<String>,
    /// By the sorted stems of any name of the attribute.
    attributes: HashMap<Vec<String>, String>,
    /// The names of each attribute.
    names: HashMap<String, Vec<String>>,
    /// Names of things with their kind, those of most words first.
    kinds: Vec<(Phrase, String)>,
    verbs: HashMap<(String, Option<String>), VerbFrame>,
}

/// What a verb says of its subject and object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum VerbFrame {
    /// The object is the value of this attribute of the subject.
    Attribute(String),
    /// The subject is the value of this attribute of the object.
    Owner(String),
    State,
}

/// Kinds whose names are words of everyday use.
const EVERYDAY: [&str; 7] =
    ["plan", "deal stage", "risk tolerance", "contact channel", "reply language", "currency", "severity"];

pub(super) static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::read);

impl Lexicon {
    fn read() -> Self {
        let (attributes, names) = attributes(include_str!("lexicon/attributes.txt"));
        Self {
            casual: pairs(include_str!("lexicon/casual.txt"))
                .map(|(from, to)| (from.to_owned(), phrase(to)))
                .collect(),
            hasty: pairs(include_str!("lexicon/hasty.txt"))
                .map(|(from, to)| (from.to_owned(), phrase(to)))
                .collect(),
            common_words: lines(include_str!("lexicon/common_words.txt"))
                .flat_map(str::split_whitespace)
                .map(str::to_owned)
                .collect(),
            chatter: phrases(include_str!("lexicon/chatter.txt")),
            hedges: phrases(include_str!("lexicon/hedges.txt")),
            prepositions: lines(include_str!("lexicon/prepositions.txt")).map(str::to_owned).collect(),
            irregular: pairs(include_str!("lexicon/irregular.txt"))
                .map(|(form, base)| (form.to_owned(), base.to_owned()))
                .collect(),
            common_verbs: lines(include_str!("lexicon/common_verbs.txt")).map(stem).collect(),
            changes: lines(include_str!("lexicon/changes.txt")).map(stem).collect(),
            removals: lines(include_str!("lexicon/removals.txt")).map(with_particle).collect(),
            stative: lines(include_str!("lexicon/stative.txt")).map(stem).collect(),
            attributes,
            names,
            kinds: kinds(include_str!("lexicon/kinds.txt")),
            verbs: verbs(include_str!("lexicon/verbs.txt")),
        }
    }

    /// The stem of a verb's base form.
    pub fn verb(&self, form: &str) -> String {
        self.irregular.get(form).map_or_else(|| stem(form), |base| stem(base))
    }

    pub fn is_irregular_verb(&self, form: &str) -> bool {
        self.irregular.contains_key(form)
    }

    /// Whether any list names the word by itself: a verb, a thing, an attribute.
    pub fn knows(&self, word: &str) -> bool {
        let verb = self.verb(word);
        self.is_irregular_verb(word)
            || self.is_common_verb(word)
            || self.is_removal(&verb, None)
            || self.stative.contains(&verb)
            || self.prepositions.contains(word)
            || self.kinds.iter().any(|(name, _)| name.iter().any(|part| part == word))
            || self.attribute(word).is_some()
    }

    pub fn is_common_verb(&self, form: &str) -> bool {
        self.common_verbs.contains(&stem(form)) || self.changes.contains(&stem(form))
    }

    pub fn is_change(&self, verb: &str) -> bool {
        self.changes.contains(verb)
    }

    pub fn is_removal(&self, verb: &str, particle: Option<&str>) -> bool {
        let of =
            |particle: Option<&str>| self.removals.contains(&(verb.to_owned(), particle.map(str::to_owned)));
        of(particle) || of(None)
    }

    pub fn is_stative(&self, verb: &str) -> bool {
        self.stative.contains(verb)
    }

    pub fn frame(&self, verb: &str, particle: Option<&str>) -> Option<&VerbFrame> {
        let exact = self.verbs.get(&(verb.to_owned(), particle.map(str::to_owned)));
        exact.or_else(|| self.verbs.get(&(verb.to_owned(), None)))
    }

    /// The usual name of an attribute that goes by this name.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let mut key: Vec<String> = stems(name);
        key.sort();
        key.dedup();
        self.attributes.get(&key).map(String::as_str)
    }

    /// All names of the attribute that goes by this name.
    pub fn names_of(&self, name: &str) -> &[String] {
        self.attribute(name).and_then(|usual| self.names.get(usual)).map_or(&[], Vec::as_slice)
    }

    /// The kind of the known thing in the text, of that with the longest name.
    pub fn kind(&self, text: &str) -> Option<&str> {
        self.kinds_in(text).first().map(|(_, kind)| *kind)
    }

    /// The known things in the text with their kinds, one of each kind.
    pub fn kinds_in(&self, text: &str) -> Vec<(&str, &str)> {
        let words = phrase(text);
        let has = |name: &Phrase| words.windows(name.len()).any(|w| w == name.as_slice());
        let mut found: Vec<(&str, &str)> = Vec::new();
        for (name, kind) in self.kinds.iter().filter(|(name, _)| has(name)) {
            // Everyday words name a plan or a stage only where they stand nearly alone.
            if EVERYDAY.contains(&kind.as_str()) && words.len() > 2 {
                continue;
            }
            if !found.iter().any(|(_, known)| known == kind) {
                found.push((name.last().map(String::as_str).unwrap_or_default(), kind));
            }
        }
        found
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

pub(super) fn phrase(text: &str) -> Phrase {
    text.to_lowercase()
        .split_whitespace()
        .map(|w| w.trim_matches(|c: char| ",;:()\"".contains(c)).trim_end_matches('.').to_owned())
        .filter(|w| !w.is_empty())
        .collect()
}

/// The longest first, so that a phrase is not cut short by its own beginning.
fn phrases(text: &'static str) -> Vec<Phrase> {
    let mut all: Vec<Phrase> = lines(text).map(phrase).collect();
    all.sort_by_key(|p| std::cmp::Reverse(p.len()));
    all
}

fn attributes(text: &'static str) -> (HashMap<Vec<String>, String>, HashMap<String, Vec<String>>) {
    let (mut by_key, mut names) = (HashMap::new(), HashMap::new());
    for (usual, others) in groups(text) {
        for name in std::iter::once(usual).chain(others.iter().copied()) {
            let mut key = stems(name);
            key.sort();
            key.dedup();
            by_key.entry(key).or_insert_with(|| usual.to_owned());
            names.entry(usual.to_owned()).or_insert_with(Vec::new).push(name.to_owned());
        }
    }
    (by_key, names)
}

/// `verb` or `verb + particle`
fn with_particle(verb: &str) -> (String, Option<String>) {
    match verb.split_once('+') {
        Some((base, particle)) => (stem(base.trim()), Some(particle.trim().to_owned())),
        None => (stem(verb.trim()), None),
    }
}

fn kinds(text: &'static str) -> Vec<(Phrase, String)> {
    let mut all: Vec<(Phrase, String)> = groups(text)
        .flat_map(|(kind, names)| names.into_iter().map(move |name| (phrase(name), kind.to_owned())))
        .collect();
    all.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    all
}

fn verbs(text: &'static str) -> HashMap<(String, Option<String>), VerbFrame> {
    let read = |line: &str| {
        let (verb, what) = line.split_once(':')?;
        let frame = match what.trim() {
            "STATE" => VerbFrame::State,
            what => match what.strip_prefix("OWNER ") {
                Some(role) => VerbFrame::Owner(role.to_owned()),
                None => VerbFrame::Attribute(what.to_owned()),
            },
        };
        Some((with_particle(verb), frame))
    };
    lines(text).filter_map(read).collect()
}
