//! BM25F over the parts of facts, kept up to date one fact at a time.
//!
//! Each term lists the facts that hold it, and each fact knows its place in the list of each of its terms. Taking a
//! fact out therefore costs what its own terms cost: the last of a list moves into the gap, and the new position is
//! noted with the fact that moved.

use crate::fields::{TermWeight, term_weights};
use crate::hits::{Hit, TopHits};
use crate::terms::{name_terms, query_terms};
use domain::{Fact, FactId};
use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

/// List entries that one search reads. The rarest terms are read first, so what a longer search leaves out are words in
/// so many facts that they do not tell one from another.
const POSTINGS_PER_SEARCH: usize = 1_000_000;
/// A subject of one word is what a question asks for only where that word is so much of it.
const ALONE: f32 = 0.5;

#[derive(Debug, Default)]
pub(crate) struct WordIndex {
    term_numbers: HashMap<Arc<str>, u32>,
    terms: Vec<Term>,
    free_terms: Vec<u32>,
    slots: HashMap<FactId, u32>,
    documents: Vec<Document>,
    free_slots: Vec<u32>,
    postings: usize,
    name_bytes: usize,
}

#[derive(Debug)]
struct Term {
    name: Arc<str>,
    postings: Vec<Posting>,
}

/// One term in one fact. Scoring reads nothing but the lists.
#[derive(Debug, Clone, Copy)]
struct Posting {
    slot: u32,
    weight: TermWeight,
}

#[derive(Debug)]
struct Document {
    id: FactId,
    /// How many terms tell its subject.
    subject_terms: u16,
    /// In order of the term.
    places: Box<[PostingAt]>,
}

#[derive(Debug)]
struct PostingAt {
    term: u32,
    position: u32,
}

impl WordIndex {
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Roughly what the index takes in memory: lists have room to grow, and tables are not full.
    pub fn bytes(&self) -> usize {
        const TABLE_ENTRY: usize = 48;
        let per_posting = size_of::<Posting>() * 3 / 2 + size_of::<PostingAt>();
        self.postings * per_posting
            + self.terms.len() * (size_of::<Term>() + TABLE_ENTRY)
            + self.name_bytes
            + self.documents.len() * (size_of::<Document>() + TABLE_ENTRY)
    }

    /// Replaces the words of that fact.
    pub fn insert(&mut self, fact: &Fact) {
        self.remove(fact.id);
        let weights = term_weights(fact);
        let subject_terms = weights.values().filter(|weight| weight.in_subject).count();
        let slot = self.free_slots.pop().unwrap_or(self.documents.len() as u32);
        let mut numbered: Vec<(u32, TermWeight)> =
            weights.iter().map(|(term, weight)| (self.term_number(term), *weight)).collect();
        numbered.sort_unstable_by_key(|(number, _)| *number);
        let mut places = Vec::new();
        for (number, weight) in numbered {
            let Some(term) = self.terms.get_mut(number as usize) else { continue };
            places.push(PostingAt { term: number, position: term.postings.len() as u32 });
            term.postings.push(Posting { slot, weight });
        }
        self.postings += places.len();
        let subject_terms = u16::try_from(subject_terms).unwrap_or(u16::MAX);
        let document = Document { id: fact.id, subject_terms, places: places.into_boxed_slice() };
        match self.documents.get_mut(slot as usize) {
            Some(free) => *free = document,
            None => self.documents.push(document),
        }
        self.slots.insert(fact.id, slot);
    }

    pub fn remove(&mut self, id: FactId) {
        let Some(slot) = self.slots.remove(&id) else { return };
        let Some(document) = self.documents.get_mut(slot as usize) else { return };
        let places = mem::take(&mut document.places);
        self.free_slots.push(slot);
        self.postings -= places.len();
        for place in &places {
            self.remove_posting(place);
        }
    }

    /// The facts that share a word with the text, the best first; of equal ones the newer.
    pub fn search(&self, text: &str, limit: usize) -> Vec<Hit> {
        self.matches(text).best(limit)
    }

