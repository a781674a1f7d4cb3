//! Checks a receipt's signature.

use crate::args::Whole;
use crate::outcome::{Done, Stop};
use crate::place::NoSpace;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, ReceiptId};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use store::ReceiptRow;

pub(crate) struct VerifyReceipt;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    receipt_id: Whole,
}

impl Tool for VerifyReceipt {
    const NAME: &'static str = "verify_receipt";
    const TITLE: &'static str = "Verify a receipt";
    const DESCRIPTION: &'static str = "Check that a receipt is exactly what was signed, and say what it \
        states.";
    const CAPABILITY: Capability = Capability::Verify;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = NoSpace;
    type Args = Args;
    type Reply = ReceiptVerdict;

    async fn run(cx: Context<'_, NoSpace>, args: Args) -> Result<Done<ReceiptVerdict>, Stop> {
        let id = args.receipt_id.0;
        let found = cx.service.store.receipt_get(&cx.call.caller, ReceiptId(id)).await?;
        if let Some(row) = &found {
            own(&cx, row)?;
        }
        Ok(Done::read(ReceiptVerdict { id: ReceiptId(id), found }, format!("receipt #{id}")))
    }
}

fn own(cx: &Context<'_, NoSpace>, row: &ReceiptRow) -> Result<(), Stop> {
    match &row.user_id {
        Some(user_id) if cx.call.caller.reaches(user_id) => Ok(()),
        Some(_) => Err(Stop::denied("this receipt belongs to a memory space outside your assigned scope.")),
        None if cx.call.caller.can(Capability::Admin) => Ok(()),
        None => Err(Stop::denied("this receipt has no owner recorded, so only an admin may verify it.")),
    }
}

/// A receipt as it was found; `None` where the caller's tenant has no such receipt.
#[derive(Debug)]
pub struct ReceiptVerdict {
    pub id: ReceiptId,
    pub found: Option<ReceiptRow>,
}

impl fmt::Display for ReceiptVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.id;
        let Some(row) = &self.found else { return write!(f, "No receipt #{id}.") };
        write!(f, "Receipt #{id} [{}] — ", row.kind)?;
        match &row.receipt {
            Some(receipt) => writeln!(f, "{}  (ts {})", receipt.summary(), receipt.ts)?,
            None => writeln!(f, "its content cannot be read  (ts unknown)")?,
        }
        f.write_str(if row.valid {
            "✓ VALID — signature verified, payload intact"
        } else {
            "⚠ INVALID — signature does not match (altered or unsigned)"
        })
    }
}
