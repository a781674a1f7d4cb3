//! How well a held fact meets the words of a question or a request: as they are, by another name, by words of the same
//! meaning, or by what was said around it.

use super::lexicon::LEXICON;
use super::naming::key;
use super::stem::{plain_words, stem, stems};
use super::values::drug;
use super::vectors::{Meaning, similarity};
use domain::Fact;
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// Where words of one meaning differ in form, they share a group.
type Groups = BTreeSet<usize>;

/// Above this, words that are no synonyms are mostly of one kind and exclude each other: wife and husband.
const OF_ONE_KIND: f32 = 0.75;
/// Above this, words have to do with each other: medication and regimen.
const RELATED: f32 = 0.5;
const LONGEST_PHRASE: usize = 5;

/// Words that hold a sentence together.
const FUNCTION: [&str; 30] = [
    "if", "not", "cannot", "can't", "must", "should", "may", "might", "could", "shall", "being", "having",
    "than", "then", "through", "into", "out", "up", "off", "per", "via", "between", "during", "without",
    "within", "because", "while", "else", "ever", "us",
];

static SYNONYMS: LazyLock<HashMap<Vec<String>, Groups>> = LazyLock::new(|| {
    let mut groups: HashMap<Vec<String>, Groups> = HashMap::new();
    let lines = include_str!("lexicon/synonyms.txt").lines().filter(|line| !line.starts_with('#'));
    for (number, line) in lines.enumerate() {
        for phrase in line.split(',') {
            groups.entry(tokens(phrase).iter().map(|t| base(t)).collect()).or_default().insert(number);
        }
    }
    groups
});

/// A word of a question, or a phrase that stands for one thing.
#[derive(Debug, Clone)]
pub(super) struct Term {
    pub word: String,
    /// Of the words that carry meaning; a phrase has several.
    pub stems: Vec<String>,
    groups: Groups,
}

impl Term {
    fn is_of_one_kind(&self, word: &str, than: f32) -> bool {
        similarity(&self.word, word) > than && groups_of(&[word.to_owned()]).is_disjoint(&self.groups)
    }

    fn in_stems(&self, stems: &BTreeSet<String>) -> bool {
        !self.stems.is_empty() && self.stems.iter().all(|s| stems.contains(s))
    }
}

/// The terms of a text; words without a meaning of their own are left out.
pub(super) fn terms(text: &str) -> Vec<Term> {
    let tokens = tokens(text);
    let mut terms = Vec::new();
    let mut at = 0;
    while let Some(rest) = tokens.get(at..).filter(|rest| !rest.is_empty()) {
        let (length, groups) = (1..=LONGEST_PHRASE.min(rest.len()))
            .rev()
            .find_map(|n| rest.get(..n).map(|words| (n, groups_of(words))).filter(|(_, g)| !g.is_empty()))
            .unwrap_or((1, Groups::new()));
        let words = rest.get(..length).unwrap_or_default();
        let stems: Vec<String> = words.iter().flat_map(|w| stems(w)).collect();
        let function = length == 1 && words.iter().all(|w| FUNCTION.contains(&w.as_str()));
        if !stems.is_empty() && !function {
            terms.push(Term { word: words.join(" "), stems, groups });
        }
        at += length;
    }
    terms
}

fn tokens(text: &str) -> Vec<String> {
    let parts = |word: &String| word.split(['-', '_', '/']).map(str::to_owned).collect::<Vec<_>>();
    plain_words(text).iter().flat_map(parts).filter(|w| !w.is_empty()).collect()
}

fn base(word: &str) -> String {
    if LEXICON.is_irregular_verb(word) { LEXICON.verb(word) } else { stem(word) }
}

fn groups_of(words: &[String]) -> Groups {
    let bases: Vec<String> = words.iter().map(|w| base(w)).collect();
    SYNONYMS.get(&bases).cloned().unwrap_or_default()
}

/// The groups of all words and phrases in a text.
fn all_groups(text: &str) -> Groups {
    let tokens = tokens(text);
    (1..=LONGEST_PHRASE).flat_map(|n| tokens.windows(n).flat_map(groups_of).collect::<Vec<_>>()).collect()
}

/// A stretch of text with all that it can be met by.
#[derive(Debug, Clone, Default)]
struct Side {
    words: Vec<String>,
    stems: BTreeSet<String>,
    groups: Groups,
}

