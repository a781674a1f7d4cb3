//! Evidence of which one byte was changed is not believed.

use crate::support::{Cell, Deployment, Mcp, Model, Sql, id, says};
use serde_json::json;

/// The rows of the sample, and the call that must notice a change in each.
struct Row {
    table: &'static str,
    /// Picks the row by its rowid or, where there is none, by its key; the key is not among the flipped columns.
    condition: String,
    columns: &'static [&'static str],
    tool: &'static str,
    arguments: serde_json::Value,
}

fn sample(process: &Mcp) -> Vec<Row> {
    process.call("remember", &json!({ "text": says("budget", "40k"), "source": "finance" }));
    process.remember(&says("owner", "Dana"));
    process.remember(&says("old office", "Bergen"));
    let attested = id(&process.call("attest", &json!({ "subject": "budget" })));
    let erased = process.call("delete", &json!({ "subject": "old office" }));
    let erasure = id(&erased[erased.find("receipt #").unwrap()..]);
    let decided = process.call(
        "record_decision",
        &json!({ "action_summary": "Order the servers", "question": "How much is left?" }),
    );
    let decision = id(&decided);
    let receipt = |id: i64| Row {
        table: "receipt",
        condition: format!("id = {id}"),
        columns: &["tenant", "space", "kind", "created", "subject_ix", "body", "signature"],
        tool: "verify_receipt",
        arguments: json!({ "receipt_id": id }),
    };
    let belief = |place: i64| Row {
        table: "belief",
        condition: format!("decision = {decision} AND place = {place}"),
        columns: &["memory", "disclosure"],
        tool: "explain_decision",
        arguments: json!({ "decision_id": decision }),
    };
    let snapshot = Row {
        table: "decision",
        condition: format!("id = {decision}"),
        columns: &["tenant", "space", "created", "body", "signature", "summary"],
        tool: "explain_decision",
        arguments: json!({ "decision_id": decision }),
    };
    vec![receipt(attested), receipt(erasure), snapshot, belief(0), belief(1)]
}

/// The value with one byte changed, for each of its bytes. An empty value has none.
fn flipped(value: &Cell) -> Vec<Cell> {
    match value {
        Cell::Integer(number) => (0..8).map(|byte| Cell::Integer(number ^ (1 << (8 * byte)))).collect(),
        Cell::Text(text) => (0..text.len())
            .map(|at| {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1;
                Cell::Text(String::from_utf8(bytes).unwrap())
            })
            .collect(),
        Cell::Bytes(bytes) => (0..bytes.len())
            .map(|at| {
                let mut bytes = bytes.clone();
                bytes[at] ^= 1 << (at % 8);
                Cell::Bytes(bytes)
            })
            .collect(),
        Cell::Null => Vec::new(),
    }
}

/// Flips every byte of the row, one at a time; returns how many there were.
fn flip_row(process: &Mcp, sql: &Sql, row: &Row) -> usize {
    let Row { table, condition, columns, tool, arguments } = row;
    let mut flips = 0;
    for column in *columns {
        let original = sql.cell(&format!("SELECT {column} FROM {table} WHERE {condition}"));
        let set =
            |value: &Cell| format!("UPDATE {table} SET {column} = {} WHERE {condition}", value.literal());
        for (at, changed) in flipped(&original).iter().enumerate() {
            assert_eq!(sql.change(&set(changed)), 1);
            let verdict = process.call(tool, arguments);
            assert!(!verdict.contains('✓'), "byte {at} of {table}.{column}: {verdict}");
            flips += 1;
        }
        sql.run(&set(&original));
    }
    let verdict = process.call(tool, arguments);
    assert!(verdict.contains('✓'), "{table} was not restored: {verdict}");
    flips
}

fn no_flipped_byte_verifies(encrypt: &str) {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_ENCRYPT", encrypt);
    let process = deployment.start();
    let rows = sample(&process);
    let sql = deployment.sql();
    let flips: usize = rows.iter().map(|row| flip_row(&process, &sql, row)).sum();
    assert!(flips > 1000, "only {flips} bytes were tried");
    process.intact();
}

#[test]
fn a_flipped_byte_of_sealed_evidence_never_verifies() {
    no_flipped_byte_verifies("on");
}

#[test]
fn a_flipped_byte_of_evidence_in_clear_never_verifies() {
    no_flipped_byte_verifies("off");
}

#[test]
fn removal_from_a_decision_needs_an_erasure() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    process.remember(&says("budget", "40k"));
    process.remember(&says("owner", "Dana"));
    let arguments = json!({ "action_summary": "Spend 40k", "question": "How much is left?" });
    let decision = id(&process.call("record_decision", &arguments));
    let arguments = json!({ "action_summary": "Call her", "question": "Who is the owner?" });
    let other = id(&process.call("record_decision", &arguments));
    let explain = || process.call("explain_decision", &json!({ "decision_id": decision }));
    process.call("delete", &json!({ "subject": "budget" }));
    let redacted = explain();
    assert!(
        redacted.contains('✓') && redacted.contains("redacted") && !redacted.contains("40k"),
        "{redacted}"
    );
    assert!(process.close().success());
    // The receipt that accounts for one belief or summary accounts for no other.
    for change in [
        "UPDATE belief SET disclosure = NULL WHERE memory = 2",
        "UPDATE belief SET disclosure = NULL, erased_by = 1 WHERE memory = 2",
        "UPDATE belief SET erased_by = NULL WHERE memory = 1",
        "UPDATE decision SET summary_erased_by = NULL WHERE id = 1",
        "UPDATE decision SET summary = NULL, summary_erased_by = 1 WHERE id = 2",
    ] {
        let copy = deployment.copy();
        assert!(copy.sql().change(change) > 0, "{change}");
        let decision = if change.ends_with("id = 2") { other } else { decision };
        let verdict = copy.start().call("explain_decision", &json!({ "decision_id": decision }));
        assert!(verdict.ends_with("\n⚠ receipt FAILED verification (record altered)"), "{change}: {verdict}");
    }
}

#[test]
fn an_altered_or_unsigned_receipt_is_invalid() {
    let model = Model::start();
    let invalid = "\n⚠ INVALID — signature does not match (altered or unsigned)";
    let check = |process: &Mcp, start: &str, end: &str| {
        let verdict = process.call("verify_receipt", &json!({ "receipt_id": 1 }));
        assert!(verdict.starts_with(start) && verdict.ends_with(end), "{verdict}");
    };
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    process.remember(&says("city", "Oslo"));
    process.call("attest", &json!({ "subject": "city" }));
    let intact = "Receipt #1 [knowledge_attestation] — 'city' = Oslo  (ts 20";
    check(&process, intact, "\n✓ VALID — signature verified, payload intact");
    deployment.sql().run("UPDATE receipt SET signature = NULL");
    check(&process, intact, invalid);
    deployment.sql().run("UPDATE receipt SET created = created + 1");
    check(&process, "Receipt #1 [knowledge_attestation] — ", invalid);
}

#[test]
fn with_signing_off_a_decision_says_it_is_unsigned() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_SIGN", "off");
    let process = deployment.start();
    process.remember(&says("city", "Oslo"));
    process.call("record_decision", &json!({ "action_summary": "go", "question": "where?" }));
    let explained = process.call("explain_decision", &json!({ "decision_id": 1 }));
    assert!(explained.ends_with("\n(unsigned)"), "{explained}");
}
