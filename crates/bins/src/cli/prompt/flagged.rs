//! What waits for the person's word, with what would become of it.

use crate::cli::session::Session;
use domain::{Fact, FactId, Status};
use serde_json::json;
use service::{IfConfirmed, MemoryShown, Reply, ToolReply};

/// What each flagged fact in a reply waits to do. A removal looks like the fact that it would remove.
pub(super) async fn waiting(session: &Session, reply: &Reply) -> Vec<(FactId, IfConfirmed)> {
    let flagged: Vec<FactId> = match reply {
        Reply::Done(ToolReply::Remember(remembered)) => {
            remembered.waiting.iter().map(|waiting| waiting.fact.id).collect()
        }
        Reply::Done(ToolReply::ListMemories(list)) => {
            let waits = |fact: &&&Fact| fact.status == Status::FlaggedConflict;
            list.standing().iter().filter(waits).map(|fact| fact.id).collect()
        }
        _ => Vec::new(),
    };
    let mut found = Vec::new();
    for id in flagged {
        let shown = session.call("get_memory", json!({ "memory_id": id })).await;
        if let Reply::Done(ToolReply::GetMemory(MemoryShown::Found { if_confirmed, .. })) = shown {
            found.extend(if_confirmed.map(|effect| (id, effect)));
        }
    }
    found
}
