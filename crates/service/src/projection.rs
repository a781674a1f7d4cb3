//! Keeps the entity graph up to date in the background: no write waits for Neo4j.

use crate::projection_work::{LOOKS_EVERY, ProjectionError, Turn, Worker};
use graph::Graph;
use std::time::Duration;
use store::{Store, StoreError};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

/// After a failure the next attempt waits, from a second up to this.
const LONGEST_REST: Duration = Duration::from_secs(15);

/// The graph of the deployment, and the work on it. Clones share both.
#[derive(Debug, Clone)]
pub struct Projection {
    pub(crate) graph: Graph,
    /// How often this process has written to the store, and up to which of these the graph has been brought.
    written: watch::Sender<u64>,
    applied: watch::Receiver<u64>,
}

impl Projection {
    /// Must be called within a Tokio runtime.
    pub(crate) fn start(store: Store, graph: Graph) -> Self {
        // The first look counts as a change: the graph may be behind from before.
        let (written, mut changes) = watch::channel(1);
        let (done, applied) = watch::channel(0);
        let worker = Worker::new(store, graph.clone());
        tokio::spawn(async move {
            let mut rest = Rest::default();
            loop {
                let seen = *changes.borrow_and_update();
                match worker.turn(&mut |_| ()).await {
                    Ok(turn) => {
                        if turn == Turn::Done {
                            rest.over();
                            let _ = done.send(seen);
                        }
                        // Whether it was a change or the time that ended the wait makes no difference.
                        let _ = timeout(LOOKS_EVERY, changes.changed()).await;
                    }
                    Err(ProjectionError::Store(StoreError::Closed)) => break,
                    Err(error) => sleep(rest.after(&error)).await,
                }
            }
        });
        Self { graph, written, applied }
    }

    /// This process has written to the store.
    pub(crate) fn changed(&self) {
        self.written.send_modify(|count| *count += 1);
    }

    /// Waits until the graph has what this process wrote so far, but no longer than this; returns whether it has.
    pub(crate) async fn catch_up(&self, within: Duration) -> bool {
        let wanted = *self.written.borrow();
        let mut applied = self.applied.clone();
        // A worker that has ended brings nothing up to date any more.
        matches!(timeout(within, applied.wait_for(|applied| *applied >= wanted)).await, Ok(Ok(_)))
    }
}

/// How long to leave a Neo4j alone that does not answer; says so once, not at every attempt.
#[derive(Default)]
struct Rest {
    failures: u32,
}

impl Rest {
    fn after(&mut self, error: &ProjectionError) -> Duration {
        if self.failures == 0 {
            tracing::warn!(%error, "the entity graph falls behind; no change is lost, and recall_related answers as recall");
        }
        self.failures = self.failures.saturating_add(1);
        LONGEST_REST.min(Duration::from_secs(1 << self.failures.min(5)))
    }

    fn over(&mut self) {
        if self.failures > 0 {
            tracing::warn!("the entity graph is up to date again");
        }
        self.failures = 0;
    }
}
