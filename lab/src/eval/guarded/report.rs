//! The faults of the guarded stories, counted.

use super::score::{Fault, Outcome};
use crate::eval::report::Findings;
use crate::eval::sequence::word;
use crate::eval::tally::Ratio;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

#[derive(Debug)]
pub struct Report {
    pub model: String,
    pub outcomes: Vec<Outcome>,
}

/// The stories of a trade or a kind.
type Group<'a> = (String, Vec<&'a Outcome>);

impl Report {
    fn all(&self) -> Vec<&Outcome> {
        self.outcomes.iter().collect()
    }

    fn by(&self, key: impl Fn(&Outcome) -> String) -> Vec<Group<'_>> {
        let mut groups: BTreeMap<String, Vec<&Outcome>> = BTreeMap::new();
        for outcome in &self.outcomes {
            groups.entry(key(outcome)).or_default().push(outcome);
        }
        groups.into_iter().collect()
    }

    fn by_trade(&self) -> Vec<Group<'_>> {
        self.by(|outcome| word(&outcome.story.trade))
    }

    fn by_kind(&self) -> Vec<Group<'_>> {
        self.by(|outcome| word(&outcome.story.kind))
    }

    fn statements(&self) -> usize {
        self.outcomes.iter().map(|outcome| outcome.story.say.len()).sum()
    }
}

fn count(of: &[&Outcome], fault: Fault) -> Ratio {
    Ratio::of(of.iter().map(|outcome| outcome.has(fault)))
}

/// Stories after which nothing false is held, nothing lost and nobody told to go ahead.
fn clean(of: &[&Outcome]) -> Ratio {
    let harmless = |outcome: &&Outcome| outcome.faults.iter().all(|(fault, _)| *fault > Fault::Lost);
    Ratio::of(of.iter().map(harmless))
}

impl Findings for Report {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "model: {}", self.model)?;
        writeln!(out, "guarded: {} stories, {} statements", self.outcomes.len(), self.statements())?;
        writeln!(out, "\nstories, share in percent, with its 95 % interval (Wilson)")?;
        for fault in Fault::ALL {
            writeln!(out, "{:<34}{}", fault.words(), count(&self.all(), fault))?;
        }
        writeln!(out, "{:<34}{}\n", "nothing false, nothing lost", clean(&self.all()))?;
        for (name, of) in self.by_kind().into_iter().chain(self.by_trade()) {
            writeln!(out, "{name:<34}{}", clean(&of))?;
        }
        Ok(())
    }

    fn write_failures(&self, out: &mut dyn Write) -> io::Result<()> {
        for outcome in self.outcomes.iter().filter(|o| !o.faults.is_empty() || !o.failures.is_empty()) {
            failure(out, outcome)?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let faults = |of: &[&Outcome]| -> Map<String, Value> {
            let counts = Fault::ALL.map(|fault| (fault.name().to_owned(), count(of, fault).json()));
            counts.into_iter().chain([("clean".to_owned(), clean(of).json())]).collect()
        };
        let groups = |groups: Vec<Group<'_>>| -> Map<String, Value> {
            groups.into_iter().map(|(name, of)| (name, faults(&of).into())).collect()
        };
        let stories = self.outcomes.iter().map(|outcome| {
            let found = outcome.faults.iter().map(|(fault, text)| json!({ "fault": fault.name(), "found": text }));
            json!({ "id": outcome.story.id, "faults": found.collect::<Vec<_>>(), "failures": outcome.failures })
        });
        json!({
            "model": self.model,
            "statements": self.statements(),
            "all": faults(&self.all()),
            "kinds": groups(self.by_kind()),
            "trades": groups(self.by_trade()),
            "stories": stories.collect::<Vec<_>>(),
        })
    }
}

fn failure(out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
    writeln!(out, "{}  {}", outcome.story.id, word(&outcome.story.kind))?;
    for text in &outcome.story.say {
        writeln!(out, "  {:<8} {text}", "said")?;
    }
    for text in &outcome.failures {
        writeln!(out, "  {:<8} {text}", "failed")?;
    }
    for (fault, text) in &outcome.faults {
        writeln!(out, "  {:<8} {}: {text}", "finding", fault.words())?;
    }
    for fact in &outcome.found.held {
        let scope = if fact.scope == "global" { String::new() } else { format!(" ({})", fact.scope) };
        writeln!(
            out,
            "  {:<8} {} = {}{scope}  [{}, {}]",
            "found",
            fact.subject,
            fact.value,
            fact.status,
            fact.kind.word()
        )?;
    }
    writeln!(out)
}
