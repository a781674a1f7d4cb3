//! The decisions of a user, each checked.

use super::decision::{explained, verdict};
use super::space_form::{Parts, space_form};
use crate::desk::{Desk, Trouble, reply_of};
use crate::fields::{Fields, address};
use crate::foreign::foreign;
use crate::html::{space_shown, when};
use crate::shown::Shown;
use maud::{Markup, html};
use service::DecisionList;

pub(super) async fn show(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let space = fields.space(desk.own_user());
    let mut arguments = fields.arguments(&["before"]);
    arguments.insert("user_id".to_owned(), space.user_id.as_str().into());
    let list = reply_of!(desk.call("list_decisions", arguments).await?, ListDecisions);
    let main = html! {
        h1 { "Decisions of " (space_shown(&space)) }
        (space_form(desk, "decisions", &space, Parts::User).await)
        @if list.decisions.is_empty() { p role="status" { "No decisions were recorded." } }
        @else { (table(&space.user_id, &list)) }
    };
    Ok(Shown::page("Decisions", main))
}

fn table(user_id: &str, list: &DecisionList) -> Markup {
    html! {
        table {
            caption.hidden { "Decisions" }
            thead { tr {
                th scope="col" { "Decision" } th scope="col" { "When" } th scope="col" { "What" } th scope="col" { "Facts" }
                th scope="col" { "Record" }
            } }
            tbody {
                @for decision in &list.decisions {
                    @let id = decision.id.to_string();
                    tr {
                        th scope="row" data-label="Decision" {
                            a href=(address("decision", &[("user_id", user_id), ("id", &id)])) { "#" (id) }
                        }
                        @if let Some((_, row)) = &decision.found {
                            @match explained(row) {
                                Some(explained) => {
                                    td data-label="When" { (when(explained.ts)) }
                                    td data-label="What" { @match &explained.summary { Some(summary) => (foreign(summary)), None => em { "redacted" } } }
                                    td data-label="Facts" { (explained.beliefs.len()) }
                                }
                                None => td colspan="3" {},
                            }
                            td data-label="Record" { (verdict(row)) }
                        } @else { td colspan="4" { "removed meanwhile" } }
                    }
                }
            }
        }
        @if let (true, Some(last)) = (list.has_more, list.decisions.last()) {
            nav.paging aria-label="Further decisions" {
                a rel="next" href=(address("decisions", &[("user_id", user_id), ("before", &last.id.to_string())])) { "Older" }
            }
        }
    }
}
