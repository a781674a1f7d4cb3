//! Where long replies are written.

use domain::{Capacity, Places};

/// Clones share the places.
#[derive(Debug, Clone)]
pub(crate) struct ReplyDesk(pub Places);

impl ReplyDesk {
    /// One core is left to everybody's short calls, where there is more than one.
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self(Places::new(Capacity::of(cores.saturating_sub(1).max(1))))
    }
}
