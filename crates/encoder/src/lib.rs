//! A small trained network that reads English: how the words of a statement are meant, what a statement does to a fact
//! that is held, whether a fact answers a question, and which sentences are about the same. Its weights are part of the
//! program; `lab/training/README.md` says how they were made. The same text gives the same numbers on the same machine.
//!
//! A program calls [`check`] when it starts. Where that fails, every function here returns an empty list.

mod attention;
mod hidden;
mod labels;
mod layer_norm;
mod linear;
mod math;
mod tokenizer;
mod transformer;
mod weights;

pub use labels::{MODALITIES, Modality, RELATIONS, Relation, RelationScores, Token};
pub use weights::WeightsError;

use hidden::{HIDDEN, HiddenStates};
use std::collections::HashMap;
use std::sync::LazyLock;
use tokenizer::{Tokenizer, WordPiece};
use transformer::Transformer;

/// How many numbers the vector of a sentence has.
pub const DIMENSIONS: usize = HIDDEN;
/// How many pieces of a statement are read.
const STATEMENT_PIECES: usize = 100;
/// How many pieces of a sentence its vector is made of: with the special tokens 128, as in the model that it was trained
/// from.
const SENTENCE_PIECES: usize = 126;

struct Encoder {
    tokenizer: Tokenizer,
    transformer: Transformer,
}

static ENCODER: LazyLock<Result<Encoder, WeightsError>> = LazyLock::new(|| {
    let (tokenizer, transformer) = weights::load()?;
    Ok(Encoder { tokenizer, transformer })
});

/// Whether the weights are whole. They are unpacked by the first call of anything here.
pub fn check() -> Result<(), &'static WeightsError> {
    ENCODER.as_ref().map(|_| ())
}

/// A vector of unit length for each text. Texts about the same thing have a dot product near one.
pub fn embed(texts: &[&str]) -> Vec<Vec<f32>> {
    ENCODER.as_ref().map(|encoder| encoder.embed(texts)).unwrap_or_default()
}

/// How the words of each statement are meant.
pub fn tokens(statements: &[&str]) -> Vec<Vec<Token>> {
    ENCODER.as_ref().map(|encoder| encoder.tokens(statements)).unwrap_or_default()
}

/// What each statement does to the held fact beside it.
pub fn relations(pairs: &[(&str, &str)]) -> Vec<RelationScores> {
    ENCODER.as_ref().map(|encoder| encoder.relations(pairs)).unwrap_or_default()
}

/// The probability that each question is answered by the fact beside it.
pub fn answers(pairs: &[(&str, &str)]) -> Vec<f32> {
    ENCODER.as_ref().map(|encoder| encoder.answers(pairs)).unwrap_or_default()
}

impl Encoder {
    fn embed(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let cut: Vec<Vec<WordPiece>> =
            texts.iter().map(|text| self.tokenizer.tokenize(text, SENTENCE_PIECES)).collect();
        let alone: Vec<(&[WordPiece], &[WordPiece])> =
            cut.iter().map(|text| (text.as_slice(), [].as_slice())).collect();
        self.transformer.read(&alone).texts().map(mean_pooled).collect()
    }

    fn tokens(&self, statements: &[&str]) -> Vec<Vec<Token>> {
        let cut: Vec<Vec<WordPiece>> =
            statements.iter().map(|text| self.tokenizer.tokenize(text, STATEMENT_PIECES)).collect();
        let alone: Vec<(&[WordPiece], &[WordPiece])> =
            cut.iter().map(|text| (text.as_slice(), [].as_slice())).collect();
        let states = self.transformer.read(&alone);
        // The first state of a text is that of the [CLS] token.
        let of_text = |(text, states): (&Vec<WordPiece>, &[f32])| {
            let states = states.chunks_exact(HIDDEN).skip(1);
            text.iter().zip(states).map(|(piece, state)| self.token(piece, state)).collect()
        };
        cut.iter().zip(states.texts()).map(of_text).collect()
    }

    fn token(&self, piece: &WordPiece, state: &[f32]) -> Token {
        let transformer = &self.transformer;
        let [outside, _, _] = softmax(transformer.value.logits(state));
        let [_, start] = softmax(transformer.start.logits(state));
        Token {
            at: piece.at.clone(),
            modality: softmax(transformer.modality.logits(state)),
            value: 1.0 - outside,
            start,
        }
    }

    fn relations(&self, pairs: &[(&str, &str)]) -> Vec<RelationScores> {
        let scores = |states: &[f32]| {
            let [_, unsettled] = softmax(self.transformer.unsettled.logits(states));
            RelationScores { relation: softmax(self.transformer.relation.logits(states)), unsettled }
        };
        // The first state, that of the [CLS] token, represents the pair.
        self.read(pairs).texts().map(scores).collect()
    }

    fn answers(&self, pairs: &[(&str, &str)]) -> Vec<f32> {
        let yes = |[_, yes]: [f32; 2]| yes;
        self.read(pairs).texts().map(|states| yes(softmax(self.transformer.answer.logits(states)))).collect()
    }

    fn read(&self, pairs: &[(&str, &str)]) -> HiddenStates {
        let mut pieces: HashMap<&str, Vec<WordPiece>> = HashMap::new();
        for text in pairs.iter().flat_map(|(a, b)| [*a, *b]) {
            pieces.entry(text).or_insert_with(|| self.tokenizer.tokenize(text, STATEMENT_PIECES));
        }
        let of = |text: &str| pieces.get(text).map_or([].as_slice(), Vec::as_slice);
        let pairs: Vec<(&[WordPiece], &[WordPiece])> = pairs.iter().map(|(a, b)| (of(a), of(b))).collect();
        self.transformer.read(&pairs)
    }
}

/// The mean of a text's states, the special tokens included, scaled to unit length.
fn mean_pooled(states: &[f32]) -> Vec<f32> {
    let mut sum = vec![0.0; HIDDEN];
    for state in states.chunks_exact(HIDDEN) {
        sum.iter_mut().zip(state).for_each(|(sum, x)| *sum += x);
    }
    let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    sum.iter_mut().for_each(|x| *x /= length);
    sum
}

fn softmax<const N: usize>(scores: [f32; N]) -> [f32; N] {
    let max = scores.iter().copied().fold(f32::MIN, f32::max);
    let exponentials = scores.map(|score| (score - max).exp());
    let total: f32 = exponentials.iter().sum();
    exponentials.map(|x| x / total)
}

#[cfg(test)]
mod tests;
