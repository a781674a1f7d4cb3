//! What a search finds, and the best few of many hits without sorting them all.

use domain::FactId;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A fact that a search found. The greater hit is the better one; of equal scores the newer fact is.
#[derive(Debug, Clone, Copy)]
pub struct Hit {
    pub id: FactId,
    pub score: f32,
}

impl Ord for Hit {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(self.id.cmp(&other.id))
    }
}

impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Hit {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Hit {}

pub struct TopHits {
    limit: usize,
    /// The worst hit that is kept is on top, where the next offer is compared with it.
    kept: BinaryHeap<Reverse<Hit>>,
}

impl TopHits {
    pub fn new(limit: usize) -> Self {
        Self { limit, kept: BinaryHeap::new() }
    }

    #[inline]
    pub fn offer(&mut self, hit: Hit) {
        if self.kept.len() < self.limit {
            self.kept.push(Reverse(hit));
        } else if let Some(mut worst) = self.kept.peek_mut()
            && hit > worst.0
        {
            *worst = Reverse(hit);
        }
    }

    pub fn best_first(self) -> Vec<Hit> {
        self.kept.into_sorted_vec().into_iter().map(|Reverse(hit)| hit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Hit, TopHits};
    use domain::FactId;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_kept_hits_are_the_head_of_the_sorted_list(scores in prop::collection::vec(0u8..6, 0..60), limit in 0usize..20) {
            let hits: Vec<Hit> = scores.iter().zip(0..).map(|(s, id)| Hit { id: FactId(id), score: f32::from(*s) }).collect();
            let mut top = TopHits::new(limit);
            hits.iter().for_each(|hit| top.offer(*hit));
            let mut sorted = hits;
            sorted.sort_by(|a, b| b.cmp(a));
            sorted.truncate(limit);
            prop_assert_eq!(top.best_first(), sorted);
        }
    }
}
