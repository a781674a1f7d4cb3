//! A memory as a page for people: what holds, what waits, and what each subject was before.

use domain::keys::subject_key;
use domain::{Fact, Status, Timestamp};
use service::Exported;
use std::collections::BTreeMap;
use std::io::{self, Write};

pub(super) fn write(exported: &Exported, out: &mut impl Write) -> io::Result<()> {
    let space = &exported.space;
    let parts = [("agent", &space.agent_id), ("run", &space.run_id)];
    let named: String = parts
        .iter()
        .filter(|(_, id)| !id.is_empty())
        .map(|(what, id)| format!(", {what} {}", plain(id)))
        .collect();
    writeln!(out, "# Memory of {}{named}\n", plain(&space.user_id))?;
    let mut subjects: BTreeMap<String, Vec<&Fact>> = BTreeMap::new();
    for fact in &exported.export.records {
        subjects.entry(subject_key(&fact.subject)).or_default().push(fact);
    }
    if subjects.is_empty() {
        return writeln!(out, "Nothing yet.\n");
    }
    let is_current = |facts: &[&Fact]| facts.iter().any(|fact| fact.status == Status::Active);
    let (current, past): (Vec<_>, Vec<_>) = subjects.into_values().partition(|facts| is_current(facts));
    current.iter().try_for_each(|facts| subject(facts, out))?;
    if !past.is_empty() {
        writeln!(out, "# No longer current\n")?;
    }
    past.iter().try_for_each(|facts| subject(facts, out))
}

fn subject(facts: &[&Fact], out: &mut impl Write) -> io::Result<()> {
    let Some(newest) = facts.last() else { return Ok(()) };
    writeln!(out, "## {}\n", plain(&newest.subject))?;
    for fact in of(facts, Status::Active) {
        writeln!(
            out,
            "- **{}**{}, since {}{}",
            plain(&fact.value),
            scope(fact),
            day(fact.began()),
            source(fact)
        )?;
    }
    for fact in of(facts, Status::FlaggedConflict) {
        writeln!(
            out,
            "- waiting for a decision: {}{}, since {}{}",
            plain(&fact.value),
            scope(fact),
            day(fact.said()),
            source(fact)
        )?;
    }
    for fact in facts {
        let mut since = fact.began();
        for earlier in &fact.earlier {
            writeln!(out, "- before: {}, {} to {}", plain(&earlier.value), day(since), day(earlier.until))?;
            since = earlier.until;
        }
        match (fact.status, fact.ended()) {
            (Status::Superseded | Status::Historical, Some(ended)) => writeln!(
                out,
                "- before: {}{}, {} to {}{}",
                plain(&fact.value),
                scope(fact),
                day(since),
                day(ended),
                source(fact)
            )?,
            (Status::Superseded | Status::Historical, None) => {
                writeln!(out, "- history: {}{}, {}", plain(&fact.value), scope(fact), day(since))?
            }
            (Status::Active | Status::FlaggedConflict, _) => {}
        }
    }
    writeln!(out)
}

fn of<'a>(facts: &'a [&'a Fact], status: Status) -> impl Iterator<Item = &'a Fact> {
    facts.iter().copied().filter(move |fact| fact.status == status)
}

fn scope(fact: &Fact) -> String {
    if fact.scope.eq_ignore_ascii_case("global") {
        String::new()
    } else {
        format!(" ({})", plain(&fact.scope))
    }
}

fn source(fact: &Fact) -> String {
    fact.source.as_ref().map_or_else(String::new, |source| format!(", from {}", plain(source)))
}

fn day(at: Timestamp) -> String {
    at.to_string().chars().take(10).collect()
}

/// Words of a memory are words: nothing in them becomes a heading, a link or a tag.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let (before, rest) = text.split_at(at);
        let is_mark = match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&' => true,
            // Many readers of Markdown make a link of a bare address.
            ':' => rest.starts_with("://"),
            '.' => before.ends_with("www") || before.ends_with("WWW"),
            '@' => true,
            _ => false,
        };
        if is_mark {
            plain.push('\\');
        }
        plain.push(if c.is_control() { ' ' } else { c });
    }
    plain
}