    /// How well every fact fits the words of a question.
    pub fn matches(&self, question: &str) -> Matches<'_> {
        let mut terms: Vec<&Term> = query_terms(question).iter().filter_map(|name| self.term(name)).collect();
        terms.sort_by_key(|term| term.postings.len());
        let named = name_terms(question);
        let names = named.iter().filter_map(|name| self.term_numbers.get(name.as_str()).copied()).collect();
        let whole = terms.iter().map(|term| self.rarity(term)).sum();
        let mut matches = Matches {
            index: self,
            whole,
            names,
            scores: vec![Score::default(); self.documents.len()],
            found: Vec::new(),
        };
        let mut read = 0;
        for term in terms {
            read += term.postings.len();
            if read > POSTINGS_PER_SEARCH && !matches.found.is_empty() {
                break;
            }
            matches.add(term);
        }
        matches
    }

    /// The question's terms, to be held against single texts.
    pub(crate) fn wanted(&self, question: &str) -> Wanted<'_> {
        let numbers =
            query_terms(question).into_iter().filter_map(|name| self.term_numbers.get(name.as_str()));
        let terms =
            numbers.filter_map(|number| Some((*number, self.rarity(self.terms.get(*number as usize)?))));
        Wanted { index: self, terms: terms.collect() }
    }

    fn rarity(&self, term: &Term) -> f32 {
        let (texts, holding) = (self.len() as f32, term.postings.len() as f32);
        (1.0 + (texts - holding + 0.5) / (holding + 0.5)).ln()
    }

    fn slot(&self, id: FactId) -> Option<usize> {
        self.slots.get(&id).map(|slot| *slot as usize)
    }

    fn holds(&self, id: FactId, term: u32) -> bool {
        let document = self.slot(id).and_then(|slot| self.documents.get(slot));
        document
            .is_some_and(|document| document.places.binary_search_by_key(&term, |place| place.term).is_ok())
    }

    fn term(&self, name: &str) -> Option<&Term> {
        self.term_numbers.get(name).and_then(|number| self.terms.get(*number as usize))
    }

    fn term_number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.term_numbers.get(name) {
            return *number;
        }
        let name: Arc<str> = name.into();
        let term = Term { name: Arc::clone(&name), postings: Vec::new() };
        let number = self.free_terms.pop().unwrap_or(self.terms.len() as u32);
        match self.terms.get_mut(number as usize) {
            Some(free) => *free = term,
            None => self.terms.push(term),
        }
        self.name_bytes += name.len();
        self.term_numbers.insert(name, number);
        number
    }

    fn remove_posting(&mut self, place: &PostingAt) {
        let Some(term) = self.terms.get_mut(place.term as usize) else { return };
        let position = place.position as usize;
        if position < term.postings.len() {
            term.postings.swap_remove(position);
        }
        if let Some(moved) = term.postings.get(position)
            && let Some(document) = self.documents.get_mut(moved.slot as usize)
            && let Ok(at) = document.places.binary_search_by_key(&place.term, |p| p.term)
            && let Some(moved) = document.places.get_mut(at)
        {
            moved.position = place.position;
        }
        if term.postings.is_empty() {
            term.postings = Vec::new();
            self.term_numbers.remove(&term.name);
            self.name_bytes -= term.name.len();
            self.free_terms.push(place.term);
        }
    }
}

/// The terms of a question that any text holds, with how much each of them says.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    index: &'a WordIndex,
    terms: Vec<(u32, f32)>,
}

impl Wanted<'_> {
    /// How much of the question these texts have between them, from 0 to 1: a rare term counts more.
    pub fn covered_by(&self, ids: &[FactId]) -> f32 {
        let all: f32 = self.terms.iter().map(|(_, rarity)| rarity).sum();
        let held = self.terms.iter().filter(|(term, _)| ids.iter().any(|id| self.index.holds(*id, *term)));
        let held: f32 = held.map(|(_, rarity)| rarity).sum();
        if all > 0.0 { held / all } else { 0.0 }
    }
}

