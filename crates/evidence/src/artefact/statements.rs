//! Receipts and decisions, one at a time.

use super::json::{At, Fault};
use super::logged::{Made, logged};
use crate::{Belief, Canonical, Keyring, Receipt, ReceiptKind, Snapshot};
use domain::Space;

/// What the receipt proves.
pub(super) fn receipt(at: &At<'_>, keys: &Keyring, within: Option<&Space>) -> Result<String, Fault> {
    let signed = at.signed::<Receipt>(keys)?;
    let receipt = &signed.statement;
    at.shows("id", receipt.id.0)?;
    at.shows("kind", receipt.kind_word())?;
    at.shows("ts", receipt.ts.to_string())?;
    at.shows("summary", receipt.summary())?;
    if let Some(space) = &receipt.space {
        of_user(at, space, within)?;
    }
    let kind = match receipt.kind {
        ReceiptKind::Attestation(_) => "attestation",
        ReceiptKind::Erasure(_) => "erasure receipt",
    };
    let (id, tenant, ts, said) = (receipt.id, &receipt.tenant, receipt.ts, receipt.summary());
    let logged = logged(at, keys, &Made::receipt(receipt))?;
    Ok(format!("{kind} #{id} of tenant {tenant}, signed at {ts}: {said}{logged}"))
}

/// What an export holds is of its user.
fn of_user(at: &At<'_>, space: &Space, within: Option<&Space>) -> Result<(), Fault> {
    match within {
        Some(within) if within.user_id != space.user_id => {
            Err(at.fault(format!("it is of another user, '{}'", space.user_id)))
        }
        _ => Ok(()),
    }
}

/// What the decision proves, and how much of it is disclosed.
pub(super) fn decision(at: &At<'_>, keys: &Keyring, within: Option<&Space>) -> Result<String, Fault> {
    let signed = at.signed::<Snapshot>(keys)?;
    let snapshot = &signed.statement;
    at.shows("id", snapshot.owner.id.0)?;
    at.shows("ts", snapshot.ts.to_string())?;
    of_user(at, &snapshot.owner.space, within)?;
    let summary = match at.maybe("summary_disclosure") {
        None => None,
        Some(opened) => {
            let disclosure = opened.disclosure(snapshot.summary)?;
            Some(disclosure.text().map_err(|e| opened.fault(e.to_string()))?.to_owned())
        }
    };
    at.shows("action_summary", summary.clone())?;
    let shown = at.get("beliefs")?.items()?;
    if shown.len() != snapshot.beliefs.len() {
        let (shown, signed) = (shown.len(), snapshot.beliefs.len());
        return Err(at.fault(format!("it lists {shown} beliefs, and {signed} are signed")));
    }
    let mut disclosed = 0;
    for (belief, (memory, commitment)) in shown.iter().zip(&snapshot.beliefs) {
        belief.shows("memory_id", memory.0)?;
        belief.shows("commitment", commitment.0.to_string())?;
        if let Some(opened) = belief.maybe("disclosure") {
            let content = opened.disclosure(*commitment)?.content;
            let held = Belief::decode(&content).map_err(|e| opened.fault(e.to_string()))?;
            if held.memory_id != *memory {
                return Err(opened.fault(format!("it is the belief of memory #{}", held.memory_id)));
            }
            disclosed += 1;
        }
    }
    let (id, ts, beliefs) = (snapshot.owner.id, snapshot.ts, snapshot.beliefs.len());
    let summary = summary.map_or_else(|| "its summary was erased".to_owned(), |text| format!("'{text}'"));
    let tenant = &snapshot.owner.tenant;
    let logged = logged(at, keys, &Made::decision(snapshot))?;
    Ok(format!(
        "decision #{id} of tenant {tenant}, signed at {ts}: {summary}; {disclosed} of {beliefs} belief(s) \
         disclosed{logged}"
    ))
}
