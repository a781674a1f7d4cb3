//! Which changes were approved or rejected, and by whom.

use super::space_form::{Parts, space_form};
use crate::desk::{Desk, Trouble, reply_of};
use crate::fields::{Fields, address, address_in};
use crate::foreign::foreign;
use crate::html::{paging, when};
use crate::names::Names;
use crate::shown::Shown;
use domain::{Capability, DEFAULT_TENANT, EntryNumber, Fact, FactId, Space};
use maud::{Markup, html};
use serde_json::Map;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use store::{AuditLine, is_decision};

/// The tools that decide, and what they make of a change.
const VERDICTS: [(&str, &str); 2] = [("confirm_change", "approved"), ("reject_change", "rejected")];
const ROWS: usize = 50;
/// Of the calls so many are looked through: one that decided nothing is not shown.
const CALLS: usize = 500;
/// Of somebody whose scope is these users, without having to choose one.
const MOST_USERS: usize = 20;

/// Whose changes a page shows.
enum Whose {
    Everybody,
    Users(Vec<String>),
    /// The log is shown to this person by user, and they have not said of which.
    Unsaid,
}

impl Whose {
    fn of(desk: &Desk, chosen: &str) -> Self {
        match (chosen, desk.users_in_scope()) {
            ("", _) if desk.can(Capability::Admin) => Self::Everybody,
            ("", Some(users)) => Self::Users(users.iter().take(MOST_USERS).cloned().collect()),
            ("", None) => Self::Unsaid,
            (chosen, _) => Self::Users(vec![chosen.to_owned()]),
        }
    }
}

pub(super) async fn show(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let chosen = fields.get("user_id");
    let whose = Whose::of(desk, chosen);
    let users = match &whose {
        Whose::Everybody => vec![""],
        Whose::Users(users) => users.iter().map(String::as_str).collect(),
        Whose::Unsaid => Vec::new(),
    };
    let before = fields.get("before");
    let Page { entries, next } = page(desk, &users, before).await?;
    let next = next.map(|seq| address("decided", &[("user_id", chosen), ("before", &seq.to_string())]));
    let names = desk.names(entries.iter().map(|entry| entry.caller.as_str())).await;
    let held = held(desk, &entries).await?;
    let main = html! {
        h1 { "What was decided" }
        (space_form(desk, "decided", &Space::new(chosen, "", ""), Parts::User).await)
        p { a href="waiting" { "What waits" } }
        @if matches!(whose, Whose::Unsaid) { p role="status" { "Name the user whose changes you want to see." } }
        @else if !entries.is_empty() { (table(&entries, &names, &held, desk.is_operator())) }
        @else if !before.is_empty() { p role="status" { "Nothing was decided before." } }
        @else if chosen.is_empty() { p role="status" { "Nothing was decided yet." } }
        @else { p role="status" { "Nothing was decided for " (foreign(chosen)) " yet." } }
        (paging("Earlier decisions", None, next))
    };
    Ok(Shown::page("What was decided", main))
}

struct Page {
    entries: Vec<AuditLine>,
    /// Behind which entry the next page begins.
    next: Option<EntryNumber>,
}

/// The latest decisions before this entry, of these users; `""` is everybody.
async fn page(desk: &Desk, users: &[&str], before: &str) -> Result<Page, Trouble> {
    let (mut found, mut looked_through) = (Vec::new(), None);
    for user in users {
        for (tool, _) in VERDICTS {
            let entries = calls(desk, tool, user, before).await?;
            if entries.len() == CALLS {
                looked_through = looked_through.max(entries.last().map(|entry| entry.seq));
            }
            found.extend(entries);
        }
    }
    // Of an entry that was blanked nobody knows any more.
    found.retain(|entry| entry.detail.as_deref().is_none_or(is_decision));
    // What is older than some list goes back may lack what that list would have.
    found.retain(|entry| looked_through.is_none_or(|oldest| entry.seq >= oldest));
    found.sort_by_key(|entry| Reverse(entry.seq));
    let has_more = found.len() > ROWS;
    found.truncate(ROWS);
    let next = if has_more { found.last().map(|entry| entry.seq) } else { looked_through };
    Ok(Page { entries: found, next })
}

