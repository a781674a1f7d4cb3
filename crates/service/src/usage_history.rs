//! How much the deployment was used over the last day, noted while this process runs.

use domain::Timestamp;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use store::{Store, StoreError};
use tokio::time::{MissedTickBehavior, interval};

const EVERY: Duration = Duration::from_secs(60);
/// A day of them.
const KEPT: usize = 24 * 60;

/// What had been done and was held at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageSample {
    pub at: Timestamp,
    pub calls: i64,
    pub failed: i64,
    /// All calls together.
    pub micros: i64,
    pub facts: i64,
    pub bytes: i64,
}

/// Clones share what is noted.
#[derive(Debug, Clone, Default)]
pub(crate) struct UsageHistory(Arc<Mutex<VecDeque<UsageSample>>>);

impl UsageHistory {
    /// Must be called within a Tokio runtime. Ends with it.
    pub fn start(&self, store: Store) {
        let samples = self.0.clone();
        tokio::spawn(async move {
            let mut ticks = interval(EVERY);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
            loop {
                ticks.tick().await;
                match sample(&store).await {
                    Ok(sample) => {
                        let mut samples = samples.lock();
                        samples.push_back(sample);
                        while samples.len() > KEPT {
                            samples.pop_front();
                        }
                    }
                    Err(error) => tracing::warn!(%error, "how much the service is used could not be noted"),
                }
            }
        });
    }

    /// What was noted, oldest first, and then what is now.
    pub async fn up_to_now(&self, store: &Store) -> Result<Vec<UsageSample>, StoreError> {
        let now = sample(store).await?;
        let mut samples: Vec<UsageSample> = self.0.lock().iter().copied().collect();
        samples.push(now);
        Ok(samples)
    }
}

async fn sample(store: &Store) -> Result<UsageSample, StoreError> {
    let (counts, held) = (store.counts().await?, store.storage_held().await?);
    let sum = |of: fn(&store::ToolCount) -> i64| counts.tools.iter().map(of).sum();
    Ok(UsageSample {
        at: Timestamp::now(),
        calls: sum(|tool| tool.calls),
        failed: sum(|tool| tool.errors),
        micros: sum(|tool| tool.micros),
        facts: held.facts,
        bytes: held.bytes,
    })
}
