//! The audit log: reading it, and checking all of it.

use crate::desk::{Desk, Trouble, reply_of};
use crate::fields::{Fields, address};
use crate::foreign::foreign;
use crate::html::{Again, form_token, trouble_line, when};
use crate::names::Names;
use crate::shown::Shown;
use domain::{Capability, DEFAULT_TENANT, Notice};
use hyper::StatusCode;
use maud::{Markup, html};
use serde_json::Map;
use service::Head;
use std::time::Instant;
use store::AuditLine;

const ROWS: usize = 50;
const FILTERS: [&str; 5] = ["user_id", "action", "caller", "since", "until"];

pub(super) async fn show(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let needs_user = !desk.can(Capability::Admin) && fields.get("user_id").is_empty();
    let entries = if needs_user { Vec::new() } else { entries(desk, fields).await? };
    let names = desk.names(entries.iter().map(|entry| entry.caller.as_str())).await;
    let head = reply_of!(desk.call("log_head", Map::new()).await?, LogHead);
    let main = html! {
        h1 { "Audit log" }
        form method="post" action="audit-check" {
            (form_token(desk))
            button { "Check the whole log" }
        }
        (head_shown(&head.head))
        (filter_form(fields, needs_user))
        @if needs_user { p role="status" { "Name a user whose entries you may see." } }
        @else if entries.is_empty() { p role="status" { "No entries." } }
        @else { (entries_table(&entries, &names, desk.is_operator())) (paging(fields, &entries)) }
    };
    Ok(Shown::page("Audit log", main))
}

fn head_shown(head: &Head) -> Markup {
    html! {
        @match head {
            Head::Signed { entries, signed, note } => {
                p {
                    "Its head vouches for " (entries) " entries, and was signed " (when(*signed)) ". "
                    a href="witnesses" { "Ask the witnesses" }
                }
                @if let Some(note) = note {
                    details {
                        summary { "The signed head, to keep elsewhere" }
                        pre { (note) }
                        p { "Kept in a file, it shows later, with " code { "svc verify --since FILE" } ", that the log was neither cut back nor rewritten." }
                    }
                }
            }
            Head::NoEntries | Head::Unsigned => { p { (head.to_string()) } }
        }
    }
}

/// What others, who remember how far the log has come, say of it now.
pub(super) async fn witnesses(desk: &Desk) -> Result<Shown, Trouble> {
    let arguments = Map::from_iter([("witnesses".to_owned(), true.into())]);
    let shown = reply_of!(desk.call("log_head", arguments).await?, LogHead);
    let main = html! {
        h1 { "Witnesses of the audit log" }
        (head_shown(&shown.head))
        @if shown.witnessed.is_empty() {
            p role="status" { "This deployment has no witnesses. SVC_WITNESS names them." }
        } @else {
            ul {
                @for witnessed in &shown.witnessed {
                    li {
                        @if witnessed.said.is_agreed() { span.good { "✓ " (foreign(&witnessed.to_string())) } }
                        @else { strong.bad { "⚠ " (foreign(&witnessed.to_string())) } }
                    }
                }
            }
        }
        p { a href="audit" { "Back to the log" } }
    };
    Ok(Shown::page("Witnesses", main))
}

async fn entries(desk: &Desk, fields: &Fields) -> Result<Vec<AuditLine>, Trouble> {
    let mut arguments = fields.arguments(&FILTERS);
    arguments.extend(fields.arguments(&["before"]));
    arguments.insert("limit".to_owned(), ROWS.into());
    Ok(reply_of!(desk.call("audit_log", arguments).await?, AuditLog).entries)
}

fn filter_form(fields: &Fields, needs_user: bool) -> Markup {
    html! {
        form.search method="get" action="audit" role="search" aria-label="Entries" {
            label for="user_id" { "User" }
            input id="user_id" name="user_id" value=(fields.get("user_id")) required[needs_user] autocomplete="off" spellcheck="false";
            label for="action" { "Action" }
            input id="action" name="action" value=(fields.get("action")) autocomplete="off" spellcheck="false" placeholder="such as remember";
            label for="caller" { "Caller" }
            input id="caller" name="caller" value=(fields.get("caller")) autocomplete="off" spellcheck="false" placeholder="a principal's id, or local";
            label for="since" { "Since" }
            input id="since" name="since" type="date" value=(fields.get("since"));
            label for="until" { "Until" }
            input id="until" name="until" type="date" value=(fields.get("until"));
            button.quiet { "Show" }
        }
    }
}

