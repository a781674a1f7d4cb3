//! A small trained network that reads English: how the words of a statement are meant, what a statement does to a fact
//! that is held, and whether a fact answers a question. Its weights are part of the program; `training/README.md` says
//! how they came about. The same text gives the same numbers on the same machine.

mod network;
mod pieces;
mod weights;

use ndarray::{ArrayView1, ArrayView2};
use network::{Network, States};
use pieces::{Piece, Pieces};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// What a statement does to a fact that is held. The order is that of the network's outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    None,
    /// Something else has taken its place.
    Replaces,
    /// It no longer holds, and nothing takes its place.
    Ends,
    /// It is said once more.
    Same,
    /// It is told in more detail.
    Refines,
}

/// How words are meant. The order is that of the network's outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meant {
    /// Filler, a greeting, a mere reason.
    Nothing,
    So,
    Event,
    Past,
    Future,
    Hedged,
    Hypothetical,
    Sarcastic,
    Asked,
    /// That something no longer holds.
    End,
}

pub const RELATIONS: usize = 5;
pub const MEANINGS: usize = 10;

/// A word or a part of a word, where it stands in the text, and the likelihoods of how it is meant.
#[derive(Debug, Clone)]
pub struct Token {
    pub at: Range<usize>,
    pub meant: [f32; MEANINGS],
    /// How likely it belongs to a value.
    pub value: f32,
    /// How likely something else begins with it than what stands before it.
    pub start: f32,
}

/// What a word is read as that was written in haste: "before" for "b4".
pub type Spelling = fn(&str) -> Option<String>;

/// What a statement does to a fact that is held, as likelihoods.
#[derive(Debug, Clone, Copy)]
pub struct Weighed {
    /// In the order of [`Relation`].
    pub relation: [f32; RELATIONS],
    /// That it speaks of the fact, but not of how things are now.
    pub unsettled: f32,
}

struct Encoder {
    pieces: Pieces,
    network: Network,
}

static ENCODER: LazyLock<Encoder> = LazyLock::new(|| {
    let (vocabulary, network) = weights::load();
    Encoder { pieces: Pieces::new(vocabulary), network }
});

/// What each statement does to the held fact beside it.
pub fn relations(pairs: &[(&str, &str)]) -> Vec<Weighed> {
    let network = &ENCODER.network;
    let weighed = |whole: ArrayView1<'_, f32>| {
        let [_, unsettled] = softmax(network.unsettled.of(&whole));
        Weighed { relation: softmax(network.relation.of(&whole)), unsettled }
    };
    read(pairs).wholes().map(weighed).collect()
}

/// How likely each question is answered by the fact beside it.
pub fn answers(pairs: &[(&str, &str)]) -> Vec<f32> {
    let likely = |[_, yes]: [f32; 2]| yes;
    read(pairs).wholes().map(|whole| likely(softmax(ENCODER.network.answer.of(&whole)))).collect()
}

fn read(pairs: &[(&str, &str)]) -> States {
    let mut cut: HashMap<&str, Vec<Piece>> = HashMap::new();
    for text in pairs.iter().flat_map(|(a, b)| [*a, *b]) {
        cut.entry(text).or_insert_with(|| ENCODER.pieces.cut(text, |_| None));
    }
    let pieces = |text: &str| cut.get(text).map_or([].as_slice(), Vec::as_slice);
    let pairs: Vec<(&[Piece], &[Piece])> = pairs.iter().map(|(a, b)| (pieces(a), pieces(b))).collect();
    ENCODER.network.read(&pairs)
}

/// How the words of each statement are meant.
pub fn tokens(statements: &[&str]) -> Vec<Vec<Token>> {
    let told: Vec<Vec<Piece>> = statements.iter().map(|text| ENCODER.pieces.cut(text, |_| None)).collect();
    let alone: Vec<(&[Piece], &[Piece])> = told.iter().map(|text| (text.as_slice(), [].as_slice())).collect();
    let states = ENCODER.network.read(&alone);
    // The first state of a text is that of the mark before it.
    let of_text = |(text, states): (&Vec<Piece>, ArrayView2<'_, f32>)| {
        text.iter()
            .zip(states.rows().into_iter().skip(1))
            .map(|(piece, state)| token(piece, &state))
            .collect()
    };
    told.iter().zip(states.texts()).map(of_text).collect()
}

fn token(piece: &Piece, state: &ArrayView1<'_, f32>) -> Token {
    let network = &ENCODER.network;
    let [outside, _, _] = softmax(network.value.of(state));
    let [_, start] = softmax(network.start.of(state));
    Token { at: piece.at.clone(), meant: softmax(network.meant.of(state)), value: 1.0 - outside, start }
}

/// A vector for each text.
pub fn embed(texts: &[&str]) -> Vec<Vec<f32>> {
    let told: Vec<Vec<Piece>> = texts.iter().map(|text| ENCODER.pieces.cut(text, |_| None)).collect();
    let alone: Vec<(&[Piece], &[Piece])> = told.iter().map(|text| (text.as_slice(), [].as_slice())).collect();
    let states = ENCODER.network.read(&alone);
    let mean = |rows: ArrayView2<'_, f32>| {
        let mut sum = vec![0.0; rows.ncols()];
        rows.rows().into_iter().for_each(|row| sum.iter_mut().zip(row).for_each(|(s, x)| *s += x));
        let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-9);
        sum.iter_mut().for_each(|x| *x /= length);
        sum
    };
    states.texts().map(mean).collect()
}

fn softmax<const N: usize>(scores: [f32; N]) -> [f32; N] {
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    let powers = scores.map(|score| (score - most).exp());
    let total: f32 = powers.iter().sum();
    powers.map(|power| power / total)
}

#[cfg(test)]
mod tests;
