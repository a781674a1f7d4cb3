//! The network: layers of attention over the pieces of one or two texts, and what is told from their last states.

use crate::pieces::Piece;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut1, Axis, Slice, Zip};
use std::ops::Range;

const HEADS: usize = 12;
const NORM_EPSILON: f32 = 1e-12;

pub(crate) struct Network {
    pub words: Array2<f32>,
    pub positions: Array2<f32>,
    pub sides: Array2<f32>,
    pub norm: Norm,
    pub layers: Vec<Layer>,
    pub relation: Linear,
    pub unsettled: Linear,
    pub answer: Linear,
    pub meant: Linear,
    pub value: Linear,
    pub start: Linear,
    /// The numbers of the marks before, between and after texts.
    pub marks: Marks,
}

pub(crate) struct Marks {
    pub start: usize,
    pub end: usize,
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

/// The weights stand with one column for each output.
pub(crate) struct Linear {
    pub weights: Array2<f32>,
    pub bias: Array1<f32>,
}

pub(crate) struct Norm {
    pub scale: Array1<f32>,
    pub shift: Array1<f32>,
}

/// The states of texts that were read together, one row for each piece.
pub(crate) struct States {
    rows: Array2<f32>,
    texts: Vec<Range<usize>>,
}

impl States {
    /// Of each text, from the mark before it to the one after it.
    pub fn texts(&self) -> impl Iterator<Item = ArrayView2<'_, f32>> {
        self.texts.iter().map(|at| self.rows.slice_axis(Axis(0), Slice::from(at.clone())))
    }

    /// The state of the mark before each text, which stands for the whole.
    pub fn wholes(&self) -> impl Iterator<Item = ArrayView1<'_, f32>> {
        self.texts.iter().map(|at| self.rows.row(at.start))
    }
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
        let mut rows = Array2::zeros((ends, self.words.ncols()));
        let places = read.iter().flat_map(|text| text.iter().enumerate());
        for (mut state, (position, (word, side))) in rows.rows_mut().into_iter().zip(places) {
            state += &self.words.row(*word);
            state += &self.positions.row(position);
            state += &self.sides.row(*side);
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

impl Layer {
    fn apply(&self, states: &mut Array2<f32>, texts: &[Range<usize>]) {
        *states += &self.gathered.apply(&self.attend(states, texts));
        self.gathered_norm.apply(states);
        let mut wide = self.widened.apply(states);
        wide.mapv_inplace(gelu);
        *states += &self.narrowed.apply(&wide);
        self.narrowed_norm.apply(states);
    }

    /// Each piece gathers from those of its own text.
    fn attend(&self, states: &Array2<f32>, texts: &[Range<usize>]) -> Array2<f32> {
        let (query, key, content) =
            (self.query.apply(states), self.key.apply(states), self.content.apply(states));
        let width = query.ncols() / HEADS;
        let scale = 1.0 / (width as f32).sqrt();
        let mut gathered = Array2::zeros(query.raw_dim());
        for text in texts {
            for head in 0..HEADS {
                let rows = Slice::from(text.clone());
                let columns = Slice::from(head * width..(head + 1) * width);
                let of =
                    |all: &Array2<f32>| all.slice_axis(Axis(0), rows).slice_axis(Axis(1), columns).to_owned();
                let mut weights = of(&query).dot(&of(&key).t()) * scale;
                weights.rows_mut().into_iter().for_each(spread);
                let mut place = gathered.slice_axis_mut(Axis(0), rows);
                place.slice_axis_mut(Axis(1), columns).assign(&weights.dot(&of(&content)));
            }
        }
        gathered
    }
}

impl Linear {
    fn apply(&self, states: &Array2<f32>) -> Array2<f32> {
        states.dot(&self.weights) + &self.bias
    }

    pub fn of<const N: usize>(&self, state: &ArrayView1<'_, f32>) -> [f32; N] {
        let scores = state.dot(&self.weights) + &self.bias;
        let mut found = [0.0; N];
        found.iter_mut().zip(&scores).for_each(|(to, score)| *to = *score);
        found
    }
}

impl Norm {
    fn apply(&self, states: &mut Array2<f32>) {
        for mut state in states.rows_mut() {
            let count = state.len() as f32;
            let mean = state.sum() / count;
            state -= mean;
            let variance = state.iter().map(|x| x * x).sum::<f32>() / count;
            let scale = 1.0 / (variance + NORM_EPSILON).sqrt();
            Zip::from(&mut state)
                .and(&self.scale)
                .and(&self.shift)
                .for_each(|x, a, b| *x = *x * scale * a + b);
        }
    }
}

/// Makes shares of a whole of scores.
fn spread(mut scores: ArrayViewMut1<'_, f32>) {
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    scores.mapv_inplace(|score| (score - most).exp());
    let total = scores.sum();
    scores /= total;
}

/// Within 0.003 of the function that the network was trained with: a fraction stands for the hyperbolic tangent.
fn gelu(x: f32) -> f32 {
    let inner = (0.797_884_6 * (x + 0.044_715 * x * x * x)).clamp(-3.65, 3.65);
    let square = inner * inner;
    let tangent = inner * (945.0 + square * (105.0 + square)) / (945.0 + square * (420.0 + square * 15.0));
    0.5 * x * (1.0 + tangent)
}