fn entries_table(entries: &[AuditLine], names: &Names, of_all_tenants: bool) -> Markup {
    html! {
        table {
            caption.hidden { "Entries, the newest first" }
            thead { tr {
                th scope="col" { "Entry" } th scope="col" { "When" } th scope="col" { "Action" } th scope="col" { "User" }
                th scope="col" { "By" } th scope="col" { "Detail" }
            } }
            tbody {
                @for entry in entries {
                    tr {
                        th scope="row" data-label="Entry" { (entry.seq) }
                        td data-label="When" { (when(entry.ts)) }
                        td data-label="Action" { (foreign(&entry.action)) }
                        td data-label="User" {
                            (foreign(&entry.user))
                            @if of_all_tenants && entry.tenant != DEFAULT_TENANT { " (tenant " (foreign(&entry.tenant)) ")" }
                        }
                        td data-label="By" {
                            @let name = names.of(&entry.caller);
                            (foreign(name)) @if name != entry.caller { p.where { (foreign(&entry.caller)) } }
                        }
                        td data-label="Detail" { @match &entry.detail { Some(detail) => (foreign(detail)), None => em { "blanked" } } }
                    }
                }
            }
        }
    }
}

fn paging(fields: &Fields, entries: &[AuditLine]) -> Markup {
    let last = entries.last().map_or_else(String::new, |entry| entry.seq.to_string());
    let mut given: Vec<(&str, &str)> = FILTERS.iter().map(|name| (*name, fields.get(name))).collect();
    given.push(("before", &last));
    html! {
        @if entries.len() == ROWS {
            nav.paging aria-label="Further entries" { a rel="next" href=(address("audit", &given)) { "Older" } }
        }
    }
}

/// Begins a check, which goes on however long it takes while the page asks for its verdict.
pub(super) fn check(desk: &Desk) -> Shown {
    if let Some(check) = desk.session.begin_check(Instant::now()) {
        let verdict = desk.begin("verify_audit", Map::new(), check.notice.clone());
        tokio::spawn(async move {
            let verdict = verdict.await;
            let told = verdict.map(|answer| answer.reply.to_string()).map_err(|trouble| trouble.text);
            *check.verdict.lock() = Some(told);
        });
    }
    Shown::next("audit-check")
}

/// How far the check has come.
fn progress(notice: &Notice) -> Markup {
    html! {
        @match (notice.share(), notice.words()) {
            (Some((done, total)), Some(words)) if total > 0 => {
                progress aria-label="Entries checked" max=(total) value=(done) {}
                p { (words) }
            }
            _ => {
                progress aria-label="The check is under way" {}
                p { "It waits for its turn: one check runs at a time." }
            }
        }
    }
}

pub(super) fn checked(desk: &Desk) -> Shown {
    let Some(check) = desk.session.last_check() else { return Shown::next("audit") };
    let is_awaited = check.is_awaited(Instant::now());
    let verdict = check.verdict.lock().clone();
    let main = html! {
        h1 { "Checking the audit log" }
        @match &verdict {
            None if !is_awaited => p.trouble role="alert" {
                "There is no verdict after " (check.began.elapsed().as_secs() / 60) " minutes. Ask the operator to look at the log of the server."
            },
            None => {
                p role="status" { "Every entry, hash and signature is being checked, for " (check.began.elapsed().as_secs()) " seconds so far. This page shows the verdict when it is there." }
                (progress(&check.notice))
            }
            Some(Ok(verdict)) => @for line in verdict.lines() {
                p.verdict role="status" { (foreign(line)) }
            },
            Some(Err(trouble)) => (trouble_line(trouble)),
        }
        p { a href="audit" { "Back to the log" } }
    };
    let again = if is_awaited { Again::Soon } else { Again::No };
    Shown::Page { status: StatusCode::OK, title: "Checking the audit log".to_owned(), main, again }
}
