//! Facts that the caller brings: no model is configured, and the rules are the same.

use crate::support::{Deployment, Mcp, id};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn bring(mcp: &Mcp, text: &str, facts: &Value) -> String {
    mcp.call("remember", &json!({ "text": text, "facts": facts }))
}

#[test]
fn facts_of_the_caller_need_no_model() {
    let deployment = Deployment::bare().with("SVC_SLOT_SCHEMA", "preset:clinical");
    let mcp = deployment.start();
    let brought = |n: usize, value: &str| json!([{ "subject": format!("bed {n} nurse"), "value": value }]);
    for n in 1..=20 {
        let said = bring(&mcp, &format!("Bed {n} is with nurse N{n}."), &brought(n, &format!("N{n}")));
        assert_eq!(said, format!("Stored: [ADD] bed {n} nurse = N{n}"));
    }
    for n in 1..=5 {
        let said = bring(&mcp, &format!("Bed {n} is with M{n} now."), &brought(n, &format!("M{n}")));
        assert_eq!(said, format!("Stored: [SUPERSEDE] bed {n} nurse = M{n}"));
    }
    let ended = json!([{ "subject": "bed 6 nurse", "value": "N6", "action": "RETRACT" }]);
    assert_eq!(bring(&mcp, "Bed 6 is empty.", &ended), "Stored: [RETRACT] bed 6 nurse = N6");

    let status = |value: &str| json!([{ "subject": "code status", "value": value }]);
    assert_eq!(bring(&mcp, "Full code.", &status("full code")), "Stored: [ADD] code_status = full code");
    let guarded = bring(&mcp, "He is DNR now.", &status("DNR"));
    let mut lines = guarded.lines();
    assert_eq!(lines.next(), Some("Stored: [FLAG] code_status = DNR"));
    let waiting = lines.next().unwrap();
    assert!(waiting.starts_with(&format!("Waiting #{}: code_status = DNR", id(waiting))), "{guarded}");
    assert!(waiting.contains("confirm_change") && waiting.contains("reject_change"), "{guarded}");

    let list = mcp.list();
    let current = list.lines().filter(|line| line.starts_with("• bed")).count();
    assert_eq!(current, 19, "{list}");
    assert!(list.contains("• code_status = full code") && list.contains("• bed 5 nurse = M5"), "{list}");
    let log = mcp.call("audit_log", &json!({ "limit": 3 }));
    assert!(log.contains("FLAG code_status (proposed by the caller)"), "{log}");
    mcp.intact();
}

#[test]
fn a_fact_of_the_caller_costs_a_few_milliseconds() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    let times = (0..40).map(|n| {
        let started = Instant::now();
        bring(&mcp, "Said so.", &json!([{ "subject": format!("thing {n}"), "value": "x" }]));
        started.elapsed()
    });
    // Far above what it takes and far below what a model takes. The fastest of many: the others may have waited for the
    // machine.
    let fastest = times.min().unwrap();
    assert!(fastest < Duration::from_millis(50), "{fastest:?}");
}

#[test]
fn the_same_words_may_bring_other_facts() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    let one = json!([{ "subject": "gate colour", "value": "blue" }]);
    let two = json!([{ "subject": "fence colour", "value": "blue" }]);
    assert!(bring(&mcp, "It is blue.", &one).starts_with("Stored: [ADD] gate colour = blue"));
    assert!(bring(&mcp, "It is blue.", &two).starts_with("Stored: [ADD] fence colour = blue"));
    assert_eq!(bring(&mcp, "It is blue.", &one), "Stored: [DEDUP] gate colour = blue");
}

#[test]
fn a_close_fact_is_named_and_can_be_replaced() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    bring(&mcp, "The gate is blue.", &json!([{ "subject": "gate colour", "value": "blue" }]));
    bring(&mcp, "The gate is tall.", &json!([{ "subject": "gate height", "value": "tall" }]));
    let red = |target: Option<i64>| {
        let mut fact = json!({ "subject": "colour of the gate", "value": "red" });
        if let Some(id) = target {
            fact["target_id"] = json!(id);
        }
        bring(&mcp, "The colour of the gate is red.", &json!([fact]))
    };
    let said = red(None);
    assert!(
        said.starts_with("Stored: [ADD] colour of the gate = red\nClose: #3 and #1 gate colour = blue. "),
        "{said}"
    );
    assert!(said.contains("forget memory_id 1"), "{said}");
    assert_eq!(said.lines().count(), 2, "{said}");
    assert_eq!(
        bring(&mcp, "Red.", &json!([{ "subject": "lamp", "value": "red" }])),
        "Stored: [ADD] lamp = red"
    );
    assert_eq!(red(Some(1)), "Stored: [SUPERSEDE] colour of the gate = red");
    let list = mcp.list();
    assert!(list.contains("• colour of the gate = red") && !list.contains("• gate colour"), "{list}");
}

#[test]
fn doubtful_words_flag_a_change_that_says_nothing_outright() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    let maybe =
        |city: &str, fact: Value| bring(&mcp, &format!("Maybe the office is in {city}."), &json!([fact]));
    let first = maybe("York", json!({ "subject": "office", "value": "York" }));
    assert_eq!(first, "Stored: [ADD] office = York");
    let said = maybe("Rome", json!({ "subject": "office", "value": "Rome" }));
    assert!(said.starts_with("Stored: [FLAG] office = Rome\nWaiting #2: "), "{said}");
    let outright = maybe("Bern", json!({ "subject": "office", "value": "Bern", "confidence": 0.9 }));
    assert_eq!(outright, "Stored: [SUPERSEDE] office = Bern");
}

#[test]
fn unreadable_facts_are_named_and_nothing_is_written() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    let good = json!({ "subject": "a", "value": "b" });
    for (facts, named) in [
        (json!([]), "'facts'"),
        (json!({ "subject": "a" }), "facts"),
        (json!([{ "subject": "a" }]), "value"),
        (json!([good, { "value": "b" }]), "facts[1]"),
        (json!([{ "subject": "a", "value": 3 }]), "facts[0].value"),
        (json!([{ "subject": "a", "value": "b", "colour": 1 }]), "colour"),
        (json!([{ "subject": "a", "value": "b", "confidence": "high" }]), "facts[0].confidence"),
        (json!([{ "subject": "a", "value": "b", "target_id": "x" }]), "facts[0].target_id"),
        (json!([{ "subject": " ", "value": "b" }]), "facts[0].subject"),
        (json!(vec![good; 65]), "65"),
    ] {
        let text = mcp.refused("remember", &json!({ "text": "x", "facts": facts }));
        assert!(text.contains(named), "{facts}: {text}");
    }
    assert_eq!(mcp.list(), "(no memories yet)");
}

#[test]
fn reserved_metadata_is_named() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    let said = mcp.call(
        "remember",
        &json!({
            "text": "A is b.",
            "facts": [{ "subject": "a", "value": "b" }],
            "metadata": { "team": "core", "approved_by": "me" },
        }),
    );
    let expected = "Stored: [ADD] a = b\nMetadata not taken, since only the service sets it: approved_by.";
    assert_eq!(said, expected);
}
