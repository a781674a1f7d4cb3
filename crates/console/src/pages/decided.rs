//! Which changes were approved or rejected, and by whom.

use super::audit::entries_table;
use super::space_form::{Parts, space_form};
use crate::desk::{Desk, Trouble, reply_of};
use crate::fields::Fields;
use crate::shown::Shown;
use domain::Capability;
use maud::html;
use serde_json::Map;

const MOST: usize = 50;

pub(super) async fn show(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let space = fields.space(desk.own_user());
    let of_all = desk.can(Capability::Admin) && !fields.has("user_id");
    let mut entries = Vec::new();
    for action in ["confirm_change", "reject_change"] {
        let mut arguments = Map::new();
        if !of_all {
            arguments.insert("user_id".to_owned(), space.user_id.as_str().into());
        }
        arguments.insert("action".to_owned(), action.into());
        arguments.insert("limit".to_owned(), MOST.into());
        entries.extend(reply_of!(desk.call("audit_log", arguments).await?, AuditLog).entries);
    }
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.seq));
    entries.truncate(MOST);
    let main = html! {
        h1 { "What was decided" }
        (space_form(desk, "decided", &space, Parts::User).await)
        p { a href="waiting" { "What waits" } }
        @if entries.is_empty() { p role="status" { "Nothing was decided yet." } }
        @else { (entries_table(&entries, desk.is_operator())) }
    };
    Ok(Shown::page("What was decided", main))
}
