//! The network: layers of attention over the pieces of one or two texts, and what is told from their last states.

use crate::pieces::Piece;
use crate::product::Linear;
use pulp::Arch;
use std::ops::Range;

pub(crate) const WIDTH: usize = 384;
const HEADS: usize = 12;
/// What one head of attention sees of a state.
const PART: usize = WIDTH / HEADS;
const NORM_EPSILON: f32 = 1e-12;
/// Sums are made of so many at a time, since numbers that wait for each other cannot be added in vectors.
const LANES: usize = 16;

pub(crate) struct Network {
    pub words: Table,
    pub positions: Table,
    pub sides: Table,
    pub norm: Norm,
    pub layers: Vec<Layer>,
    pub relation: Head,
    pub unsettled: Head,
    pub answer: Head,
    pub meant: Head,
    pub value: Head,
    pub start: Head,
    /// The numbers of the marks before, between and after texts.
    pub marks: Marks,
}

pub(crate) struct Marks {
    pub start: usize,
    pub end: usize,
}

/// Rows of bytes with one factor a row.
pub(crate) struct Table {
    pub rows: &'static [u8],
    pub scales: Vec<f32>,
}

pub(crate) struct Layer {
    pub query: Linear,
    pub key: Linear,
    pub content: Linear,
    pub gathered: Linear,
    pub gathered_norm: Norm,
    pub widened: Linear,
    pub narrowed: Linear,
    pub narrowed_norm: Norm,
}

pub(crate) struct Norm {
    pub scale: Vec<f32>,
    pub shift: Vec<f32>,
}

/// One row of weights for each of its few outputs.
pub(crate) struct Head {
    pub weights: Vec<f32>,
    pub bias: Vec<f32>,
}

/// The states of texts that were read together, one row for each piece.
pub(crate) struct States {
    rows: Vec<f32>,
    texts: Vec<Range<usize>>,
}

impl States {
    /// Of each text, from the mark before it to the one after it.
    pub fn texts(&self) -> impl Iterator<Item = &[f32]> {
        self.texts.iter().map(|at| of_rows(&self.rows, at))
    }
}

fn of_rows<'a>(rows: &'a [f32], at: &Range<usize>) -> &'a [f32] {
    rows.get(at.start * WIDTH..at.end * WIDTH).unwrap_or_default()
}

impl Network {
    /// Reads texts, each of one part or two, with marks before the first part and after each. Many at once take less
    /// time than one by one.
    pub fn read(&self, texts: &[(&[Piece], &[Piece])]) -> States {
        let read: Vec<Vec<(usize, usize)>> =
            texts.iter().map(|(first, second)| self.marked(first, second)).collect();
        let mut ends = 0;
        let texts = read.iter().map(|text| {
            let start = ends;
            ends += text.len();
            start..ends
        });
        let texts: Vec<Range<usize>> = texts.collect();
        let mut rows = vec![0.0; ends * WIDTH];
        let places = read.iter().flat_map(|text| text.iter().enumerate());
        for (state, (position, (word, side))) in rows.chunks_exact_mut(WIDTH).zip(places) {
            self.words.add(*word, state);
            self.positions.add(position, state);
            self.sides.add(*side, state);
        }
        self.norm.apply(&mut rows);
        for layer in &self.layers {
            layer.apply(&mut rows, &texts);
        }
        States { rows, texts }
    }

    fn marked(&self, first: &[Piece], second: &[Piece]) -> Vec<(usize, usize)> {
        let first = first.iter().map(|p| (p.number, 0)).chain([(self.marks.end, 0)]);
        let last = (!second.is_empty()).then_some((self.marks.end, 1));
        let second = second.iter().map(|p| (p.number, 1)).chain(last);
        std::iter::once((self.marks.start, 0)).chain(first).chain(second).collect()
    }
}

impl Table {
    fn add(&self, row: usize, state: &mut [f32]) {
        let bytes = self.rows.get(row * WIDTH..(row + 1) * WIDTH).unwrap_or_default();
        let scale = self.scales.get(row).copied().unwrap_or_default();
        state.iter_mut().zip(bytes).for_each(|(x, byte)| *x += f32::from(byte.cast_signed()) * scale);
    }
}

impl Layer {
    fn apply(&self, states: &mut [f32], texts: &[Range<usize>]) {
        add(states, &self.gathered.apply(&self.attend(states, texts)));
        self.gathered_norm.apply(states);
        let mut wide = self.widened.apply(states);
        Arch::new().dispatch(|| wide.iter_mut().for_each(|x| *x = gelu(*x)));
        add(states, &self.narrowed.apply(&wide));
        self.narrowed_norm.apply(states);
    }

