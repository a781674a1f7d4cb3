//! Checks the whole audit log.

use crate::outcome::{Done, Stop};
use crate::place::NoSpace;
use crate::tool::{Context, Effect, Tool, World};
use domain::Capability;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
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
    type Place = NoSpace;
    type Args = Args;
    type Reply = AuditVerdict;

    async fn run(cx: Context<'_, NoSpace>, _: Args) -> Result<Done<AuditVerdict>, Stop> {
        let caller = &cx.call.caller;
        let report = cx.service.store.audit_verify(caller.deadline, &caller.notice).await?;
        Ok(match &report {
            AuditReport::Intact { .. } => Done::read(AuditVerdict(report), "intact"),
            AuditReport::Broken(broken) => {
                let record = Record::done(format!("broken at seq {}", broken.seq));
                Done::Alarm { reply: AuditVerdict(report), record }
            }
        })
    }
}

#[derive(Debug)]
pub struct AuditVerdict(pub AuditReport);

impl fmt::Display for AuditVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (entries, restorations, vouched, witnessed) = match &self.0 {
            AuditReport::Intact { entries, restorations, vouched, witnessed } => {
                (entries, restorations, vouched, witnessed)
            }
            AuditReport::Broken(broken) => {
                return write!(f, "⚠ Audit chain BROKEN at seq {}: {}.", broken.seq, broken.reason);
            }
        };
        write!(f, "✓ Audit chain INTACT — {entries} entries verified.")?;
        for note in restorations {
            let reason = note.reason.trim_end_matches('.');
            if note.is_of_head_file() {
                let (ts, at) = (note.ts, note.lost.size);
                write!(
                    f,
                    "\nThe head file was lost and begun anew at entry {at} on {ts}, as the operator confirmed: {reason}."
                )?;
                continue;
            }
            write!(
                f,
                "\nRestored on {}: entries {} to {} are missing, as the operator confirmed: {}.",
                note.ts,
                note.kept.size + 1,
                note.lost.size,
                reason
            )?;
        }
        if let Some(last) = vouched {
            write!(
                f,
                "\nAnother program has the head file locked, so nothing outside the database vouches for entries after \
                 {last}. Find that program and stop it."
            )?;
        }
        for witnessed in witnessed.iter().filter(|witnessed| !witnessed.said.is_agreed()) {
            write!(f, "\n{witnessed}.")?;
        }
        Ok(())
    }
}
