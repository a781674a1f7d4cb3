//! What a model in process must do, and how it learns that nobody waits for the result any more.

use crate::request::{Answer, Extract};
use domain::RawFact;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The name under which `health` shows it.
pub(crate) const NAME: &str = "built-in";

/// A model that needs no network connection. It computes on the thread that asks.
pub trait BuiltIn: Debug + Send + Sync {
    /// The name that its vectors are kept under: vectors of different names cannot be compared.
    fn embedder(&self) -> &'static str;
    /// Whether it can work: a program whose weights are damaged must say so instead of reading nonsense.
    fn is_whole(&self) -> bool;
    fn extract(&self, ask: &Extract<'_>, work: &Work) -> Vec<RawFact>;
    /// The facts are in order of rank.
    fn answer(&self, ask: &Answer<'_>) -> String;
    /// How likely each text answers the question, from 0 to 1.
    fn weigh(&self, question: &str, texts: &[&str]) -> Vec<f32>;
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

    /// Whether the result is no longer needed.
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
