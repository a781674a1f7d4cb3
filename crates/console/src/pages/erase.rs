//! Erasing a subject for good, after saying what goes and what stays.

use super::fact::history;
use crate::desk::{Desk, Trouble, reply_of};
use crate::fields::{Fields, address_in, space_arguments};
use crate::foreign::foreign;
use crate::html::{form_token, said, space_fields, space_shown, status, trouble_line, when};
use crate::sessions::hash;
use crate::shown::Shown;
use domain::{Capability, Fact, Space, counted};
use hyper::StatusCode;
use maud::{Markup, html};

const SHOWN: &str = "shown";

pub(super) async fn show(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let going = Going::of(desk, fields).await?;
    Ok(Shown::page(going.title(), going.page(desk, None)))
}

/// What an erasure would take.
struct Going<'a> {
    space: Space,
    subject: &'a str,
    facts: Vec<Fact>,
}

impl<'a> Going<'a> {
    async fn of(desk: &Desk, fields: &'a Fields) -> Result<Self, Trouble> {
        if !desk.can(Capability::Delete) {
            let text = "Your role does not allow this: it takes the right 'delete'.".to_owned();
            return Err(Trouble { status: StatusCode::FORBIDDEN, text });
        }
        let (space, subject) = (fields.space(desk.own_user()), fields.get("subject"));
        let facts = history(desk, &space, subject).await?;
        Ok(Self { space, subject, facts })
    }

    fn title(&self) -> String {
        format!("Erase {}", self.subject)
    }

    fn page(&self, desk: &Desk, wrong: Option<&str>) -> Markup {
        html! {
            h1 { "Erase " (foreign(self.subject)) }
            @if let Some(wrong) = wrong { (trouble_line(wrong)) }
            @if self.facts.is_empty() { (self.nothing()) } @else { (self.confirmation(desk)) }
        }
    }

    fn nothing(&self) -> Markup {
        html! {
            p role="status" {
                (space_shown(&self.space)) "'s memory holds nothing about " strong { (foreign(self.subject)) }
                ", so there is nothing to erase."
            }
            p { a href=(address_in("memory", &self.space, &[])) { "Back to the memory" } }
        }
    }

    fn confirmation(&self, desk: &Desk) -> Markup {
        html! {
            p {
                "This removes what " (space_shown(&self.space)) "'s memory holds about " strong { (foreign(self.subject)) }
                ", with its history. It cannot be undone."
            }
            section aria-labelledby="goes" {
                h2 id="goes" { "What goes" }
                p { (counted(self.facts.len() as u64, "fact", "facts")) " and the words that they were said in:" }
                (self.list())
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
                (form_token(desk)) (space_fields(&self.space))
                input type="hidden" name="subject" value=(self.subject);
                input type="hidden" name=(SHOWN) value=(self.fingerprint());
                fieldset {
                    legend { "Also" }
                    label { input type="checkbox" name="include_decisions" value="on"; " remove decisions that rested on it" }
                    label { input type="checkbox" name="include_receipts" value="on"; " remove attestations of it" }
                    @if desk.is_operator() {
                        label { input type="checkbox" name="include_audit" value="on"; " blank details in the audit log" }
                    }
                }
                button.danger { "Erase for good" }
                a href=(address_in("memory", &self.space, &[])) { "Cancel" }
            }
        }
    }

    fn list(&self) -> Markup {
        html! {
            ul {
                @for fact in &self.facts {
                    li {
                        (foreign(&fact.value)) " " span.number { "#" (fact.id) } " " (status(fact.status)) ", "
                        @if fact.scope != "global" { "scope " (foreign(&fact.scope)) ", " }
                        (said(fact))
                    }
                    @for earlier in &fact.earlier {
                        li { (foreign(&earlier.value)) " " span.status.past { "refined " (when(earlier.until)) } }
                    }
                }
            }
        }
    }

    /// Stands for the list: nobody erases what they have not seen.
    fn fingerprint(&self) -> String {
        hex::encode(hash(&self.list().into_string()))
    }
}

pub(super) async fn erase(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let going = Going::of(desk, fields).await?;
    if going.fingerprint() != fields.get(SHOWN) {
        let wrong = "Nothing was erased: what would go has changed since it was shown. Look at it again.";
        let page = going.page(desk, Some(wrong));
        return Ok(Shown::page(going.title(), page).with_status(StatusCode::CONFLICT));
    }
    let mut arguments = space_arguments(&going.space);
    arguments.insert("subject".to_owned(), going.subject.into());
    for flag in ["include_decisions", "include_receipts", "include_audit"] {
        arguments.insert(flag.to_owned(), fields.has(flag).into());
    }
    let deleted = reply_of!(desk.call("delete", arguments).await?, Delete);
    Ok(Shown::told(address_in("memory", &going.space, &[]), deleted.to_string()))
}
