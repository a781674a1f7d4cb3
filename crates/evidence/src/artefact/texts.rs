//! Checkpoints and proofs of entries, which are texts.

use super::json::{Fault, Finding};
use crate::{EntryProof, Keyring, SignedHead};

/// `None` where the file is neither.
pub(super) fn check(file: &[u8], keys: &Keyring) -> Option<Finding> {
    let is_proof = file.starts_with(format!("{}\n", EntryProof::KIND).as_bytes());
    if !is_proof && !file.starts_with(SignedHead::KIND.as_bytes()) {
        return None;
    }
    let fault = |why: String| Fault { at: String::new(), why };
    let Ok(text) = std::str::from_utf8(file) else {
        return Some(Err(fault("it is not a text in UTF-8".to_owned())));
    };
    let found = if is_proof {
        EntryProof::check(text, keys).map(|proof| told(&proof))
    } else {
        SignedHead::from_note(text, keys).map(|head| {
            format!("the head of a log that counted {} at {}", head.statement.at.size, head.statement.ts)
        })
    };
    Some(found.map_err(|invalid| fault(invalid.to_string())))
}

fn told(proof: &EntryProof) -> String {
    let (entry, head) = (&proof.entry, &proof.head.statement);
    format!(
        "entry {} of the log that counted {} at {}: {} by {} at {}",
        entry.seq, head.at.size, head.ts, entry.action, entry.caller, entry.ts
    )
}
