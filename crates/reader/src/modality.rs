//! How the words of a sentence are meant, according to the network.

use encoder::{MODALITIES, Modality, Token};
use std::ops::Range;

/// In the order of the network's outputs.
const ALL: [Modality; MODALITIES] = [
    Modality::Nothing,
    Modality::Asserted,
    Modality::Event,
    Modality::Past,
    Modality::Future,
    Modality::Hedged,
    Modality::Hypothetical,
    Modality::Sarcastic,
    Modality::Question,
    Modality::Ended,
];
/// The network takes warmth for sarcasm, so it is believed only if the sentence also has a sign of mockery.
const MOCKING: [&str; 12] = [
    "🙄",
    "/s",
    "yeah right",
    "oh great",
    "oh sure",
    "sure, because",
    "as if",
    "oh yes, because",
    "what a surprise",
    "just what we needed",
    "oh joy",
    "because that went so well",
];
/// The probability from which on a word belongs to the value.
const VALUE: f32 = 0.5;

/// A sentence as the network labels it.
#[derive(Debug)]
pub(crate) struct LabelledSentence {
    tokens: Vec<Token>,
    mocks: bool,
}

pub(crate) fn label(sentences: &[&str]) -> Vec<LabelledSentence> {
    let labelled = encoder::tokens(sentences).into_iter();
    labelled.zip(sentences).map(|(tokens, text)| LabelledSentence { tokens, mocks: mocks(text) }).collect()
}

fn mocks(text: &str) -> bool {
    let low = text.to_lowercase();
    MOCKING.iter().any(|sign| low.contains(sign))
}

impl LabelledSentence {
    /// How these bytes of the sentence are meant.
    pub fn modality(&self, at: &Range<usize>) -> Modality {
        let shares = self.shares(at);
        let believed = |meant: Modality| meant != Modality::Sarcastic || self.mocks;
        ALL.into_iter()
            .zip(shares)
            .filter(|(meant, _)| believed(*meant))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map_or(Modality::Asserted, |(meant, _)| meant)
    }

    /// The probability that they say how things are.
    pub fn tells(&self, at: &Range<usize>) -> f32 {
        let of = |meant: Modality| self.shares(at).get(meant as usize).copied().unwrap_or_default();
        of(Modality::Asserted)
    }

    fn shares(&self, at: &Range<usize>) -> [f32; MODALITIES] {
        let mut sum = [0.0; MODALITIES];
        let mut count: f32 = 0.0;
        for token in self.tokens.iter().filter(|token| at.contains(&token.at.start)) {
            sum.iter_mut().zip(token.modality).for_each(|(sum, share)| *sum += share);
            count += 1.0;
        }
        sum.map(|share| share / count.max(1.0))
    }

    /// The bytes of the value, if they are in one run.
    pub fn value(&self, at: &Range<usize>) -> Option<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut open = false;
        for token in self.tokens.iter().filter(|token| at.contains(&token.at.start)) {
            let belongs = token.value > VALUE;
            match runs.last_mut().filter(|_| open && belongs) {
                Some(run) => run.end = token.at.end,
                None if belongs => runs.push(token.at.clone()),
                None => {}
            }
            open = belongs;
        }
        match runs.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        }
    }
}
