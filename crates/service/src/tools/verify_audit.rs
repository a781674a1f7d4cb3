//! Checks the whole audit log.

use crate::args::Takes;
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::Capability;
use evidence::Restoration;
use schemars::JsonSchema;
use serde::Deserialize;
use store::{AuditReport, Record};

pub(crate) struct VerifyAudit;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

impl Tool for VerifyAudit {
    const NAME: &'static str = "verify_audit";
    const TITLE: &'static str = "Verify the audit log";
    const DESCRIPTION: &'static str = "Recompute every hash and signature of the audit log and compare its end with the \
        signed head: finds edited, removed, reordered and cut-off entries.";
    const CAPABILITY: Capability = Capability::Verify;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    const TAKES: Takes = Takes::NoSpace;
    type Args = Args;

    async fn run(cx: Context<'_>, _: Args) -> Result<Done, Stop> {
        Ok(match cx.service.store.audit_verify().await? {
            AuditReport::Intact { entries, restorations } => {
                let restored: String = restorations.iter().map(told).collect();
                Done::read(format!("✓ Audit chain INTACT — {entries} entries verified.{restored}"), "intact")
            }
            AuditReport::Broken(broken) => Done::Alarm {
                text: format!("⚠ Audit chain BROKEN at seq {}: {}.", broken.seq, broken.reason),
                record: Record::done(format!("broken at seq {}", broken.seq)),
            },
        })
    }
}

fn told(note: &Restoration) -> String {
    format!(
        "\nRestored on {}: entries {} to {} are missing, as the operator confirmed: {}.",
        note.ts,
        note.kept.size + 1,
        note.lost.size,
        note.reason.trim_end_matches('.')
    )
}
