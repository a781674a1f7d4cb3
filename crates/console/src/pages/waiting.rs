//! What waits for a decision, and deciding it, one by one or many at once.

use super::space_form::{Parts, space_form};
use crate::desk::{Answer, Desk, Trouble, reply_of};
use crate::fields::{Fields, address, address_in, space_arguments};
use crate::foreign::{foreign, foreign_text};
use crate::html::{
    form_token, paging, said, space_fields, space_name, space_shown, trouble_line, validity, warning,
};
use crate::names::{Names, callers};
use crate::shown::Shown;
use domain::{Action, Capability, Space, limits};
use hyper::StatusCode;
use maud::{Markup, html};
use serde_json::{Map, Value};
use service::{Decided, PendingChange, PendingList, SPACES_OPENED, ToolReply};

/// As many as one page shows, and one form decides.
const ROWS: usize = 50;

const NOTHING: &str = "nothing";
const NOTHING_PRESSED: &str =
    "Nothing was decided. Press a button beside a change, or below those that you marked.";

/// The part of all that waits that a page shows.
struct View {
    /// `None`: all memories that this person may approve for.
    chosen: Option<Space>,
    passed_spaces: usize,
    offset: usize,
}

impl View {
    /// Somebody who may approve sees all spaces, unless they chose one.
    fn of(desk: &Desk, fields: &Fields) -> Self {
        let is_chosen = !fields.get("user_id").is_empty() || !desk.can(Capability::Approve);
        let number = |name: &str| fields.get(name).parse().unwrap_or(0);
        Self {
            chosen: is_chosen.then(|| fields.space(desk.own_user())),
            passed_spaces: number("passed_spaces"),
            offset: number("offset"),
        }
    }

    fn is_from_the_beginning(&self) -> bool {
        self.passed_spaces == 0 && self.offset == 0
    }

    fn arguments(&self) -> Map<String, Value> {
        let mut arguments = match &self.chosen {
            Some(space) => space_arguments(space),
            None => Map::from_iter([("user_id".to_owned(), Value::from("*"))]),
        };
        let numbers = [("passed_spaces", self.passed_spaces), ("offset", self.offset), ("limit", ROWS)];
        arguments.extend(numbers.map(|(name, number)| (name.to_owned(), number.into())));
        arguments
    }

    fn address(&self) -> String {
        self.address_at(self.passed_spaces, self.offset)
    }

    fn address_at(&self, passed_spaces: usize, offset: usize) -> String {
        let shown = |number: usize| if number == 0 { String::new() } else { number.to_string() };
        let (passed_spaces, offset) = (shown(passed_spaces), shown(offset));
        let fields = [("passed_spaces", passed_spaces.as_str()), ("offset", &offset)];
        match &self.chosen {
            Some(space) => address_in("waiting", space, &fields),
            None => address("waiting", &fields),
        }
    }

    fn previous(&self) -> Option<String> {
        match (self.passed_spaces, self.offset) {
            (0, 0) => None,
            (passed, 0) => Some(self.address_at(passed.saturating_sub(SPACES_OPENED), 0)),
            (passed, offset) => Some(self.address_at(passed, offset.saturating_sub(ROWS))),
        }
    }

    fn next(&self, list: &PendingList) -> Option<String> {
        match (list.more, list.further_spaces) {
            (0, 0) => None,
            (0, _) => Some(self.address_at(self.passed_spaces + SPACES_OPENED, 0)),
            _ => Some(self.address_at(self.passed_spaces, self.offset + ROWS)),
        }
    }
}

/// What somebody has filled in, and why it was not taken.
#[derive(Default)]
struct Draft<'a> {
    wrong: Option<String>,
    note: &'a str,
    marked: Vec<&'a str>,
}

pub(super) async fn show(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    page(desk, &View::of(desk, fields), &Draft::default()).await
}

async fn page(desk: &Desk, view: &View, draft: &Draft<'_>) -> Result<Shown, Trouble> {
    let answer = desk.call("list_waiting", view.arguments()).await?;
    let missing = answer.missing.clone();
    let list = reply_of!(answer, ListWaiting);
    let names = desk.names(list.waiting.iter().flat_map(|change| callers(&change.fact))).await;
    let space = view.chosen.clone().unwrap_or_else(|| Space::new("", "", ""));
    let main = html! {
        h1 { "Waiting for a decision" }
        (space_form(desk, "waiting", &space, Parts::All).await)
        @if view.chosen.is_some() && desk.can(Capability::Approve) {
            p { a href="waiting" { "All memories that you may approve for" } }
        }
        p { a href=(address("decided", &[("user_id", &space.user_id)])) { "What was decided, and by whom" } }
        (warning(missing.as_deref()))
        @if let Some(wrong) = &draft.wrong { (trouble_line(wrong)) }
        @if !list.waiting.is_empty() { (changes(desk, view, &list, &names, draft)) }
        @else if !view.is_from_the_beginning() { p role="status" { "No changes are waiting here any more." } }
        @else if let Some(space) = &view.chosen {
            p role="status" { "No changes are waiting in the memory of " (space_shown(space)) "." }
        }
        @else { p role="status" { "No changes are waiting." } }
        (paging("Further changes", view.previous(), view.next(&list)))
    };
    let status = if draft.wrong.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(Shown::page("Waiting", main).with_status(status))
}

