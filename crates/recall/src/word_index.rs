//! Okapi BM25 over short texts, kept up to date one text at a time.
//!
//! Each term lists the texts that hold it, and each text knows its place in the list of each of its terms. Taking a
//! text out therefore costs what its own terms cost: the last of a list moves into the gap, and the new position is
//! noted with the text that moved.

use crate::hits::{Hit, TopHits};
use crate::terms::{each_term, query_terms};
use domain::FactId;
use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

/// How soon further occurrences of a term stop counting, and how much the length of a text counts against it: the usual
/// values.
const SATURATION: f32 = 1.2;
const LENGTH_WEIGHT: f32 = 0.75;

/// List entries that one search reads. The rarest terms are read first, so what a longer search leaves out are words in
/// so many texts that they do not tell one from another.
const POSTINGS_PER_SEARCH: usize = 400_000;

#[derive(Debug, Default)]
pub struct WordIndex {
    term_numbers: HashMap<Arc<str>, u32>,
    terms: Vec<Term>,
    free_terms: Vec<u32>,
    slots: HashMap<FactId, u32>,
    documents: Vec<Document>,
    free_slots: Vec<u32>,
    total_length: u64,
    postings: usize,
    name_bytes: usize,
}

#[derive(Debug)]
struct Term {
    name: Arc<str>,
    postings: Vec<Posting>,
}

/// One term in one text. The text's length is repeated here, so scoring reads nothing but the lists.
#[derive(Debug, Clone, Copy)]
struct Posting {
    slot: u32,
    occurrences: u16,
    length: u16,
}

#[derive(Debug)]
struct Document {
    id: FactId,
    length: u16,
    /// In order of the term.
    places: Box<[PostingAt]>,
}

#[derive(Debug)]
struct PostingAt {
    term: u32,
    position: u32,
}

impl WordIndex {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
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

    /// Replaces the text of that id.
    pub fn insert(&mut self, id: FactId, text: &str) {
        self.remove(id);
        let mut numbers = Vec::new();
        each_term(text, |_, term| numbers.push(self.term_number(term)));
        numbers.sort_unstable();
        let length = saturated(numbers.len());
        let slot = self.free_slots.pop().unwrap_or(self.documents.len() as u32);
        let mut places = Vec::new();
        for same in numbers.chunk_by(|a, b| a == b) {
            let Some(number) = same.first().copied() else { continue };
            let Some(term) = self.terms.get_mut(number as usize) else { continue };
            places.push(PostingAt { term: number, position: term.postings.len() as u32 });
            term.postings.push(Posting { slot, occurrences: saturated(same.len()), length });
        }
        self.postings += places.len();
        self.total_length += u64::from(length);
        let document = Document { id, length, places: places.into_boxed_slice() };
        match self.documents.get_mut(slot as usize) {
            Some(free) => *free = document,
            None => self.documents.push(document),
        }
        self.slots.insert(id, slot);
    }

    pub fn remove(&mut self, id: FactId) {
        let Some(slot) = self.slots.remove(&id) else { return };
        let Some(document) = self.documents.get_mut(slot as usize) else { return };
        let places = mem::take(&mut document.places);
        self.free_slots.push(slot);
        self.total_length -= u64::from(document.length);
        self.postings -= places.len();
        for place in &places {
            self.remove_posting(place);
        }
    }

    /// The best first; of equal ones the newer.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let mut terms: Vec<&Term> = query_terms(query).iter().filter_map(|name| self.term(name)).collect();
        terms.sort_by_key(|term| term.postings.len());
        let mut scores = vec![0.0; self.documents.len()];
        let mut found = Vec::new();
        let mut read = 0;
        for term in terms {
            read += term.postings.len();
            if read > POSTINGS_PER_SEARCH && !found.is_empty() {
                break;
            }
            self.add_scores(term, &mut scores, &mut found);
        }
        let mut best = TopHits::new(limit);
        // From the newest to the oldest: of many equal hits the first ones stay, and the rest are turned away cheaply.
        for slot in found.into_iter().rev() {
            if let (Some(document), Some(score)) = (self.documents.get(slot), scores.get(slot)) {
                best.offer(Hit { id: document.id, score: *score });
            }
        }
        best.best_first()
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

    fn holds(&self, id: FactId, term: u32) -> bool {
        let document = self.slots.get(&id).and_then(|slot| self.documents.get(*slot as usize));
        document
            .is_some_and(|document| document.places.binary_search_by_key(&term, |place| place.term).is_ok())
    }

