//! What pages have in common: the frame around them, and the small pieces that they are made of.

use crate::assets::{ICON, SCRIPT, STYLE};
use crate::desk::Desk;
use crate::foreign::{foreign, foreign_text};
use domain::{Capability, Fact, Space, Status, Timestamp};
use maud::{DOCTYPE, Markup, html};

/// Every page, who may see it, and its name. Addresses within the console are relative, so pages do not care where it is.
const NAVIGATION: [(&str, Capability, &str); 8] = [
    ("memory", Capability::Read, "Memory"),
    ("waiting", Capability::Read, "Waiting"),
    ("graph", Capability::Read, "Graph"),
    ("decisions", Capability::Verify, "Decisions"),
    ("receipts", Capability::Verify, "Receipts"),
    ("audit", Capability::Verify, "Audit log"),
    ("people", Capability::Admin, "People"),
    ("health", Capability::Verify, "Health"),
];

/// Where a person who may see it all begins.
pub(crate) fn first(desk: &Desk) -> &'static str {
    let seen = NAVIGATION.iter().find(|(_, capability, _)| desk.can(*capability));
    seen.map_or("health", |(path, ..)| *path)
}

/// The frame around the pages of somebody who is signed in.
pub(crate) struct Frame<'a> {
    pub desk: &'a Desk,
    pub path: &'a str,
}

/// Whether the browser asks for the page again by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    No,
    Soon,
}

impl Frame<'_> {
    pub fn page(&self, title: &str, main: &Markup, again: Again) -> Markup {
        let header = html! {
            nav aria-label="Pages" {
                ul {
                    @for (path, capability, name) in NAVIGATION {
                        @if self.desk.can(capability) {
                            li { a href=(path) aria-current=[(path == self.path).then_some("page")] { (name) } }
                        }
                    }
                }
            }
            form.signout method="post" action="signout" {
                (form_token(self.desk))
                span { "Signed in as " (foreign(&self.desk.name())) }
                button.quiet { "Sign out" }
            }
        };
        shell(title, Some(&header), main, (again == Again::Soon).then_some("2"))
    }
}

/// A whole document. `refresh`: after how many seconds the browser goes on, and where.
pub(crate) fn shell(title: &str, header: Option<&Markup>, main: &Markup, refresh: Option<&str>) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                @if let Some(refresh) = refresh { meta http-equiv="refresh" content=(refresh); }
                title { (foreign_text(title)) " · svc" }
                link rel="stylesheet" href=(STYLE.path);
                link rel="icon" type="image/svg+xml" href=(ICON.path);
                script src=(SCRIPT.path) defer {}
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header {
                    p.brand { "svc" }
                    @if let Some(header) = header { (header) }
                }
                main id="main" tabindex="-1" { (main) }
            }
        }
    }
}

/// What went wrong, and nothing else.
pub(crate) fn trouble(title: &str, text: &str) -> Markup {
    html! {
        h1 { (title) }
        (trouble_line(text))
    }
}

pub(crate) fn trouble_line(text: &str) -> Markup {
    html! { p.trouble role="alert" { (foreign(text)) } }
}

/// A page that says one thing, to somebody who may not be signed in.
pub(crate) fn message(title: &str, text: &str) -> Markup {
    let main = html! {
        (trouble(title, text))
        p { a href="./" { "To the console" } }
    };
    shell(title, None, &main, None)
}

/// What came of the form that was sent.
pub(crate) fn notice(text: &str) -> Markup {
    html! {
        div.notice role="status" {
            @for line in text.lines() { p { (foreign(line)) } }
        }
    }
}

/// What is missing from what a page shows.
pub(crate) fn warning(missing: Option<&str>) -> Markup {
    html! { @if let Some(missing) = missing { (trouble_line(missing)) } }
}

/// Links to the pages before and after.
pub(crate) fn paging(of: &str, previous: Option<String>, next: Option<String>) -> Markup {
    html! {
        @if previous.is_some() || next.is_some() {
            nav.paging aria-label=(of) {
                @if let Some(previous) = previous { a rel="prev" href=(previous) { "Previous" } }
                @if let Some(next) = next { a rel="next" href=(next) { "Next" } }
            }
        }
    }
}

pub(crate) fn form_token(desk: &Desk) -> Markup {
    html! { input type="hidden" name="form" value=(desk.session.form_token); }
}

pub(crate) fn space_fields(space: &Space) -> Markup {
    html! {
        input type="hidden" name="user_id" value=(space.user_id);
        @if !space.agent_id.is_empty() { input type="hidden" name="agent_id" value=(space.agent_id); }
        @if !space.run_id.is_empty() { input type="hidden" name="run_id" value=(space.run_id); }
    }
}

/// The space as people read it, where it is among words of ours.
pub(crate) fn space_shown(space: &Space) -> Markup {
    foreign(&space_name(space))
}

/// The space as people read it.
pub(crate) fn space_name(space: &Space) -> String {
    let parts = [&space.user_id, &space.agent_id, &space.run_id];
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(|part| to_the_letter(part))
        .collect::<Vec<_>>()
        .join(" / ")
}

/// A name with spaces around it is quoted, because otherwise nobody would see them.
fn to_the_letter(name: &str) -> String {
    if name.trim() == name { name.to_owned() } else { format!("“{name}”") }
}

/// To the second, which is as much as a person reads.
pub(crate) fn when(at: Timestamp) -> Markup {
    let exact = at.to_string();
    let shown = exact.get(..19).unwrap_or(&exact).replace('T', " ");
    html! { time datetime=(exact) { (shown) " UTC" } }
}

/// When a fact was said: never when it was stored, where it was said at another time.
pub(crate) fn said(fact: &Fact) -> Markup {
    match fact.said_last() {
        Some(said) => html! { time datetime=(said) { (said) } },
        None => when(fact.created),
    }
}

/// From when to when a fact holds, where that was told.
pub(crate) fn validity(fact: &Fact) -> Markup {
    html! { @if let Some(dates) = fact.times.validity("since") { " " span.where { (dates) } } }
}

pub(crate) fn status(status: Status) -> Markup {
    let (class, word) = match status {
        Status::Active => ("current", "current"),
        Status::FlaggedConflict => ("waits", "waiting"),
        Status::Superseded => ("past", "replaced"),
        Status::Historical => ("past", "past"),
    };
    html! { span.status.(class) { (word) } }
}
