//! The network: embeddings, transformer layers over the tokens of one or two texts, and classifiers over their last
//! hidden states.

use crate::attention::Attention;
use crate::hidden::{HIDDEN, HiddenStates};
use crate::layer_norm::LayerNorm;
use crate::linear::Linear;
use crate::math::gelu;
use crate::tokenizer::WordPiece;
use pulp::Arch;
use std::ops::Range;

pub(crate) struct Transformer {
    pub token_embedding: Embedding,
    pub position_embedding: Embedding,
    pub segment_embedding: Embedding,
    pub embedding_norm: LayerNorm,
    pub layers: Vec<Layer>,
    pub special: SpecialTokens,
    pub relation: Classifier,
    pub unsettled: Classifier,
    pub answer: Classifier,
    pub modality: Classifier,
    pub value: Classifier,
    pub start: Classifier,
}

/// The ids of the tokens before a text and after each of its segments.
pub(crate) struct SpecialTokens {
    pub cls: usize,
    pub sep: usize,
}

/// Rows of bytes, with one factor for each row.
pub(crate) struct Embedding {
    pub rows: Vec<u8>,
    pub scales: Vec<f32>,
}

pub(crate) struct Layer {
    pub attention: Attention,
    pub attention_norm: LayerNorm,
    pub intermediate: Linear,
    pub output: Linear,
    pub output_norm: LayerNorm,
}

/// One row of weights for each of its few outputs.
pub(crate) struct Classifier {
    pub weights: Vec<f32>,
    pub bias: Vec<f32>,
}

impl Transformer {
    /// Reads texts of one or two segments each. Many at once take less time than one by one.
    pub fn read(&self, texts: &[(&[WordPiece], &[WordPiece])]) -> HiddenStates {
        let inputs: Vec<Vec<(usize, usize)>> =
            texts.iter().map(|(first, second)| self.input(first, second)).collect();
        let mut end = 0;
        let texts = inputs.iter().map(|input| {
            let start = end;
            end += input.len();
            start..end
        });
        let texts: Vec<Range<usize>> = texts.collect();
        let mut rows = vec![0.0; end * HIDDEN];
        let tokens = inputs.iter().flat_map(|input| input.iter().enumerate());
        for (state, (position, (id, segment))) in rows.chunks_exact_mut(HIDDEN).zip(tokens) {
            self.token_embedding.add(*id, state);
            self.position_embedding.add(position, state);
            self.segment_embedding.add(*segment, state);
        }
        self.embedding_norm.apply(&mut rows);
        for layer in &self.layers {
            layer.apply(&mut rows, &texts);
        }
        HiddenStates { rows, texts }
    }

    /// The id and the segment of each token: `[CLS] first [SEP] second [SEP]`.
    fn input(&self, first: &[WordPiece], second: &[WordPiece]) -> Vec<(usize, usize)> {
        let SpecialTokens { cls, sep } = self.special;
        let first = first.iter().map(|piece| (piece.id, 0)).chain([(sep, 0)]);
        let last = (!second.is_empty()).then_some((sep, 1));
        let second = second.iter().map(|piece| (piece.id, 1)).chain(last);
        std::iter::once((cls, 0)).chain(first).chain(second).collect()
    }
}

impl Embedding {
    fn add(&self, row: usize, state: &mut [f32]) {
        let bytes = self.rows.get(row * HIDDEN..(row + 1) * HIDDEN).unwrap_or_default();
        let scale = self.scales.get(row).copied().unwrap_or_default();
        state.iter_mut().zip(bytes).for_each(|(x, byte)| *x += f32::from(byte.cast_signed()) * scale);
    }
}

impl Layer {
    fn apply(&self, states: &mut [f32], texts: &[Range<usize>]) {
        add(states, &self.attention.apply(states, texts));
        self.attention_norm.apply(states);
        let mut intermediate = self.intermediate.apply(states);
        Arch::new().dispatch(|| intermediate.iter_mut().for_each(|x| *x = gelu(*x)));
        add(states, &self.output.apply(&intermediate));
        self.output_norm.apply(states);
    }
}

#[inline(always)]
fn add(states: &mut [f32], residual: &[f32]) {
    states.iter_mut().zip(residual).for_each(|(x, more)| *x += more);
}

impl Classifier {
    pub fn logits<const N: usize>(&self, state: &[f32]) -> [f32; N] {
        let mut logits = [0.0; N];
        let rows = self.weights.chunks_exact(HIDDEN).zip(&self.bias);
        for (logit, (row, bias)) in logits.iter_mut().zip(rows) {
            *logit = bias + row.iter().zip(state).map(|(a, b)| a * b).sum::<f32>();
        }
        logits
    }
}
