//! What a model in process must do, and how it learns that nobody waits for the result any more.

use crate::request::{Answer, Extract};
use domain::{FactId, Place, RawFact};
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::runtime::Handle;

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
    /// The fact that the answer asserts, if it asserts any.
    fn ground(&self, ask: &Answer<'_>) -> Option<FactId>;
    /// How likely each text answers the question, from 0 to 1.
    fn weigh(&self, question: &str, texts: &[&str]) -> Vec<f32>;
    fn embed(&self, texts: &[&str], work: &Work) -> Vec<Vec<f32>>;
}

/// Work that somebody waits for, until a deadline.
#[derive(Debug)]
pub struct Work {
    deadline: Instant,
    is_dropped: Arc<AtomicBool>,
    /// Where it is done, if others wait for the same place.
    place: Option<Mutex<Place>>,
}

impl Work {
    /// Without others that it would have to share with.
    pub fn until(deadline: Instant) -> Self {
        Self { deadline, is_dropped: Arc::default(), place: None }
    }

    pub(crate) fn at(place: Place, deadline: Instant) -> Self {
        Self { place: Some(Mutex::new(place)), ..Self::until(deadline) }
    }

    /// Whether the result is no longer needed.
    pub fn is_over(&self) -> bool {
        self.is_dropped.load(Ordering::Relaxed) || Instant::now() >= self.deadline
    }

    /// To be asked between two pieces, on the thread that computes: lets those go first who have had less so far. A no
    /// means that the result is no longer needed.
    pub fn goes_on(&self) -> bool {
        if let (Some(place), false) = (&self.place, self.is_over()) {
            let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
            Handle::current().block_on(place.pause());
        }
        !self.is_over()
    }

    /// The work is over when this is dropped.
    pub(crate) fn guard(&self) -> Waiting {
        Waiting(Arc::clone(&self.is_dropped))
    }
}

pub(crate) struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
