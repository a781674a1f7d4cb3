//! Erases what has grown too old to keep.

use super::delete::{agreed_everywhere, also, besides, proof};
use crate::args::Whole;
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Space, Timestamp};
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use store::{ErasureSummary, Expired};

pub(crate) struct PurgeExpired;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Facts stored longer ago than this many days are erased.
    older_than_days: Whole,
    /// Remove decisions of that age too.
    #[serde(default)]
    include_decisions: bool,
    /// Remove attestations of that age too.
    #[serde(default)]
    include_receipts: bool,
    /// Cut the audit log off before that age too, for all tenants; operators only.
    #[serde(default)]
    include_audit: bool,
}

/// A hundred years: longer ago than anything that is stored here.
const MOST_DAYS: i64 = 36_500;

impl Tool for PurgeExpired {
    const NAME: &'static str = "purge_expired";
    const TITLE: &'static str = "Erase what is old";
    const DESCRIPTION: &'static str = "Erase the facts of a user that were stored more than the given number of days \
        ago, and on request decisions, attestations and audit entries of that age. Leaves a signed receipt.";
    const CAPABILITY: Capability = Capability::Admin;
    const EFFECT: Effect = Effect::Destructive;
    const WORLD: World = World::Closed;
    type Place = Space;
    type Args = Args;
    type Reply = Purged;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<Purged>, Stop> {
        let expired = expired(args.older_than_days.0, cx.call.caller.now)?;
        let also = also(&cx, args.include_decisions, args.include_receipts, args.include_audit)?;
        agreed_everywhere(&cx).await?;
        let store = &cx.service.store;
        let erased = store.expired_purge(cx.call.clone(), cx.space.clone(), expired, also).await?;
        Ok(Done::Committed(Purged { days: expired.older_than_days, erased }))
    }
}

/// What was erased for its age.
#[derive(Debug)]
pub struct Purged {
    pub days: u64,
    pub erased: ErasureSummary,
}

impl fmt::Display for Purged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { days, erased } = self;
        write!(f, "Purged {} fact(s) older than {days} day(s){}.", erased.facts, besides(erased))?;
        match erased.receipt {
            Some(receipt) => write!(f, " {}", proof(receipt, erased)),
            None => Ok(()),
        }
    }
}

fn expired(days: i64, now: Timestamp) -> Result<Expired, Stop> {
    let refused =
        || Stop::refused(format!("Argument 'older_than_days' takes a number of days from 0 to {MOST_DAYS}."));
    let older_than_days = u64::try_from(days).map_err(|_| refused())?;
    if days > MOST_DAYS {
        return Err(refused());
    }
    let before = now.checked_sub(SignedDuration::from_hours(days * 24)).map_err(|_| refused())?;
    Ok(Expired { older_than_days, before })
}
