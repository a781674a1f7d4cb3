//! Texts as vectors, by hashing their stems and the letters within them.

use super::lexicon::LEXICON;
use super::stem::stems;

pub(super) const DIMENSIONS: usize = 256;
/// A word counts more than its parts, so that equal words outweigh similar spellings.
const WORD: f32 = 1.0;
const PART: f32 = 0.25;
const KIND: f32 = 0.7;

/// Of length one, or all zeros but the first number for a text without a word.
pub(super) fn embed(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0_f32; DIMENSIONS];
    let stems = stems(text);
    for stem in &stems {
        add(&mut vector, "word", stem, WORD);
        let marked: Vec<char> = format!("<{stem}>").chars().collect();
        for part in marked.windows(3) {
            add(&mut vector, "part", &part.iter().collect::<String>(), PART);
        }
    }
    if let Some(kind) = LEXICON.kind(text) {
        super::stem::stems(kind).iter().for_each(|stem| add(&mut vector, "word", stem, KIND));
    }
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    } else if let Some(first) = vector.first_mut() {
        *first = 1.0;
    }
    vector
}

fn add(vector: &mut [f32], sort: &str, text: &str, weight: f32) {
    let hash = hash(sort, text);
    let sign = if hash & 1 == 0 { 1.0 } else { -1.0 };
    let place = (hash >> 1) as usize % DIMENSIONS;
    if let Some(number) = vector.get_mut(place) {
        *number += sign * weight;
    }
}

/// FNV-1a: vectors are stored, so that the hash must never change.
fn hash(sort: &str, text: &str) -> u64 {
    let bytes = sort.bytes().chain([0]).chain(text.bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
    hash ^ (hash >> 29)
}
