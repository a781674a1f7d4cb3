//! The receipts of a user, each checked as it is listed.

use super::list_decisions::{MOST, none};
use super::verify_receipt::ReceiptVerdict;
use crate::args::Whole;
use crate::outcome::{Done, Stop};
use crate::place::User;
use crate::tool::{Context, Effect, Tool, World};
use domain::Capability;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use store::EvidenceList;

pub(crate) struct ListReceipts;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Only those with a lower number; 0 is all.
    #[serde(default = "none")]
    before: Whole,
}

impl Tool for ListReceipts {
    const NAME: &'static str = "list_receipts";
    const TITLE: &'static str = "List receipts";
    const DESCRIPTION: &'static str =
        "List the receipts of a user_id, the latest first, with whether each signature is valid.";
    const CAPABILITY: Capability = Capability::Verify;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = User;
    type Args = Args;
    type Reply = ReceiptList;

    async fn run(cx: Context<'_, User>, args: Args) -> Result<Done<ReceiptList>, Stop> {
        let (store, caller) = (&cx.service.store, &cx.call.caller);
        let before = Some(args.before.0).filter(|number| *number > 0);
        let user_id = cx.space.id().to_owned();
        let list = EvidenceList { user_id, before, rest_on: None, most: MOST + 1 };
        let mut ids = store.receipt_list(caller, list).await?;
        let has_more = ids.len() > MOST;
        ids.truncate(MOST);
        let mut receipts = Vec::with_capacity(ids.len());
        for id in ids {
            receipts.push(ReceiptVerdict { id, found: store.receipt_get(caller, id).await? });
        }
        let detail = format!("{} receipt(s)", receipts.len());
        Ok(Done::read(ReceiptList { receipts, has_more }, detail))
    }
}

#[derive(Debug)]
pub struct ReceiptList {
    pub receipts: Vec<ReceiptVerdict>,
    pub has_more: bool,
}

impl fmt::Display for ReceiptList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.receipts.is_empty() {
            return f.write_str("No receipts in this scope.");
        }
        let texts: Vec<String> = self.receipts.iter().map(ToString::to_string).collect();
        f.write_str(&texts.join("\n\n"))
    }
}
