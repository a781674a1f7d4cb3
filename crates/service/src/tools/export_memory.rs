//! Everything of a space as JSON, with the signatures over it.

use crate::fact_json::fact_json;
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Space};
use evidence::{
    Canonical, Disclosed, Disclosure, Receipt, Signature, Signed, Snapshot, StoredDetail, StoredEntry,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt;
use store::Export;

pub(crate) struct ExportMemory;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

impl Tool for ExportMemory {
    const NAME: &'static str = "export_memory";
    const TITLE: &'static str = "Export a space";
    const DESCRIPTION: &'static str = "Export a space as one JSON object with all facts, decisions, \
        receipts, audit entries and the public key.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = Space;
    type Args = Args;
    type Reply = Exported;

    async fn run(cx: Context<'_>, _: Args) -> Result<Done<Exported>, Stop> {
        let export = cx.service.store.space_export(&cx.call.caller, &cx.space).await?;
        let detail = format!("{} record(s)", export.records.len());
        let public_key = cx.service.store.public_key();
        let file_damage = cx.service.store.file_damage().map(str::to_owned);
        Ok(Done::read(Exported { space: cx.space, export, public_key, file_damage }, detail))
    }
}

/// All that a space holds; its text is one JSON object.
#[derive(Debug)]
pub struct Exported {
    pub space: Space,
    pub export: Export,
    pub public_key: Option<String>,
    /// What is wrong with the database file, by which anything may be missing.
    pub file_damage: Option<String>,
}

impl fmt::Display for Exported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", object(self))
    }
}

/// What is signed is given as its exact bytes in hexadecimal, as the page on the evidence format describes them.
fn object(exported: &Exported) -> Value {
    let Exported { space, export, public_key, file_damage } = exported;
    let mut object = json!({
        "space": { "user_id": space.user_id, "agent_id": space.agent_id, "run_id": space.run_id },
        "records": export.records.iter().map(fact_json).collect::<Vec<_>>(),
        "decisions": export.decisions.iter().map(|(signed, disclosed)| decision(signed, disclosed)).collect::<Vec<_>>(),
        "receipts": export.receipts.iter().map(receipt).collect::<Vec<_>>(),
        "audit": export.audit.iter().map(audit_entry).collect::<Vec<_>>(),
        "audit_head": export.head.as_ref().map(|head| json!({
            "size": head.statement.at.size,
            "hash": head.statement.at.hash.to_string(),
            "ts": head.statement.ts.to_string(),
            "body": hex::encode(head.body()),
            "signature": signature(head.signature.as_ref()),
        })),
        "unreadable": export.unreadable,
        "public_key": public_key,
    });
    if let (Some(damage), Value::Object(fields)) = (file_damage, &mut object) {
        fields.insert("file_damage".to_owned(), json!(damage));
    }
    object
}

fn signature(signature: Option<&Signature>) -> Option<String> {
    signature.map(|signature| hex::encode(signature.encode()))
}

fn disclosure(disclosure: &Disclosure) -> Value {
    json!({ "salt": hex::encode(disclosure.salt.0), "content": hex::encode(&disclosure.content) })
}

fn decision(signed: &Signed<Snapshot>, disclosed: &Disclosed) -> Value {
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

fn receipt(signed: &Signed<Receipt>) -> Value {
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

fn audit_entry(stored: &StoredEntry) -> Value {
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
