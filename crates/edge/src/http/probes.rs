//! Whether the process lives, and whether it can serve.

use super::reply::{self, Reply};
use hyper::StatusCode;
use std::time::Duration;
use store::Store;

/// Whoever asks is answered within a second, whatever does not answer us.
pub(super) const READY_TIME: Duration = Duration::from_millis(900);

pub(super) fn health() -> Reply {
    reply::json(StatusCode::OK, r#"{"status":"ok"}"#)
}

/// Which part fails is in the log, in `health` and in `/metrics`; a stranger is not told.
pub(super) async fn readiness(store: &Store) -> Reply {
    match store.readiness(READY_TIME).await {
        Ok(()) => reply::json(StatusCode::OK, r#"{"status":"ready"}"#),
        Err(not_ready) => {
            tracing::warn!(part = not_ready.part.word(), why = %not_ready.why, "not ready");
            reply::json(StatusCode::SERVICE_UNAVAILABLE, r#"{"status":"not-ready"}"#)
        }
    }
}
