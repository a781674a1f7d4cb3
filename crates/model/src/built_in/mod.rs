//! The built-in model: a stand-in for a language model, in process and without a network. It reads plain English by
//! part-of-speech tags, word lists and a few frames, answers by naming the fact that answers, and embeds by
//! word vectors and hashing.
//! The same statement over the same facts gives the same proposals. Where it is not sure it flags or skips.

mod answer;
mod changes;
mod clauses;
mod comparing;
mod copula;
mod cutting;
mod dangling;
mod elsewhere;
mod embed;
mod endings;
mod extract;
mod forget;
mod fragments;
mod gapping;
mod keeping;
mod lexicon;
mod meeting;
mod misgivings;
mod naming;
mod news;
mod parts;
mod people;
mod pieces;
mod place;
mod question;
mod reading;
mod sentences;
mod settling;
mod slots;
mod spelling;
mod stem;
mod told;
mod values;
mod vectors;
mod verb_group;
mod verbs;
mod verdicts;
mod words;

use crate::ask::{Answer, Extract, Intent};
use domain::RawFact;

/// The name under which `health` shows it.
pub(crate) const NAME: &str = "built-in";
/// Vectors of another way of embedding could not be compared, so that it has a number.
pub(crate) const EMBEDDER: &str = "built-in 2";

pub(crate) fn extract(ask: &Extract<'_>) -> Vec<RawFact> {
    match ask.intent {
        Intent::Remember => extract::extract(ask),
        Intent::Forget => forget::forget(ask),
    }
}

pub(crate) fn answer(ask: &Answer<'_>) -> String {
    answer::answer(ask)
}

pub(crate) fn embed(texts: &[&str]) -> Vec<Vec<f32>> {
    texts.iter().map(|text| embed::embed(text)).collect()
}

#[cfg(test)]
mod tests;
