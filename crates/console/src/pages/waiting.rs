//! What waits for a decision, and deciding it, one by one or many at once.

use super::space_form::{Parts, space_form};
use crate::desk::{Answer, Desk, Trouble, reply_of};
use crate::fields::{Fields, address, address_in, space_arguments};
use crate::html::{form_token, old_and_new, space_name, warning, when};
use crate::names::{Names, callers};
use crate::shown::Shown;
use domain::{Capability, Space};
use maud::{Markup, html};
use serde_json::{Map, Value};
use service::{Decided, PendingChange, PendingList, ToolReply};

/// As many as one form decides; the rest are listed once these are settled.
const MOST: usize = 50;

pub(super) async fn show(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let approves = desk.can(Capability::Approve);
    // Somebody who may approve sees all spaces, unless they chose one.
    let chosen = !fields.get("user_id").is_empty() || !approves;
    let space = fields.space(desk.own_user());
    let shown = if chosen { space.clone() } else { Space::new("", "", "") };
    let arguments = if chosen {
        space_arguments(&space)
    } else {
        Map::from_iter([("user_id".to_owned(), Value::from("*"))])
    };
    let answer = desk.call("pending_changes", arguments).await?;
    let missing = answer.missing.clone();
    let list = reply_of!(answer, PendingChanges);
    let names = desk.names(list.waiting.iter().take(MOST).flat_map(|change| callers(&change.fact))).await;
    let main = html! {
        h1 { "Waiting for a decision" }
        (space_form(desk, "waiting", &shown, Parts::All).await)
        @if chosen && approves { p { a href="waiting" { "All memories that you may approve for" } } }
        p { a href=(address("decided", &[("user_id", &shown.user_id)])) { "What was decided, and by whom" } }
        (warning(missing.as_deref()))
        @if list.waiting.is_empty() { p role="status" { "No changes are waiting." } }
        @else { (changes(desk, &space, &list, &names)) }
    };
    Ok(Shown::page("Waiting", main))
}

fn changes(desk: &Desk, chosen: &Space, list: &PendingList, names: &Names) -> Markup {
    let approves = desk.can(Capability::Approve);
    let further = list.waiting.len().saturating_sub(MOST) + list.more;
    html! {
        form method="post" action="waiting" {
            (form_token(desk))
            @if approves {
                div.card {
                    label for="note" { "Note, kept with the decision" }
                    input id="note" name="note" autocomplete="off" placeholder="such as: Dr Lee, ward round";
                }
            }
            table {
                caption.hidden { "Changes that wait" }
                thead { tr {
                    @if approves { th scope="col" { span.hidden { "Mark" } } }
                    th scope="col" { "What" }
                    th scope="col" { "Now" }
                    th scope="col" { "Proposed" }
                    th scope="col" { "Because" }
                    @if approves { th scope="col" { "Decide" } }
                } }
                tbody {
                    @for change in list.waiting.iter().take(MOST) { (row(chosen, change, names, approves)) }
                }
            }
            @if further > 0 { p { (further) " more wait; they are listed once some of these are settled." } }
            @if list.further_spaces > 0 {
                p { "More wait in " (list.further_spaces) " further memories; choose a user, or settle some of these first." }
            }
            @if approves {
                div.together {
                    span { "All that are marked:" }
                    button name="marked" value="approve" { "Approve marked" }
                    button.quiet name="marked" value="reject" { "Reject marked" }
                }
            }
        }
    }
}

fn row(chosen: &Space, change: &PendingChange, names: &Names, approves: bool) -> Markup {
    let space = change.space.as_ref().unwrap_or(chosen);
    let fact = &change.fact;
    let id = fact.id.to_string();
    let name = format!("#{id} {} of {}", fact.subject, space_name(space));
    let value = address_in("", space, &[("id", &id)]);
    html! {
        tr {
            @if approves {
                td data-label="Mark" { input type="checkbox" name="change" value=(value) aria-label={ "Mark " (name) }; }
            }
            th scope="row" data-label="What" {
                a href=(address_in("fact", space, &[("id", &id)])) { (fact.subject) " " span.number { "#" (id) } }
                p.where { (space_name(space)) @if fact.scope != "global" { ", scope " (fact.scope) } }
            }
            @if let Some(pending) = &fact.pending {
                @let (old, new) = old_and_new(fact, pending);
                td.old data-label="Now" { (old) }
                td.new data-label="Proposed" { (new) @if change.is_stale { p.trouble { "What it would change is no longer current." } } }
            } @else {
                td data-label="Now" {}
                td data-label="Proposed" { (fact.value) }
            }
            td data-label="Because" { "“" (fact.text) "” " p.where { "said by " (names.said_by(fact)) ", " (when(fact.created)) } }
            @if approves {
                td data-label="Decide" {
                    button name="approve" value=(value) aria-label={ "Approve " (name) } { "Approve" }
                    button.quiet name="reject" value=(value) aria-label={ "Reject " (name) } { "Reject" }
                }
            }
        }
    }
}

pub(super) async fn decide(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let (tool, changes): (&str, Vec<&str>) = if fields.has("approve") {
        ("confirm_change", vec![fields.get("approve")])
    } else if fields.has("reject") {
        ("reject_change", vec![fields.get("reject")])
    } else {
        let tool = if fields.get("marked") == "approve" { "confirm_change" } else { "reject_change" };
        (tool, fields.all("change").take(MOST).collect())
    };
    if changes.is_empty() {
        return Ok(Shown::told("waiting", "Nothing was marked, so nothing was decided."));
    }
    let mut told = Vec::new();
    for change in changes {
        told.push(one(desk, tool, change, fields.get("note")).await);
    }
    Ok(Shown::told("waiting", told.join("\n")))
}

/// Decides one change; what came of it, or why it was not done.
async fn one(desk: &Desk, tool: &str, change: &str, note: &str) -> String {
    let change = Fields::read(change.trim_start_matches('?').as_bytes());
    let mut arguments = space_arguments(&change.space(desk.own_user()));
    arguments.insert("memory_id".to_owned(), change.get("id").into());
    arguments.insert("decided_by".to_owned(), note.trim().into());
    match desk.call(tool, arguments).await {
        Ok(Answer { reply: ToolReply::ConfirmChange(Decided::OwnProposal(_)), .. }) => {
            format!("#{} was proposed by you, so somebody else must approve it.", change.get("id"))
        }
        Ok(answer) => answer.reply.to_string(),
        Err(trouble) => trouble.text,
    }
}
