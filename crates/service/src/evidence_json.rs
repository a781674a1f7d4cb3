//! Evidence as JSON, as the page on its format describes it. What is signed is given as its exact bytes.

use evidence::{
    Canonical, Disclosed, Disclosure, Handover, KeyHistory, Receipt, Signature, Signed, SignedHead, Snapshot,
    StoredDetail, StoredEntry,
};
use serde_json::{Value, json};

fn signature(signature: Option<&Signature>) -> Option<String> {
    signature.map(|signature| hex::encode(signature.encode()))
}

fn disclosure(disclosure: &Disclosure) -> Value {
    json!({ "salt": hex::encode(disclosure.salt.0), "content": hex::encode(&disclosure.content) })
}

pub fn decision_json(signed: &Signed<Snapshot>, disclosed: &Disclosed) -> Value {
    let snapshot = &signed.statement;
    json!({
        "id": snapshot.owner.id,
        "ts": snapshot.ts.to_string(),
        "action_summary": disclosed.summary.as_ref().and_then(|summary| summary.text().ok()),
        "beliefs": snapshot.beliefs.iter().zip(&disclosed.beliefs).map(|((id, commitment), opened)| json!({
            "memory_id": id,
            "commitment": commitment.0.to_string(),
            "disclosure": opened.as_ref().map(disclosure),
        })).collect::<Vec<_>>(),
        "summary_disclosure": disclosed.summary.as_ref().map(disclosure),
        "body": hex::encode(signed.body()),
        "signature": signature(signed.signature.as_ref()),
    })
}

pub fn receipt_json(signed: &Signed<Receipt>) -> Value {
    let receipt = &signed.statement;
    json!({
        "id": receipt.id,
        "kind": receipt.kind_word(),
        "ts": receipt.ts.to_string(),
        "summary": receipt.summary(),
        "body": hex::encode(signed.body()),
        "signature": signature(signed.signature.as_ref()),
    })
}

pub fn entry_json(stored: &StoredEntry) -> Value {
    let entry = &stored.entry;
    let opened = match &stored.detail {
        StoredDetail::Present(detail) => Some(detail),
        StoredDetail::Blanked | StoredDetail::Unreadable => None,
    };
    json!({
        "seq": entry.seq,
        "ts": entry.ts.to_string(),
        "action": entry.action,
        "user": entry.user,
        "caller": entry.caller,
        "request_id": entry.request_id,
        "detail": opened.and_then(|detail| detail.text().ok()),
        "detail_disclosure": opened.map(disclosure),
        "body": hex::encode(entry.encode()),
        "hash": stored.hash.map(|hash| hash.to_string()),
        "signature": signature(stored.signature.as_ref()),
    })
}

pub fn head_json(head: &SignedHead) -> Value {
    json!({
        "size": head.statement.at.size,
        "hash": head.statement.at.hash.to_string(),
        "ts": head.statement.ts.to_string(),
        "body": hex::encode(head.body()),
        "signature": signature(head.signature.as_ref()),
    })
}

/// A signed statement of which nothing is shown but its bytes.
pub fn signed_json<T: Canonical>(signed: &Signed<T>) -> Value {
    json!({ "body": hex::encode(signed.body()), "signature": signature(signed.signature.as_ref()) })
}

/// Which key signed after which; `None` where there was never another.
pub fn key_history_json(history: &KeyHistory) -> Option<Value> {
    let handover = |handover: &Handover| {
        let said = &handover.statement;
        json!({
            "retired": said.retired.to_hex(),
            "successor": said.successor.to_hex(),
            "size": said.at.size,
            "hash": said.at.hash.to_string(),
            "ts": said.ts.to_string(),
            "body": hex::encode(said.encode()),
            "retired_signature": signature(Some(&handover.by_retired)),
            "successor_signature": signature(Some(&handover.by_successor)),
        })
    };
    (!history.is_empty()).then(|| history.handovers().iter().map(handover).collect())
}
