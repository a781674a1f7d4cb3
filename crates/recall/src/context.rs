//! The context rule: which facts a model is given.
//!
//! It is given the facts that rank best for the question, of a small space all of them,
//! and every fact of a critical category whether or not the question seems to ask for it: an allergy must not be missed
//! because of how a question is worded.

use crate::category::folded;
use crate::rank::Ranked;
use crate::space_index::SpaceIndex;
use domain::{Fact, FactId, Fault};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// Of what a person searches for, so many are shown that share no word with it.
const NEAREST: usize = 10;
/// What a fact gains that holds what was typed letter by letter.
const HELD: f32 = 1.0;

#[derive(Debug, Clone, Copy)]
pub struct ContextRule<'a> {
    /// Facts that a model is given by rank.
    pub limit: usize,
    /// Case and surrounding space do not count.
    pub critical_categories: &'a [String],
    /// Critical facts that a space may hold. Beyond that nothing is answered, because leaving any out could drop the
    /// one that matters.
    pub critical_budget: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{found} active facts are critical where the budget is {budget}; raise SVC_CRITICAL_BUDGET or name fewer \
     categories critical"
)]
pub struct CriticalOverflow {
    pub found: usize,
    pub budget: usize,
}

impl From<CriticalOverflow> for Fault {
    fn from(overflow: CriticalOverflow) -> Self {
        Self::new("CriticalOverflow", overflow.to_string())
    }
}

impl SpaceIndex {
    /// The facts for a question: the ranked ones best first, then the other critical ones by id.
    pub fn choose(
        &self,
        question: &str,
        question_vector: Option<&[f32]>,
        rule: &ContextRule<'_>,
    ) -> Result<Vec<Ranked>, CriticalOverflow> {
        let mut critical = self.critical_ids(rule)?;
        let ranking = self.ranking(question, question_vector);
        let mut chosen = ranking.first(rule.limit);
        let ranked: HashSet<FactId> = chosen.iter().map(|ranked| ranked.fact.id).collect();
        critical.retain(|id| !ranked.contains(id));
        chosen.extend(critical.into_iter().filter_map(|id| ranking.of(id)));
        Ok(chosen)
    }

    /// The facts that a model reads beside a new statement: those nearest by words, since a statement waits for no
    /// embedding; the whole space by id when it fits.
    pub fn relevant(&self, statement: &str, limit: usize) -> Vec<Arc<Fact>> {
        if self.len() <= limit {
            return self.iter().cloned().collect();
        }
        self.ranking(statement, None).first(limit).into_iter().map(|ranked| ranked.fact).collect()
    }

    /// What a person searches for: the facts that hold the words, or the beginning of one that is still being typed, and
    /// the few that are nearest in meaning; the best first.
    pub fn search(&self, typed: &str, vector: Option<&[f32]>, limit: usize) -> Vec<Arc<Fact>> {
        let ranking = self.ranking(typed, vector);
        let by_words = self.holding(typed, limit);
        let by_meaning = vector.map_or_else(Vec::new, |v| self.by_meaning(v, NEAREST));
        let near = by_meaning.iter().filter(|hit| hit.score > 0.0).filter_map(|hit| self.get(hit.id));
        let typed = typed.trim().to_lowercase();
        let holds = |text: &str| text.to_lowercase().contains(&typed);
        let by_letters: Vec<&Arc<Fact>> =
            self.iter().rev().filter(|fact| holds(&fact.subject) || holds(&fact.value)).take(limit).collect();
        let held: HashSet<FactId> = by_letters.iter().map(|fact| fact.id).collect();
        let mut seen = HashSet::new();
        let found = by_words.iter().chain(by_letters).chain(near).filter(|fact| seen.insert(fact.id));
        let scored = found.map(|fact| Ranked {
            fact: fact.clone(),
            score: ranking.score(fact) + if held.contains(&fact.id) { HELD } else { 0.0 },
        });
        let mut found: Vec<Ranked> = scored.collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.fact.id.cmp(&a.fact.id)));
        found.into_iter().take(limit).map(|ranked| ranked.fact).collect()
    }

    fn critical_ids(&self, rule: &ContextRule<'_>) -> Result<Vec<FactId>, CriticalOverflow> {
        let keys: HashSet<String> = rule.critical_categories.iter().map(|name| folded(name)).collect();
        let sets: Vec<&BTreeSet<FactId>> = keys.iter().filter_map(|key| self.category_ids(key)).collect();
        let found = sets.iter().map(|ids| ids.len()).sum();
        if found > rule.critical_budget {
            return Err(CriticalOverflow { found, budget: rule.critical_budget });
        }
        let mut ids: Vec<FactId> = sets.into_iter().flatten().copied().collect();
        ids.sort_unstable();
        Ok(ids)
    }
}

#[cfg(test)]
mod tests {
    use super::{ContextRule, CriticalOverflow};
    use crate::samples::{critical_fact, fact};
    use crate::{Ranked, SpaceIndex};
    use domain::{Fact, FactId, Fault};
    use proptest::prelude::*;
    use std::sync::Arc;

    fn space(facts: impl IntoIterator<Item = Fact>) -> SpaceIndex {
        let mut index = SpaceIndex::new();
        facts.into_iter().for_each(|fact| index.upsert(Arc::new(fact)));
        index
    }

    fn ids(chosen: &[Ranked]) -> Vec<FactId> {
        chosen.iter().map(|ranked| ranked.fact.id).collect()
    }

    fn relevant(index: &SpaceIndex, statement: &str, limit: usize) -> Vec<FactId> {
        index.relevant(statement, limit).iter().map(|fact| fact.id).collect()
    }

