//! Results as a table for a person or as JSON for a program.

use super::run::Outcome;
use super::score::Grade;
use super::sequence::{Statement, word};
use super::tally::Tally;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// What an evaluation came to.
pub trait Findings {
    /// As a table.
    fn write(&self, out: &mut dyn Write) -> io::Result<()>;
    /// One by one, what is not as it should be.
    fn write_failures(&self, out: &mut dyn Write) -> io::Result<()>;
    fn json(&self) -> Value;
}

/// What came of the stories.
#[derive(Debug)]
pub struct Report<'a> {
    pub model: &'a str,
    pub set: &'a str,
    pub outcomes: &'a [Outcome],
}

impl Report<'_> {
    fn total(&self) -> Tally {
        Tally::of(self.outcomes.iter().map(Outcome::grade))
    }

    fn by(&self, key: fn(&Outcome) -> String) -> BTreeMap<String, Tally> {
        let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
        for outcome in self.outcomes {
            tallies.entry(key(outcome)).or_default().count(outcome.grade());
        }
        tallies
    }

    fn by_trade(&self) -> BTreeMap<String, Tally> {
        self.by(|outcome| word(&outcome.sequence.trade))
    }

    fn by_kind(&self) -> BTreeMap<String, Tally> {
        self.by(|outcome| word(&outcome.sequence.kind))
    }

    fn failed_calls(&self) -> usize {
        self.outcomes.iter().map(|outcome| outcome.failures.len()).sum()
    }
}

impl Findings for Report<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "model: {}", self.model)?;
        writeln!(out, "set: {}, {} sequences", self.set, self.outcomes.len())?;
        let failed = self.failed_calls();
        if failed > 0 {
            writeln!(
                out,
                "calls that the model did not serve: {failed}; what they left out counts as missed"
            )?;
        }
        writeln!(out, "\nshare in percent, with its 95 % interval (Wilson)")?;
        writeln!(out, "{:<14}{:>4}  {:<24}{:<24}{:<24}", "", "n", "correct", "safe", "silently wrong")?;
        for (name, tally) in self.by_trade() {
            row(out, &name, &tally)?;
        }
        writeln!(out)?;
        for (name, tally) in self.by_kind() {
            row(out, &name, &tally)?;
        }
        writeln!(out)?;
        row(out, "all", &self.total())
    }

    fn write_failures(&self, out: &mut dyn Write) -> io::Result<()> {
        for outcome in self.outcomes.iter().filter(|outcome| outcome.grade() != Grade::Correct) {
            failure(out, outcome)?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let tallies = |all: BTreeMap<String, Tally>| -> BTreeMap<String, Value> {
            all.iter().map(|(name, tally)| (name.clone(), shares(tally))).collect()
        };
        json!({
            "model": self.model,
            "set": self.set,
            "failed_calls": self.failed_calls(),
            "all": shares(&self.total()),
            "trades": tallies(self.by_trade()),
            "kinds": tallies(self.by_kind()),
            "sequences": self.outcomes.iter().map(sequence).collect::<Vec<_>>(),
        })
    }
}

fn row(out: &mut dyn Write, name: &str, tally: &Tally) -> io::Result<()> {
    write!(out, "{name:<14}{:>4}", tally.total())?;
    for grade in Grade::ALL {
        let share = tally.share(grade);
        let interval = format!("[{:.1}, {:.1}]", share.low, share.high);
        write!(out, "  {:>3} {:>5.1} {interval:<13}", tally.get(grade), share.percent)?;
    }
    writeln!(out)
}

fn failure(out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
    let sequence = &outcome.sequence;
    writeln!(out, "{}  {}  {}", sequence.id, word(&sequence.kind), outcome.grade().word())?;
    for statement in &sequence.say {
        let lead = match statement {
            Statement::Remember(_) => "said",
            Statement::Forget { .. } => "forget",
        };
        writeln!(out, "  {lead:<8} {}", statement.text())?;
    }
    for finding in &outcome.findings {
        writeln!(out, "  {:<8} {}: {}", "finding", finding.grade.word(), finding.text)?;
    }
    for fact in &outcome.held {
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
    if let (Some(ask), Some(answer)) = (&sequence.ask, &outcome.answer) {
        writeln!(out, "  {:<8} {}\n  {:<8} {answer}", "asked", ask.question, "answer")?;
    }
    writeln!(out)
}

fn shares(tally: &Tally) -> Value {
    let share = |grade| {
        let share = tally.share(grade);
        json!({ "count": tally.get(grade), "percent": share.percent, "low": share.low, "high": share.high })
    };
    json!({
        "n": tally.total(),
        "correct": share(Grade::Correct),
        "safe": share(Grade::Safe),
        "silently_wrong": share(Grade::SilentlyWrong),
    })
}

fn sequence(outcome: &Outcome) -> Value {
    let sequence = &outcome.sequence;
    json!({
        "id": sequence.id,
        "trade": word(&sequence.trade),
        "kind": word(&sequence.kind),
        "verdict": outcome.grade().word(),
        "findings": outcome.findings.iter().map(|finding| &finding.text).collect::<Vec<_>>(),
        "answer": outcome.answer,
    })
}
