//! Everything of a space as JSON, with the signatures over it.

use crate::evidence_json::{decision_json, entry_json, head_json, key_history_json, receipt_json};
use crate::fact_json::fact_json;
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Space};
use evidence::{KeyHistory, Made};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt;
use store::{Export, ProvenEntry};

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
        let key_history = cx.service.store.key_history().unwrap_or_default();
        let file_damage = cx.service.store.file_damage().map(str::to_owned);
        Ok(Done::read(Exported { space: cx.space, export, public_key, key_history, file_damage }, detail))
    }
}

/// All that a space holds; its text is one JSON object.
#[derive(Debug)]
pub struct Exported {
    pub space: Space,
    pub export: Export,
    pub public_key: Option<String>,
    /// Which keys signed before it.
    pub key_history: KeyHistory,
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
    let Exported { space, export, public_key, key_history, file_damage } = exported;
    let mut object = json!({
        "space": { "user_id": space.user_id, "agent_id": space.agent_id, "run_id": space.run_id },
        "records": export.records.iter().map(fact_json).collect::<Vec<_>>(),
        "decisions": export.decisions.iter().map(|(signed, disclosed)| {
            logged(export, decision_json(signed, disclosed), &Made::decision(&signed.statement))
        }).collect::<Vec<_>>(),
        "receipts": export.receipts.iter().map(|signed| {
            logged(export, receipt_json(signed), &Made::receipt(&signed.statement))
        }).collect::<Vec<_>>(),
        "audit": export.audit.iter().map(proven).collect::<Vec<_>>(),
        "audit_head": export.head.as_ref().map(head_json),
        "unreadable": export.unreadable,
        "public_key": public_key,
    });
    if let (Some(history), Value::Object(fields)) = (key_history_json(key_history), &mut object) {
        fields.insert("key_history".to_owned(), history);
    }
    if let (Some(damage), Value::Object(fields)) = (file_damage, &mut object) {
        fields.insert("file_damage".to_owned(), json!(damage));
    }
    object
}

/// With the entry of the call that made it, and what shows that this entry is in the log: a receipt or a decision can be
/// taken out of the export, and still has its proof.
fn logged(export: &Export, mut object: Value, made: &Made<'_>) -> Value {
    let entry = export.audit.iter().find(|entry| made.is_told_by(&entry.stored));
    if let (Some(fields), Some(entry), Some(head)) = (object.as_object_mut(), entry, &export.head) {
        let proof: Option<Vec<String>> =
            entry.proof.as_ref().map(|proof| proof.iter().map(ToString::to_string).collect());
        let logged = json!({ "entry": entry_json(&entry.stored), "proof": proof, "head": head_json(head) });
        fields.insert("logged".to_owned(), logged);
    }
    object
}

fn proven(entry: &ProvenEntry) -> Value {
    let mut object = entry_json(&entry.stored);
    if let (Some(fields), Some(proof)) = (object.as_object_mut(), &entry.proof) {
        fields.insert("proof".to_owned(), proof.iter().map(ToString::to_string).collect());
    }
    object
}
