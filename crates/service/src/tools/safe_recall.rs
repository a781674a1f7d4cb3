//! Answers a question only when every fact behind the answer is good enough to act on.

use super::as_of::gone;
use super::check_before_act::{bar, damaged, default_confidence, off, yes};
use super::recall::asked;
use crate::answering::{self, Basis, History};
use crate::args::Days;
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::keys::subject_key;
use domain::{Capability, Fact, FactId, ReceiptId, Space, Timestamp};
use model::{Rests, is_ignorance};
use reconcile::{Bar, Concern, judge};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use std::sync::Arc;

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
        let rests = answering::ground(&cx, &args.question, &basis).await?;
        let mut reasons = reasons(&basis, rests, &bar, basis.at);
        let damaged = damaged(&cx).await?;
        reasons.extend(damaged.map(|concern| Reason { about: None, why: Why::Concern(concern) }));
        let not_answered = Reason { about: None, why: Why::NotAnswered };
        if reasons.is_empty() && args.require_active && rests == Rests::OnNone {
            reasons.push(not_answered);
        } else if reasons.is_empty() {
            let answer = answering::answer(&cx, &args.question, &basis).await?;
            let is_vain = args.require_active && rests == Rests::OnAny && is_ignorance(&answer);
            if !is_vain {
                let reply = SafeAnswer::Given { answer, erasures: basis.erasures };
                return Ok(Done::read(reply, format!("answered: {}", asked(&args.question))));
            }
            reasons.push(not_answered);
        }
        let reply = SafeAnswer::Withheld { reasons, erasures: basis.erasures };
        Ok(Done::read(reply, format!("withheld: {}", asked(&args.question))))
    }
}

/// What speaks against the facts that the answer rests on, those of the same subject among them.
fn reasons(basis: &Basis, rests: Rests, bar: &Bar, now: Timestamp) -> Vec<Reason> {
    if basis.active().next().is_none() {
        let flagged: Vec<&Fact> = basis.flagged.iter().map(AsRef::as_ref).collect();
        let concerns = judge(&flagged, bar, now).into_iter();
        return concerns.map(|concern| Reason { about: None, why: Why::Concern(concern) }).collect();
    }
    let ground = match rests {
        Rests::On(id) => basis.active().find(|fact| fact.id == id).map(|fact| subject_key(&fact.subject)),
        Rests::OnNone | Rests::OnAny => None,
    };
    let is_behind = |fact: &&Arc<Fact>| match rests {
        Rests::On(_) => Some(subject_key(&fact.subject)) == ground,
        Rests::OnNone => false,
        Rests::OnAny => true,
    };
    let mut reasons = Vec::new();
    for fact in basis.active().filter(is_behind) {
        let key = subject_key(&fact.subject);
        let aims =
            |flagged: &Fact| flagged.pending.as_ref().and_then(|pending| pending.target) == Some(fact.id);
        let is_dispute = |flagged: &&Arc<Fact>| subject_key(&flagged.subject) == key || aims(flagged);
        let disputes = basis.flagged.iter().filter(is_dispute);
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
    Given {
        answer: String,
        /// Receipts of what was erased since the time that was asked about.
        erasures: Vec<ReceiptId>,
    },
    Withheld {
        reasons: Vec<Reason>,
        erasures: Vec<ReceiptId>,
    },
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
        let (reasons, erasures) = match self {
            Self::Given { answer, erasures } => {
                f.write_str(answer)?;
                return gone(erasures, f);
            }
            Self::Withheld { reasons, erasures } => (reasons, erasures),
        };
        f.write_str("WITHHELD: the facts behind this answer are not safe to act on.")?;
        for Reason { about, why } in reasons {
            match about {
                Some((id, subject)) => write!(f, "\n  - #{id} {subject}: {why}")?,
                None => write!(f, "\n  - {why}")?,
            }
        }
        gone(erasures, f)
    }
}
