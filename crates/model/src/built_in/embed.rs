//! Texts as vectors: the mean of what their words mean, and beside it the words themselves, hashed, so that names and
//! codes count that nobody has a meaning for.

use super::lexicon::LEXICON;
use super::stem::{is_empty_word, plain_words, stems};
use super::vectors::{self, Meaning};

const HASHED: usize = 192;
/// A word counts more than its parts, so that equal words outweigh similar spellings.
const WORD: f32 = 1.0;
const PART: f32 = 0.25;
const KIND: f32 = 0.7;
/// The share of the square of the whole that is meaning, where there are words with one.
const MEANING: f32 = 0.4;

/// Of length one, or all zeros but the first number for a text without a word.
pub(super) fn embed(text: &str) -> Vec<f32> {
    let mut hashed = hashed(text);
    let mut meaning = meaning(text);
    let known = scale(&mut meaning, MEANING.sqrt());
    scale(&mut hashed, if known { (1.0 - MEANING).sqrt() } else { 1.0 });
    hashed.append(&mut meaning);
    if !scale(&mut hashed, 1.0)
        && let Some(first) = hashed.first_mut()
    {
        *first = 1.0;
    }
    hashed
}

/// Whether there was anything to scale.
fn scale(vector: &mut [f32], wanted: f32) -> bool {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x *= wanted / length);
    }
    length > 0.0
}

fn hashed(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0_f32; HASHED];
    for stem in &stems(text) {
        add(&mut vector, "word", stem, WORD);
        let marked: Vec<char> = format!("<{stem}>").chars().collect();
        for part in marked.windows(3) {
            add(&mut vector, "part", &part.iter().collect::<String>(), PART);
        }
    }
    if let Some(kind) = LEXICON.kind(text) {
        stems(kind).iter().for_each(|stem| add(&mut vector, "word", stem, KIND));
    }
    vector
}

/// The mean over the words, in which a rare word counts more than a frequent one.
fn meaning(text: &str) -> Vec<f32> {
    let mut mean = vec![0.0_f32; vectors::DIMENSIONS];
    let kind = LEXICON.kind(text).map(plain_words).unwrap_or_default();
    for word in plain_words(text).iter().chain(&kind).filter(|word| !is_empty_word(word)) {
        for part in word.split(['-', '_']) {
            let Some(meaning) = Meaning::of(part) else { continue };
            let weight = weight(meaning.rarity) / meaning.length().max(1.0);
            mean.iter_mut().zip(meaning.numbers()).for_each(|(sum, x)| *sum += weight * x);
        }
    }
    mean
}

/// As in "smooth inverse frequency" of Arora, Liang and Ma: a / (a + p), where a word's share of all text, p, falls with
/// its rank as Zipf found.
fn weight(rarity: u8) -> f32 {
    const A: f32 = 1e-3;
    let share = 0.1 / (f32::from(rarity) / 12.0).exp2();
    A / (A + share)
}

fn add(vector: &mut [f32], sort: &str, text: &str, weight: f32) {
    let hash = hash(sort, text);
    let sign = if hash & 1 == 0 { 1.0 } else { -1.0 };
    let place = (hash >> 1) as usize % HASHED;
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
