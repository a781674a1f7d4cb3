//! One ranking out of several.

use crate::Hit;
use domain::FactId;
use std::collections::HashMap;

/// How much a first place is worth over a later one. The usual value of reciprocal rank fusion: small enough that
/// the head of each list counts most, large enough that a fact high in both lists beats the first of one.
const FLATNESS: f32 = 60.0;

/// Reciprocal rank fusion. Scores of different searches cannot be compared, but places can.
/// Each list stands best first; of equally placed facts the newer one comes first.
pub fn fuse(lists: &[&[Hit]]) -> Vec<FactId> {
    let mut scores: HashMap<FactId, f32> = HashMap::new();
    for list in lists {
        for (before, hit) in list.iter().enumerate() {
            *scores.entry(hit.id).or_default() += 1.0 / (FLATNESS + 1.0 + before as f32);
        }
    }
    let mut fused: Vec<Hit> = scores.into_iter().map(|(id, score)| Hit { id, score }).collect();
    fused.sort_unstable_by(|a, b| b.cmp(a));
    fused.into_iter().map(|hit| hit.id).collect()
}

#[cfg(test)]
mod tests {
    use super::fuse;
    use crate::Hit;
    use domain::FactId;

    fn list(ids: &[FactId]) -> Vec<Hit> {
        ids.iter().map(|id| Hit { id: *id, score: 1.0 }).collect()
    }

    #[test]
    fn a_fact_that_both_searches_find_comes_before_the_first_of_one() {
        assert_eq!(fuse(&[&list(&[1, 2, 3]), &list(&[4, 2, 5])]), [2, 4, 1, 5, 3]);
    }

    #[test]
    fn one_list_alone_keeps_its_order() {
        assert_eq!(fuse(&[&list(&[7, 3, 9]), &[]]), [7, 3, 9]);
        assert_eq!(fuse(&[]), [0; 0]);
    }
}
