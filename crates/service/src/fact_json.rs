//! A fact as JSON, the same wherever a program reads one.

use domain::Fact;
use serde_json::{Value, json};

pub fn fact_json(fact: &Fact) -> Value {
    json!({
        "id": fact.id,
        "subject": fact.subject,
        "value": fact.value,
        "status": fact.status.word(),
        "scope": fact.scope,
        "kind": fact.kind.word(),
        "confidence": fact.confidence,
        "source": fact.source,
        "list": fact.list_item,
        "supersedes": fact.supersedes,
        "metadata": fact.metadata,
        "head": fact.triple.head,
        "relation": fact.triple.relation,
        "tail": fact.triple.tail,
        "text": &*fact.text,
        "pending": fact.pending.as_ref().map(|pending| json!({
            "action": pending.action.word(),
            "target": pending.target,
            "target_value": pending.target_value,
            "gated": pending.gated,
        })),
        "refined_from": fact.earlier.iter()
            .map(|e| json!({ "value": e.value, "until": e.until.to_string() })).collect::<Vec<_>>(),
        "said_at": fact.times.said.map(|said| said.to_string()),
        "valid_from": fact.times.from.map(|from| from.to_string()),
        "valid_until": fact.times.until.map(|until| until.to_string()),
        "ended": fact.times.ended.map(|ended| ended.to_string()),
        "created": fact.created.to_string(),
        "changed": fact.changed.to_string(),
    })
}
