//! One ranking out of several.

use crate::hits::Hit;
use domain::FactId;
use std::collections::HashMap;

/// How much a first place is worth over a later one. The usual value of reciprocal rank fusion: small enough that
/// the head of each list counts most, large enough that a fact high in both lists beats the first of one.
const FLATNESS: f32 = 60.0;

/// What one search found, the best first, and how much it counts.
#[derive(Debug, Clone, Copy)]
pub struct Ranking<'a> {
    pub hits: &'a [Hit],
    /// How deep it looked. What is deeper counts as if it came right after the last place. Otherwise two poor places
    /// could beat a good one merely because the search went that deep.
    pub depth: usize,
    pub weight: f32,
}

/// Reciprocal rank fusion. Scores of different searches cannot be compared, but places can.
/// Of equally placed facts the newer one comes first.
pub fn fuse(rankings: &[Ranking<'_>]) -> Vec<FactId> {
    let mut scores: HashMap<FactId, f32> = HashMap::new();
    for ranking in rankings {
        let worth = |place: usize| ranking.weight / (FLATNESS + 1.0 + place as f32);
        for (place, hit) in ranking.hits.iter().enumerate() {
            *scores.entry(hit.id).or_default() += worth(place) - worth(ranking.depth);
        }
    }
    let mut fused: Vec<Hit> = scores.into_iter().map(|(id, score)| Hit { id, score }).collect();
    fused.sort_unstable_by(|a, b| b.cmp(a));
    fused.into_iter().map(|hit| hit.id).collect()
}

#[cfg(test)]
mod tests {
    use super::{Ranking, fuse};
    use crate::Hit;
    use domain::FactId;

    fn fused(lists: &[&[FactId]], depth: usize) -> Vec<FactId> {
        let lists: Vec<Vec<Hit>> =
            lists.iter().map(|ids| ids.iter().map(|id| Hit { id: *id, score: 1.0 }).collect()).collect();
        let rankings: Vec<Ranking<'_>> =
            lists.iter().map(|hits| Ranking { hits, depth, weight: 1.0 }).collect();
        fuse(&rankings)
    }

    #[test]
    fn a_fact_in_both_lists_comes_first() {
        assert_eq!(
            fused(&[&[FactId(1), FactId(2), FactId(3)], &[FactId(4), FactId(2), FactId(5)]], 20),
            [2, 4, 1, 5, 3].map(FactId)
        );
    }

    #[test]
    fn the_first_of_one_comes_before_the_last_of_both() {
        let tail: Vec<FactId> = (10..29).map(FactId).collect();
        let lists = [[vec![FactId(1)], tail.clone()].concat(), [vec![FactId(2)], tail].concat()];
        assert_eq!(fused(&[&lists[0], &lists[1]], 20).iter().position(|id| *id == FactId(28)), Some(20));
    }

    #[test]
    fn one_list_alone_keeps_its_order() {
        assert_eq!(fused(&[&[FactId(7), FactId(3), FactId(9)], &[]], 20), [7, 3, 9].map(FactId));
        assert_eq!(fused(&[], 20), [FactId(0); 0]);
    }
}
