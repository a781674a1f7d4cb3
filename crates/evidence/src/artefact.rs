//! Files of evidence, checked by somebody who holds the deployment's public keys and nothing else.

mod distinct;
mod entries;
mod export;
mod json;
mod keys;
mod log;
mod logged;
mod statements;
mod texts;

pub use json::{Fault, Finding};
pub use log::LogCheck;
pub use logged::Made;

use crate::{Canonical, KeyHistory, Keyring, Receipt, Snapshot};
use json::At;

/// Checks a file of one JSON object (an export, a receipt or a decision), a checkpoint, or the proof of an entry. The log by
/// itself is for [`LogCheck`].
pub fn check_artefact(file: &[u8], keys: &Keyring) -> Vec<Finding> {
    if let Some(finding) = texts::check(file, keys) {
        return vec![finding];
    }
    let value = match distinct::read(file) {
        Ok(value) => value,
        Err(e) => {
            let at = format!("line {}, column {}", e.line(), e.column());
            return vec![Err(Fault {
                at,
                why: format!("the file is not JSON from here on: {}", distinct::why(&e)),
            })];
        }
    };
    let root = At::root("", &value);
    let keys = match root.maybe("key_history").map(|at| keys::key_history(&at)).transpose() {
        Ok(history) => keys.clone().following(&history.unwrap_or_default()),
        Err(fault) => return vec![Err(fault)],
    };
    let keys = &keys;
    if root.maybe("records").is_some() || root.maybe("audit").is_some() {
        return export::export(&root, keys);
    }
    vec![statement(&root, keys)]
}

fn statement(root: &At<'_>, keys: &Keyring) -> Finding {
    let body = root.get("body")?;
    let bytes = body.bytes()?;
    if Receipt::decode(&bytes).is_ok() {
        statements::receipt(root, keys, None)
    } else if Snapshot::decode(&bytes).is_ok() {
        statements::decision(root, keys, None)
    } else {
        Err(body.fault("it is neither a receipt nor a decision"))
    }
}

/// Reads what `svc keys history` prints.
pub fn read_key_history(file: &[u8]) -> Result<KeyHistory, Fault> {
    let value = distinct::read(file)
        .map_err(|e| Fault { at: String::new(), why: format!("it is not JSON: line {}", e.line()) })?;
    keys::key_history(&At::root("", &value).get("key_history")?)
}
