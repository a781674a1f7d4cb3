//! What this process measures of its calls.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::time::Duration;

/// Seconds: from a read of a small space up to the two minutes for which a model is tried.
const BUCKETS: [f64; 12] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0, 120.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Called {
    tool: &'static str,
}

/// Clones share what they count.
#[derive(Debug, Clone)]
pub(crate) struct ToolTimes(Family<Called, Histogram>);

impl ToolTimes {
    pub fn observe(&self, tool: &'static str, took: Duration) {
        self.0.get_or_create(&Called { tool }).observe(took.as_secs_f64());
    }

    pub fn register(&self, registry: &mut Registry) {
        let tools = self.0.clone();
        registry.register("svc_tool_seconds", "Seconds that calls of each tool took in this process", tools);
    }
}

impl Default for ToolTimes {
    fn default() -> Self {
        Self(Family::new_with_constructor(|| Histogram::new(BUCKETS)))
    }
}
