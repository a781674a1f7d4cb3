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

#[test]
fn what_has_ended_does_not_come_back_with_an_older_statement() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    let said = |day: &str, fact: &Value| {
        mcp.call("remember", &json!({ "text": "Ann.", "facts": [fact], "said_at": day }))
    };
    said("2022-01-01", &json!({ "subject": "Ann home", "value": "Kyiv" }));
    said("2024-01-01", &json!({ "subject": "Ann home", "action": "RETRACT" }));
    let told = said("2023-01-01", &json!({ "subject": "Ann home", "value": "Kyiv" }));
    assert!(told.starts_with("Not stored (it ended on 2024-01-01, after this was said;"), "{told}");
    let told = said("2023-02-01", &json!({ "subject": "Ann home", "value": "Oslo" }));
    assert_eq!(told, "Stored: [ARCHIVE] Ann home = Oslo");
    said("2022-01-01", &json!({ "subject": "Ann hobby", "value": "chess", "list": true }));
    mcp.call("forget", &json!({ "text": "Ann hobby" }));
    said("2023-01-01", &json!({ "subject": "Ann hobby", "value": "chess", "list": true }));
    assert!(!mcp.list().contains('•'), "{}", mcp.list());
    let then = |as_of: &str| mcp.call("list_memories", &json!({ "as_of": as_of }));
    assert!(then("2022-06").contains("Kyiv") && !then("2022-06").contains("Oslo"), "{}", then("2022-06"));
    assert!(then("2023-06").contains("Oslo") && !then("2023-06").contains("Kyiv"), "{}", then("2023-06"));
    assert!(!then("2024-06").contains("Ann home"), "{}", then("2024-06"));
    // Said today, or of a later time, it holds.
    let told = bring(&mcp, "Ann.", &json!([{ "subject": "Ann home", "value": "Kyiv" }]));
    assert_eq!(told, "Stored: [ADD] Ann home = Kyiv");
}

#[test]
fn an_earlier_time_of_a_value_does_not_end_the_present_one() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    let job = |from: &str, until: &str| {
        let facts =
            json!([{ "subject": "Ann job", "value": "Acme", "valid_from": from, "valid_until": until }]);
        bring(&mcp, "Ann works at Acme.", &facts)
    };
    job("2020", "");
    assert_eq!(job("2010", "2012"), "Stored: [ARCHIVE] Ann job = Acme");
    assert!(mcp.list().contains("• Ann job = Acme  (#1)"), "{}", mcp.list());
    let then = |as_of: &str| mcp.call("list_memories", &json!({ "as_of": as_of }));
    assert!(then("2011").contains("Acme") && !then("2015").contains("Acme"), "{}", then("2015"));
}

#[test]
fn a_list_stays_one_when_its_last_item_has_gone() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    let speaks = |value: &str, more: &Value| {
        let mut fact = json!({ "subject": "Bob speaks", "value": value });
        fact.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        bring(&mcp, "Bob speaks.", &json!([fact]))
    };
    speaks("Greek", &json!({ "list": true }));
    speaks("Greek", &json!({ "action": "RETRACT" }));
    speaks("Latin", &json!({}));
    speaks("Dutch", &json!({}));
    let list = mcp.list();
    assert!(list.contains("• Bob speaks = Latin") && list.contains("• Bob speaks = Dutch"), "{list}");
}

#[test]
fn an_empty_word_is_one_that_is_left_out() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    let fact = |value: &str| {
        json!([{ "subject": "k", "value": value, "action": "", "kind": "", "time_ref": "", "scope": "",
            "valid_from": "", "reason": "" }])
    };
    assert_eq!(bring(&mcp, "It is one.", &fact("one")), "Stored: [ADD] k = one");
    assert_eq!(bring(&mcp, "It is two.", &fact("two")), "Stored: [SUPERSEDE] k = two");
}

#[test]
fn the_reply_names_what_to_react_to_and_nothing_else() {
    let deployment = Deployment::bare().with("SVC_SLOT_SCHEMA", "preset:clinical");
    let mcp = deployment.start();
    let fact = |subject: &str, value: &str| json!([{ "subject": subject, "value": value }]);
    bring(&mcp, "x", &fact("Ann flat", "Oak Street"));
    let over = json!([{ "subject": "Ann flat", "value": "Oak Street", "time_ref": "past" }]);
    assert_eq!(
        bring(&mcp, "x", &over),
        "Stored: [ARCHIVE] Ann flat = Oak Street\nStill current: #1 Ann flat = Oak Street. RETRACT ends it."
    );
    let older = json!({ "text": "x", "said_at": "2024-02-02", "facts": fact("Ann flat", "Elm Street") });
    let older = mcp.call("remember", &older);
    assert!(
        older.starts_with("Stored: [ARCHIVE] Ann flat = Elm Street\nStill current: #1 Ann flat = Oak Street, said later, on "),
        "{older}"
    );
    bring(&mcp, "x", &fact("kim's city", "Paris"));
    let close = bring(&mcp, "x", &fact("Kim City", "Lyon"));
    assert!(close.contains("\nClose: #5 and #4 kim's city = Paris."), "{close}");
    bring(&mcp, "x", &fact("Kim pets", "cat"));
    let moved = json!([
        { "subject": "Kim town", "value": "Rome", "action": "RETRACT" },
        { "subject": "Kim town", "value": "Oslo" },
    ]);
    let moved = bring(&mcp, "x", &moved);
    assert!(!moved.contains("Perhaps"), "{moved}");
    bring(&mcp, "x", &fact("code_status", "full code"));
    bring(&mcp, "x", &json!([{ "subject": "code_status", "action": "RETRACT" }]));
    let checked = mcp.call("check_before_act", &json!({ "subject": "code_status" }));
    assert!(checked.contains("removal of code_status = full code awaits confirmation"), "{checked}");
}

#[test]
fn an_answer_has_the_whole_list_the_day_and_no_neighbour() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    let facts = json!([
        { "subject": "Jolene pets", "value": "the snake Susie", "list": true },
        { "subject": "Jolene pets", "value": "the snake Seraphim", "list": true },
        { "subject": "Jolene's mother", "value": "passed away", "kind": "event", "valid_from": "2022" },
        { "subject": "Jolene mini retreat", "value": "took stock", "kind": "event", "valid_from": "2023-02-08" },
        { "subject": "gate code", "value": "1234", "valid_from": "2999-05" },
        { "subject": "Deborah letter", "value": "from 2023", "kind": "event", "valid_from": "2023-04-01" },
    ]);
    bring(&mcp, "Jolene told us.", &facts);
    let asked = |question: &str| mcp.call("recall", &json!({ "question": question }));
    let pets = asked("What pets does Jolene have?");
    let pets = pets.lines().next().unwrap();
    assert!(pets.contains("Susie") && pets.contains("Seraphim"), "{pets}");
    assert!(pets.ends_with(" (Jolene pets)."), "{pets}");
    let code = asked("What is the gate code?");
    assert!(code.starts_with("From 2999-05 on: 1234 (gate code = 1234)."), "{code}");
    let hobbies = asked("What are Jolene's mother's hobbies?");
    assert!(!hobbies.starts_with("passed away"), "{hobbies}");
    let day = asked("What happened on 8 February 2023?");
    assert!(day.contains("Jolene mini retreat") && !day.contains("Deborah letter"), "{day}");
}
