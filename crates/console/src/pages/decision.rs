//! One decision: what was known when it was taken, and whether the record is intact.

use crate::desk::{Desk, Trouble, reply_of};
use crate::fields::{Fields, address, address_in};
use crate::foreign::foreign;
use crate::html::when;
use crate::shown::Shown;
use domain::{FactId, Space};
use evidence::{Belief, Explained};
use maud::{Markup, html};
use serde_json::{Map, Value};
use store::DecisionRow;

/// What a decision says, where its record can be believed.
pub(super) fn explained(row: &DecisionRow) -> Option<&Explained> {
    match row {
        DecisionRow::Verified(explained) | DecisionRow::Unsigned(explained) => Some(explained),
        DecisionRow::Altered { .. } => None,
    }
}

/// Whether the record is what was signed.
pub(super) fn verdict(row: &DecisionRow) -> Markup {
    match row {
        DecisionRow::Verified(_) => html! { span.good { "✓ verified: the record is what was signed" } },
        DecisionRow::Unsigned(_) => html! { span { "not signed: signing is off" } },
        DecisionRow::Altered { .. } => html! { strong.bad { "⚠ the record was altered" } },
    }
}

pub(super) async fn show(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let user_id = fields.space(desk.own_user()).user_id;
    let not_there = |text: &str| {
        let all = address("decisions", &[("user_id", &user_id)]);
        Ok(Shown::gone(text, &all, &format!("All decisions of {user_id}")))
    };
    let id = fields.get("id");
    let Ok(number) = id.parse::<i64>() else {
        return not_there(&format!("'{id}' is not the number of a decision."));
    };
    let mut arguments = Map::from_iter([("user_id".to_owned(), Value::from(user_id.as_str()))]);
    arguments.insert("decision_id".to_owned(), number.into());
    let explanation = reply_of!(desk.call("explain_decision", arguments).await?, ExplainDecision);
    let Some((space, row)) = &explanation.found else {
        return not_there(&format!("There is no decision #{id} of {user_id}. It was removed, or never was."));
    };
    let main = html! {
        h1 { "Decision #" (explanation.id) }
        p { (verdict(row)) }
        @if let Some(explained) = explained(row) {
            dl {
                dt { "Decided" } dd { @match &explained.summary { Some(summary) => (foreign(summary)), None => em { "redacted: it named an erased value" } } }
                dt { "When" } dd { (when(explained.ts)) }
            }
            h2 { "What was known at the time" }
            @if explained.beliefs.is_empty() { p { "Nothing." } } @else { (beliefs(space, &explained.beliefs)) }
        }
        p { a href=(address("decisions", &[("user_id", &user_id)])) { "All decisions of " (foreign(&user_id)) } }
    };
    Ok(Shown::page(format!("Decision #{}", explanation.id), main))
}

fn beliefs(space: &Space, beliefs: &[(FactId, Option<Belief>)]) -> Markup {
    html! {
        table {
            caption.hidden { "Facts that the decision rested on" }
            thead { tr {
                th scope="col" { "Subject" } th scope="col" { "Value" } th scope="col" { "Source" } th scope="col" { "Confidence" }
                th scope="col" { "Status then" }
            } }
            tbody {
                @for (id, belief) in beliefs {
                    tr {
                        th scope="row" data-label="Subject" {
                            a href=(address_in("fact", space, &[("id", &id.to_string())])) {
                                @if let Some(belief) = belief { (foreign(&belief.subject)) " " }
                                span.number { "#" (id) }
                            }
                        }
                        @match belief {
                            None => td colspan="4" { em { "redacted: erased since" } },
                            Some(belief) => {
                                td data-label="Value" { (foreign(&belief.value)) }
                                td data-label="Source" { (foreign(belief.source.as_deref().unwrap_or_default())) }
                                td data-label="Confidence" { (format!("{:.2}", belief.confidence)) }
                                td data-label="Status then" { (belief.status) }
                            }
                        }
                    }
                }
            }
        }
    }
}
