//! The order of facts for a question, out of its words, its names and dates, and its meaning.
//!
//! The same facts and the same question give the same order. A fact whose subject the question holds whole comes first.

use crate::hits::{Hit, TopHits};
use crate::space_index::SpaceIndex;
use crate::vector_index::Towards;
use crate::word_index::Matches;
use domain::words::{Boundary, split_words};
use domain::{Fact, FactId};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What words count beside meaning. From 0.4 to 0.8 the facts found are much the same.
const WORDS_WEIGHT: f32 = 0.6;
/// What a fact loses that has none of the question's names and dates.
const NAMES_WEIGHT: f32 = 0.1;
/// What a fact loses for each better one of the same statement, so that one statement does not fill the list.
const REPETITION: f32 = 0.02;
/// Above all that words and meaning can add up to.
const ASKED_FOR: f32 = 10.0;

/// Facts that words and meaning each propose: so many for each place, and at least so many. One that is low for both may
/// still be good by both together.
const DEPTH_PER_PLACE: usize = 2;
const LEAST_DEPTH: usize = 200;

/// A fact and how well it answers a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    pub fact: Arc<Fact>,
    pub score: f32,
}

/// A question, held against facts.
#[derive(Debug)]
pub(crate) struct Ranking<'a> {
    index: &'a SpaceIndex,
    words: Matches<'a>,
    vector: Option<&'a [f32]>,
    meaning: Option<Towards<'a>>,
    /// The question's words in lower case with a space around each.
    spaced: String,
}

impl SpaceIndex {
    pub(crate) fn ranking<'a>(&'a self, question: &str, vector: Option<&'a [f32]>) -> Ranking<'a> {
        Ranking {
            index: self,
            words: self.matches(question),
            vector,
            meaning: vector.and_then(|vector| self.towards(vector)),
            spaced: spaced(question),
        }
    }
}

impl Ranking<'_> {
    /// As many of the best as asked for, best first. Places that are left over go to the newest facts, in the
    /// order of their numbers.
    pub fn first(&self, limit: usize) -> Vec<Ranked> {
        let depth = limit.saturating_mul(DEPTH_PER_PLACE).max(LEAST_DEPTH);
        let by_words = self.words.best(depth).into_iter().map(|hit| hit.id);
        let by_meaning = self.vector.map_or_else(Vec::new, |vector| self.index.by_meaning(vector, depth));
        // A fact that points away from the question does not match it; the newest facts are more useful in its place.
        let by_meaning = by_meaning.into_iter().filter(|hit| hit.score > 0.0).map(|hit| hit.id);
        let candidates: HashSet<FactId> = by_words.chain(by_meaning).chain(self.words.asked()).collect();
        let ids: Vec<FactId> = self.best(&candidates, limit).into_iter().map(|hit| hit.id).collect();
        let places = limit.saturating_sub(ids.len());
        let others = self.index.newest_first().filter(|id| !candidates.contains(id));
        let mut newest: Vec<FactId> = others.take(places).collect();
        newest.sort_unstable();
        ids.into_iter().chain(newest).filter_map(|id| self.of(id)).collect()
    }

    pub fn of(&self, id: FactId) -> Option<Ranked> {
        let fact = self.index.get(id)?;
        Some(Ranked { fact: Arc::clone(fact), score: self.score(fact) })
    }

    pub fn score(&self, fact: &Fact) -> f32 {
        let meaning = self.meaning.as_ref().map_or(0.0, |meaning| meaning.cosine_of_sum(&[fact.id]));
        let words = WORDS_WEIGHT * self.words.of(fact.id) - NAMES_WEIGHT * self.words.names_lacking(fact.id);
        meaning.max(0.0) + words + self.asked_for(fact)
    }

    /// Of several subjects that the question holds, the one that is more of it comes first, and above all the one that
    /// is in it word for word.
    fn asked_for(&self, fact: &Fact) -> f32 {
        let Some(share) = self.words.subject_of(fact.id) else { return 0.0 };
        let to_the_letter = self.spaced.contains(&spaced(&fact.subject));
        ASKED_FOR * (1.0 + share + if to_the_letter { 1.0 } else { 0.0 })
    }

    fn best(&self, candidates: &HashSet<FactId>, limit: usize) -> Vec<Hit> {
        let facts = candidates.iter().filter_map(|id| self.index.get(*id));
        let mut hits: Vec<Hit> = facts.map(|fact| Hit { id: fact.id, score: self.score(fact) }).collect();
        hits.sort_unstable_by(|a, b| b.cmp(a));
        let mut told: HashMap<&str, f32> = HashMap::new();
        let mut best = TopHits::new(limit);
        for hit in hits {
            let text = self.index.get(hit.id).map_or("", |fact| &*fact.text);
            let before = told.entry(text).or_default();
            let score = if text.is_empty() { hit.score } else { hit.score - REPETITION * *before };
            *before += 1.0;
            best.offer(Hit { score, ..hit });
        }
        best.best_first()
    }
}

