//! Choosing the space that a page is about.

use crate::desk::Desk;
use domain::{Capability, Space};
use maud::{Markup, html};
use serde_json::Map;
use service::ToolReply;

/// Which parts of a space a page asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parts {
    All,
    /// All that the user has.
    User,
}

pub(super) async fn space_form(desk: &Desk, path: &str, space: &Space, parts: Parts) -> Markup {
    let mut users = known(desk).await;
    users.sort();
    users.dedup();
    html! {
        form.space method="get" action=(path) role="search" aria-label="Whose memory" {
            label for="user_id" { "User" }
            input id="user_id" name="user_id" value=(space.user_id) placeholder="all" list="users" autocomplete="off" spellcheck="false";
            datalist id="users" { @for user in &users { option value=(user) {} } }
            @if parts == Parts::All {
                details open[!space.is_whole_user()] {
                    summary { "Agent and run" }
                    label for="agent_id" { "Agent" }
                    input id="agent_id" name="agent_id" value=(space.agent_id) autocomplete="off" spellcheck="false";
                    label for="run_id" { "Run" }
                    input id="run_id" name="run_id" value=(space.run_id) autocomplete="off" spellcheck="false";
                }
            }
            button.quiet { "Open" }
        }
    }
}

/// The users to choose from. Whoever may not see them types a name.
async fn known(desk: &Desk) -> Vec<String> {
    if !desk.can(Capability::Read) {
        return Vec::new();
    }
    match desk.call("list_spaces", Map::new()).await {
        Ok(answer) => match answer.reply {
            ToolReply::ListSpaces(list) => list.spaces.into_iter().map(|space| space.user_id).collect(),
            _ => Vec::new(),
        },
        Err(_) => Vec::new(),
    }
}
