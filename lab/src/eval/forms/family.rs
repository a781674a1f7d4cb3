//! Many statements of one form about different things, then changes to some of them: "The search service is owned by
//! Priya and listens on port 8001", two dozen times.

use crate::error::LabError;
use crate::eval::bench::Memory;
use crate::eval::exported_fact::ExportedFact;
use crate::eval::tally::Ratio;
use crate::eval::words::{Pattern, words};
use domain::FactId;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeSet;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    pub family: String,
    say: Vec<String>,
    changes: Vec<Change>,
    expect: Vec<Expected>,
}

/// A statement that gives the thing of statement `of` another value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    say: String,
    of: usize,
    value: String,
    old: String,
}

/// What must be held of statement `of`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    of: usize,
    values: Vec<String>,
}

#[derive(Debug)]
pub struct Outcome {
    pub kept: Ratio,
    pub changed: Ratio,
    pub damaged: Ratio,
    pub failures: Vec<String>,
}

/// A value and the statements that may hold it.
struct Wanted<'a> {
    value: &'a str,
    statements: Vec<&'a str>,
}

impl Wanted<'_> {
    fn is_held(&self, held: &[ExportedFact]) -> bool {
        let of_it = |fact: &&ExportedFact| fact.is_active() && self.statements.contains(&fact.text.as_str());
        held.iter().filter(of_it).any(|fact| says(fact, self.value))
    }
}

impl Family {
    pub fn parse(text: &str) -> Result<Self, String> {
        let family: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut numbers = family.changes.iter().map(|c| c.of).chain(family.expect.iter().map(|e| e.of));
        match numbers.find(|of| *of >= family.say.len()) {
            Some(of) => Err(format!("there is no statement {of}")),
            None => Ok(family),
        }
    }

    pub async fn run(&self, memory: &Memory) -> Result<Outcome, LabError> {
        let mut failures = Vec::new();
        for statement in &self.say {
            memory.call("remember", json!({ "text": statement })).await?;
        }
        let held = memory.held().await?;
        let wanted = self.wanted();
        let kept = Ratio::of(wanted.iter().map(|wanted| wanted.is_held(&held)));
        for lost in wanted.iter().filter(|wanted| !wanted.is_held(&held)) {
            failures.push(format!("'{}' is not held of: {}", lost.value, lost.statements.join(" / ")));
        }
        let mut changed = Vec::new();
        for change in &self.changes {
            memory.call("remember", json!({ "text": change.say })).await?;
            let fault = self.fault(change, &memory.held().await?);
            changed.push(fault.is_none());
            failures.extend(fault.map(|fault| format!("{fault} after: {}", change.say)));
        }
        let end = memory.held().await?;
        // What was never kept cannot be damaged, and what was changed is to be gone.
        let standing: Vec<&Wanted> =
            wanted.iter().filter(|wanted| wanted.is_held(&held) && !self.is_changed(wanted)).collect();
        let lost = |wanted: &&Wanted| !wanted.is_held(&end);
        failures.extend(
            standing.iter().filter(|w| lost(w)).map(|w| format!("'{}' was lost to a change", w.value)),
        );
        Ok(Outcome {
            kept,
            changed: Ratio::of(changed),
            damaged: Ratio::of(standing.iter().map(lost)),
            failures,
        })
    }

    /// Each expected value. A change may carry on what else its statement told.
    fn wanted(&self) -> Vec<Wanted<'_>> {
        let statements = |of: usize| -> Vec<&str> {
            let changes = self.changes.iter().filter(|change| change.of == of).map(|change| &change.say);
            self.say.get(of).into_iter().chain(changes).map(String::as_str).collect()
        };
        self.expect
            .iter()
            .flat_map(|expected| expected.values.iter().map(|value| (expected.of, value)))
            .map(|(of, value)| Wanted { value, statements: statements(of) })
            .collect()
    }

    fn is_changed(&self, wanted: &Wanted) -> bool {
        self.changes
            .iter()
            .any(|change| change.old == wanted.value && wanted.statements.contains(&change.say.as_str()))
    }

    /// Why a change was not made as it should.
    fn fault(&self, change: &Change, held: &[ExportedFact]) -> Option<&'static str> {
        let first = self.say.get(change.of)?;
        let was_of_it = |id: FactId| held.iter().any(|fact| fact.id == id && fact.text == *first);
        let names = self.names(change);
        let old = Pattern::from(change.old.clone());
        let belongs = |fact: &ExportedFact| {
            let all = words(&format!("{} {}", fact.subject, fact.value));
            fact.supersedes.is_some_and(was_of_it)
                || fact.refined_from.iter().any(|former| old.is_in(&words(former)))
                || names.iter().any(|name| all.contains(name))
        };
        let of_it =
            |fact: &&ExportedFact| fact.is_active() && fact.text == change.say && says(fact, &change.value);
        if !held.iter().filter(of_it).any(belongs) {
            return Some("the new value is not held with its thing");
        }
        let stale = |fact: &ExportedFact| {
            fact.is_active() && fact.text == *first && old.is_asserted_in(&words(&fact.value))
        };
        held.iter().any(stale).then_some("the old value is held as well")
    }

    /// The words that tell this thing from the others: of those that the change shares with the statement, the rarest
    /// among all statements.
    fn names(&self, change: &Change) -> Vec<String> {
        let all: Vec<BTreeSet<String>> =
            self.say.iter().map(|statement| words(statement).into_iter().collect()).collect();
        let own = self.say.get(change.of).map(|statement| words(statement)).unwrap_or_default();
        let said = words(&change.say);
        let common = |word: &String| all.iter().filter(|statement| statement.contains(word)).count();
        let shared: Vec<String> = own.into_iter().filter(|word| said.contains(word)).collect();
        let rarest = shared.iter().map(common).min().unwrap_or(0);
        shared.into_iter().filter(|word| common(word) == rarest).collect()
    }
}

/// Whether the fact, or its subject, contains the value.
fn says(fact: &ExportedFact, value: &str) -> bool {
    let all = words(&format!("{} {}", fact.subject, fact.value));
    Pattern::from(value.to_owned()).is_in(&all)
}
