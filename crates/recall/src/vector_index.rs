//! Nearest embeddings by cosine: a scan over small integers finds the candidates, and the full numbers order them.

use crate::hits::{Hit, TopHits};
use domain::FactId;
use simsimd::SpatialSimilarity;
use std::collections::HashMap;
use std::num::NonZeroUsize;

/// How many candidates the coarse scan yields for each requested hit, and in addition to that. Rounding to 8 bits moves
/// a similarity by about a thousandth, so a true neighbour stays well within this margin.
const CANDIDATES_PER_HIT: usize = 4;
const SPARE_CANDIDATES: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VectorError {
    #[error("the embedding has {found} dimensions where the index holds {expected}; embed with one model")]
    Dimensions { found: usize, expected: usize },
    #[error("the embedding holds a number that is not finite; ask the embedder again")]
    NotFinite,
    #[error("the embedding is empty; ask the embedder again")]
    Empty,
}

/// Vectors of one length. Each is kept at unit length twice: in full, and as 8-bit numbers with a scale of its own.
#[derive(Debug)]
pub struct VectorIndex {
    dimensions: NonZeroUsize,
    rows: HashMap<FactId, usize>,
    ids: Vec<FactId>,
    units: Vec<f32>,
    codes: Vec<i8>,
    scales: Vec<f32>,
}

impl VectorIndex {
    pub fn new(dimensions: NonZeroUsize) -> Self {
        Self {
            dimensions,
            rows: HashMap::new(),
            ids: Vec::new(),
            units: Vec::new(),
            codes: Vec::new(),
            scales: Vec::new(),
        }
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions.get()
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub fn contains(&self, id: FactId) -> bool {
        self.rows.contains_key(&id)
    }

    /// Roughly what the index takes in memory.
    pub fn bytes(&self) -> usize {
        const ID_BYTES: usize = 8 + 24;
        self.units.capacity() * 4
            + self.codes.capacity()
            + self.scales.capacity() * 4
            + self.ids.capacity() * ID_BYTES
    }

    /// Replaces the vector of that id. A zero vector is allowed, and is similar to nothing.
    pub fn insert(&mut self, id: FactId, vector: &[f32]) -> Result<(), VectorError> {
        if vector.len() != self.dimensions() {
            return Err(VectorError::Dimensions { found: vector.len(), expected: self.dimensions() });
        }
        let unit = Unit::of(vector).ok_or(VectorError::NotFinite)?;
        self.remove(id);
        self.rows.insert(id, self.ids.len());
        self.ids.push(id);
        self.units.extend_from_slice(&unit.numbers);
        self.codes.extend_from_slice(&unit.codes);
        self.scales.push(unit.scale);
        Ok(())
    }

    /// The last row moves into the gap, so the rows have no holes.
    pub fn remove(&mut self, id: FactId) {
        let Some(row) = self.rows.remove(&id) else { return };
        let width = self.dimensions();
        let last = self.ids.len() - 1;
        self.ids.swap_remove(row);
        self.scales.swap_remove(row);
        self.units.copy_within(last * width.., row * width);
        self.units.truncate(last * width);
        self.codes.copy_within(last * width.., row * width);
        self.codes.truncate(last * width);
        if let Some(moved) = self.ids.get(row) {
            self.rows.insert(*moved, row);
        }
    }

    /// The most similar first, scored by cosine. A question that is zero, not finite or of another length has no
    /// neighbours here.
    pub fn search(&self, question: &[f32], limit: usize) -> Vec<Hit> {
        if question.len() != self.dimensions() {
            return Vec::new();
        }
        let Some(unit) = Unit::of(question).filter(|unit| unit.scale > 0.0) else { return Vec::new() };
        let mut candidates =
            TopHits::new(limit.saturating_mul(CANDIDATES_PER_HIT).saturating_add(SPARE_CANDIDATES));
        for ((id, scale), codes) in
            self.ids.iter().zip(&self.scales).zip(self.codes.chunks_exact(self.dimensions()))
        {
            let product = i8::dot(&unit.codes, codes).unwrap_or_default();
            candidates.offer(Hit { id: *id, score: product as f32 * scale });
        }
        let mut best = TopHits::new(limit);
        for candidate in candidates.best_first() {
            best.offer(Hit { id: candidate.id, score: self.cosine(&unit, candidate.id) });
        }
        best.best_first()
    }

    fn cosine(&self, question: &Unit, id: FactId) -> f32 {
        self.unit(id).and_then(|unit| f32::dot(&question.numbers, unit)).unwrap_or_default() as f32
    }

    fn unit(&self, id: FactId) -> Option<&[f32]> {
        let width = self.dimensions();
        self.rows.get(&id).and_then(|row| self.units.get(row * width..(row + 1) * width))
    }

    /// A question to be held against single vectors; `None` where it has no neighbours here.
    pub(crate) fn towards(&self, question: &[f32]) -> Option<Towards<'_>> {
        let unit =
            Unit::of(question).filter(|unit| unit.scale > 0.0 && question.len() == self.dimensions())?;
        Some(Towards { index: self, question: unit })
    }
}

#[derive(Debug)]
pub(crate) struct Towards<'a> {
    index: &'a VectorIndex,
    question: Unit,
}

impl Towards<'_> {
    /// The cosine between the question and the sum of these vectors; what has none adds nothing.
    pub fn cosine_of_sum(&self, ids: &[FactId]) -> f32 {
        let mut sum = vec![0.0; self.index.dimensions()];
        for unit in ids.iter().filter_map(|id| self.index.unit(*id)) {
            sum.iter_mut().zip(unit).for_each(|(sum, x)| *sum += x);
        }
        let length = f32::dot(&sum, &sum).unwrap_or_default().sqrt();
        let product = f32::dot(&sum, &self.question.numbers).unwrap_or_default();
        if length > 0.0 { (product / length) as f32 } else { 0.0 }
    }
}

