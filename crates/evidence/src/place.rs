//! When a statement was made, in the log and by the clock.

use crate::Canonical;
use domain::Timestamp;

/// When a statement says that it was made, by which a retired key is kept from signing. What is not known is left open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// How many entries the log had.
    pub entries: Option<u64>,
    pub ts: Option<Timestamp>,
}

/// What is signed.
pub trait Statement: Canonical {
    fn place(&self) -> Place;
}
