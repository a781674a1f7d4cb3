//! What is told of a copy.

use super::to_postgres::Beginning;

/// What there is to say while a copy is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Begins(Beginning),
    /// How far the copy of one table has come, in rows.
    Copied {
        table: &'static str,
        done: u64,
        total: u64,
    },
}

/// Hears of every step.
pub type Watcher<'a> = &'a mut (dyn FnMut(Step) + Send);
