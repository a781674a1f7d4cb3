//! The obvious baseline: plain BM25 over the raw turns. It shares nothing with the service's own ranking, so that a fault
//! there cannot hide here.

use rust_stemmers::{Algorithm, Stemmer};
use std::collections::BTreeMap;

const K1: f64 = 1.2;
const B: f64 = 0.75;

#[derive(Debug)]
pub struct Bm25 {
    documents: Vec<Document>,
    mean_length: f64,
    /// How many documents contain a word.
    spread: BTreeMap<String, usize>,
}

#[derive(Debug)]
struct Document {
    counts: BTreeMap<String, usize>,
    length: usize,
}

impl Bm25 {
    pub fn new(texts: &[String]) -> Self {
        let mut spread: BTreeMap<String, usize> = BTreeMap::new();
        let mut documents = Vec::new();
        for text in texts {
            let words = stems(text);
            let length = words.len();
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for word in words {
                *counts.entry(word).or_default() += 1;
            }
            for word in counts.keys() {
                *spread.entry(word.clone()).or_default() += 1;
            }
            documents.push(Document { counts, length });
        }
        let whole: usize = documents.iter().map(|document| document.length).sum();
        let mean_length = whole as f64 / documents.len().max(1) as f64;
        Self { documents, mean_length, spread }
    }

    /// The texts that share a word with the question, best first, by number; of equal ones the earlier.
    pub fn search(&self, question: &str, limit: usize) -> Vec<usize> {
        let mut wanted = stems(question);
        wanted.sort_unstable();
        wanted.dedup();
        let score = |document: &Document| wanted.iter().map(|word| self.weight(word, document)).sum::<f64>();
        let mut found: Vec<(usize, f64)> =
            self.documents.iter().map(score).enumerate().filter(|(_, score)| *score > 0.0).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        found.into_iter().map(|(number, _)| number).take(limit).collect()
    }

    fn weight(&self, word: &str, document: &Document) -> f64 {
        let Some(count) = document.counts.get(word) else { return 0.0 };
        let (all, with) = (self.documents.len() as f64, *self.spread.get(word).unwrap_or(&0) as f64);
        let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
        let count = *count as f64;
        let length = document.length as f64 / self.mean_length;
        rarity * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length))
    }
}

fn stems(text: &str) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let text = text.to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| stemmer.stem(word).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::Bm25;

    #[test]
    fn rare_words_rank_first_and_no_words_not_at_all() {
        let turns =
            ["Joel: We moved to Leeds.", "Maya: Nice!", "Joel: We like it here, we do, we really do."];
        let index = Bm25::new(&turns.map(str::to_owned));
        assert_eq!(index.search("Where did we move?", 10), [0, 2]);
        assert_eq!(index.search("Where did we move?", 1), [0]);
    }

    #[test]
    fn the_score_is_as_worked_out_by_hand() {
        let index = Bm25::new(&["red red fox".to_owned(), "blue".to_owned()]);
        let document = index.documents.first().unwrap();
        // ln(1 + 1.5 / 1.5) · 2 · 2.2 / (2 + 1.2 · (0.25 + 0.75 · 3 / 2))
        assert!((index.weight("red", document) - 0.8355).abs() < 1e-3, "{}", index.weight("red", document));
    }
}
