//! How long calls to the model and the embedder took, and which of them failed.

use crate::error::ModelError;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use std::time::Instant;

/// Seconds: from a model in process up to the two minutes for which a call is tried.
const BUCKETS: [f64; 11] = [0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 120.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ModelCall {
    call: &'static str,
    outcome: &'static str,
}

/// Clones share what they count.
#[derive(Debug, Clone)]
pub struct CallTimes(Family<ModelCall, Histogram>);

impl CallTimes {
    pub fn family(&self) -> Family<ModelCall, Histogram> {
        self.0.clone()
    }

    /// Does the work, all its repetitions included, and notes how long that took.
    pub(crate) async fn timed<T>(
        &self,
        call: &'static str,
        work: impl Future<Output = Result<T, ModelError>>,
    ) -> Result<T, ModelError> {
        let started = Instant::now();
        let result = work.await;
        let outcome = if result.is_ok() { "ok" } else { "failed" };
        self.0.get_or_create(&ModelCall { call, outcome }).observe(started.elapsed().as_secs_f64());
        result
    }
}

impl Default for CallTimes {
    fn default() -> Self {
        Self(Family::new_with_constructor(|| Histogram::new(BUCKETS)))
    }
}
