//! What a witness says of the log.

use domain::counted;
use evidence::RESTORED;
use std::fmt;

/// A witness by its name, and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witnessed {
    pub witness: String,
    pub said: Testimony,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Testimony {
    /// The log goes on from what it remembers, and it remembers so many entries now.
    Agrees { entries: u64 },
    /// It could not be asked.
    Away(String),
    /// It answered something that is not proof of anything.
    Unbelieved(String),
    /// It remembers entries that were lost with a restoration, which the operator has confirmed.
    Outdated { entries: u64 },
    /// The entries of the time that it remembers were purged, so nobody can show that the log goes on from them.
    Purged { entries: u64 },
    /// It remembers more entries than the log has.
    Longer { entries: u64, log: u64 },
    /// It remembers another log.
    Forked { entries: u64 },
}

impl Testimony {
    /// Whether the log is not the one that the witness remembers.
    pub const fn is_against(&self) -> bool {
        matches!(self, Self::Longer { .. } | Self::Forked { .. })
    }

    pub const fn is_agreed(&self) -> bool {
        matches!(self, Self::Agrees { .. })
    }

    /// For those who match on it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Agrees { .. } => "WitnessAgrees",
            Self::Away(_) => "WitnessAway",
            Self::Unbelieved(_) => "WitnessNotBelieved",
            Self::Outdated { .. } => "WitnessOutdated",
            Self::Purged { .. } => "WitnessBeforePurge",
            Self::Longer { .. } | Self::Forked { .. } => "WitnessDisagrees",
        }
    }

    /// The first entry that is not in the log as the witness remembers it.
    pub(crate) const fn at(&self) -> u64 {
        match self {
            Self::Longer { log, .. } => *log + 1,
            Self::Agrees { entries }
            | Self::Outdated { entries }
            | Self::Purged { entries }
            | Self::Forked { entries } => *entries,
            Self::Away(_) | Self::Unbelieved(_) => 0,
        }
    }
}

impl fmt::Display for Witnessed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let witness = &self.witness;
        let all = |entries: &u64| counted(*entries, "entry", "entries");
        match &self.said {
            Testimony::Agrees { entries } => write!(f, "Witness {witness} agrees, up to {}", all(entries)),
            Testimony::Away(why) => {
                write!(
                    f,
                    "Witness {witness} could not be asked, so what it remembers was not compared: {why}"
                )
            }
            Testimony::Unbelieved(why) => write!(f, "Witness {witness} is not believed: {why}"),
            Testimony::Outdated { entries } => write!(
                f,
                "Witness {witness} remembers {} of the log as it was before a confirmed restoration, and vouches for \
                 nothing since; on its host, have it forget this log",
                all(entries)
            ),
            Testimony::Purged { entries } => write!(
                f,
                "Witness {witness} remembers {} of which the last ones were purged, so it cannot be shown that the log \
                 continues them; on its host, have it forget this log",
                all(entries)
            ),
            Testimony::Longer { entries, .. } => write!(
                f,
                "the log was rolled back: witness {witness} has seen {} of it; {RESTORED}",
                all(entries)
            ),
            Testimony::Forked { entries } => write!(
                f,
                "the log was rewritten: witness {witness} has seen another one of {}; {RESTORED}",
                all(entries)
            ),
        }
    }
}
