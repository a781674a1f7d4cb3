//! Multi-head self-attention.

use crate::hidden::{HIDDEN, rows_of};
use crate::linear::Linear;
use crate::math::softmax;
use pulp::Arch;
use std::ops::Range;

const HEADS: usize = 12;
const HEAD_WIDTH: usize = HIDDEN / HEADS;

pub(crate) struct Attention {
    pub query: Linear,
    pub key: Linear,
    pub value: Linear,
    pub output: Linear,
}

impl Attention {
    /// Each token attends to those of its own text.
    pub fn apply(&self, states: &[f32], texts: &[Range<usize>]) -> Vec<f32> {
        let [query, key, value] = [&self.query, &self.key, &self.value].map(|linear| linear.apply(states));
        let mut attended = Vec::with_capacity(states.len());
        for text in texts {
            let [query, key, value] = [&query, &key, &value].map(|all| rows_of(all, text));
            let start = attended.len();
            attended.resize(start + query.len(), 0.0);
            let output = attended.get_mut(start..).unwrap_or_default();
            Arch::new().dispatch(|| attend(query, key, value, output));
        }
        self.output.apply(&attended)
    }
}

#[inline(always)]
fn attend(query: &[f32], key: &[f32], value: &[f32], output: &mut [f32]) {
    let length = query.len() / HIDDEN;
    let scale = 1.0 / (HEAD_WIDTH as f32).sqrt();
    let mut keys = vec![0.0; HEAD_WIDTH * length];
    let mut weights = vec![0.0; length];
    for head in 0..HEADS {
        // Transposed, so the scores of all tokens can be summed in vectors.
        for (at, key) in of_head(key, head).enumerate() {
            let column = keys.iter_mut().skip(at).step_by(length);
            column.zip(key).for_each(|(to, x)| *to = *x * scale);
        }
        let outputs = output.as_chunks_mut::<HEAD_WIDTH>().0.iter_mut().skip(head).step_by(HEADS);
        for (query, output) in of_head(query, head).zip(outputs) {
            weights.fill(0.0);
            for (x, keys) in query.iter().zip(keys.chunks_exact(length)) {
                weights.iter_mut().zip(keys).for_each(|(score, key)| *score += x * key);
            }
            softmax(&mut weights);
            let mut sum = [0.0; HEAD_WIDTH];
            for (weight, value) in weights.iter().zip(of_head(value, head)) {
                sum.iter_mut().zip(value).for_each(|(sum, x)| *sum += weight * x);
            }
            *output = sum;
        }
    }
}

/// The part of each state that a head works on.
#[inline(always)]
fn of_head(states: &[f32], head: usize) -> impl Iterator<Item = &[f32; HEAD_WIDTH]> {
    states.as_chunks().0.iter().skip(head).step_by(HEADS)
}
