//! The receipts of a user, each checked.

use super::space_form::{Parts, space_form};
use crate::desk::{Desk, Trouble, reply_of};
use crate::fields::{Fields, address};
use crate::foreign::foreign;
use crate::html::{space_shown, when};
use crate::shown::Shown;
use maud::{Markup, html};
use service::{ReceiptList, ReceiptVerdict};

pub(super) async fn show(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let space = fields.space(desk.own_user());
    let mut arguments = fields.arguments(&["before"]);
    arguments.insert("user_id".to_owned(), space.user_id.as_str().into());
    let list = reply_of!(desk.call("list_receipts", arguments).await?, ListReceipts);
    let main = html! {
        h1 { "Receipts of " (space_shown(&space)) }
        (space_form(desk, "receipts", &space, Parts::User).await)
        @if list.receipts.is_empty() { p role="status" { "There are no receipts." } }
        @else { (table(&space.user_id, &list)) }
    };
    Ok(Shown::page("Receipts", main))
}

fn table(user_id: &str, list: &ReceiptList) -> Markup {
    html! {
        table {
            caption.hidden { "Receipts" }
            thead { tr {
                th scope="col" { "Receipt" } th scope="col" { "When" } th scope="col" { "What it states" } th scope="col" { "Signature" }
            } }
            tbody { @for receipt in &list.receipts { (row(receipt)) } }
        }
        @if let (true, Some(last)) = (list.has_more, list.receipts.last()) {
            nav.paging aria-label="Further receipts" {
                a rel="next" href=(address("receipts", &[("user_id", user_id), ("before", &last.id.to_string())])) { "Older" }
            }
        }
    }
}

fn row(verdict: &ReceiptVerdict) -> Markup {
    html! {
        tr {
            th scope="row" data-label="Receipt" { "#" (verdict.id) }
            @if let Some(found) = &verdict.found {
                @match &found.receipt {
                    Some(receipt) => {
                        td data-label="When" { (when(receipt.ts)) }
                        td data-label="What it states" { (foreign(&receipt.summary())) }
                    }
                    None => td colspan="2" { "its content cannot be read" },
                }
                td data-label="Signature" {
                    @if found.valid { span.good { "✓ valid" } } @else { strong.bad { "⚠ not valid: altered or unsigned" } }
                }
            } @else { td colspan="3" { "removed meanwhile" } }
        }
    }
}
