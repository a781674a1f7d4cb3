//! What was brought before and is no longer in the files, where these are the whole of the other memory.

use super::CliError;
use super::record::{Place, Record, State};
use super::telling;
use crate::cli::session::Session;
use domain::{Fact, Space};
use reconcile::holders;
use serde_json::json;
use service::{Reply, ToolReply};
use std::collections::{BTreeMap, BTreeSet};

/// A record for each that has vanished from a space of which the files hold something, as one that has ended.
pub async fn vanished(
    session: &Session,
    from: &str,
    records: &[Record],
    asked: &Space,
) -> Result<Vec<Record>, CliError> {
    let mut there: BTreeMap<Space, BTreeSet<&str>> = BTreeMap::new();
    for record in records {
        there.entry(telling::space(record, asked)).or_default().insert(&record.id);
    }
    let mut vanished = Vec::new();
    for (space, ids) in there {
        let mut gone: BTreeMap<String, Record> = BTreeMap::new();
        for fact in standing(session, &space).await? {
            for holder in holders(&fact) {
                if holder.from == from && !ids.contains(holder.id.as_str()) {
                    gone.entry(holder.id.clone()).or_insert_with(|| ended(holder.id, &fact, &space));
                }
            }
        }
        vanished.extend(gone.into_values());
    }
    Ok(vanished)
}

async fn standing(session: &Session, space: &Space) -> Result<Vec<Fact>, CliError> {
    let Space { user_id, agent_id, run_id } = space;
    let arguments = json!({ "user_id": user_id, "agent_id": agent_id, "run_id": run_id });
    match session.call("list_memories", arguments).await {
        Reply::Done(ToolReply::ListMemories(list)) => Ok(list.standing().into_iter().cloned().collect()),
        other => Err(CliError::Refused(other.text())),
    }
}

/// Known by its id: what it came to is noted.
fn ended(id: String, fact: &Fact, space: &Space) -> Record {
    Record {
        user: Some(space.user_id.clone()),
        agent: Some(space.agent_id.clone()),
        run: Some(space.run_id.clone()),
        state: State::Ended(None),
        is_history: true,
        has_vanished: true,
        ..Record::words(Place::nowhere(), id, fact.text.as_ref())
    }
}
