//! Whatever a model writes, what is stored is valid, and the next call works.

use crate::support::{BROKEN_WORD, Deployment, Mcp, Model, id, said, says};
use serde_json::{Value, json};

/// Every fact of the space is one that the rules could have made.
fn check_facts(process: &Mcp, user: &str) -> Vec<Value> {
    let export = process.call("export_memory", &json!({ "user_id": user }));
    let export: Value = serde_json::from_str(&export).unwrap();
    let records = export["records"].as_array().unwrap().clone();
    for fact in &records {
        let text = |name: &str| fact[name].as_str().unwrap();
        assert!(!text("subject").trim().is_empty() && text("subject").len() <= 256, "{fact}");
        assert!(!text("value").trim().is_empty() && text("value").len() <= 8 * 1024, "{fact}");
        assert!(!text("scope").is_empty() && text("scope").len() <= 128, "{fact}");
        assert!((0.0..=1.0).contains(&fact["confidence"].as_f64().unwrap()), "{fact}");
        assert!(!text("subject").chars().chain(text("value").chars()).any(char::is_control), "{fact}");
    }
    let active: Vec<(&str, &str)> = records
        .iter()
        .filter(|fact| fact["status"] == "ACTIVE" && fact["kind"] == "state")
        .map(|fact| (fact["subject"].as_str().unwrap(), fact["scope"].as_str().unwrap()))
        .collect();
    for (n, place) in active.iter().enumerate() {
        assert!(!active[..n].contains(place), "{place:?} is held twice");
    }
    records
}

/// Has the model reply exactly this, and returns what the service made of it.
fn reply_to(process: &Mcp, user: &str, raw: &str) -> String {
    let reply = process.call("remember", &json!({ "text": format!("raw «{raw}»"), "user_id": user }));
    check_facts(process, user);
    let after = process
        .call("remember", &json!({ "text": says("probe", raw.get(..4).unwrap_or("x")), "user_id": user }));
    assert!(after.starts_with("Stored: ["), "after {raw:.80}: {after}");
    reply
}

#[test]
fn broken_replies_store_nothing_invalid_and_stop_no_later_call() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_EXTRACT_RETRIES", "0");
    let process = deployment.start();
    let huge = "x".repeat(9000);
    let long_name = "s".repeat(300);
    for (n, raw) in [
        "",
        "null",
        "[]",
        "{",
        "I am a language model.",
        r#"{"facts":null}"#,
        r#"{"facts":{}}"#,
        r#"{"facts":[null,1,"x",[]]}"#,
        r#"{"facts":[{}]}"#,
        r#"{"facts":[{"subject":"a","value":"b","action":"EXPLODE"}]}"#,
        r#"{"facts":[{"subject":"a","value":"","action":"ADD"}]}"#,
        r#"{"facts":[{"subject":"","value":"b","action":"ADD"}]}"#,
        r#"{"facts":[{"subject":"a","value":{"nested":{"deep":[1]}},"action":"ADD"}]}"#,
        r#"{"facts":[{"subject":["a"],"value":["b"],"action":["ADD"]}]}"#,
        r#"{"facts":[{"subject":"a","value":"b","action":"ADD","confidence":NaN}]}"#,
        r#"{"facts":[{"subject":"a","value":"b","action":"ADD","confidence":"NaN"}]}"#,
        r#"{"facts":[{"subject":"a","value":"b","action":"ADD","confidence":-5e300}]}"#,
        r#"{"facts":[{"subject":"a","value":"b","action":"ADD","confidence":1e999}]}"#,
        r#"{"facts":[{"subject":"a","subject":"z","value":"b","value":"c","action":"ADD"}]}"#,
        r#"{"facts":[{"subject":"a","value":"b\u0000\u0007c\nd","action":"ADD","confidence":0.9}]}"#,
        r#"{"facts":[{"subject":"a","value":"b","action":"SUPERSEDE","target_id":99999999}]}"#,
        r#"{"facts":[{"subject":"a","value":"b","action":"RETRACT","target_id":-1}]}"#,
        r#"{"facts":[{"subject":"a","value":"b","action":"REFINE","target_id":9223372036854775807}]}"#,
        r#"{"facts":[{"subject":"a","value":"b","action":"ADD","time_ref":"someday","kind":"thing","scope":7}]}"#,
        &format!(r#"{{"facts":[{{"subject":"a","value":"{huge}","action":"ADD"}}]}}"#),
        &format!(r#"{{"facts":[{{"subject":"{long_name}","value":"b","action":"ADD"}}]}}"#),
        &format!(r#"{{"facts":[{{"subject":"a","value":"b","scope":"{long_name}","action":"ADD"}}]}}"#),
    ]
    .into_iter()
    .enumerate()
    {
        reply_to(&process, &format!("user {n}"), raw);
    }
    process.intact();
}

#[test]
fn a_foreign_or_invented_id_reaches_no_fact() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    process.call("remember", &json!({ "text": says("secret", "theirs"), "user_id": "other" }));
    let theirs = process.call("list_memories", &json!({ "user_id": "other" }));
    let foreign = id(&theirs);
    for (n, action) in ["SUPERSEDE", "REFINE", "RETRACT", "DEDUP", "COEXIST", "FLAG"].iter().enumerate() {
        for target in [foreign, 4242] {
            let fact = json!([{ "subject": "secret", "value": format!("mine {n}"), "action": action, "target_id": target }]);
            process.remember(&said(&format!("{action} {target}"), &fact));
            process.call("forget", &json!({ "text": said("forget it", &fact) }));
        }
    }
    assert_eq!(process.call("list_memories", &json!({ "user_id": "other" })), theirs);
    assert!(check_facts(&process, "default").iter().all(|fact| fact["supersedes"] != foreign));
}

#[test]
fn other_languages_are_kept_as_they_were_written() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    for (subject, value) in [("用户的城市", "北京市"), ("مدينة المستخدم", "القاهرة"), ("emoji 🦀", "👩‍👩‍👧")]
    {
        let reply = process.remember(&says(subject, value));
        assert_eq!(reply, format!("Stored: [ADD] {subject} = {value}"));
        let history = process.call("history", &json!({ "subject": subject }));
        assert!(history.contains(&format!("  1. {value}  [ACTIVE]")), "{history}");
    }
    check_facts(&process, "default");
}

