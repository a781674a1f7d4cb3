//! Every value that a subject has had.

use crate::args::worded;
use crate::moment::earlier;
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Fact, Space, Status, Timestamp, limits};
use reconcile::IMPORTED_FROM;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;

pub(crate) struct History;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// As list_memories shows it.
    subject: String,
    /// Only what had been said by then, such as 2023-05-07.
    #[serde(default)]
    as_of: String,
}

impl Tool for History {
    const NAME: &'static str = "history";
    const TITLE: &'static str = "History of a subject";
    const DESCRIPTION: &'static str = "List every value that a subject has had, oldest first, with what \
        became of it.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = Space;
    type Args = Args;
    type Reply = SubjectHistory;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<SubjectHistory>, Stop> {
        worded("subject", &args.subject, limits::SUBJECT_BYTES)?;
        let mut facts =
            cx.service.store.fact_history(&cx.call.caller, &cx.space, cx.subject(&args.subject)).await?;
        // What was told of an earlier time comes in the order of its time, in whichever order it came.
        if facts.iter().any(|fact| !fact.times.is_empty() || fact.metadata.contains_key(IMPORTED_FROM)) {
            facts.sort_by_key(Fact::began);
        }
        if let Some(then) = earlier("as_of", &args.as_of, cx.call.caller.now)? {
            facts = facts.into_iter().filter_map(|fact| as_shown_then(fact, then)).collect();
        }
        let detail = args.subject.clone();
        Ok(Done::read(SubjectHistory { subject: args.subject, facts }, detail))
    }
}

/// The fact as history showed it then, if it was known.
fn as_shown_then(fact: Fact, then: Timestamp) -> Option<Fact> {
    let was = fact.at(then);
    was.or_else(|| (fact.said() <= then && fact.began() <= then).then_some(fact))
}

/// Every fact of a subject, oldest first.
#[derive(Debug)]
pub struct SubjectHistory {
    /// As the caller named it.
    pub subject: String,
    pub facts: Vec<Fact>,
}

impl fmt::Display for SubjectHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.facts.is_empty() {
            return write!(f, "No history for '{}'.", self.subject);
        }
        write!(f, "History for '{}' (oldest → newest):", self.subject)?;
        for (n, (value, status)) in self.facts.iter().flat_map(values).enumerate() {
            write!(f, "\n  {}. {value}  [{status}]", n + 1)?;
        }
        Ok(())
    }
}

/// What the fact has said: a value that a refinement replaced comes before the one that it became.
fn values(fact: &Fact) -> impl Iterator<Item = (&str, Status)> {
    let earlier = fact.earlier.iter().map(|earlier| (earlier.value.as_str(), Status::Superseded));
    earlier.chain([(fact.value.as_str(), fact.status)])
}
