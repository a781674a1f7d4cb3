//! What a space holds: searching it, and choosing by what facts have in common.

use super::space_form::{Parts, space_form};
use crate::desk::{Desk, Trouble, reply_of};
use crate::fields::{Fields, address_in, space_arguments};
use crate::foreign::foreign;
use crate::html::{paging, said, space_fields, space_shown, status, trouble_line, validity, warning, when};
use crate::names::{Names, callers};
use crate::shown::Shown;
use domain::{Fact, Space, counted};
use hyper::StatusCode;
use maud::{Markup, html};
use std::sync::Arc;

const ROWS: usize = 50;
const AS_OF: &str = "as_of";
const FILTERS: [&str; 7] = ["text", "status", "source", "scope", "category", "since", "until"];
/// What can be shown, and its name.
const STATUSES: [(&str, &str); 3] =
    [("current", "what is current"), ("waiting", "what waits"), ("past", "what is past")];

pub(super) async fn show(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let space = fields.space(desk.own_user());
    let found = match fields.get(AS_OF).trim() {
        "" => searched(desk, fields, &space).await,
        at => held_then(desk, fields, &space, at).await,
    };
    if fields.has("piece") {
        return found.map(Shown::Piece);
    }
    // A condition that makes no sense can be mended in the form.
    let (status, results) = match found {
        Ok(results) => (StatusCode::OK, results),
        Err(Trouble { status: StatusCode::BAD_REQUEST, text }) => {
            (StatusCode::BAD_REQUEST, html! { section id="results" { (trouble_line(&text)) } })
        }
        Err(trouble) => return Err(trouble),
    };
    let main = html! {
        h1 { "Memory of " (space_shown(&space)) }
        (space_form(desk, "memory", &space, Parts::All).await)
        (search_form(fields, &space))
        (results)
    };
    Ok(Shown::page("Memory", main).with_status(status))
}

async fn searched(desk: &Desk, fields: &Fields, space: &Space) -> Result<Markup, Trouble> {
    let offset = offset(fields);
    let mut arguments = space_arguments(space);
    arguments.extend(fields.arguments(&FILTERS));
    if !STATUSES.iter().any(|(known, _)| *known == fields.get("status")) {
        arguments.remove("status");
    }
    arguments.insert("offset".to_owned(), offset.into());
    arguments.insert("limit".to_owned(), ROWS.into());
    let answer = desk.call("search_memories", arguments).await?;
    let missing = answer.missing.clone();
    let found = reply_of!(answer, SearchMemories);
    let names = desk.names(found.facts.iter().flat_map(|fact| callers(fact))).await;
    Ok(html! {
        section id="results" aria-label="Facts found" {
            (warning(missing.as_deref()))
            p role="status" {
                @match found.facts.len() {
                    0 => "Nothing found.",
                    1 => "1 fact.",
                    many => { (many) " facts" @if found.has_more { ", and more." } @else { "." } }
                }
            }
            @if !found.facts.is_empty() { (facts_table(space, &found.facts, &names)) }
            (pages(fields, space, offset, found.has_more))
        }
    })
}

/// What was held at an earlier time: current or waiting then, or only what waited.
async fn held_then(desk: &Desk, fields: &Fields, space: &Space, at: &str) -> Result<Markup, Trouble> {
    if fields.get("status") == "past" {
        let text =
            "Of an earlier time it is shown what was current then, or what waited. Choose one of these.";
        return Err(Trouble { status: StatusCode::BAD_REQUEST, text: text.to_owned() });
    }
    let mut arguments = space_arguments(space);
    arguments.extend(fields.arguments(&FILTERS));
    arguments.remove("status");
    arguments.insert(AS_OF.to_owned(), at.into());
    let answer = desk.call("list_as_of", arguments).await?;
    let missing = answer.missing.clone();
    let held = reply_of!(answer, ListAsOf);
    let active = if fields.get("status") == "waiting" { &[] } else { held.active.as_slice() };
    let (all, offset) = (active.len() + held.flagged.len(), offset(fields));
    let shown: Vec<Arc<Fact>> = active.iter().chain(&held.flagged).skip(offset).take(ROWS).cloned().collect();
    let names = desk.names(shown.iter().flat_map(|fact| callers(fact))).await;
    Ok(html! {
        section id="results" aria-label="Facts found" {
            (warning(missing.as_deref()))
            p role="status" {
                "As of " (when(held.at)) ": " (counted(all as u64, "fact", "facts"))
                @if all > shown.len() && !shown.is_empty() { ", of which this is " (offset + 1) " to " (offset + shown.len()) }
                "."
            }
            @if !held.erasures.is_empty() { p { "What was erased since then is gone, and not shown." } }
            @if !shown.is_empty() { (facts_table(space, &shown, &names)) }
            (pages(fields, space, offset, all > offset + shown.len()))
        }
    })
}