impl Side {
    fn of(text: &str) -> Self {
        let words = tokens(text);
        let bases = words.iter().filter(|w| LEXICON.is_irregular_verb(w)).map(|w| base(w));
        Self { stems: stems(text).into_iter().chain(bases).collect(), groups: all_groups(text), words }
    }

    fn begins(&self, term: &Term) -> bool {
        let [stem] = term.stems.as_slice() else { return false };
        let alike = |s: &String| {
            let (short, long) = if s.len() < stem.len() { (s, stem) } else { (stem, s) };
            // "repo" begins "report", and has nothing to do with it.
            long.starts_with(short.as_str()) && (short.len() > 4 || (short.len() == 4 && long.len() == 5))
        };
        self.stems.iter().any(alike)
    }

    fn nearest(&self, term: &Term) -> f32 {
        let Some(meaning) = Meaning::of(&term.word) else { return 0.0 };
        self.words.iter().filter_map(|w| Meaning::of(w)).map(|m| meaning.near(&m)).fold(0.0, f32::max)
    }
}

/// By what a fact meets a term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Met {
    /// By subject, value or scope.
    Itself(f64),
    /// By what was said around it.
    Around(f64),
    Not,
}

impl Met {
    pub fn strength(self) -> f64 {
        match self {
            Self::Itself(strength) | Self::Around(strength) => strength,
            Self::Not => 0.0,
        }
    }
}

/// A held fact as questions are compared with it.
#[derive(Debug, Clone)]
pub(super) struct Held {
    subject: Side,
    value: Side,
    /// Names of the attribute, and the kind of the value.
    other_names: BTreeSet<String>,
    /// Phrases may reach from the subject into the value.
    whole: Groups,
    around: Side,
    /// The clauses in which the value was told, as they were said.
    pub told: String,
}

impl Held {
    pub fn of(fact: &Fact) -> Self {
        let scope = if fact.scope == "global" { "" } else { fact.scope.as_str() };
        let told = told(&fact.value, &fact.text);
        let mut subject = Side::of(&format!("{} {scope}", fact.subject));
        subject.stems.extend(key(&fact.subject));
        let parts = fact.subject.split([' ', '_']).filter(|w| !w.ends_with("'s"));
        let names = std::iter::once(fact.subject.as_str())
            .chain(parts)
            .flat_map(|part| LEXICON.names_of(part).iter().map(String::as_str));
        let kinds = [LEXICON.kind(&fact.value), LEXICON.kind(&fact.subject)];
        let drug = drug(&fact.value).map(|_| "medication");
        let other_names = names.chain(kinds.into_iter().flatten()).chain(drug).flat_map(stems).collect();
        Self {
            subject,
            value: Side::of(&fact.value),
            other_names,
            whole: all_groups(&format!("{} {}", fact.subject, fact.value)),
            around: Side::of(&told),
            told,
        }
    }

    pub fn meets(&self, term: &Term) -> Met {
        if term.in_stems(&self.subject.stems) {
            return Met::Itself(1.0);
        }
        if term.in_stems(&self.value.stems) || self.subject.begins(term) || self.value.begins(term) {
            return Met::Itself(0.9);
        }
        if term.in_stems(&self.other_names) || !term.groups.is_disjoint(&self.subject.groups) {
            return Met::Itself(0.8);
        }
        if !term.groups.is_disjoint(&self.whole) {
            return Met::Itself(0.7);
        }
        if term.in_stems(&self.around.stems) || self.around.begins(term) {
            return Met::Around(0.6);
        }
        if !term.groups.is_disjoint(&self.around.groups) {
            return Met::Around(0.5);
        }
        let related = |near: f32| near > RELATED && near < OF_ONE_KIND;
        if related(self.subject.nearest(term)) || related(self.value.nearest(term)) {
            return Met::Itself(0.4);
        }
        Met::Not
    }

    pub fn value_meets(&self, term: &Term) -> bool {
        term.in_stems(&self.value.stems)
    }