#[test]
fn too_many_facts_in_a_reply_are_cut() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    let fact = |n: usize| json!({ "subject": format!("s{n}"), "value": "v", "action": "ADD" });
    let facts: Vec<Value> = (0..500).map(fact).collect();
    let reply = process.remember(&format!("many «{}»", json!({ "facts": facts })));
    assert_eq!(reply.matches("[ADD]").count(), 64);
    assert!(reply.contains("436 dropped"), "{reply}");
    assert_eq!(check_facts(&process, "default").len(), 64);
    assert!(process.remember(&says("after", "fine")).starts_with("Stored: [ADD]"));
}

#[test]
fn a_failed_model_leaves_only_an_audit_entry() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    process.remember(&says("city", "Oslo"));
    let before = process.list();
    for tool in ["remember", "forget"] {
        let failed =
            process.call(tool, &json!({ "text": format!("{BROKEN_WORD} {}", says("city", "Rome")) }));
        assert!(failed.starts_with("Svc couldn't complete that (ref "), "{failed}");
        // The reference is random, and may hold any digits.
        let told = failed.split_once(')').map_or("", |(_, rest)| rest);
        assert!(!told.contains("403") && !failed.contains("Rome"), "{failed}");
    }
    let failed = process.call(
        "record_decision",
        &json!({ "action_summary": "go", "question": format!("{BROKEN_WORD} which city?") }),
    );
    assert!(failed.starts_with("Svc couldn't complete that"), "{failed}");
    assert_eq!(process.list(), before);
    assert!(process.call("explain_decision", &json!({ "decision_id": 1 })).starts_with("No decision #1"));
    let log = process.call("audit_log", &json!({}));
    assert_eq!(log.lines().filter(|line| line.contains("failed (ref ")).count(), 3, "{log}");
    assert!(process.remember(&says("city", "Rome")).starts_with("Stored: [SUPERSEDE]"));
    process.intact();
}

#[test]
fn repeated_words_do_not_ask_the_model() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    let text = says("city", "Oslo");
    process.remember(&text);
    assert_eq!(process.remember(&text), "Stored: [DEDUP] city = Oslo");
    assert_eq!(model.asked("Oslo"), 1);
}
