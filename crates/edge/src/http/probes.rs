//! Whether the process lives, and whether it can serve.

use super::reply::{self, Reply};
use hyper::StatusCode;
use std::time::Duration;
use store::Store;
use tokio::time::timeout;

/// A database that does not answer a trivial query within this time does not answer.
const READY_TIME: Duration = Duration::from_secs(1);

pub(super) fn health() -> Reply {
    reply::json(StatusCode::OK, r#"{"status":"ok"}"#)
}

pub(super) async fn readiness(store: &Store) -> Reply {
    match timeout(READY_TIME, store.ready()).await {
        Ok(Ok(())) => return reply::json(StatusCode::OK, r#"{"status":"ready"}"#),
        Ok(Err(error)) => tracing::warn!(%error, "not ready"),
        Err(_) => tracing::warn!("not ready: the database does not answer in time"),
    }
    reply::json(StatusCode::SERVICE_UNAVAILABLE, r#"{"status":"not-ready"}"#)
}
