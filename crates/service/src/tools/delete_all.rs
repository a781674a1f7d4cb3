//! Erases a whole space, or a whole user.

use super::delete::{agreed_everywhere, also, besides, proof};
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Space, counted};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use store::{Also, ErasureSummary};

pub(crate) struct DeleteAll;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Remove the recorded decisions too, rather than redact them.
    #[serde(default)]
    include_decisions: bool,
    /// Remove the attestations too.
    #[serde(default)]
    include_receipts: bool,
    /// Blank the details of the audit entries too; operators only.
    #[serde(default)]
    include_audit: bool,
}

impl Tool for DeleteAll {
    const NAME: &'static str = "delete_all";
    const TITLE: &'static str = "Erase a whole memory";
    const DESCRIPTION: &'static str = "Erase everything held about a user for good, in all of their spaces; with \
        agent_id or run_id set, only that one space. Leaves a signed receipt of the erasure.";
    const CAPABILITY: Capability = Capability::Admin;
    const EFFECT: Effect = Effect::Destructive;
    const WORLD: World = World::Closed;
    type Place = Space;
    type Args = Args;
    type Reply = DeletedAll;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<DeletedAll>, Stop> {
        let also = also(&cx, args.include_decisions, args.include_receipts, args.include_audit)?;
        agreed_everywhere(&cx).await?;
        let erased = cx.service.store.space_erase(cx.call.clone(), cx.space.clone(), also).await?;
        Ok(Done::Committed(DeletedAll { space: cx.space, also, erased }))
    }
}

/// What was erased of a space, or of all spaces of its user.
#[derive(Debug)]
pub struct DeletedAll {
    pub space: Space,
    pub also: Also,
    pub erased: ErasureSummary,
}

impl fmt::Display for DeletedAll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { space, also, erased } = self;
        write!(f, "Deleted {} fact(s) from ", erased.facts)?;
        if space.is_whole_user() {
            write!(f, "every space of '{}'", space.user_id)?;
        } else {
            write!(f, "the space '{space}'")?;
        }
        write!(f, "{}.", besides(erased))?;
        if let Some(receipt) = erased.receipt {
            write!(f, " {}", proof(receipt, erased))?;
        }
        if erased.keys_destroyed > 0 {
            f.write_str(
                " The user's key was destroyed, and what earlier backups hold of this user no longer opens.",
            )?;
        }
        f.write_str(&kept(also, erased.audit_kept))
    }
}

/// What an erasure leaves where there is any of it, and what removes that too.
fn kept(also: &Also, audit_kept: u64) -> String {
    let details = match audit_kept {
        0 => "the details of audit entries, which may quote the memory".to_owned(),
        n => format!(
            "the details of {}, which may quote the memory",
            counted(n, "audit entry", "audit entries")
        ),
    };
    let kept: Vec<String> = [
        (
            also.decisions,
            "recorded decisions, without the erased values (include_decisions removes them)".to_owned(),
        ),
        (also.receipts, "attestations, which hold values (include_receipts removes them)".to_owned()),
        (also.audit, format!("{details} (include_audit blanks them; operators only)")),
    ]
    .into_iter()
    .filter(|(removed, _)| !removed)
    .map(|(_, what)| what)
    .collect();
    if kept.is_empty() {
        return String::new();
    }
    format!("\nWhat stays, where there is any: {}. Call delete_all again with the flag.", kept.join("; "))
}
