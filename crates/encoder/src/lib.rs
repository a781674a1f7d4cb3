//! A small trained network that reads English: how the words of a statement are meant, what a statement does to a fact
//! that is held, whether a fact answers a question, and which sentences are about the same. Its weights are part of the
//! program; `training/README.md` says how they came about. The same text gives the same numbers on the same machine.
//!
//! A program that starts calls [`check`]. Where it fails, nothing is told of any text: all lists are empty.

mod network;
mod pieces;
mod product;
mod weights;

use network::{Network, States, WIDTH};
use pieces::{Piece, Pieces};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;
pub use weights::Damaged;

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
/// How many numbers the vector of a sentence has.
pub const DIMENSIONS: usize = WIDTH;

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

/// What a statement does to a fact that is held, as likelihoods.
#[derive(Debug, Clone, Copy)]
pub struct Weighed {
    /// In the order of [`Relation`].
    pub relation: [f32; RELATIONS],
    /// That it speaks of the fact, but not of how things are now.
    pub unsettled: f32,
}

/// A statement is read up to here, in pieces.
const LONGEST: usize = 100;
/// A sentence of which a vector is made, as the original does, two marks counted in.
const LONGEST_SENTENCE: usize = 126;

struct Encoder {
    pieces: Pieces,
    network: Network,
}

static ENCODER: LazyLock<Result<Encoder, Damaged>> = LazyLock::new(|| {
    let (vocabulary, network) = weights::load()?;
    Ok(Encoder { pieces: Pieces::new(vocabulary), network })
});

/// Whether the weights are whole. They are unpacked by the first call of anything here.
pub fn check() -> Result<(), &'static Damaged> {
    ENCODER.as_ref().map(|_| ())
}

/// A vector of unit length for each text. Texts about the same have a product near one.
pub fn embed(texts: &[&str]) -> Vec<Vec<f32>> {
    ENCODER.as_ref().map(|encoder| encoder.embed(texts)).unwrap_or_default()
}

/// How the words of each statement are meant.
pub fn tokens(statements: &[&str]) -> Vec<Vec<Token>> {
    ENCODER.as_ref().map(|encoder| encoder.tokens(statements)).unwrap_or_default()
}

/// What each statement does to the held fact beside it.
pub fn relations(pairs: &[(&str, &str)]) -> Vec<Weighed> {
    ENCODER.as_ref().map(|encoder| encoder.relations(pairs)).unwrap_or_default()
}

/// How likely each question is answered by the fact beside it.
pub fn answers(pairs: &[(&str, &str)]) -> Vec<f32> {
    ENCODER.as_ref().map(|encoder| encoder.answers(pairs)).unwrap_or_default()
}

impl Encoder {
    fn embed(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let cut: Vec<Vec<Piece>> = texts.iter().map(|text| self.pieces.cut(text, LONGEST_SENTENCE)).collect();
        let alone: Vec<(&[Piece], &[Piece])> =
            cut.iter().map(|text| (text.as_slice(), [].as_slice())).collect();
        self.network.read(&alone).texts().map(direction).collect()
    }

    fn tokens(&self, statements: &[&str]) -> Vec<Vec<Token>> {
        let cut: Vec<Vec<Piece>> = statements.iter().map(|text| self.pieces.cut(text, LONGEST)).collect();
        let alone: Vec<(&[Piece], &[Piece])> =
            cut.iter().map(|text| (text.as_slice(), [].as_slice())).collect();
        let states = self.network.read(&alone);
        // The first state of a text is that of the mark before it.
        let of_text = |(text, states): (&Vec<Piece>, &[f32])| {
            let states = states.chunks_exact(WIDTH).skip(1);
            text.iter().zip(states).map(|(piece, state)| self.token(piece, state)).collect()
        };
        cut.iter().zip(states.texts()).map(of_text).collect()
    }

    fn token(&self, piece: &Piece, state: &[f32]) -> Token {
        let network = &self.network;
        let [outside, _, _] = softmax(network.value.of(state));
        let [_, start] = softmax(network.start.of(state));
        Token { at: piece.at.clone(), meant: softmax(network.meant.of(state)), value: 1.0 - outside, start }
    }

    fn relations(&self, pairs: &[(&str, &str)]) -> Vec<Weighed> {
        let weighed = |states: &[f32]| {
            let [_, unsettled] = softmax(self.network.unsettled.of(states));
            Weighed { relation: softmax(self.network.relation.of(states)), unsettled }
        };
        // The first state, that of the mark before a pair, stands for the whole.
        self.read(pairs).texts().map(weighed).collect()
    }

    fn answers(&self, pairs: &[(&str, &str)]) -> Vec<f32> {
        let likely = |[_, yes]: [f32; 2]| yes;
        self.read(pairs).texts().map(|states| likely(softmax(self.network.answer.of(states)))).collect()
    }

    fn read(&self, pairs: &[(&str, &str)]) -> States {
        let mut cut: HashMap<&str, Vec<Piece>> = HashMap::new();
        for text in pairs.iter().flat_map(|(a, b)| [*a, *b]) {
            cut.entry(text).or_insert_with(|| self.pieces.cut(text, LONGEST));
        }
        let pieces = |text: &str| cut.get(text).map_or([].as_slice(), Vec::as_slice);
        let pairs: Vec<(&[Piece], &[Piece])> = pairs.iter().map(|(a, b)| (pieces(a), pieces(b))).collect();
        self.network.read(&pairs)
    }
}

/// The mean of a text's states, marks and all, made one long.
fn direction(states: &[f32]) -> Vec<f32> {
    let mut sum = vec![0.0; WIDTH];
    for state in states.chunks_exact(WIDTH) {
        sum.iter_mut().zip(state).for_each(|(sum, x)| *sum += x);
    }
    let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    sum.iter_mut().for_each(|x| *x /= length);
    sum
}

fn softmax<const N: usize>(scores: [f32; N]) -> [f32; N] {
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    let powers = scores.map(|score| (score - most).exp());
    let total: f32 = powers.iter().sum();
    powers.map(|power| power / total)
}

#[cfg(test)]
mod tests;
