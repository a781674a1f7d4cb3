//! One fact: its words, its history, what rests on it, and what can be done about it.

use crate::desk::{Desk, Trouble, reply_of};
use crate::fields::{Fields, address, address_in, space_arguments};
use crate::foreign::foreign;
use crate::html::{form_token, said, space_fields, space_name, space_shown, status, validity, warning, when};
use crate::names::{Names, callers};
use crate::shown::Shown;
use domain::{Capability, Fact, FactId, Space, Status};
use maud::{Markup, html};
use serde_json::Value;
use service::{Explanation, IfConfirmed, MemoryShown};

pub(super) async fn show(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let (space, id) = (fields.space(desk.own_user()), fields.get("id"));
    let Ok(number) = id.parse::<i64>() else {
        return Ok(not_there(&space, &format!("'{id}' is not the number of a fact.")));
    };
    let mut arguments = space_arguments(&space);
    arguments.insert("memory_id".to_owned(), number.into());
    let answer = desk.call("get_memory", arguments).await?;
    let missing = answer.missing.clone();
    let (fact, if_confirmed) = match reply_of!(answer, GetMemory) {
        MemoryShown::Found { fact, if_confirmed } => (fact, if_confirmed),
        MemoryShown::Unknown(id) => return Ok(not_there(&space, &no_fact(&space, id))),
    };
    let history = history(desk, &space, &fact.subject).await?;
    let names = desk.names(history.iter().chain([&*fact]).flat_map(callers)).await;
    let decisions = decisions(desk, &space, fact.id).await?;
    let main = html! {
        h1 { (foreign(&fact.subject)) " " span.number { "#" (fact.id) } }
        (warning(missing.as_deref()))
        p.value { (foreign(&fact.value)) " " (status(fact.status)) }
        (words(&fact, &names))
        @if let Some(effect) = &if_confirmed { (waits(&space, effect)) }
        (timeline(&space, &history, fact.id, &names))
        (rests(&space, &decisions))
        (details(&space, &fact, &names))
        (actions(desk, &space, &fact))
    };
    Ok(Shown::page(format!("{} #{}", fact.subject, fact.id), main))
}

fn not_there(space: &Space, text: &str) -> Shown {
    Shown::gone(text, &address_in("memory", space, &[]), &format!("The memory of {}", space_name(space)))
}

fn no_fact(space: &Space, id: FactId) -> String {
    format!(
        "There is no fact #{id} in the memory of {}. It was erased, or is in another memory, or never was.",
        space_name(space)
    )
}

/// Every fact of the subject, oldest first.
pub(super) async fn history(desk: &Desk, space: &Space, subject: &str) -> Result<Vec<Fact>, Trouble> {
    let mut arguments = space_arguments(space);
    arguments.insert("subject".to_owned(), subject.into());
    let answer = desk.call("history", arguments).await?;
    Ok(reply_of!(answer, History).facts)
}

/// The decisions that rest on the fact; none for somebody who may not see decisions.
async fn decisions(desk: &Desk, space: &Space, id: FactId) -> Result<Vec<Explanation>, Trouble> {
    if !desk.can(Capability::Verify) {
        return Ok(Vec::new());
    }
    let arguments = [("user_id", Value::from(space.user_id.as_str())), ("memory_id", id.0.into())];
    let arguments = arguments.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let answer = desk.call("list_decisions", arguments).await?;
    Ok(reply_of!(answer, ListDecisions).decisions)
}

fn words(fact: &Fact, names: &Names) -> Markup {
    html! {
        figure {
            blockquote { (foreign(&fact.text)) }
            figcaption { (said(fact)) ", said by " (names.said_by(fact)) }
        }
    }
}

fn waits(space: &Space, effect: &IfConfirmed) -> Markup {
    html! {
        p.notice {
            "This waits for a decision. If it is approved: " (foreign(&effect.to_string())) ". "
            a href=(address_in("waiting", space, &[])) { "Decide" }
        }
    }
}

fn details(space: &Space, fact: &Fact, names: &Names) -> Markup {
    html! {
        section aria-labelledby="details" {
            h2 id="details" { "Details" }
            dl {
                dt { "Memory" } dd { a href=(address_in("memory", space, &[])) { (space_shown(space)) } }
                dt { "Scope" } dd { (foreign(&fact.scope)) }
                dt { "Kind" } dd { (fact.kind.word()) }
                dt { "Confidence" } dd { (format!("{:.2}", fact.confidence)) }
                @if let Some(old) = fact.supersedes {
                    dt { "Takes the place of" }
                    dd { a href=(address_in("fact", space, &[("id", &old.to_string())])) { "#" (old) } }
                }
                dt { "Said" } dd { (said(fact)) }
                @if let Some(dates) = fact.times.validity("since") { dt { "Holds" } dd { (dates) } }
                dt { "Stored" } dd { (when(fact.created)) }
                dt { "Last changed" } dd { (when(fact.changed)) }
                @if let Some(ended) = fact.ended() { dt { "Ended" } dd { (when(ended)) } }
                @for (name, value) in &fact.metadata {
                    dt { (foreign(name)) }
                    dd { (foreign(&names.shown(name, value))) }
                }
            }
        }
    }
}