    /// Every score that a term adds is above zero, so zero marks a text that no term has found yet.
    fn add_scores(&self, term: &Term, scores: &mut [f32], found: &mut Vec<usize>) {
        let rarity = self.rarity(term);
        let mean_length = self.total_length as f32 / self.len() as f32;
        let damping_per_word = SATURATION * LENGTH_WEIGHT / mean_length;
        for posting in &term.postings {
            let slot = posting.slot as usize;
            let Some(score) = scores.get_mut(slot) else { continue };
            if *score == 0.0 {
                found.push(slot);
            }
            let occurrences = f32::from(posting.occurrences);
            let damping = SATURATION * (1.0 - LENGTH_WEIGHT) + damping_per_word * f32::from(posting.length);
            *score += rarity * (SATURATION + 1.0) * occurrences / (occurrences + damping);
        }
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

fn saturated(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::WordIndex;
    use crate::terms::{each_term, query_terms};
    use domain::FactId;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, HashMap};

    /// BM25 as the books give it, over plain maps.
    fn reference(texts: &BTreeMap<FactId, String>, query: &str) -> HashMap<FactId, f64> {
        let words = |text: &str| {
            let mut words: Vec<String> = Vec::new();
            each_term(text, |_, term| words.push(term.to_owned()));
            words
        };
        let documents: BTreeMap<FactId, Vec<String>> = texts.iter().map(|(id, t)| (*id, words(t))).collect();
        let n = documents.len() as f64;
        let mean = documents.values().map(Vec::len).sum::<usize>() as f64 / n;
        let mut scores = HashMap::new();
        for term in query_terms(query) {
            let df = documents.values().filter(|d| d.contains(&term)).count() as f64;
            for (id, document) in documents.iter().filter(|(_, d)| d.contains(&term)) {
                let tf = document.iter().filter(|w| **w == term).count() as f64;
                let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
                let length = document.len() as f64 / mean;
                *scores.entry(*id).or_default() += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length));
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
            changes in prop::collection::vec((0..25i64, prop::option::weighted(0.7, text())), 0..120),
            query in text(),
        ) {
            let mut index = WordIndex::new();
            let mut texts = BTreeMap::new();
            for (id, text) in changes {
                let id = FactId(id);
                match text {
                    Some(text) => { index.insert(id, &text); texts.insert(id, text); }
                    None => { index.remove(id); texts.remove(&id); }
                }
            }
            let mut fresh = WordIndex::new();
            texts.iter().for_each(|(id, text)| fresh.insert(*id, text));
            let found = index.search(&query, usize::MAX);
            prop_assert_eq!(index.len(), texts.len());
            prop_assert_eq!(&found, &fresh.search(&query, usize::MAX));
            prop_assert_eq!(index.search(&query, 3), &found[..found.len().min(3)]);

            let expected = reference(&texts, &query);
            prop_assert_eq!(found.len(), expected.len());
            for hit in &found {
                prop_assert!((f64::from(hit.score) - expected[&hit.id]).abs() < 1e-4);
            }
            prop_assert!(found.is_sorted_by(|a, b| a.score > b.score || a.score == b.score && a.id > b.id));
        }

        #[test]
        fn an_emptied_index_holds_no_terms(texts in prop::collection::vec(text(), 0..20)) {
            let mut index = WordIndex::new();
            (0..).zip(&texts).for_each(|(id, text)| index.insert(FactId(id), text));
            (0..).zip(&texts).for_each(|(id, _)| index.remove(FactId(id)));
            prop_assert!(index.is_empty() && index.term_numbers.is_empty());
            prop_assert_eq!((index.postings, index.name_bytes, index.total_length), (0, 0, 0));
        }
    }

    #[test]
    fn the_rarer_word_decides() {
        let mut index = WordIndex::new();
        index.insert(FactId(1), "billing service owner Dana");
        index.insert(FactId(2), "search service owner Imre");
        index.insert(FactId(3), "mail service owner Dana");
        let ids: Vec<FactId> = index.search("who owns the search service?", 9).iter().map(|h| h.id).collect();
        assert_eq!(ids, [2, 3, 1].map(FactId));
        assert_eq!(index.search("nothing of this", 9), []);
    }

    #[test]
    fn a_replaced_text_is_found_by_its_new_words_alone() {
        let mut index = WordIndex::new();
        index.insert(FactId(1), "Paris");
        index.insert(FactId(1), "Berlin");
        assert_eq!(index.search("paris", 9), []);
        assert_eq!(index.search("berlin", 9).len(), 1);
        assert_eq!(index.len(), 1);
    }
}
