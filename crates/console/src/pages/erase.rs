//! Erasing a subject for good, after saying what goes and what stays.

use super::fact::history;
use crate::desk::{Desk, Trouble, reply_of};
use crate::fields::{Fields, address_in, space_arguments};
use crate::html::{form_token, space_fields, space_name, status, when};
use crate::shown::Shown;
use domain::{Capability, counted};
use hyper::StatusCode;
use maud::html;

pub(super) async fn show(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let (space, subject) = (fields.space(desk.own_user()), fields.get("subject"));
    if !desk.can(Capability::Delete) {
        let text = "Your role does not allow this: it takes the right 'delete'.".to_owned();
        return Err(Trouble { status: StatusCode::FORBIDDEN, text });
    }
    let goes = history(desk, &space, subject).await?;
    if goes.is_empty() {
        let main = html! {
            h1 { "Erase " (subject) }
            p role="status" { (space_name(&space)) "'s memory holds nothing about " strong { (subject) } ", so there is nothing to erase." }
            p { a href=(address_in("memory", &space, &[])) { "Back to the memory" } }
        };
        return Ok(Shown::page(format!("Erase {subject}"), main));
    }
    let main = html! {
        h1 { "Erase " (subject) }
        p { "This removes what " (space_name(&space)) "'s memory holds about " strong { (subject) } ", with its history. It cannot be undone." }
        section aria-labelledby="goes" {
            h2 id="goes" { "What goes" }
            p { (counted(goes.len() as u64, "fact", "facts")) " and the words that they were said in:" }
            ul {
                @for fact in &goes {
                    li { (fact.value) " " (status(fact.status)) ", " (when(fact.created)) }
                    @for earlier in &fact.earlier { li { (earlier.value) " " span.status.past { "refined " (when(earlier.until)) } } }
                }
            }
            p { "Recorded decisions keep their signatures; what they quote of these facts is redacted." }
        }
        section aria-labelledby="stays" {
            h2 id="stays" { "What stays" }
            ul {
                li { "A signed receipt, which proves the erasure without the erased values." }
                li { "Recorded decisions, redacted, unless you remove them below." }
                li { "Attestations, which hold values, unless you remove them below." }
                li { "The audit log, whose details may quote the memory." }
                li { "Backups that were made before." }
            }
        }
        form.card method="post" action="erase" {
            (form_token(desk)) (space_fields(&space))
            input type="hidden" name="subject" value=(subject);
            fieldset {
                legend { "Also" }
                label { input type="checkbox" name="include_decisions" value="on"; " remove decisions that rested on it" }
                label { input type="checkbox" name="include_receipts" value="on"; " remove attestations of it" }
                @if desk.is_operator() {
                    label { input type="checkbox" name="include_audit" value="on"; " blank details in the audit log" }
                }
            }
            button.danger { "Erase for good" }
            a href=(address_in("memory", &space, &[])) { "Cancel" }
        }
    };
    Ok(Shown::page(format!("Erase {subject}"), main))
}

pub(super) async fn erase(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let space = fields.space(desk.own_user());
    let mut arguments = space_arguments(&space);
    arguments.insert("subject".to_owned(), fields.get("subject").into());
    for flag in ["include_decisions", "include_receipts", "include_audit"] {
        arguments.insert(flag.to_owned(), fields.has(flag).into());
    }
    let deleted = reply_of!(desk.call("delete", arguments).await?, Delete);
    Ok(Shown::told(address_in("memory", &space, &[]), deleted.to_string()))
}
