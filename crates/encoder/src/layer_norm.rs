//! Layer normalisation of hidden states.

use crate::hidden::HIDDEN;
use pulp::Arch;

const EPSILON: f32 = 1e-12;
/// Sums are made of this many at a time, because numbers that wait for each other cannot be added in vectors.
const LANES: usize = 16;

pub(crate) struct LayerNorm {
    pub weight: Vec<f32>,
    pub bias: Vec<f32>,
}

impl LayerNorm {
    pub fn apply(&self, states: &mut [f32]) {
        Arch::new().dispatch(|| states.chunks_exact_mut(HIDDEN).for_each(|state| self.normalise(state)));
    }

    #[inline(always)]
    fn normalise(&self, state: &mut [f32]) {
        let mean = sum(state, |x| x) / HIDDEN as f32;
        state.iter_mut().for_each(|x| *x -= mean);
        let scale = 1.0 / (sum(state, |x| x * x) / HIDDEN as f32 + EPSILON).sqrt();
        let trained = self.weight.iter().zip(&self.bias);
        state.iter_mut().zip(trained).for_each(|(x, (weight, bias))| *x = *x * scale * weight + bias);
    }
}

#[inline(always)]
fn sum(state: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0; LANES];
    for some in state.as_chunks::<LANES>().0 {
        sums.iter_mut().zip(some).for_each(|(sum, x)| *sum += of(*x));
    }
    sums.iter().sum()
}
