//! What a caller means holds, as it would be met by an agent: entries apart, ends, erasures, and a call that is sent again.

use crate::support::{Deployment, Mcp};
use serde_json::{Value, json};

fn bring(mcp: &Mcp, text: &str, facts: &Value) -> String {
    mcp.call("remember", &json!({ "text": text, "facts": facts }))
}

fn keyed(mcp: &Mcp, key: &str, subject: &str, value: &str) -> String {
    let facts = json!([{ "subject": subject, "value": value }]);
    mcp.call("remember", &json!({ "text": "Said so.", "facts": facts, "idempotency_key": key }))
}

#[test]
fn a_call_that_is_sent_again_is_done_once_and_answered_alike() {
    let deployment = Deployment::bare();
    let first = deployment.start();
    let told = keyed(&first, "k1", "home", "Kyiv");
    assert_eq!(told, "Stored: [ADD] home = Kyiv");
    keyed(&first, "k2", "home", "Oslo");
    // Sent again, it does not bring Kyiv back, in this process or in another.
    assert_eq!(keyed(&first, "k1", "home", "Kyiv"), told);
    let other = deployment.start();
    assert_eq!(keyed(&other, "k1", "home", "Kyiv"), told);
    assert!(other.list().contains("• home = Oslo"), "{}", other.list());
    // In another space the key is another.
    let elsewhere = json!({ "text": "Said so.", "facts": [{ "subject": "home", "value": "Rome" }],
        "idempotency_key": "k1", "user_id": "ann" });
    assert_eq!(other.call("remember", &elsewhere), "Stored: [ADD] home = Rome");
    other.intact();
}

#[test]
fn what_is_erased_is_in_no_kept_reply() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    keyed(&mcp, "k1", "home", "Zanzibar");
    mcp.call("delete", &json!({ "subject": "home" }));
    let told = keyed(&mcp, "k1", "pet", "cat");
    assert_eq!(told, "Stored: [ADD] pet = cat");
}

#[test]
fn dates_targets_and_coexist_keep_the_entries_of_a_call_apart() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    let moves = json!([
        { "subject": "Ann home", "value": "Kyiv", "valid_from": "2015", "valid_until": "2019" },
        { "subject": "Ann home", "value": "Oslo", "valid_from": "2019" },
    ]);
    bring(&mcp, "Ann moved from Kyiv to Oslo in 2019.", &moves);
    let then = |as_of: &str| mcp.call("list_memories", &json!({ "as_of": as_of }));
    assert!(mcp.list().contains("• Ann home = Oslo") && !mcp.list().contains("• Ann home = Kyiv"));
    assert!(then("2017").contains("Kyiv") && !then("2017").contains("Oslo"), "{}", then("2017"));
    let speaks = json!([
        { "subject": "Bob speaks", "value": "Greek", "action": "COEXIST" },
        { "subject": "Bob speaks", "value": "German", "action": "COEXIST" },
    ]);
    bring(&mcp, "Bob speaks Greek and German.", &speaks);
    bring(&mcp, "No Greek.", &json!([{ "subject": "Bob speaks", "value": "Greek", "action": "RETRACT" }]));
    assert!(mcp.list().contains("• Bob speaks = German") && !mcp.list().contains("• Bob speaks = Greek"));
}

#[test]
fn an_end_that_has_passed_leaves_nothing_safe() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    bring(&mcp, "x", &json!([{ "subject": "voucher", "value": "KITE" }]));
    bring(&mcp, "y", &json!([{ "subject": "voucher", "value": "KITE", "valid_until": "2020" }]));
    let check = |subject: &str| mcp.call("check_before_act", &json!({ "subject": subject }));
    assert!(check("voucher").starts_with("BLOCKED"), "{}", check("voucher"));
    bring(&mcp, "z", &json!([{ "subject": "tax rate", "value": "25", "valid_from": "2999" }]));
    assert!(check("tax rate").starts_with("BLOCKED"), "{}", check("tax rate"));
}

#[test]
fn a_change_that_aims_by_number_disputes_its_target() {
    let deployment = Deployment::bare().with("SVC_SLOT_SCHEMA", "preset:clinical");
    let mcp = deployment.start();
    bring(&mcp, "Full code.", &json!([{ "subject": "code_status", "value": "full code" }]));
    bring(
        &mcp,
        "He wants no CPR.",
        &json!([{ "subject": "resuscitation wish", "value": "DNR", "target_id": 1 }]),
    );
    let checked = mcp.call("check_before_act", &json!({ "subject": "code_status" }));
    assert!(checked.starts_with("BLOCKED") && checked.contains("#2"), "{checked}");
    let safe = mcp.call("safe_recall", &json!({ "question": "What is the code status?" }));
    assert!(safe.starts_with("WITHHELD"), "{safe}");
    mcp.call("delete", &json!({ "subject": "code_status" }));
    assert!(!mcp.call("export_memory", &json!({})).contains("full code"));
    assert!(!mcp.call("confirm_change", &json!({ "memory_id": 2 })).contains("Approved"));
}

#[test]
fn forget_takes_nobody_elses_and_names_what_is_near() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    let facts = json!([
        { "subject": "car", "value": "red Volvo" },
        { "subject": "kitchen wall colour", "value": "red" },
        { "subject": "Ida bike", "value": "blue" },
    ]);
    bring(&mcp, "x", &facts);
    let forget = |text: &str| mcp.call("forget", &json!({ "text": text }));
    for text in ["Tom's car", "forget tom's car", "the red bike was sold", "do not forget the car"] {
        assert!(forget(text).starts_with("Nothing matching to retract"), "{text}: {}", forget(text));
    }
    assert!(forget("the red bike was sold").contains("#3 Ida bike"), "{}", forget("the red bike was sold"));
    let ended = bring(&mcp, "Sold.", &json!([{ "subject": "bike of Ida", "action": "RETRACT" }]));
    assert_eq!(ended, "Stored: [RETRACT] Ida bike = blue");
}

#[test]
fn what_waits_is_named_in_every_answer() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    bring(&mcp, "x", &json!([{ "subject": "team city", "value": "Kyiv" }]));
    bring(&mcp, "y", &json!([{ "subject": "team city", "value": "Oslo", "confidence": 0.5 }]));
    let told = mcp.call("recall", &json!({ "question": "What is the team city?", "explain": true }));
    assert!(told.contains("'Oslo'") && told.contains("a change to 'Oslo' waits: #2"), "{told}");
}

#[test]
fn an_answer_that_one_acts_on_has_every_word_of_the_question() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    bring(&mcp, "x", &json!([{ "subject": "deploy day", "value": "Friday" }]));
    bring(&mcp, "y", &json!([{ "subject": "Ana employer", "value": "Acme", "confidence": 0.4 }]));
    let safe = |question: &str| mcp.call("safe_recall", &json!({ "question": question }));
    assert!(safe("Which day is the release?").starts_with("WITHHELD"));
    assert!(safe("What is the deploy day?").starts_with("Friday"), "{}", safe("What is the deploy day?"));
}
