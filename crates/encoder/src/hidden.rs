//! The hidden states of texts that are read together, one row of numbers for each token.

use std::ops::Range;

/// The numbers of one state.
pub(crate) const HIDDEN: usize = 384;

pub(crate) struct HiddenStates {
    pub rows: Vec<f32>,
    /// The rows of each text.
    pub texts: Vec<Range<usize>>,
}

impl HiddenStates {
    /// The states of each text, the special tokens around it included.
    pub fn texts(&self) -> impl Iterator<Item = &[f32]> {
        self.texts.iter().map(|at| rows_of(&self.rows, at))
    }
}

pub(crate) fn rows_of<'a>(rows: &'a [f32], at: &Range<usize>) -> &'a [f32] {
    rows.get(at.start * HIDDEN..at.end * HIDDEN).unwrap_or_default()
}