#[derive(Debug)]
struct Unit {
    numbers: Vec<f32>,
    codes: Vec<i8>,
    /// What one step of a code is worth; zero for the zero vector.
    scale: f32,
}

impl Unit {
    /// `None` when a number is not finite. Lengths are summed in double precision, where no finite input overflows.
    fn of(vector: &[f32]) -> Option<Self> {
        if !vector.iter().all(|x| x.is_finite()) {
            return None;
        }
        let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        let shrink = if length > 0.0 { 1.0 / length } else { 0.0 };
        let numbers: Vec<f32> = vector.iter().map(|x| (f64::from(*x) * shrink) as f32).collect();
        let largest = numbers.iter().fold(0.0f32, |most, x| most.max(x.abs()));
        let steps = if largest > 0.0 { f32::from(i8::MAX) / largest } else { 0.0 };
        let codes = numbers.iter().map(|x| (x * steps).round() as i8).collect();
        Some(Self { numbers, codes, scale: largest / f32::from(i8::MAX) })
    }
}

#[cfg(test)]
mod tests {
    use super::{VectorError, VectorIndex};
    use crate::hits::Hit;
    use domain::FactId;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::num::NonZeroUsize;

    const WIDTH: usize = 24;

    fn index(dimensions: usize) -> VectorIndex {
        VectorIndex::new(NonZeroUsize::new(dimensions).unwrap())
    }

    fn cosine(a: &[f32], b: &[f32]) -> f64 {
        let dot =
            |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
        let lengths = (dot(a, a) * dot(b, b)).sqrt();
        if lengths > 0.0 { dot(a, b) / lengths } else { 0.0 }
    }

    fn vector() -> impl Strategy<Value = Vec<f32>> {
        prop::collection::vec(-1.0f32..1.0, WIDTH)
    }

    proptest! {
        #[test]
        fn the_nearest_are_those_of_a_full_comparison(
            changes in prop::collection::vec((0..60i64, prop::option::weighted(0.8, vector())), 1..300),
            question in vector(),
            limit in 1usize..12,
        ) {
            let mut index = index(WIDTH);
            let mut plain: BTreeMap<FactId, Vec<f32>> = BTreeMap::new();
            for (id, vector) in changes {
                let id = FactId(id);
                match vector {
                    Some(vector) => { index.insert(id, &vector).unwrap(); plain.insert(id, vector); }
                    None => { index.remove(id); plain.remove(&id); }
                }
            }
            let found = index.search(&question, limit);
            let mut expected: Vec<f64> = plain.values().map(|v| cosine(&question, v)).collect();
            expected.sort_by(|a, b| b.total_cmp(a));
            expected.truncate(limit);
            prop_assert_eq!(index.len(), plain.len());
            prop_assert_eq!(found.len(), expected.len());
            for (hit, expected) in found.iter().zip(expected) {
                prop_assert!((f64::from(hit.score) - expected).abs() < 1e-5, "{hit:?} where {expected} is the best");
                prop_assert!((cosine(&question, &plain[&hit.id]) - expected).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn candidates_in_a_large_index_hold_the_true_neighbours() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        };
        let mut vectors: Vec<Vec<f32>> = Vec::new();
        (0..5000).for_each(|_| vectors.push((0..64).map(|_| random()).collect()));
        let mut index = index(64);
        for (id, vector) in (0..).zip(&vectors) {
            index.insert(FactId(id), vector).unwrap();
        }
        for question in vectors.iter().take(20) {
            let mut expected: Vec<(f64, usize)> =
                vectors.iter().map(|v| cosine(question, v)).zip(0..).collect();
            expected.sort_by(|a, b| b.0.total_cmp(&a.0));
            let found: Vec<usize> = index.search(question, 10).iter().map(|hit| hit.id.0 as usize).collect();
            assert_eq!(found, expected.iter().take(10).map(|e| e.1).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_bad_vector_is_refused_and_changes_nothing() {
        let mut index = index(2);
        index.insert(FactId(1), &[1.0, 0.0]).unwrap();
        assert_eq!(index.insert(FactId(1), &[1.0]), Err(VectorError::Dimensions { found: 1, expected: 2 }));
        assert_eq!(index.insert(FactId(1), &[f32::NAN, 0.0]), Err(VectorError::NotFinite));
        assert_eq!(index.search(&[2.0, 0.0], 5), [Hit { id: FactId(1), score: 1.0 }]);
    }

    #[test]
    fn zero_vectors_match_nothing() {
        let mut index = index(2);
        index.insert(FactId(1), &[0.0, 0.0]).unwrap();
        index.insert(FactId(2), &[0.0, -3.0]).unwrap();
        index.insert(FactId(3), &[0.0, 3.0e38]).unwrap();
        let ids: Vec<FactId> = index.search(&[0.0, 1.0], 3).iter().map(|hit| hit.id).collect();
        assert_eq!(ids, [3, 1, 2].map(FactId));
        assert_eq!(index.search(&[0.0, 0.0], 3), []);
        assert_eq!(index.search(&[1.0, 0.0, 0.0], 3), []);
        assert_eq!(index.search(&[f32::INFINITY, 0.0], 3), []);
    }

    #[test]
    fn equally_near_vectors_come_newest_first() {
        let mut index = index(1);
        [4, 9, 2].iter().for_each(|id| index.insert(FactId(*id), &[1.0]).unwrap());
        assert_eq!(index.search(&[0.5], 2).iter().map(|hit| hit.id).collect::<Vec<_>>(), [9, 4].map(FactId));
    }
}
