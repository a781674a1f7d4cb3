//! Whether the process lives, and whether it can serve.

use super::reply::{self, Reply};
use hyper::StatusCode;
use std::time::Duration;
use store::Store;

/// Whoever asks is answered within a second, whatever does not answer us.
const READY_TIME: Duration = Duration::from_millis(900);

pub(super) fn health() -> Reply {
    reply::json(StatusCode::OK, r#"{"status":"ok"}"#)
}

/// What fails is told in one word of a few; more is for the log alone.
pub(super) async fn readiness(store: &Store) -> Reply {
    match store.readiness(READY_TIME).await {
        Ok(()) => reply::json(StatusCode::OK, r#"{"status":"ready"}"#),
        Err(not_ready) => {
            let part = not_ready.part.word();
            tracing::warn!(part, why = %not_ready.why, "not ready");
            reply::json(
                StatusCode::SERVICE_UNAVAILABLE,
                format!(r#"{{"status":"not-ready","part":"{part}"}}"#),
            )
        }
    }
}
