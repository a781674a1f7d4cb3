//! The held facts, as far as the words of a statement are compared with them.

use domain::{Fact, FactId};
use std::sync::Arc;

/// The active facts of the space.
pub trait Memory {
    fn fact(&self, id: FactId) -> Option<Arc<Fact>>;
    /// Facts that contain the word, in any form; enough of them to tell whether it is rare.
    fn holding(&self, word: &str) -> Vec<Arc<Fact>>;
}
