//! How busy the store of this process is.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Load {
    /// Calls whose write has not been committed yet.
    pub writes_waiting: usize,
    pub pools: Vec<PoolLoad>,
}

/// Connections of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolLoad {
    pub name: &'static str,
    pub open: usize,
    pub idle: usize,
    /// Calls that wait for a connection.
    pub waiting: usize,
}

/// Counts those who wait for something.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waiting(Arc<AtomicUsize>);

/// One who waits, until this is dropped.
pub(crate) struct Waiter(Arc<AtomicUsize>);

impl Waiting {
    pub fn begin(&self) -> Waiter {
        self.0.fetch_add(1, Ordering::Relaxed);
        Waiter(self.0.clone())
    }

    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