    /// Each piece gathers from those of its own text.
    fn attend(&self, states: &[f32], texts: &[Range<usize>]) -> Vec<f32> {
        let [query, key, content] = [&self.query, &self.key, &self.content].map(|of| of.apply(states));
        let mut gathered = Vec::with_capacity(states.len());
        for text in texts {
            let [query, key, content] = [&query, &key, &content].map(|all| of_rows(all, text));
            let start = gathered.len();
            gathered.resize(start + query.len(), 0.0);
            let place = gathered.get_mut(start..).unwrap_or_default();
            Arch::new().dispatch(|| attend(query, key, content, place));
        }
        gathered
    }
}

#[inline(always)]
fn attend(query: &[f32], key: &[f32], content: &[f32], gathered: &mut [f32]) {
    let length = query.len() / WIDTH;
    let scale = 1.0 / (PART as f32).sqrt();
    let mut keys = vec![0.0; PART * length];
    let mut shares = vec![0.0; length];
    for head in 0..HEADS {
        // Turned, so that the scores of all pieces can be summed in vectors.
        for (at, key) in parts(key, head).enumerate() {
            let column = keys.iter_mut().skip(at).step_by(length);
            column.zip(key).for_each(|(to, x)| *to = *x * scale);
        }
        let places = gathered.as_chunks_mut::<PART>().0.iter_mut().skip(head).step_by(HEADS);
        for (query, place) in parts(query, head).zip(places) {
            shares.fill(0.0);
            for (x, keys) in query.iter().zip(keys.chunks_exact(length)) {
                shares.iter_mut().zip(keys).for_each(|(score, key)| *score += x * key);
            }
            spread(&mut shares);
            let mut sum = [0.0; PART];
            for (share, content) in shares.iter().zip(parts(content, head)) {
                sum.iter_mut().zip(content).for_each(|(sum, x)| *sum += share * x);
            }
            *place = sum;
        }
    }
}

/// What a head sees of each state.
#[inline(always)]
fn parts(states: &[f32], head: usize) -> impl Iterator<Item = &[f32; PART]> {
    states.as_chunks().0.iter().skip(head).step_by(HEADS)
}

#[inline(always)]
fn add(states: &mut [f32], more: &[f32]) {
    states.iter_mut().zip(more).for_each(|(x, more)| *x += more);
}

impl Head {
    pub fn of<const N: usize>(&self, state: &[f32]) -> [f32; N] {
        let mut found = [0.0; N];
        let rows = self.weights.chunks_exact(WIDTH).zip(&self.bias);
        for (to, (row, bias)) in found.iter_mut().zip(rows) {
            *to = bias + row.iter().zip(state).map(|(a, b)| a * b).sum::<f32>();
        }
        found
    }
}

impl Norm {
    fn apply(&self, states: &mut [f32]) {
        Arch::new().dispatch(|| states.chunks_exact_mut(WIDTH).for_each(|state| self.of(state)));
    }

    #[inline(always)]
    fn of(&self, state: &mut [f32]) {
        let mean = sum(state, |x| x) / WIDTH as f32;
        state.iter_mut().for_each(|x| *x -= mean);
        let scale = 1.0 / (sum(state, |x| x * x) / WIDTH as f32 + NORM_EPSILON).sqrt();
        let trained = self.scale.iter().zip(&self.shift);
        state.iter_mut().zip(trained).for_each(|(x, (a, b))| *x = *x * scale * a + b);
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

/// Makes shares of a whole of scores.
#[inline(always)]
fn spread(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    scores.iter_mut().for_each(|score| *score = power(*score - most));
    let total: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= total);
}

/// e to the power of a number that is not above zero, to six digits: two to the whole part of another power, times a
/// series for the rest. Unlike the library's, it can be counted in vectors.
#[inline(always)]
fn power(x: f32) -> f32 {
    let x = x.max(-80.0) * std::f32::consts::LOG2_E;
    // Numbers of this size have no digits behind the point, so that adding it rounds.
    const ROUNDING: f32 = 12_582_912.0;
    let whole = (x + ROUNDING) - ROUNDING;
    let rest = (x - whole) * std::f32::consts::LN_2;
    let series = 1.0 / 24.0 + rest * (1.0 / 120.0 + rest * (1.0 / 720.0));
    let series = 1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * series)));
    series * f32::from_bits((((whole as i32) + 127) << 23).cast_unsigned())
}

/// The hyperbolic tangent in it is made of a power, too.
#[inline(always)]
fn gelu(x: f32) -> f32 {
    let inner = 0.797_884_6 * (x + 0.044_715 * x * x * x);
    let small = power(-2.0 * inner.abs());
    let tangent = ((1.0 - small) / (1.0 + small)).copysign(inner);
    0.5 * x * (1.0 + tangent)
}
