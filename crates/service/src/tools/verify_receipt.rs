//! Checks a receipt's signature.

use crate::args::{Takes, Whole};
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::Capability;
use schemars::JsonSchema;
use serde::Deserialize;
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
    const TAKES: Takes = Takes::NoSpace;
    type Args = Args;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done, Stop> {
        let id = args.receipt_id.0;
        let found = cx.service.store.receipt_get(&cx.call.caller, id).await?;
        let text = match found {
            None => format!("No receipt #{id}."),
            Some(row) => {
                own(&cx, &row)?;
                shown(id, &row)
            }
        };
        Ok(Done::read(text, format!("receipt #{id}")))
    }
}

fn own(cx: &Context<'_>, row: &ReceiptRow) -> Result<(), Stop> {
    match &row.user_id {
        Some(user_id) if cx.call.caller.reaches(user_id) => Ok(()),
        Some(_) => Err(Stop::denied("this receipt belongs to a memory space outside your assigned scope.")),
        None if cx.call.caller.can(Capability::Admin) => Ok(()),
        None => Err(Stop::denied("this receipt has no owner recorded, so only an admin may verify it.")),
    }
}

fn shown(id: i64, row: &ReceiptRow) -> String {
    let verdict = if row.valid {
        "✓ VALID — signature verified, payload intact"
    } else {
        "⚠ INVALID — signature does not match (altered or unsigned)"
    };
    match &row.receipt {
        Some(receipt) => {
            format!("Receipt #{id} [{}] — {}  (ts {})\n{verdict}", row.kind, receipt.summary(), receipt.ts)
        }
        None => format!("Receipt #{id} [{}] — its content cannot be read  (ts unknown)\n{verdict}", row.kind),
    }
}