/// The latest calls of this tool in the audit log of this user, or of all.
async fn calls(desk: &Desk, tool: &str, user_id: &str, before: &str) -> Result<Vec<AuditLine>, Trouble> {
    let mut arguments = Map::new();
    for (name, value) in [("user_id", user_id), ("before", before)] {
        if !value.is_empty() {
            arguments.insert(name.to_owned(), value.into());
        }
    }
    arguments.insert("action".to_owned(), tool.into());
    arguments.insert("limit".to_owned(), CALLS.into());
    Ok(reply_of!(desk.call("audit_log", arguments).await?, AuditLog).entries)
}

/// What is still held of the changes, and of what they took the place of.
struct Held(BTreeMap<FactId, (Space, Fact)>);

impl Held {
    /// What the entry is of. Of another user, or another tenant, the same number means another fact.
    fn of(&self, entry: &AuditLine, is_of_own_tenant: bool) -> Option<&(Space, Fact)> {
        let found = self.0.get(&number(entry)?)?;
        (is_of_own_tenant && found.0.user_id == entry.user).then_some(found)
    }

    fn replaced_by(&self, fact: &Fact) -> Option<&Fact> {
        Some(&self.0.get(&fact.supersedes?)?.1)
    }
}

/// The number of the change, with which the detail of a decision begins.
fn number(entry: &AuditLine) -> Option<FactId> {
    let number = entry.detail.as_deref()?.strip_prefix('#')?.split(' ').next()?;
    number.parse().ok().map(FactId)
}

async fn held(desk: &Desk, entries: &[AuditLine]) -> Result<Held, Trouble> {
    let changes = numbered(desk, entries.iter().filter_map(number)).await?;
    let replaced = numbered(desk, changes.iter().filter_map(|(_, fact)| fact.supersedes)).await?;
    let all = replaced.into_iter().chain(changes);
    Ok(Held(all.map(|(space, fact)| (fact.id, (space, fact))).collect()))
}

/// None for somebody who may see the log and not the memory.
async fn numbered(desk: &Desk, ids: impl Iterator<Item = FactId>) -> Result<Vec<(Space, Fact)>, Trouble> {
    let ids: Vec<i64> = ids.map(|id| id.0).collect();
    if ids.is_empty() || !desk.can(Capability::Read) {
        return Ok(Vec::new());
    }
    let arguments = Map::from_iter([("memory_ids".to_owned(), ids.into())]);
    Ok(reply_of!(desk.call("numbered_memories", arguments).await?, NumberedMemories).0)
}

/// The subject, and the old value beside the new one, as far as they are still held; otherwise what the log says.
fn change(entry: &AuditLine, found: Option<&(Space, Fact)>, held: &Held) -> Markup {
    html! {
        @match (found, &entry.detail) {
            (Some((space, fact)), _) => {
                a href=(address_in("fact", space, &[("id", &fact.id.to_string())])) {
                    (foreign(&fact.subject)) " " span.number { "#" (fact.id) }
                }
                p {
                    @if let Some(old) = held.replaced_by(fact) { span.old { (foreign(&old.value)) } " → " }
                    span.new { (foreign(&fact.value)) }
                }
            }
            (None, Some(detail)) => (foreign(detail)),
            (None, None) => em { "blanked" },
        }
    }
}

fn table(entries: &[AuditLine], names: &Names, held: &Held, of_all_tenants: bool) -> Markup {
    let verdict =
        |action: &str| VERDICTS.iter().find(|(tool, _)| *tool == action).map_or("", |(_, verdict)| verdict);
    html! {
        table {
            caption.hidden { "Decided changes, the newest first" }
            thead { tr {
                th scope="col" { "When" } th scope="col" { "User" } th scope="col" { "Change" } th scope="col" { "Verdict" }
                th scope="col" { "By" }
            } }
            tbody {
                @for entry in entries {
                    tr {
                        th scope="row" data-label="When" { (when(entry.ts)) }
                        td data-label="User" {
                            (foreign(&entry.user))
                            @if of_all_tenants && entry.tenant != DEFAULT_TENANT { " (tenant " (foreign(&entry.tenant)) ")" }
                        }
                        td data-label="Change" {
                            @let is_of_own_tenant = !of_all_tenants || entry.tenant == DEFAULT_TENANT;
                            (change(entry, held.of(entry, is_of_own_tenant), held))
                        }
                        td data-label="Verdict" { (verdict(&entry.action)) }
                        td data-label="By" { (foreign(names.of(&entry.caller))) }
                    }
                }
            }
        }
    }
}
