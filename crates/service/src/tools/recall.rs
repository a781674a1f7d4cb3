//! Answers a question from what is true now.

use super::as_of::gone;
use crate::answering::{self, Basis, History, Recalled};
use crate::outcome::{Done, Stop};
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Action, Capability, Fact, ReceiptId, Space};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use std::sync::Arc;

pub(crate) struct Recall;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    question: String,
    /// List the facts behind the answer.
    #[serde(default)]
    explain: bool,
    /// Retired facts as well, for questions about the past.
    #[serde(default)]
    include_history: bool,
    /// Comma-separated categories of which no fact is left out; empty: the deployment's.
    #[serde(default)]
    critical_categories: String,
    /// Answer from what held then, such as 2023-05-07.
    #[serde(default)]
    as_of: String,
}

impl Tool for Recall {
    const NAME: &'static str = "recall";
    const TITLE: &'static str = "Answer from memory";
    const DESCRIPTION: &'static str = "Ask a question and get an answer from what holds now. Use it before \
        you ask the user what they may have told you.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Open;
    type Place = Space;
    type Args = Args;
    type Reply = Answered;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<Answered>, Stop> {
        let categories = answering::categories(&cx, &args.critical_categories);
        let history = if args.include_history { History::Include } else { History::Leave };
        let basis = answering::basis_at(&cx, &args.question, &categories, history, &args.as_of).await?;
        let answer = answering::answer(&cx, &args.question, &basis).await?;
        let (detail, erasures) = (detail(&args.question, &args.as_of), basis.erasures.clone());
        let grounds = args.explain.then(|| grounds(basis));
        Ok(Done::read(Answered { answer, grounds, erasures }, detail))
    }
}

/// What the audit log keeps of a question.
pub(super) fn asked(question: &str) -> String {
    render::excerpt(question, 80)
}

/// The same, with the time that it is about.
pub(super) fn detail(question: &str, as_of: &str) -> String {
    let then = if as_of.trim().is_empty() { String::new() } else { format!("as of {}: ", as_of.trim()) };
    then + &asked(question)
}

pub(super) fn grounds(basis: Basis) -> Vec<Ground> {
    let Basis { facts, flagged, .. } = basis;
    let target = |flag: &Fact| flag.pending.as_ref().and_then(|pending| pending.target);
    let changes = |id| flagged.iter().filter(|flag| target(flag) == Some(id)).cloned().collect();
    let ground = |Recalled { fact, is_retired, .. }| Ground { changes: changes(fact.id), fact, is_retired };
    facts.into_iter().map(ground).collect()
}

#[derive(Debug)]
pub struct Answered {
    pub answer: String,
    /// The facts behind the answer, where they were asked for.
    pub grounds: Option<Vec<Ground>>,
    /// Receipts of what was erased since the time that was asked about.
    pub erasures: Vec<ReceiptId>,
}

#[derive(Debug)]
pub struct Ground {
    pub fact: Arc<Fact>,
    pub is_retired: bool,
    /// What waits for a person to change it.
    pub changes: Vec<Arc<Fact>>,
}

impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.answer)?;
        if let Some(grounds) = &self.grounds {
            Ground::write_all(grounds, f)?;
        }
        gone(&self.erasures, f)
    }
}

impl Ground {
    pub(super) fn write_all(grounds: &[Self], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if grounds.is_empty() {
            return f.write_str("\n\n(no stored facts were used)");
        }
        f.write_str("\n\nBased on these facts:")?;
        grounds.iter().try_for_each(|ground| write!(f, "\n{ground}"))
    }
}

impl fmt::Display for Ground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fact = &self.fact;
        let history = if self.is_retired { " (history)" } else { "" };
        let grounds = render::grounds(fact.confidence, fact.source.as_deref());
        let supersedes = fact.supersedes.map_or_else(String::new, |id| format!(", supersedes #{id}"));
        let since = fact.times.from.map_or_else(String::new, |from| format!(", since {from}"));
        let until = fact.times.until.map_or_else(String::new, |until| format!(", until {until}"));
        let change = |change: &Arc<Fact>| match change.pending.as_ref().map(|pending| pending.action) {
            Some(Action::Retract) => format!(", its removal waits: #{}", change.id),
            _ => format!(", a change to '{}' waits: #{}", change.value, change.id),
        };
        let changes: String = self.changes.iter().map(change).collect();
        let pair = render::pair(&fact.subject, &fact.value);
        write!(f, "  • #{} {pair}{history}  [{grounds}{supersedes}{since}{until}{changes}]", fact.id)
    }
}
