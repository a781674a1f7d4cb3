//! The history of the keys, as files show it.

use super::json::{At, Fault};
use crate::{Canonical, Handover, KeyHistory, Signature, Succession};

pub(super) fn key_history(at: &At<'_>) -> Result<KeyHistory, Fault> {
    let handovers = at.items()?.iter().map(handover).collect::<Result<_, _>>()?;
    KeyHistory::of(handovers).map_err(|e| at.fault(e.to_string()))
}

fn handover(at: &At<'_>) -> Result<Handover, Fault> {
    let body = at.get("body")?;
    let statement = Succession::decode(&body.bytes()?).map_err(|e| body.fault(e.to_string()))?;
    at.shows("retired", statement.retired.to_hex())?;
    at.shows("successor", statement.successor.to_hex())?;
    at.shows("size", statement.at.size)?;
    at.shows("hash", statement.at.hash.to_string())?;
    at.shows("ts", statement.ts.to_string())?;
    let signature = |name: &str| {
        let found = at.get(name)?;
        Signature::decode(&found.bytes()?).map_err(|e| found.fault(e.to_string()))
    };
    Ok(Handover {
        statement,
        by_retired: signature("retired_signature")?,
        by_successor: signature("successor_signature")?,
    })
}
