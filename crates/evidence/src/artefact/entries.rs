//! Entries of the audit log, as an export or an extract shows them.

use super::json::{At, Fault};
use crate::{Canonical, Entry, Hash, Head, Keyring, SignedHead, Statement, is_included};

pub(super) struct Checked {
    pub entry: Entry,
    pub hash: Hash,
    /// `None` once it was blanked.
    pub detail: Option<String>,
}

impl Checked {
    pub const fn is_blanked(&self) -> bool {
        self.detail.is_none()
    }
}

/// An entry's own bytes: its hash, its detail, and in an old one its signature.
pub(super) fn entry(at: &At<'_>, keys: &Keyring) -> Result<Checked, Fault> {
    let body = at.get("body")?;
    let bytes = body.bytes()?;
    let entry = Entry::decode(&bytes).map_err(|e| body.fault(e.to_string()))?;
    if let Some(reason) = entry.blanks_fault() {
        return Err(body.fault(reason));
    }
    let hash = Hash::of(&bytes);
    let shown = at.get("hash")?;
    if shown.hash()? != hash {
        return Err(shown.fault(format!("it is not that of the body, which is {hash}")));
    }
    at.shows("seq", entry.seq)?;
    at.shows("ts", entry.ts.to_string())?;
    for (name, signed) in [
        ("action", &entry.action),
        ("user", &entry.user),
        ("caller", &entry.caller),
        ("request_id", &entry.request_id),
    ] {
        at.shows(name, signed.as_str())?;
    }
    if entry.changes.is_none() {
        let signature = at.signature()?;
        let holds = signature.is_some_and(|signature| keys.verify(&bytes, &signature, entry.place()));
        at.vouched_for(holds, signature, keys, entry.place())?;
    } else if let Some(signature) = at.maybe("signature") {
        return Err(signature.fault("an entry of this form has none"));
    }
    let detail = at.maybe("detail_disclosure");
    let text = match &detail {
        None => None,
        Some(opened) => {
            let disclosure = opened.disclosure(entry.detail)?;
            Some(disclosure.text().map_err(|e| opened.fault(e.to_string()))?.to_owned())
        }
    };
    at.shows("detail", text.clone())?;
    Ok(Checked { entry, hash, detail: text })
}

pub(super) fn head(at: &At<'_>, keys: &Keyring) -> Result<SignedHead, Fault> {
    let signed = at.signed::<Head>(keys)?;
    let head = &signed.statement;
    at.shows("size", head.at.size)?;
    at.shows("hash", head.at.hash.to_string())?;
    at.shows("ts", head.ts.to_string())?;
    Ok(signed)
}

/// Whether the head vouches for the entry, by the hashes that come with it.
pub(super) fn included(at: &At<'_>, checked: &Checked, head: &Head) -> Result<(), Fault> {
    let Some(tree) = head.tree else { return Err(at.fault("the head is from before the log was a tree")) };
    let proof = at.get("proof")?;
    let hashes = proof.items()?.iter().map(At::hash).collect::<Result<Vec<Hash>, Fault>>()?;
    let index = checked.entry.seq.saturating_sub(1);
    if is_included(checked.hash, index, head.at.size, &hashes, tree.root) {
        Ok(())
    } else {
        Err(proof.fault("it does not lead from this entry to the root of the head"))
    }
}
