//! Whether what is held is good enough to act on.

use domain::{Action, Fact, FactId, Status, Timestamp, When, limits};
use std::fmt;

const SECONDS_A_DAY: f64 = 86_400.0;

/// How good it must be. A number of days that is not above zero turns its check off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    pub min_confidence: f64,
    /// At least one fact must be active.
    pub require_active: bool,
    pub block_on_flagged: bool,
    pub max_staleness_days: f64,
    pub block_on_recent_change_days: f64,
}

impl Default for Bar {
    fn default() -> Self {
        Self {
            min_confidence: limits::SURE,
            require_active: true,
            block_on_flagged: true,
            max_staleness_days: 0.0,
            block_on_recent_change_days: 0.0,
        }
    }
}

/// A reason not to act.
#[derive(Debug, Clone, PartialEq)]
pub enum Concern {
    NothingKnown,
    /// A fact of the space is damaged, and nobody knows what it says.
    Unreadable {
        id: FactId,
    },
    /// The memory itself is damaged, and anything may be missing.
    Damaged,
    Disputed {
        id: FactId,
        action: Option<Action>,
        subject: String,
        value: String,
    },
    /// Something was told since that speaks of it, and was neither read nor settled.
    Unsettled {
        id: FactId,
        text: String,
    },
    Unsure {
        id: FactId,
        subject: String,
        confidence: f64,
        bar: f64,
    },
    Stale {
        id: FactId,
        subject: String,
        days: f64,
        max_days: f64,
    },
    RecentlyChanged {
        id: FactId,
        subject: String,
        days: f64,
        min_days: f64,
    },
    /// It holds only from a time on that is yet to come.
    NotYet {
        id: FactId,
        subject: String,
        from: When,
    },
}

impl fmt::Display for Concern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingKnown => f.write_str("nothing known: no active fact"),
            Self::Unreadable { id } => {
                write!(f, "cannot be read: #{id} is damaged, and may be about this")
            }
            Self::Damaged => f.write_str("the memory is damaged, and something may be missing"),
            Self::Disputed { id, action, subject, value } => {
                let removal = if *action == Some(Action::Retract) { "removal of " } else { "" };
                write!(f, "disputed: #{id} {removal}{subject} = {value} awaits confirmation")
            }
            Self::Unsettled { id, text } => write!(f, "unsettled: #{id} was told since: '{text}'"),
            Self::Unsure { id, subject, confidence, bar } => {
                write!(f, "confidence of #{id} {subject} is {confidence}, below the bar of {bar}")
            }
            Self::Stale { id, subject, days, max_days } => {
                write!(f, "stale: #{id} {subject} is {} days old, more than {max_days}", shown(*days))
            }
            Self::NotYet { id, subject, from } => write!(f, "not yet: #{id} {subject} holds from {from} on"),
            Self::RecentlyChanged { id, subject, days, min_days } => {
                write!(
                    f,
                    "recently changed: #{id} {subject} changed {} days ago, less than {min_days}",
                    shown(*days)
                )
            }
        }
    }
}

/// To a tenth of a day; below that, to about a second.
fn shown(days: f64) -> String {
    if days < 0.1 { format!("{days:.5}") } else { format!("{days:.1}") }
}

/// `facts` are the active and flagged ones in question. No concern means that it is safe to act.
pub fn judge(facts: &[&Fact], bar: &Bar, now: Timestamp) -> Vec<Concern> {
    let mut concerns = Vec::new();
    if bar.require_active && !facts.iter().any(|f| f.status == Status::Active) {
        concerns.push(Concern::NothingKnown);
    }
    for fact in facts {
        match fact.status {
            Status::FlaggedConflict if bar.block_on_flagged => concerns.push(Concern::Disputed {
                id: fact.id,
                action: fact.pending.as_ref().map(|pending| pending.action),
                subject: fact.subject.clone(),
                value: fact.value.clone(),
            }),
            Status::Active => judge_active(fact, bar, now, &mut concerns),
            _ => {}
        }
    }
    concerns
}

fn judge_active(fact: &Fact, bar: &Bar, now: Timestamp, concerns: &mut Vec<Concern>) {
    let (id, subject) = (fact.id, fact.subject.clone());
    if let Some(from) = fact.times.from.filter(|from| from.first() > now) {
        concerns.push(Concern::NotYet { id, subject: subject.clone(), from });
    }
    if fact.confidence < bar.min_confidence {
        concerns.push(Concern::Unsure {
            id,
            subject: subject.clone(),
            confidence: fact.confidence,
            bar: bar.min_confidence,
        });
    }
    // What was said long ago is old, whenever it was stored.
    let known = fact.said_last().map_or(fact.changed, |said| said.last().min(now));
    let days = now.duration_since(known).as_secs_f64() / SECONDS_A_DAY;
    if bar.max_staleness_days > 0.0 && days > bar.max_staleness_days {
        concerns.push(Concern::Stale {
            id,
            subject: subject.clone(),
            days,
            max_days: bar.max_staleness_days,
        });
    }
    // A first value is news, not a change.
    let has_changed = fact.supersedes.is_some() || !fact.earlier.is_empty();
    if has_changed && bar.block_on_recent_change_days > 0.0 && days < bar.block_on_recent_change_days {
        concerns.push(Concern::RecentlyChanged {
            id,
            subject,
            days,
            min_days: bar.block_on_recent_change_days,
        });
    }
}
