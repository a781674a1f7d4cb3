//! Answers a question only when every fact behind the answer is good enough to act on.

use super::check_before_act::{bar, damaged, default_confidence, off, yes};
use super::recall::asked;
use crate::answering::{self, Basis, History};
use crate::args::Days;
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::keys::subject_key;
use domain::{Capability, Fact, FactId, Space, Timestamp};
use reconcile::{Bar, Concern, judge};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;

pub(crate) struct SafeRecall;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    question: String,
    #[serde(default = "default_confidence")]
    min_confidence: f64,
    /// Withhold when nothing current is known.
    #[serde(default = "yes")]
    require_active: bool,
    /// Withhold while a flag disputes a fact.
    #[serde(default = "yes")]
    block_on_flagged: bool,
    /// Withhold when a fact is older than this many days, such as 7 or 0.5; 0 is off.
    #[serde(default = "off")]
    max_staleness_days: Days,
    /// Withhold when a fact changed within this many days; 0 is off.
    #[serde(default = "off")]
    block_on_recent_change_days: Days,
    /// Comma-separated categories of which no fact is left out; empty: the deployment's.
    #[serde(default)]
    critical_categories: String,
    /// Answer from what held then, such as 2023-05-07.
    #[serde(default)]
    as_of: String,
}

impl Tool for SafeRecall {
    const NAME: &'static str = "safe_recall";
    const TITLE: &'static str = "Answer only from sure facts";
    const DESCRIPTION: &'static str = "Like recall, for answers that you will act on: withheld, with the \
        reasons, while a fact behind it is disputed, unsure, stale or missing.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Open;
    type Place = Space;
    type Args = Args;
    type Reply = SafeAnswer;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<SafeAnswer>, Stop> {
        let bar = bar(
            args.min_confidence,
            args.require_active,
            args.block_on_flagged,
            args.max_staleness_days,
            args.block_on_recent_change_days,
        )?;
        let categories = answering::categories(&cx, &args.critical_categories);
        let basis =
            answering::basis_at(&cx, &args.question, &categories, History::Leave, &args.as_of).await?;
        let mut reasons = reasons(&basis, &bar, basis.at);
        let damaged = damaged(&cx).await?;
        reasons.extend(damaged.map(|concern| Reason { about: None, why: Why::Concern(concern) }));
        if reasons.is_empty()
            && args.require_active
            && !answering::is_answered(&cx, &args.question, &basis).await?
        {
            reasons.push(Reason { about: None, why: Why::NotAnswered });
        }
        if !reasons.is_empty() {
            return Ok(Done::read(
                SafeAnswer::Withheld(reasons),
                format!("withheld: {}", asked(&args.question)),
            ));
        }
        let answer = answering::answer(&cx, &args.question, &basis).await?;
        Ok(Done::read(SafeAnswer::Given(answer), format!("answered: {}", asked(&args.question))))
    }
}

fn reasons(basis: &Basis, bar: &Bar, now: Timestamp) -> Vec<Reason> {
    if basis.active().next().is_none() {
        let flagged: Vec<&Fact> = basis.flagged.iter().map(AsRef::as_ref).collect();
        let concerns = judge(&flagged, bar, now).into_iter();
        return concerns.map(|concern| Reason { about: None, why: Why::Concern(concern) }).collect();
    }
    let mut reasons = Vec::new();
    for fact in basis.active() {
        let key = subject_key(&fact.subject);
        let disputes = basis.flagged.iter().filter(|flagged| subject_key(&flagged.subject) == key);
        let together: Vec<&Fact> = std::iter::once(fact).chain(disputes).map(AsRef::as_ref).collect();
        let about = || Some((fact.id, fact.subject.clone()));
        let concerns = judge(&together, bar, now).into_iter();
        reasons.extend(concerns.map(|concern| Reason { about: about(), why: Why::Concern(concern) }));
    }
    reasons
}

/// An answer, or why there is none.
#[derive(Debug)]
pub enum SafeAnswer {
    Given(String),
    Withheld(Vec<Reason>),
}

#[derive(Debug)]
pub struct Reason {
    /// The fact behind the answer and its subject, where there is one.
    pub about: Option<(FactId, String)>,
    pub why: Why,
}

#[derive(Debug)]
pub enum Why {
    Concern(Concern),
    /// What is known is about something else.
    NotAnswered,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Concern(concern) => concern.fmt(f),
            Self::NotAnswered => f.write_str("no fact that is known answers the question"),
        }
    }
}

impl fmt::Display for SafeAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons = match self {
            Self::Given(answer) => return f.write_str(answer),
            Self::Withheld(reasons) => reasons,
        };
        f.write_str("WITHHELD: the facts behind this answer are not safe to act on.")?;
        for Reason { about, why } in reasons {
            match about {
                Some((id, subject)) => write!(f, "\n  - #{id} {subject}: {why}")?,
                None => write!(f, "\n  - {why}")?,
            }
        }
        Ok(())
    }
}
