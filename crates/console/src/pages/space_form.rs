//! Choosing the space that a page is about.

use crate::desk::Desk;
use crate::fields::address_in;
use crate::html::space_shown;
use domain::Space;
use maud::{Markup, html};
use std::collections::BTreeSet;

/// What the agents and runs of a user have, as far as it is offered.
const MOST_OTHERS: usize = 20;

/// Which parts of a space a page asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parts {
    All,
    /// All that the user has.
    User,
}

pub(super) async fn space_form(desk: &Desk, path: &str, space: &Space, parts: Parts) -> Markup {
    let spaces = desk.spaces().await;
    let users: BTreeSet<&str> = spaces.iter().map(|known| known.user_id.as_str()).collect();
    let is_other = |known: &&Space| parts == Parts::All && known.user_id == space.user_id && *known != space;
    let others: Vec<&Space> = spaces.iter().filter(is_other).take(MOST_OTHERS).collect();
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
        @if !others.is_empty() {
            nav.others aria-label="Other memories of this user" {
                "Also: "
                @for other in others { a href=(address_in(path, other, &[])) { (space_shown(other)) } " " }
            }
        }
    }
}