fn offset(fields: &Fields) -> usize {
    fields.get("offset").parse().unwrap_or(0)
}

fn search_form(fields: &Fields, space: &Space) -> Markup {
    let is_filtered = FILTERS.iter().skip(2).chain([&AS_OF]).any(|name| !fields.get(name).is_empty());
    let chosen = fields.get("status");
    html! {
        form.search method="get" action="memory" role="search" aria-label="Facts" data-live="results" {
            (space_fields(space))
            label for="text" { "Search" }
            input id="text" name="text" type="search" value=(fields.get("text")) autocomplete="off"
                placeholder="words, or what they mean";
            label for="status" { "Show" }
            select id="status" name="status" {
                @for (value, name) in STATUSES {
                    option value=(value) selected[chosen == value] { (name) }
                }
            }
            details open[is_filtered] {
                summary { "More conditions" }
                @for (name, label) in [("source", "Source"), ("scope", "Scope"), ("category", "Category")] {
                    label for=(name) { (label) }
                    input id=(name) name=(name) value=(fields.get(name)) autocomplete="off";
                }
                label for="since" { "Said since" }
                input id="since" name="since" type="date" value=(fields.get("since"));
                label for="until" { "Said until" }
                input id="until" name="until" type="date" value=(fields.get("until"));
                label for=(AS_OF) { "As it was at (UTC)" }
                input id=(AS_OF) name=(AS_OF) type="datetime-local" value=(fields.get(AS_OF));
            }
            button { "Search" }
        }
    }
}

fn facts_table(space: &Space, facts: &[Arc<Fact>], names: &Names) -> Markup {
    html! {
        table {
            caption.hidden { "Facts" }
            thead { tr {
                th scope="col" { "Subject" }
                th scope="col" { "Value" }
                th scope="col" { "Scope" }
                th scope="col" { "Said by" }
                th scope="col" { "When" }
                th scope="col" { "Status" }
            } }
            tbody {
                @for fact in facts {
                    tr {
                        th scope="row" data-label="Subject" {
                            a href=(address_in("fact", space, &[("id", &fact.id.to_string())])) {
                                (foreign(&fact.subject)) " " span.number { "#" (fact.id) }
                            }
                        }
                        td data-label="Value" { (foreign(&fact.value)) (validity(fact)) }
                        td data-label="Scope" { (foreign(&fact.scope)) }
                        td data-label="Said by" { (names.said_by(fact)) }
                        td data-label="When" { (said(fact)) }
                        td data-label="Status" { (status(fact.status)) }
                    }
                }
            }
        }
    }
}

fn pages(fields: &Fields, space: &Space, offset: usize, has_more: bool) -> Markup {
    let at = |offset: usize| {
        let offset = offset.to_string();
        let mut given: Vec<(&str, &str)> =
            FILTERS.iter().chain([&AS_OF]).map(|name| (*name, fields.get(name))).collect();
        given.push(("offset", &offset));
        address_in("memory", space, &given)
    };
    let previous = (offset > 0).then(|| at(offset.saturating_sub(ROWS)));
    paging("Further facts", previous, has_more.then(|| at(offset + ROWS)))
}
