//! How the words of a sentence are meant, as the network hears them.

use encoder::{MEANINGS, Meant, Token};
use std::ops::Range;

/// In the order of the network's outputs.
const ALL: [Meant; MEANINGS] = [
    Meant::Nothing,
    Meant::So,
    Meant::Event,
    Meant::Past,
    Meant::Future,
    Meant::Hedged,
    Meant::Hypothetical,
    Meant::Sarcastic,
    Meant::Asked,
    Meant::End,
];
/// The head for sarcasm takes warmth for it, so that it is believed only where a sign of mockery agrees.
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
/// From this mean on a word belongs to the value.
const VALUE: f32 = 0.5;

/// A sentence as the network hears it.
#[derive(Debug)]
pub(crate) struct Heard {
    tokens: Vec<Token>,
    mocks: bool,
}

pub(crate) fn hear(sentences: &[&str]) -> Vec<Heard> {
    let heard = encoder::tokens(sentences).into_iter();
    heard.zip(sentences).map(|(tokens, text)| Heard { tokens, mocks: mocks(text) }).collect()
}

fn mocks(text: &str) -> bool {
    let low = text.to_lowercase();
    MOCKING.iter().any(|sign| low.contains(sign))
}

impl Heard {
    /// How these bytes of the sentence are meant.
    pub fn meant(&self, at: &Range<usize>) -> Meant {
        let shares = self.shares(at);
        let believed = |meant: Meant| meant != Meant::Sarcastic || self.mocks;
        ALL.into_iter()
            .zip(shares)
            .filter(|(meant, _)| believed(*meant))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map_or(Meant::So, |(meant, _)| meant)
    }

    /// How likely they tell how things are.
    pub fn tells(&self, at: &Range<usize>) -> f32 {
        let of = |meant: Meant| self.shares(at).get(meant as usize).copied().unwrap_or_default();
        of(Meant::So)
    }

    fn shares(&self, at: &Range<usize>) -> [f32; MEANINGS] {
        let mut sum = [0.0; MEANINGS];
        let mut count: f32 = 0.0;
        for token in self.tokens.iter().filter(|token| at.contains(&token.at.start)) {
            sum.iter_mut().zip(token.meant).for_each(|(sum, share)| *sum += share);
            count += 1.0;
        }
        sum.map(|share| share / count.max(1.0))
    }

    /// The bytes that give the value, where they stand in a row and it is clear which they are.
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
