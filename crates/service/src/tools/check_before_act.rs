//! Whether what is held about a subject is good enough to act on.

use crate::args::{Days, worded};
use crate::outcome::{Done, Stop};
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use crate::tools::unsettled;
use domain::{Capability, Fact, Space, Status, limits};
use reconcile::{Bar, Concern, judge};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;

pub(crate) struct CheckBeforeAct;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The subject that you are about to act on.
    subject: String,
    /// The least confidence that will do.
    #[serde(default = "default_confidence")]
    min_confidence: f64,
    /// Block when nothing current is known.
    #[serde(default = "yes")]
    require_active: bool,
    /// Block while a flagged fact disputes the current one.
    #[serde(default = "yes")]
    block_on_flagged: bool,
    /// Block when the fact is older than this many days, such as 7 or 0.5; 0 is off.
    #[serde(default = "off")]
    max_staleness_days: Days,
    /// Block when the fact changed within this many days; 0 is off.
    #[serde(default = "off")]
    block_on_recent_change_days: Days,
}

pub(super) fn default_confidence() -> f64 {
    limits::SURE
}

pub(super) fn yes() -> bool {
    true
}

pub(super) fn off() -> Days {
    Days(0.0)
}

/// The arguments that `check_before_act` and `safe_recall` share, checked.
pub(super) fn bar(
    min_confidence: f64,
    require_active: bool,
    block_on_flagged: bool,
    max_staleness_days: Days,
    block_on_recent_change_days: Days,
) -> Result<Bar, Stop> {
    if !(0.0..=1.0).contains(&min_confidence) {
        return Err(Stop::refused("Argument 'min_confidence' takes a number from 0 to 1."));
    }
    Ok(Bar {
        min_confidence,
        require_active,
        block_on_flagged,
        max_staleness_days: max_staleness_days.0,
        block_on_recent_change_days: block_on_recent_change_days.0,
    })
}

impl Tool for CheckBeforeAct {
    const NAME: &'static str = "check_before_act";
    const TITLE: &'static str = "Check a subject before acting";
    const DESCRIPTION: &'static str = "Ask before an action that relies on one fact and is hard to undo. The first \
        line says SAFE or BLOCKED; the reasons follow: disputed, unsettled, unsure, stale, recently changed, or nothing known.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = Space;
    type Args = Args;
    type Reply = Checked;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<Checked>, Stop> {
        worded("subject", &args.subject, limits::SUBJECT_BYTES)?;
        let bar = bar(
            args.min_confidence,
            args.require_active,
            args.block_on_flagged,
            args.max_staleness_days,
            args.block_on_recent_change_days,
        )?;
        let subject = cx.subject(&args.subject);
        let (service, caller) = (cx.service, &cx.call.caller);
        let mut facts = service.store.facts_standing(caller, &cx.space, subject).await?;
        let open = service.spaces.current(&service.store, caller, &cx.space).await?;
        // A change that the world has moved past disputes nothing.
        facts.retain(|fact| !open.read().over.contains_key(&fact.id));
        // A change that aims at one of them by its number disputes it under whatever subject.
        let disputing = open.read().waiting_on(&facts);
        facts.extend(disputing);
        let mut concerns = judge(&facts.iter().collect::<Vec<_>>(), &bar, cx.call.caller.now);
        if bar.block_on_flagged {
            concerns.extend(unsettled::concerns(&cx, &open.read(), &args.subject, &facts));
        }
        concerns.extend(damaged(&cx).await?);
        facts.retain(|fact| fact.status == Status::Active);
        let checked = Checked { subject: args.subject, concerns, current: facts };
        let verdict = if checked.is_safe() { "SAFE" } else { "BLOCKED" };
        let detail = format!("{verdict} {}", checked.subject);
        Ok(Done::read(checked, detail))
    }
}

/// A fact that cannot be read may be about any subject: the column that says which is not to be trusted either.
pub(super) async fn damaged(cx: &Context<'_>) -> Result<impl Iterator<Item = Concern> + use<>, Stop> {
    let (service, caller) = (cx.service, &cx.call.caller);
    // Opening the space looks at every fact that is active or flagged.
    service.spaces.current(&service.store, caller, &cx.space).await?;
    let unreadable = service.store.facts_unreadable(caller, &cx.space).await?;
    let file = service.store.file_damage().map(|_| Concern::Damaged);
    Ok(unreadable.into_iter().map(|id| Concern::Unreadable { id }).chain(file))
}

/// Whether a subject is safe to act on: it is where nothing speaks against it.
#[derive(Debug)]
pub struct Checked {
    /// As the caller named it.
    pub subject: String,
    pub concerns: Vec<Concern>,
    pub current: Vec<Fact>,
}

impl Checked {
    pub fn is_safe(&self) -> bool {
        self.concerns.is_empty()
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_safe() {
            write!(f, "SAFE to act on '{}'.", self.subject)?;
        } else {
            write!(f, "BLOCKED: do not act on '{}' yet.", self.subject)?;
        }
        for concern in &self.concerns {
            write!(f, "\n  - {concern}")?;
        }
        for fact in &self.current {
            let pair = render::pair(&fact.subject, &fact.value);
            let grounds = render::grounds(fact.confidence, fact.source.as_deref());
            write!(f, "\n  current: {pair} (#{}, {grounds})", fact.id)?;
        }
        Ok(())
    }
}