fn timeline(space: &Space, history: &[Fact], own: FactId, names: &Names) -> Markup {
    html! {
        section aria-labelledby="history" {
            h2 id="history" { "History" }
            ol.line {
                @for fact in history {
                    @for earlier in &fact.earlier {
                        li.past { (foreign(&earlier.value)) " " span.status.past { "refined " (when(earlier.until)) } }
                    }
                    li.(if fact.status == Status::Active { "current" } else { "past" })
                        aria-current=[(fact.id == own).then_some("true")] {
                        a href=(address_in("fact", space, &[("id", &fact.id.to_string())])) { (foreign(&fact.value)) }
                        (validity(fact)) " " (status(fact.status))
                        p { (said(fact)) ", said by " (names.said_by(fact)) }
                        blockquote { (foreign(&fact.text)) }
                        @for (key, what) in [("approved_by", "Approved by"), ("rejected_by", "Rejected by"), ("decided_by", "Note")] {
                            @if let Some(who) = fact.metadata.get(key) { p { (what) ": " (foreign(&names.shown(key, who))) } }
                        }
                    }
                }
            }
        }
    }
}

fn rests(space: &Space, decisions: &[Explanation]) -> Markup {
    html! {
        @if !decisions.is_empty() {
            section aria-labelledby="rests" {
                h2 id="rests" { "Decisions that rested on it" }
                ul {
                    @for decision in decisions {
                        li {
                            a href=(address("decision", &[("user_id", &space.user_id), ("id", &decision.id.to_string())])) {
                                "Decision #" (decision.id)
                            }
                            @if let Some(explained) = decision.found.as_ref().and_then(|(_, row)| super::decision::explained(row)) {
                                ", " (when(explained.ts))
                                @if let Some(summary) = &explained.summary { ": " (foreign(summary)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn actions(desk: &Desk, space: &Space, fact: &Fact) -> Markup {
    let changes = desk.can(Capability::Write) && fact.status == Status::Active;
    html! {
        @if changes || desk.can(Capability::Delete) {
            section aria-labelledby="change" {
                h2 id="change" { "Change it" }
                @if changes {
                    form.card method="post" action="correct" {
                        (form_token(desk)) (space_fields(space))
                        input type="hidden" name="id" value=(fact.id);
                        label for="value" { "Correct value" }
                        input id="value" name="value" value=(fact.value) required autocomplete="off";
                        button { "Correct" }
                        p { "The old value stays in history. On a guarded subject the change may wait for approval." }
                    }
                    form.card method="post" action="forget" {
                        (form_token(desk)) (space_fields(space))
                        input type="hidden" name="id" value=(fact.id);
                        button { "Forget" }
                        p { "It no longer counts, and stays in history. On a guarded subject the removal waits for approval." }
                    }
                }
                @if desk.can(Capability::Delete) {
                    p { a href=(address_in("erase", space, &[("subject", &fact.subject)])) { "Erase this subject for good…" } }
                }
            }
        }
    }
}

pub(super) async fn correct(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let space = fields.space(desk.own_user());
    let mut arguments = space_arguments(&space);
    arguments.insert("memory_id".to_owned(), fields.get("id").into());
    arguments.insert("new_value".to_owned(), fields.get("value").into());
    let update = reply_of!(desk.call("update_memory", arguments).await?, UpdateMemory);
    let now = match &update {
        service::MemoryUpdate::Updated { now, .. } => now.to_string(),
        _ => fields.get("id").to_owned(),
    };
    Ok(Shown::told(address_in("fact", &space, &[("id", &now)]), update.to_string()))
}

pub(super) async fn forget(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let space = fields.space(desk.own_user());
    let mut arguments = space_arguments(&space);
    arguments.insert("memory_id".to_owned(), fields.get("id").into());
    arguments.insert("text".to_owned(), "forgotten in the console".into());
    let forgotten = reply_of!(desk.call("forget", arguments).await?, Forget);
    let told = match &forgotten.nothing {
        Some(service::Nothing::NotCurrent { id, what }) => format!("Nothing was forgotten: #{id} is {what}."),
        _ => forgotten.to_string(),
    };
    Ok(Shown::told(address_in("fact", &space, &[("id", fields.get("id"))]), told))
}