fn changes(desk: &Desk, view: &View, list: &PendingList, names: &Names, draft: &Draft<'_>) -> Markup {
    let approves = desk.can(Capability::Approve);
    html! {
        form method="post" action="waiting" {
            // Enter in a field, or on a box, presses the first button of a form. This one decides nothing.
            button.hidden name=(NOTHING) value="on" tabindex="-1" aria-hidden="true" { "Decide nothing" }
            (form_token(desk))
            @if let Some(space) = &view.chosen { (space_fields(space)) }
            @for (name, number) in [("passed_spaces", view.passed_spaces), ("offset", view.offset)] {
                input type="hidden" name=(name) value=(number);
            }
            @if approves {
                div.card {
                    label for="note" { "Note, kept with the decision" }
                    input id="note" name="note" value=(draft.note) maxlength=(limits::NAME_BYTES) autocomplete="off"
                        placeholder="such as: Dr Lee, ward round";
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
                    @for change in &list.waiting { (row(view, change, names, approves, draft)) }
                }
            }
            @if list.more > 0 { p { (list.more) " more wait." } }
            @if list.further_spaces > 0 { p { "More wait in " (list.further_spaces) " further memories." } }
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

fn row(view: &View, change: &PendingChange, names: &Names, approves: bool, draft: &Draft<'_>) -> Markup {
    let Some(space) = change.space.as_ref().or(view.chosen.as_ref()) else { return Markup::default() };
    let fact = &change.fact;
    let id = fact.id.to_string();
    let name = foreign_text(&format!("#{id} {} of {}", fact.subject, space_name(space)));
    // What is shown as current goes along: nobody approves what they have not seen.
    let value = address_in("", space, &[("id", &id), ("shown", &change.fingerprint())]);
    let is_removal = fact.pending.as_ref().is_some_and(|pending| pending.action == Action::Retract);
    html! {
        tr {
            @if approves {
                td data-label="Mark" {
                    input type="checkbox" name="change" value=(value) checked[draft.marked.contains(&value.as_str())]
                        aria-label={ "Mark " (name) };
                }
            }
            th scope="row" data-label="What" {
                a href=(address_in("fact", space, &[("id", &id)])) { (foreign(&fact.subject)) " " span.number { "#" (id) } }
                p.where { (space_shown(space)) @if fact.scope != "global" { ", scope " (foreign(&fact.scope)) } }
            }
            td.old data-label="Now" {
                @for held in &change.now { p { (foreign(&held.value)) } }
                @if change.now.is_empty() { em { "nothing" } }
            }
            td.new data-label="Proposed" {
                @if is_removal { em { "removed" } } @else { (foreign(&fact.value)) (validity(fact)) }
                @if change.is_stale {
                    p.trouble { "What it would change is no longer current, so approving it does nothing." }
                }
            }
            td data-label="Because" {
                blockquote { (foreign(&fact.text)) }
                div.where { (said(fact)) ", said by " (names.said_by(fact)) }
            }
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
    let view = View::of(desk, fields);
    let note = fields.get("note").trim();
    let wrong = if fields.has(NOTHING) { Some(NOTHING_PRESSED.to_owned()) } else { wrong_note(note) };
    if let Some(wrong) = wrong {
        let draft = Draft { wrong: Some(wrong), note, marked: fields.all("change").collect() };
        return page(desk, &view, &draft).await;
    }
    let (tool, changes): (&str, Vec<&str>) = if fields.has("approve") {
        ("confirm_change", vec![fields.get("approve")])
    } else if fields.has("reject") {
        ("reject_change", vec![fields.get("reject")])
    } else {
        let tool = if fields.get("marked") == "approve" { "confirm_change" } else { "reject_change" };
        (tool, fields.all("change").take(ROWS).collect())
    };
    if changes.is_empty() {
        return Ok(Shown::told(view.address(), "Nothing was marked, so nothing was decided."));
    }
    let mut told = Vec::new();
    for change in changes {
        told.push(one(desk, tool, change, note).await);
    }
    Ok(Shown::told(view.address(), told.join("\n")))
}

fn wrong_note(note: &str) -> Option<String> {
    if note.chars().any(char::is_control) {
        return Some("Nothing was decided: the note must be one line of text.".to_owned());
    }
    (note.len() > limits::NAME_BYTES).then(|| {
        format!(
            "Nothing was decided: the note is too long. It takes {} bytes, and at most {} are kept; a letter with an \
             accent, or of another alphabet, takes two or more. Shorten it.",
            note.len(),
            limits::NAME_BYTES
        )
    })
}

/// Decides one change; what came of it, or why it was not done.
async fn one(desk: &Desk, tool: &str, change: &str, note: &str) -> String {
    let change = Fields::read(change.trim_start_matches('?').as_bytes());
    let mut arguments = space_arguments(&change.space(desk.own_user()));
    arguments.insert("memory_id".to_owned(), change.get("id").into());
    arguments.insert("decided_by".to_owned(), note.into());
    match desk.decide(tool, arguments, change.get("shown")).await {
        Ok(Answer { reply: ToolReply::ConfirmChange(Decided::OwnProposal(_)), .. }) => {
            format!("#{} was proposed by you, so somebody else must approve it.", change.get("id"))
        }
        Ok(answer) => answer.reply.to_string(),
        Err(trouble) => trouble.text,
    }
}
