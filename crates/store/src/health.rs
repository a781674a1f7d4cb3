//! Whether what is written still reaches the database: what the writing of this process is at, and when it last
//! committed.

use crate::error::Part;
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// A commit this recent shows by itself that writing works.
const RECENT: Duration = Duration::from_millis(500);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    #[default]
    Idle,
    /// Waiting for the lock of the database.
    Locking,
    Writing,
}

#[derive(Debug, Default)]
pub(crate) struct Health {
    state: Mutex<State>,
    /// Whoever tries whether writing works; the others wait for what comes of it.
    pub turn: tokio::sync::Mutex<()>,
    /// Told when a newer head of the log is on the disk, and kept beside the database.
    pub head_kept: tokio::sync::Notify,
}

#[derive(Debug, Default)]
struct State {
    stage: Stage,
    committed: Option<Instant>,
}

impl Health {
    pub fn enter(&self, stage: Stage) {
        self.state.lock().stage = stage;
    }

    pub fn committed(&self) {
        *self.state.lock() = State { stage: Stage::Idle, committed: Some(Instant::now()) };
    }

    /// What was tried last was not kept.
    pub fn failed(&self) {
        *self.state.lock() = State::default();
    }

    pub fn is_recent(&self) -> bool {
        self.state.lock().committed.is_some_and(|at| at.elapsed() < RECENT)
    }

    /// What writing waits for, where it gives no answer.
    pub fn waits_for(&self) -> Part {
        match self.state.lock().stage {
            Stage::Idle => Part::Database,
            Stage::Locking => Part::Lock,
            Stage::Writing => Part::Disk,
        }
    }
}
