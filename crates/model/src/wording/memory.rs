//! The held facts, as far as the words of a statement are compared with them.

use domain::{Fact, FactId};
use std::sync::Arc;

/// The active facts of the space.
pub trait Memory {
    fn fact(&self, id: FactId) -> Option<Arc<Fact>>;
    /// Facts that contain the word, in any form; enough of them to tell whether it is rare.
    fn holding(&self, word: &str) -> Vec<Arc<Fact>>;
    /// Facts of the subject, or of the declared slot that it names.
    fn of_subject(&self, subject: &str) -> Vec<Arc<Fact>>;
    /// The keys of other held subjects that are about the same attribute.
    fn alike(&self, subject: &str) -> Vec<String>;
    /// The name and the aliases of the declared slot that the subject names.
    fn slot_names(&self, subject: &str) -> Vec<String>;
    /// What the same caller said before in this space.
    fn said_before(&self) -> Option<Arc<str>>;
}