/// What a fact has of a question's words.
#[derive(Debug, Clone, Copy, Default)]
struct Score {
    words: f32,
    /// The same of the words that tell its subject, by how rare they are.
    subject: f32,
    subject_terms: u16,
}

/// How well facts fit the words of a question.
#[derive(Debug)]
pub(crate) struct Matches<'a> {
    index: &'a WordIndex,
    /// How much all words of the question say.
    whole: f32,
    /// The terms of its names and numbers that any fact has.
    names: Vec<u32>,
    scores: Vec<Score>,
    /// The slots of the facts that share a word with it.
    found: Vec<usize>,
}

impl Matches<'_> {
    /// Every score that a term adds is above zero, so zero marks a fact that no term has found yet.
    fn add(&mut self, term: &Term) {
        let rarity = self.index.rarity(term);
        for Posting { slot, weight } in &term.postings {
            let slot = *slot as usize;
            let Some(score) = self.scores.get_mut(slot) else { continue };
            if score.words == 0.0 {
                self.found.push(slot);
            }
            score.words += rarity * weight.weight;
            if weight.in_subject {
                score.subject += rarity;
                score.subject_terms += 1;
            }
        }
    }

    /// From 0 to 1.
    pub fn of(&self, id: FactId) -> f32 {
        self.score(id).map_or(0.0, |score| score.words / self.whole)
    }

    /// How much of the question the subject is, where the question has all of its words; it then asks for this fact.
    pub fn subject_of(&self, id: FactId) -> Option<f32> {
        self.asked_for(self.index.slot(id)?)
    }

    /// The facts that the question asks for by their subjects.
    pub fn asked(&self) -> impl Iterator<Item = FactId> {
        let asked = self.found.iter().filter(|slot| self.asked_for(**slot).is_some());
        asked.filter_map(|slot| Some(self.index.documents.get(*slot)?.id))
    }

    fn asked_for(&self, slot: usize) -> Option<f32> {
        let (score, document) = (self.scores.get(slot)?, self.index.documents.get(slot)?);
        let share = score.subject / self.whole;
        let is_whole = score.subject_terms > 0 && score.subject_terms == document.subject_terms;
        (is_whole && (score.subject_terms > 1 || share >= ALONE)).then_some(share)
    }

    /// The share of the question's names and numbers that the fact does not have, of those that any fact has.
    pub fn names_lacking(&self, id: FactId) -> f32 {
        let lacking = self.names.iter().filter(|name| !self.index.holds(id, **name)).count();
        lacking as f32 / self.names.len().max(1) as f32
    }

    pub fn best(&self, limit: usize) -> Vec<Hit> {
        let mut best = TopHits::new(limit);
        // From the newest to the oldest: of many equal hits the first ones stay, and the rest are turned away cheaply.
        for slot in self.found.iter().rev() {
            if let (Some(document), Some(score)) = (self.index.documents.get(*slot), self.scores.get(*slot)) {
                best.offer(Hit { id: document.id, score: score.words });
            }
        }
        best.best_first()
    }

    fn score(&self, id: FactId) -> Option<&Score> {
        self.scores.get(self.index.slot(id)?).filter(|score| score.words > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::WordIndex;
    use crate::fields::term_weights;
    use crate::samples::fact;
    use crate::terms::query_terms;
    use domain::{Fact, FactId};
    use proptest::prelude::*;
    use std::collections::{BTreeMap, HashMap};

    /// The same sum over plain maps.
    fn reference(facts: &BTreeMap<FactId, Fact>, query: &str) -> HashMap<FactId, f64> {
        let n = facts.len() as f64;
        let holding =
            |term: &str| facts.values().filter(|fact| term_weights(fact).contains_key(term)).count();
        let mut scores = HashMap::new();
        for term in query_terms(query) {
            let df = holding(&term) as f64;
            for (id, fact) in facts {
                if let Some(weight) = term_weights(fact).get(&term) {
                    let rarity = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
                    *scores.entry(*id).or_default() += rarity * f64::from(weight.weight);
                }
            }
        }
        scores
    }

    fn text() -> impl Strategy<Value = String> {
        let word = prop::sample::select(vec![
            "red",
            "green",
            "blue",
            "deploys",
            "deployed",
            "user_name",
            "userName",
            "the",
            "is",
            "東京",
            "猫",
        ]);
        prop::collection::vec(word, 0..8).prop_map(|words| words.join(" "))
    }

    proptest! {
        #[test]
        fn any_history_of_changes_ranks_like_the_reference(
            changes in prop::collection::vec((0..25i64, prop::option::weighted(0.7, (text(), text()))), 0..80),
            query in text(),
        ) {
            let mut index = WordIndex::default();
            let mut facts = BTreeMap::new();
            for (id, texts) in changes {
                let id = FactId(id);
                match texts {
                    Some((subject, value)) => {
                        let fact = fact(id, &subject, &value);
                        index.insert(&fact);
                        facts.insert(id, fact);
                    }
                    None => { index.remove(id); facts.remove(&id); }
                }
            }
            let mut fresh = WordIndex::default();
            facts.values().for_each(|fact| fresh.insert(fact));
            let found = index.search(&query, usize::MAX);
            prop_assert_eq!(index.len(), facts.len());
            prop_assert_eq!(&found, &fresh.search(&query, usize::MAX));
            prop_assert_eq!(index.search(&query, 3), &found[..found.len().min(3)]);

            let expected = reference(&facts, &query);
            prop_assert_eq!(found.len(), expected.len());
            for hit in &found {
                prop_assert!((f64::from(hit.score) - expected[&hit.id]).abs() < 1e-4);
            }
            prop_assert!(found.is_sorted_by(|a, b| a.score > b.score || a.score == b.score && a.id > b.id));
        }

        #[test]
        fn an_emptied_index_holds_no_terms(texts in prop::collection::vec(text(), 0..20)) {
            let mut index = WordIndex::default();
            (0..).zip(&texts).for_each(|(id, text)| index.insert(&fact(FactId(id), text, "")));
            (0..).zip(&texts).for_each(|(id, _)| index.remove(FactId(id)));
            prop_assert!(index.len() == 0 && index.term_numbers.is_empty());
            prop_assert_eq!((index.postings, index.name_bytes), (0, 0));
        }
    }

    fn index(facts: &[(i64, &str, &str)]) -> WordIndex {
        let mut index = WordIndex::default();
        facts.iter().for_each(|(id, subject, value)| index.insert(&fact(FactId(*id), subject, value)));
        index
    }

    #[test]
    fn the_rarer_word_decides() {
        let owners = [(1, "billing service owner", "Dana"), (2, "search service owner", "Imre")];
        let index = index(&[owners[0], owners[1], (3, "mail service owner", "Dana")]);
        let ids: Vec<FactId> = index.search("who owns the search service?", 9).iter().map(|h| h.id).collect();
        assert_eq!(ids, [2, 3, 1].map(FactId));
        assert_eq!(index.search("nothing of this", 9), []);
    }

    #[test]
    fn a_replaced_fact_is_found_by_its_new_words_alone() {
        let index = index(&[(1, "Paris", ""), (1, "Berlin", "")]);
        assert_eq!(index.search("paris", 9), []);
        assert_eq!(index.search("berlin", 9).len(), 1);
        assert_eq!(index.len(), 1);
    }

    #[test]
    fn a_question_asks_for_the_subjects_that_it_holds_whole() {
        let index = index(&[(1, "Ana", "tall"), (2, "Ana car", "red"), (3, "Ana car colour", "red")]);
        let asked = |question: &str| {
            let mut asked: Vec<i64> = index.matches(question).asked().map(|id| id.0).collect();
            asked.sort_unstable();
            asked
        };
        assert_eq!(asked("Which car has Ana?"), [2]);
        assert_eq!(asked("What is Ana car colour?"), [2, 3]);
        assert_eq!(asked("Who is Ana?"), [1]);
        assert_eq!(index.matches("Where is the car of Ana?").names_lacking(FactId(1)), 0.0);
    }
}
