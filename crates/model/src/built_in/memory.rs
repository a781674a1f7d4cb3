//! What is held, as a statement is compared with it: by the words of subject, value and origin.

use super::lexicon::LEXICON;
use super::naming::key;
use super::stem::{plain_words, stems};
use domain::{Fact, Kind};
use std::collections::BTreeSet;

pub(super) type Stems = BTreeSet<String>;

/// A held fact, or one that the same statement has just added.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub id: Option<i64>,
    pub subject: String,
    pub scope: String,
    pub value: String,
    pub event: bool,
    /// The words of subject and scope, known names of one attribute folded.
    pub key: Stems,
    pub values: Stems,
    /// The words that the fact was taken from.
    pub text: Stems,
    pub kind: Option<String>,
    /// Whether nothing was told later.
    pub latest: bool,
}

impl Known {
    pub fn of(fact: &Fact) -> Self {
        let id = Some(fact.id);
        Self::new(id, &fact.subject, &fact.scope, &fact.value, &fact.text, fact.kind == Kind::Event)
    }

    pub fn new(id: Option<i64>, subject: &str, scope: &str, value: &str, text: &str, event: bool) -> Self {
        Self {
            id,
            subject: subject.to_owned(),
            scope: scope.to_owned(),
            value: value.to_owned(),
            event,
            key: full_key(subject, scope),
            values: set(value),
            text: told_with(value, text),
            kind: LEXICON.kind(value).map(str::to_owned),
            latest: false,
        }
    }

    /// The held facts. One that shares its words with others is known by its own words alone, so that what was said of
    /// one is not taken for what was said of another.
    pub fn all<'a>(facts: impl Iterator<Item = &'a Fact>) -> Vec<Self> {
        let facts: Vec<&Fact> = facts.collect();
        let mut known: Vec<Self> = facts.iter().copied().map(Self::of).collect();
        if let Some(last) = facts.iter().max_by_key(|fact| (fact.created, fact.id)) {
            for (k, fact) in known.iter_mut().zip(&facts) {
                k.latest = fact.text == last.text;
            }
        }
        let texts: Vec<Stems> = known.iter().map(|k| k.text.clone()).collect();
        for k in &mut known {
            if texts.iter().filter(|text| **text == k.text).count() > 1 {
                k.text = k.own();
            }
        }
        known
    }

    /// All words that belong to the fact itself.
    pub fn own(&self) -> Stems {
        self.key.union(&self.values).cloned().chain(set(&self.subject)).collect()
    }

    /// Numbers against numbers, words against words.
    pub fn same_shape(&self, value: &str) -> bool {
        is_figure(&self.value) == is_figure(value)
    }
}

/// The words of those sentences of a statement that speak of the value; of all where none does.
fn told_with(value: &str, text: &str) -> Stems {
    let values = set(value);
    let sentences: Vec<Stems> =
        text.split(". ").flat_map(|s| s.split([';', '\n', '!', '?'])).map(set).collect();
    let telling: Vec<&Stems> = sentences.iter().filter(|s| share(&values, s) >= 0.5).collect();
    if telling.is_empty() { set(text) } else { telling.into_iter().flatten().cloned().collect() }
}

pub(super) fn full_key(subject: &str, scope: &str) -> Stems {
    let scope = if scope == "global" { Vec::new() } else { stems(scope) };
    key(subject).into_iter().chain(scope).collect()
}

pub(super) fn set(text: &str) -> Stems {
    stems(text).into_iter().collect()
}

/// The stems of what is written with a capital or a figure. A first word counts only where it has more than a capital to
/// show for it.
pub(super) fn names(text: &str) -> Stems {
    let mut found = Stems::new();
    for sentence in text.split(". ").flat_map(|s| s.split(['!', '?', '\n', ';'])) {
        for (at, word) in sentence.split_whitespace().enumerate() {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            let capital = bare.chars().next().is_some_and(char::is_uppercase);
            let inner = bare.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit());
            if bare.starts_with(|c: char| c.is_ascii_digit()) || inner || (capital && at > 0 && bare != "I") {
                found.extend(set(bare));
            }
        }
    }
    found
}

pub(super) fn is_figure(value: &str) -> bool {
    plain_words(value)
        .first()
        .is_some_and(|w| w.starts_with(|c: char| c.is_ascii_digit() || "$€£#~".contains(c)))
}

/// The share of `part` that is found in `whole`.
pub(super) fn share(part: &Stems, whole: &Stems) -> f64 {
    if part.is_empty() {
        return 0.0;
    }
    part.intersection(whole).count() as f64 / part.len() as f64
}

/// The best of the candidates by score, if it is at least `least` and no other one comes as close.
pub(super) fn best(known: &[Known], least: f64, score: impl Fn(&Known) -> f64) -> Option<&Known> {
    let mut scored: Vec<(f64, &Known)> =
        known.iter().map(|k| (score(k), k)).filter(|(s, _)| *s >= least).collect();
    scored.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(y.id.cmp(&x.id)));
    match scored.as_slice() {
        [(_, one)] => Some(one),
        [(first, one), (second, _), ..] if *first > second + 0.05 => Some(one),
        _ => None,
    }
}