fn spaced(text: &str) -> String {
    let lower = text.to_lowercase();
    split_words(&lower, Boundary::NotAlphanumeric).fold(" ".to_owned(), |spaced, word| spaced + word + " ")
}

#[cfg(test)]
mod tests {
    use crate::SpaceIndex;
    use crate::samples::fact;
    use domain::{Fact, FactId};
    use std::sync::Arc;

    fn space(facts: impl IntoIterator<Item = Fact>) -> SpaceIndex {
        let mut index = SpaceIndex::default();
        facts.into_iter().for_each(|fact| index.upsert(Arc::new(fact)));
        index
    }

    fn ids(index: &SpaceIndex, question: &str, vector: Option<&[f32]>) -> Vec<i64> {
        index.ranking(question, vector).first(3).iter().map(|ranked| ranked.fact.id.0).collect()
    }

    #[test]
    fn the_subject_that_is_asked_for_leads() {
        let index = space([
            fact(FactId(1), "flight to Rome", "Monday"),
            fact(FactId(2), "flight from Rome", "Friday"),
            fact(FactId(3), "Rome", "a flight of stairs to the hotel in Rome"),
        ]);
        assert_eq!(ids(&index, "When is the flight to Rome?", None).first(), Some(&1));
        assert_eq!(ids(&index, "When is the flight from Rome?", None).first(), Some(&2));
    }

    #[test]
    fn a_name_that_is_asked_for_counts() {
        let index = space([fact(FactId(1), "Ana's job", "baker"), fact(FactId(2), "Bo's work", "baker")]);
        assert_eq!(ids(&index, "Does the baker Ana like it?", None).first(), Some(&1));
    }

    #[test]
    fn a_fact_is_found_by_the_day_it_was_said() {
        let mut said = fact(FactId(1), "Ana lunch", "soup");
        said.times.said = Some("2023-05-07".parse().unwrap());
        let index = space([said, fact(FactId(2), "Ana lunch place", "home")]);
        assert_eq!(ids(&index, "What happened on 7 May 2023?", None).first(), Some(&1));
    }

    #[test]
    fn one_statement_does_not_fill_the_list() {
        let told = |id, value: &str| Fact {
            text: "The trip was long and wet.".into(),
            ..fact(FactId(id), "trip", value)
        };
        let other = Fact { text: "The trip was long and dry.".into(), ..fact(FactId(1), "trip", "dry") };
        let index = space([other, told(2, "wet"), told(3, "wet")]);
        assert_eq!(ids(&index, "What of the trip?", None), [3, 1, 2]);
    }

    #[test]
    fn meaning_counts_once_every_fact_has_its_vector() {
        let mut index = space((1..=3).map(|id| fact(FactId(id), "note", "n")));
        let embed = |index: &mut SpaceIndex, id: i64, vector: &[f32]| {
            let fact = Arc::clone(index.get(FactId(id)).unwrap());
            index.set_vector(&fact, vector).unwrap();
        };
        embed(&mut index, 1, &[1.0, 0.0]);
        embed(&mut index, 2, &[0.0, 1.0]);
        assert_eq!(ids(&index, "entirely different", Some(&[1.0, 0.0])), [1, 2, 3]);
        embed(&mut index, 3, &[0.0, 1.0]);
        assert_eq!(ids(&index, "entirely different", Some(&[1.0, 0.0])), [1, 2, 3]);
    }
}
