//! Positions that the log was seen to pass through.

use evidence::Position;
use parking_lot::Mutex;
use std::collections::VecDeque;

/// Heads to remember: as many as there may be processes on the host, and some.
const REMEMBERED: usize = 32;

/// Newest last.
#[derive(Debug, Default)]
pub(crate) struct Known(Mutex<VecDeque<Position>>);

impl Known {
    pub fn holds(&self, at: &Position) -> bool {
        self.0.lock().contains(at)
    }

    pub fn add(&self, at: Position) {
        let mut known = self.0.lock();
        if known.contains(&at) {
            return;
        }
        known.push_back(at);
        if known.len() > REMEMBERED {
            known.pop_front();
        }
    }
}
