//! How well several facts together speak to a question.

use crate::space_index::SpaceIndex;
use crate::vector_index::Towards;
use crate::word_index::Wanted;
use domain::FactId;

/// What the question's words count beside its meaning. From 0.3 to 0.6 the facts found are much the same.
const WORDS_WEIGHT: f32 = 0.4;

/// A question, prepared to be held against facts.
#[derive(Debug)]
pub struct Relevance<'a> {
    words: Wanted<'a>,
    meaning: Option<Towards<'a>>,
}

impl SpaceIndex {
    pub fn relevance<'a>(&'a self, question: &str, vector: Option<&[f32]>) -> Relevance<'a> {
        Relevance { words: self.wanted(question), meaning: vector.and_then(|vector| self.towards(vector)) }
    }
}

impl Relevance<'_> {
    /// From 0 to about 1.4: how near the facts taken together are to the question's meaning, and how much of its words
    /// they have between them. A second fact that only repeats the first adds nothing.
    pub fn of(&self, facts: &[FactId]) -> f32 {
        let meaning = self.meaning.as_ref().map_or(0.0, |meaning| meaning.cosine_of_sum(facts));
        meaning.max(0.0) + WORDS_WEIGHT * self.words.covered_by(facts)
    }
}

#[cfg(test)]
mod tests {
    use crate::SpaceIndex;
    use crate::samples::fact;
    use domain::FactId;
    use std::sync::Arc;

    fn space() -> SpaceIndex {
        let mut index = SpaceIndex::new();
        for (id, subject, value) in [
            (1, "payments database", "ledger-pg"),
            (2, "ledger-pg region", "Frankfurt"),
            (3, "payments database", "ledger-pg"),
            (4, "lunch", "soup"),
        ] {
            index.upsert(Arc::new(fact(FactId(id), subject, value)));
        }
        index
    }

    const QUESTION: &str = "In which region is the database of payments?";

    #[test]
    fn facts_that_complete_each_other_are_worth_more_than_the_same_twice() {
        let index = space();
        let relevance = index.relevance(QUESTION, None);
        let of = |ids: &[i64]| relevance.of(&ids.iter().copied().map(FactId).collect::<Vec<_>>());
        assert!(of(&[1, 2]) > of(&[1]) && of(&[1]) > of(&[2]) && of(&[2]) > of(&[4]));
        assert_eq!(of(&[1, 3]), of(&[1]));
        assert_eq!((of(&[4]), of(&[]), of(&[99])), (0.0, 0.0, 0.0));
    }

    #[test]
    fn the_meaning_of_a_path_is_that_of_its_facts_together() {
        let mut index = space();
        for (id, vector) in [(1, [1.0, 0.0]), (2, [0.0, 1.0]), (3, [-0.7, -0.7]), (4, [-1.0, 0.0])] {
            let fact = Arc::clone(index.get(FactId(id)).unwrap());
            index.set_vector(&fact, &vector).unwrap();
        }
        let relevance = index.relevance("xyzzy", Some(&[0.7, 0.7]));
        let of = |ids: &[i64]| relevance.of(&ids.iter().copied().map(FactId).collect::<Vec<_>>());
        assert!((of(&[1, 2]) - 1.0).abs() < 1e-3 && of(&[1]) < 0.8);
        assert_eq!((of(&[4]), of(&[3])), (0.0, 0.0));
        assert_eq!(index.relevance("xyzzy", Some(&[0.7; 3])).of(&[FactId(1)]), 0.0);
    }
}
