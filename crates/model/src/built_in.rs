//! What a model in process must do, and how it learns that nobody waits for it any more.

use crate::ask::{Answer, Extract};
use domain::RawFact;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The name under which `health` shows it.
pub(crate) const NAME: &str = "built-in";

/// A model that needs no network connection. It computes on the thread that asks.
pub trait BuiltIn: Debug + Send + Sync {
    /// Under which name its vectors are kept: those of two names cannot be compared.
    fn embedder(&self) -> &'static str;
    /// Whether it can work at all: a program whose weights are damaged must say so, and not read nonsense.
    fn is_whole(&self) -> bool;
    fn extract(&self, ask: &Extract<'_>, work: &Work) -> Vec<RawFact>;
    /// The facts stand in order of rank.
    fn answer(&self, ask: &Answer<'_>) -> String;
    fn embed(&self, texts: &[&str]) -> Vec<Vec<f32>>;
}

/// Work that somebody waits for, until a deadline.
#[derive(Debug, Clone)]
pub struct Work {
    deadline: Instant,
    dropped: Arc<AtomicBool>,
}

impl Work {
    pub fn until(deadline: Instant) -> Self {
        Self { deadline, dropped: Arc::default() }
    }

    /// Whether there is no use in going on.
    pub fn is_over(&self) -> bool {
        self.dropped.load(Ordering::Relaxed) || Instant::now() >= self.deadline
    }

    /// The work is over when this is dropped.
    pub(crate) fn guard(&self) -> Waiting {
        Waiting(Arc::clone(&self.dropped))
    }
}

pub(crate) struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
