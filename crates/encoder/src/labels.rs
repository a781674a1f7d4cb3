//! What the classifier heads of the network tell apart. The order of each enum is the order of the network's outputs.

use std::ops::Range;

/// What a statement does to a fact that is held.
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

/// How words are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modality {
    /// Filler, a greeting, a mere reason.
    Nothing,
    /// Something holds.
    Asserted,
    Event,
    Past,
    Future,
    Hedged,
    Hypothetical,
    Sarcastic,
    Question,
    /// Something no longer holds.
    Ended,
}

pub const RELATIONS: usize = 5;
pub const MODALITIES: usize = 10;

/// A word or a part of a word, its bytes in the text, and what the network says of it, as probabilities.
#[derive(Debug, Clone)]
pub struct Token {
    pub at: Range<usize>,
    /// In the order of [`Modality`].
    pub modality: [f32; MODALITIES],
    /// That it belongs to a value.
    pub value: f32,
    /// That it begins something new.
    pub start: f32,
}

/// What a statement does to a fact that is held, as probabilities.
#[derive(Debug, Clone, Copy)]
pub struct RelationScores {
    /// In the order of [`Relation`].
    pub relation: [f32; RELATIONS],
    /// That it speaks of the fact, but not of how things are now.
    pub unsettled: f32,
}