    fn categories(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn rule(limit: usize, critical_categories: &[String]) -> ContextRule<'_> {
        ContextRule { limit, critical_categories, critical_budget: 3 }
    }

    /// An allergy, and then twenty items that have nothing to do with it.
    fn ward() -> SpaceIndex {
        let items = (0..20).map(|i| fact(FactId(i + 2), &format!("subject{i}"), &format!("item{i}")));
        space([critical_fact(FactId(1), "allergy", "PENICILLIN", "allergy")].into_iter().chain(items))
    }

    #[test]
    fn a_space_that_fits_goes_whole() {
        let index = space([fact(FactId(3), "c", "z"), fact(FactId(1), "a", "x"), fact(FactId(2), "b", "y")]);
        let chosen = index.choose("z of c", None, &rule(3, &[])).unwrap();
        assert_eq!(ids(&chosen), [FactId(3), FactId(1), FactId(2)]);
        assert_eq!(relevant(&index, "z of c", 3), [FactId(1), FactId(2), FactId(3)]);
    }

    #[test]
    fn a_full_context_has_matches_then_the_newest_then_critical_facts() {
        let critical = categories(&["allergy"]);
        let chosen = ward().choose("what is item7 of subject7?", None, &rule(5, &critical)).unwrap();
        assert_eq!(ids(&chosen), [FactId(9), FactId(18), FactId(19), FactId(20), FactId(21), FactId(1)]);
    }

    #[test]
    fn categories_of_the_call_replace_those_of_the_deployment() {
        let critical = categories(&["none-such"]);
        let chosen = ward().choose("what is item7?", None, &rule(5, &critical)).unwrap();
        assert_eq!(ids(&chosen), [FactId(9), FactId(18), FactId(19), FactId(20), FactId(21)]);
    }

    #[test]
    fn a_critical_fact_among_the_ranked_is_not_repeated() {
        let critical = categories(&[" ALLERGY ", "allergy", ""]);
        let chosen = ward().choose("penicillin?", None, &rule(3, &critical)).unwrap();
        assert_eq!(ids(&chosen), [FactId(1), FactId(20), FactId(21)]);
    }

    #[test]
    fn more_critical_facts_than_the_budget_stop_any_recall() {
        let critical = categories(&["allergy"]);
        let mut index = ward();
        (0..3).for_each(|i| index.upsert(Arc::new(critical_fact(FactId(30 + i), "al", "x", "Allergy"))));
        let overflow = CriticalOverflow { found: 4, budget: 3 };
        assert_eq!(index.choose("q", None, &rule(5, &critical)), Err(overflow));
        assert_eq!(index.choose("q", None, &rule(500, &critical)), Err(overflow));
        assert_eq!(Fault::from(overflow).kind, "CriticalOverflow");
        index.remove(FactId(31));
        assert_eq!(index.choose("q", None, &rule(5, &critical)).unwrap().len(), 5 + 1);
    }

    #[test]
    fn meaning_finds_what_words_do_not() {
        let mut index = space((1..=4).map(|i| fact(FactId(i), "note", &format!("n{i}"))));
        for (id, vector) in [(1, [1.0, 0.1]), (2, [-1.0, 0.0]), (3, [0.1, 1.0]), (4, [-1.0, 0.2])] {
            let fact = Arc::clone(index.get(FactId(id)).unwrap());
            index.set_vector(&fact, &vector).unwrap();
        }
        let chosen = index.choose("entirely different", Some(&[1.0, 0.0]), &rule(3, &[])).unwrap();
        assert_eq!(ids(&chosen), [FactId(1), FactId(3), FactId(4)]);
    }

    #[test]
    fn a_question_vector_of_another_length_is_ignored() {
        let mut index =
            space((0..12).map(|i| fact(FactId(i), &format!("thing{i}"), &format!("zebra{i} word{i}"))));
        for fact in index.iter().cloned().collect::<Vec<_>>() {
            index.set_vector(&fact, &[1.0; 64]).unwrap();
        }
        let chosen = index.choose("zebra9 word9 thing9", Some(&[1.0; 16]), &rule(3, &[])).unwrap();
        assert_eq!(ids(&chosen), [FactId(9), FactId(10), FactId(11)]);
    }

    #[test]
    fn an_extraction_sees_the_facts_nearest_by_words() {
        assert_eq!(relevant(&ward(), "subject3 is no longer item3", 2), [FactId(5), FactId(21)]);
    }

    proptest! {
        #[test]
        fn a_context_is_full_and_holds_every_critical_fact(
            critical_at in prop::collection::btree_set(0i64..40, 0..6),
            size in 0i64..40,
            limit in 0usize..12,
            asked in 0i64..40,
        ) {
            let index = space((0..size).map(|i| match critical_at.contains(&i) {
                true => critical_fact(FactId(i), &format!("thing{i}"), "v", "risk"),
                false => fact(FactId(i), &format!("thing{i}"), "v"),
            }));
            let critical = categories(&["risk"]);
            let rule = ContextRule { limit, critical_categories: &critical, critical_budget: 6 };
            let chosen = ids(&index.choose(&format!("thing{asked}"), None, &rule).unwrap());
            let distinct: std::collections::BTreeSet<_> = chosen.iter().copied().collect();
            prop_assert_eq!(distinct.len(), chosen.len());
            prop_assert!(critical_at.iter().filter(|id| **id < size).all(|id| distinct.contains(&FactId(*id))));
            prop_assert!(chosen.len() >= limit.min(index.len()) && chosen.len() <= limit + critical_at.len());
            if limit > 0 && asked < size {
                prop_assert!(distinct.contains(&FactId(asked)));
            }
        }
    }
}
