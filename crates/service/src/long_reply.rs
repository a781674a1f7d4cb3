//! Writing long replies out, beside the asynchronous work.

use crate::reply::{Reply, ToolReply};
use crate::service::Service;
use domain::Account;
use std::panic::resume_unwind;
use tokio::task::spawn_blocking;

/// Items of a reply that are written in less time than handing them to another thread is worth.
const SHORT: usize = 64;

impl Reply {
    fn is_long(&self) -> bool {
        match self {
            Self::Done(ToolReply::ExportMemory(_)) => true,
            Self::Done(ToolReply::AuditLog(page)) => page.entries.len() > SHORT,
            Self::Done(ToolReply::ListMemories(list)) => list.standing().len() > SHORT,
            Self::Done(ToolReply::History(history)) => history.facts.len() > SHORT,
            Self::Done(ToolReply::PendingChanges(list)) => list.waiting.len() > SHORT,
            _ => false,
        }
    }
}

impl Service {
    /// Writes a reply for its caller. A long one is written on a thread of its own when it is the caller's turn, and
    /// nobody else's call waits for it.
    pub async fn write_out(
        &self,
        account: &Account,
        reply: Reply,
        write: impl FnOnce(&Reply) -> String + Send + 'static,
    ) -> String {
        if !reply.is_long() {
            return write(&reply);
        }
        let place = self.desk.0.take(account).await;
        let written = spawn_blocking(move || {
            let text = write(&reply);
            drop((reply, place));
            text
        });
        match written.await {
            Ok(text) => text,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // The runtime is shutting down, and with it whoever would read this.
                Err(_) => std::future::pending().await,
            },
        }
    }
}
