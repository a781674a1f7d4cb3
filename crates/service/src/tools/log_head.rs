//! The signed head of the audit log, to be kept elsewhere.

use crate::outcome::{Done, Stop};
use crate::place::NoSpace;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use store::Witnessed;

pub(crate) struct LogHead;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Ask the witnesses as well, which takes as long as they do.
    #[serde(default)]
    witnesses: bool,
}

impl Tool for LogHead {
    const NAME: &'static str = "log_head";
    const TITLE: &'static str = "Show the head of the audit log";
    const DESCRIPTION: &'static str = "Show the signed head of the audit log, a C2SP checkpoint. Kept elsewhere, it shows \
        later that the log was neither cut back nor rewritten.";
    const CAPABILITY: Capability = Capability::Verify;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = NoSpace;
    type Args = Args;
    type Reply = HeadShown;

    async fn run(cx: Context<'_, NoSpace>, args: Args) -> Result<Done<HeadShown>, Stop> {
        let store = &cx.service.store;
        store.keys_learn().await?;
        let head = match (store.log_continues(0).await?, store.keyring()) {
            (Some(proof), Some(keys)) => Head::Signed {
                entries: proof.head.statement.at.size,
                signed: proof.head.statement.ts,
                note: proof.head.note(&keys),
            },
            (None, _) => Head::NoEntries,
            (_, None) => Head::Unsigned,
        };
        let witnessed = if args.witnesses { store.witnesses_ask().await } else { Vec::new() };
        Ok(Done::read(HeadShown { head, witnessed }, "read"))
    }
}

#[derive(Debug)]
pub struct HeadShown {
    pub head: Head,
    /// Empty where they were not asked, or where there are none.
    pub witnessed: Vec<Witnessed>,
}

#[derive(Debug)]
pub enum Head {
    NoEntries,
    /// Signing is off, and a head that nobody signed proves nothing.
    Unsigned,
    Signed {
        entries: u64,
        signed: Timestamp,
        /// The checkpoint; `None` for a head of an earlier version.
        note: Option<String>,
    },
}

impl fmt::Display for HeadShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.head, f)?;
        self.witnessed.iter().try_for_each(|witnessed| write!(f, "\n{witnessed}"))
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEntries => f.write_str("The audit log has no entries yet, and so no head."),
            Self::Unsigned => f.write_str("Signing is off, and a head that nobody signed proves nothing."),
            Self::Signed { note: Some(note), .. } => f.write_str(note),
            Self::Signed { entries, signed, note: None } => {
                write!(f, "The log had {entries} entries when its head was signed at {signed}.")
            }
        }
    }
}