    /// Whether the fact speaks, in place of this, of another thing of the same kind.
    pub fn speaks_of_another(&self, term: &Term, asked: &[Term], met_elsewhere: bool) -> bool {
        let [stem] = term.stems.as_slice() else { return false };
        let unasked = |w: &&String| stems(w).iter().all(|s| !asked.iter().any(|t| t.stems.contains(s)));
        let (limit, around) =
            if met_elsewhere { (RELATED, self.around.words.as_slice()) } else { (OF_ONE_KIND, &[][..]) };
        let mut others = self.subject.words.iter().chain(around).filter(unasked);
        others.any(|w| term.is_of_one_kind(w, limit) || stems(w).iter().any(|s| exclude(stem, s)))
    }

    /// The share of the subject's words that the question does not have, nor any that mean the same.
    pub fn more(&self, asked: &[Term]) -> f64 {
        let unasked = |w: &&String| {
            let (stems, groups) = (stems(w), groups_of(&[(*w).clone()]));
            let met = |t: &Term| stems.iter().any(|s| t.stems.contains(s)) || !t.groups.is_disjoint(&groups);
            !stems.is_empty() && !asked.iter().any(met)
        };
        self.subject.words.iter().filter(unasked).count() as f64 / self.subject.stems.len().max(1) as f64
    }

    pub fn has(&self, stem: &str) -> bool {
        self.subject.stems.contains(stem)
            || self.value.stems.contains(stem)
            || self.around.stems.contains(stem)
    }

    /// Whether it speaks of somebody or something by a pronoun alone.
    pub fn points_back(&self) -> bool {
        const PRONOUNS: [&str; 11] =
            ["he", "she", "they", "it", "his", "her", "their", "its", "him", "them", "theirs"];
        self.around.words.iter().any(|w| PRONOUNS.contains(&w.as_str()))
    }

    pub fn subject_words(&self) -> &[String] {
        &self.subject.words
    }
}

/// Places that a thing may be so in, and at the same time otherwise in another.
const SCOPES: [&[&str]; 7] = [
    &["product", "stage", "develop", "test", "qa", "sandbox", "prod", "dev"],
    &["web", "mobil", "desktop"],
    &["privat", "work", "busi", "firm", "offic"],
    &["person", "work", "busi", "compani", "joint"],
    &["left", "right"],
    &["intern", "extern"],
    &["weekday", "weekend"],
];

/// Whether what holds for one does not hold for the other.
fn exclude(a: &str, b: &str) -> bool {
    a != b && SCOPES.iter().any(|line| line.contains(&a) && line.contains(&b))
}

/// Whether the term says for what something holds, rather than what.
pub(super) fn is_scope(term: &Term) -> bool {
    term.stems.iter().all(|stem| SCOPES.iter().any(|line| line.contains(&stem.as_str())))
}

/// The clauses of a statement that speak of the value; the whole where none does.
fn told(value: &str, text: &str) -> String {
    let wanted: BTreeSet<String> = stems(value).into_iter().collect();
    let share = |clause: &str| {
        let has: BTreeSet<String> = stems(clause).into_iter().collect();
        wanted.intersection(&has).count() * 2 >= wanted.len().max(1)
    };
    let telling: Vec<&str> = clauses(text).into_iter().filter(|clause| share(clause)).collect();
    if telling.is_empty() { text.to_owned() } else { telling.join(". ") }
}

fn clauses(text: &str) -> Vec<&str> {
    const BETWEEN: [&str; 7] = ["; ", ", and ", ", but ", ", while ", ", whereas ", " whereas ", ", so "];
    let mut clauses: Vec<&str> = text.split(['\n', '!', '?']).flat_map(sentences).collect();
    for between in BETWEEN {
        clauses = clauses.into_iter().flat_map(|clause| clause.split(between)).collect();
    }
    clauses.into_iter().map(|c| c.trim().trim_end_matches('.')).filter(|c| !c.is_empty()).collect()
}

/// Split at full stops, but not at that of "Mr. Osei".
fn sentences(text: &str) -> Vec<&str> {
    const TITLES: [&str; 5] = ["Mr", "Mrs", "Ms", "Dr", "St"];
    let mut sentences = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices(". ") {
        let sentence = text.get(from..at).unwrap_or_default();
        if !TITLES.contains(&sentence.rsplit(' ').next().unwrap_or_default()) {
            sentences.push(sentence);
            from = at + 2;
        }
    }
    sentences.extend(text.get(from..));
    sentences
}
