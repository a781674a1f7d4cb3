//! What has changed in a space since a moment, told once for each fact.

use super::room::{Line, words};
use crate::render::pair;
use domain::{DECIDED_AT, Fact, FactId, Status, Timestamp};
use std::collections::HashMap;
use std::sync::Arc;

/// The latest first; sorted by their keys, the latest is last.
pub(super) fn changes(
    active: impl Iterator<Item = Arc<Fact>>,
    retired: &[Arc<Fact>],
    since: Timestamp,
) -> Vec<Line<(Timestamp, FactId)>> {
    let by_id: HashMap<FactId, &Fact> = retired.iter().map(|fact| (fact.id, fact.as_ref())).collect();
    let mut lines: Vec<_> = active
        .filter_map(|fact| came(&fact, &by_id, since).map(|(at, what)| line(&fact, at, &what)))
        .chain(retired.iter().filter_map(|fact| went(fact, since).map(|(at, what)| line(fact, at, &what))))
        .collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.key));
    lines
}

fn line(fact: &Fact, at: Timestamp, what: &str) -> Line<(Timestamp, FactId)> {
    let day = at.strftime("%Y-%m-%d");
    Line { id: fact.id, key: (at, fact.id), text: format!("- {} ({day})", words(what)) }
}

/// A fact that is current and was not then, or had another value.
fn came(fact: &Fact, retired: &HashMap<FactId, &Fact>, since: Timestamp) -> Option<(Timestamp, String)> {
    let current_since = decided(fact).unwrap_or(fact.created);
    let refined = fact.earlier.iter().find(|earlier| earlier.until >= since);
    if current_since < since {
        let at = fact.earlier.last()?.until;
        return refined.map(|then| (at, replaced(&fact.subject, &then.value, &fact.value)));
    }
    let mut before = fact.supersedes;
    while let Some(held) = before.and_then(|id| retired.get(&id)) {
        if decided(held).unwrap_or(held.created) < since {
            return Some((current_since, replaced(&fact.subject, &held.value, &fact.value)));
        }
        before = held.supersedes.filter(|earlier| *earlier < held.id);
    }
    Some((current_since, format!("{}: new", pair(&fact.subject, &fact.value))))
}

fn replaced(subject: &str, before: &str, now: &str) -> String {
    format!("{subject}: '{before}' → '{now}'")
}

/// A fact that was taken back or ran out.
fn went(fact: &Fact, since: Timestamp) -> Option<(Timestamp, String)> {
    if fact.status != Status::Historical {
        return None;
    }
    let told = pair(&fact.subject, &fact.value);
    if fact.value.starts_with("(retracted: ") {
        return (fact.created >= since).then_some((fact.created, told));
    }
    let ended = fact.runs_out().and(fact.ended()).filter(|ended| *ended >= since)?;
    Some((ended, format!("{told}: over")))
}

/// When a person decided on it, where it waited.
fn decided(fact: &Fact) -> Option<Timestamp> {
    fact.metadata.get(DECIDED_AT)?.as_str()?.parse().ok()
}
