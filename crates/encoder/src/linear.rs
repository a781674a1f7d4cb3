//! Linear layers, computed in the widest vectors that the processor has.

use pulp::{Arch, Simd, WithSimd};

/// A matrix of trained weights and a bias. The weights stay bytes, a quarter of their size as floats, and become floats
/// one panel at a time: a panel is small enough to stay in the cache.
pub(crate) struct Linear {
    /// For each panel and each input, the weights of the panel's outputs.
    panels: Vec<i8>,
    /// One factor for each output.
    scales: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
}

impl Linear {
    /// From one row of bytes for each output.
    pub fn new(rows: &[u8], scales: Vec<f32>, bias: Vec<f32>, inputs: usize) -> Self {
        let mut panels = Vec::with_capacity(rows.len());
        for panel in rows.chunks(inputs * Arch::new().dispatch(Columns)) {
            for input in 0..inputs {
                let column = panel.chunks_exact(inputs).filter_map(|row| row.get(input));
                panels.extend(column.map(|byte| byte.cast_signed()));
            }
        }
        Self { panels, scales, bias, inputs }
    }

    /// One row of outputs for each row of states.
    pub fn apply(&self, states: &[f32]) -> Vec<f32> {
        let mut outputs = vec![0.0; states.len() / self.inputs * self.bias.len()];
        Arch::new().dispatch(Product { linear: self, states, outputs: &mut outputs });
        outputs
    }
}

/// How many outputs a panel has: as many as two vectors.
struct Columns;

impl WithSimd for Columns {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        2 * S::F32_LANES
    }
}

struct Product<'a> {
    linear: &'a Linear,
    states: &'a [f32],
    outputs: &'a mut [f32],
}

impl WithSimd for Product<'_> {
    type Output = ();

    /// As many rows at a time as have their sums in registers.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if S::F32_LANES >= 16 { self.by_rows::<S, 8>(simd) } else { self.by_rows::<S, 6>(simd) }
    }
}

impl Product<'_> {
    #[inline(always)]
    fn by_rows<S: Simd, const ROWS: usize>(self, simd: S) {
        let Self { linear: Linear { panels, scales, bias, inputs }, states, outputs } = self;
        let (inputs, to, columns) = (*inputs, bias.len(), 2 * S::F32_LANES);
        let blocks = interleaved::<ROWS>(states, inputs);
        let mut panel = vec![0.0; inputs * columns];
        let of_panels = panels.chunks_exact(inputs * columns);
        let of_panels = of_panels.zip(scales.chunks_exact(columns)).zip(bias.chunks_exact(columns));
        for (at, ((bytes, scales), bias)) in of_panels.enumerate() {
            panel.iter_mut().zip(bytes).for_each(|(number, byte)| *number = f32::from(*byte));
            let (weights, _) = S::as_simd_f32s(&panel).0.as_chunks::<2>();
            let (scales, bias) = (S::as_simd_f32s(scales).0, S::as_simd_f32s(bias).0);
            for (block, rows) in blocks.chunks_exact(inputs).zip(outputs.chunks_mut(ROWS * to)) {
                let mut sums = [[simd.splat_f32s(0.0); 2]; ROWS];
                for (states, weights) in block.iter().zip(weights) {
                    for (sums, state) in sums.iter_mut().zip(states) {
                        let state = simd.splat_f32s(*state);
                        for (sum, weight) in sums.iter_mut().zip(weights) {
                            *sum = simd.mul_add_e_f32s(state, *weight, *sum);
                        }
                    }
                }
                for (sums, row) in sums.iter().zip(rows.chunks_exact_mut(to)) {
                    let place = row.get_mut(at * columns..(at + 1) * columns).unwrap_or_default();
                    let place = S::as_mut_simd_f32s(place).0.iter_mut().zip(sums).zip(scales).zip(bias);
                    place.for_each(|(((to, sum), scale), bias)| {
                        *to = simd.mul_add_e_f32s(*sum, *scale, *bias);
                    });
                }
            }
        }
    }
}

/// For each input, the states of some rows next to each other; rows that are missing at the end are zeros.
#[inline(always)]
fn interleaved<const ROWS: usize>(states: &[f32], inputs: usize) -> Vec<[f32; ROWS]> {
    let mut blocks = vec![[0.0; ROWS]; states.len().div_ceil(inputs * ROWS) * inputs];
    for (block, rows) in blocks.chunks_exact_mut(inputs).zip(states.chunks(inputs * ROWS)) {
        for (at, row) in rows.chunks_exact(inputs).enumerate() {
            for (place, state) in block.iter_mut().zip(row) {
                place.iter_mut().skip(at).take(1).for_each(|place| *place = *state);
            }
        }
    }
    blocks
}
