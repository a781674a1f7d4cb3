//! The words of a statement are kept once, and go with what they told.

use crate::support::{Cell, Deployment, Engine, Mcp, Model};
use serde_json::{Value, json};

/// As many facts as a statement may give.
const FACTS: usize = 64;

fn long(words: &str) -> String {
    words.repeat(60_000 / words.len())
}

/// Tells one long statement with that many facts, which no model has to read.
fn tell(process: &Mcp, words: &str, facts: usize) -> String {
    let text = long(words);
    let fact = |n: usize| json!({ "subject": format!("{words} {n}"), "value": format!("value {n}") });
    let facts: Vec<Value> = (0..facts).map(fact).collect();
    let said = process.call("remember", &json!({ "text": text, "facts": facts }));
    assert!(said.starts_with("Stored: [ADD]"), "{said}");
    text
}

fn texts(process: &Mcp) -> Vec<String> {
    let export: Value = serde_json::from_str(&process.call("export_memory", &json!({}))).unwrap();
    let records = export["records"].as_array().unwrap();
    records.iter().map(|record| record["text"].as_str().unwrap().to_owned()).collect()
}

fn count(deployment: &Deployment, table: &str) -> i64 {
    deployment.sql().cell(&format!("SELECT count(*) FROM {table}")).integer()
}

/// What the rows of facts and statements take.
fn stored(deployment: &Deployment) -> i64 {
    let bytes = |table: &str| {
        let sum = match crate::ENGINE {
            Engine::Sqlite => format!("SELECT coalesce(sum(length(body)), 0) FROM {table}"),
            Engine::Postgres => format!("SELECT coalesce(sum(length(body)), 0)::bigint FROM {table}"),
        };
        deployment.sql().cell(&sum).integer()
    };
    bytes("fact") + bytes("statement_text")
}

#[test]
fn a_long_statement_is_stored_once_for_all_its_facts() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    let text = tell(&process, "The quick brown fox. ", FACTS);
    let bytes = stored(&deployment);
    println!("{} bytes told in {FACTS} facts take {bytes} bytes", text.len());
    assert!(bytes < 2 * text.len() as i64, "{bytes} bytes");
    assert_eq!(texts(&process), vec![text.clone(); FACTS]);
    // A fact whose row is written anew keeps its words.
    let changed = process.call("update_memory", &json!({ "memory_id": 1, "new_value": "other" }));
    assert!(changed.starts_with("Updated #1"), "{changed}");
    assert_eq!(texts(&process).iter().filter(|told| **told == text).count(), FACTS);
    assert!(process.close().success());
    let process = deployment.start();
    assert_eq!(texts(&process).iter().filter(|told| **told == text).count(), FACTS);
    process.intact();
}

#[test]
fn erasing_one_fact_takes_the_words_from_the_others() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    tell(&process, "The quick brown fox. ", 2);
    let kept = tell(&process, "Another story. ", 1);
    process.call("delete", &json!({ "subject": "The quick brown fox. 0" }));
    assert_eq!(texts(&process), ["(erased)".to_owned(), kept]);
    assert_eq!(count(&deployment, "statement_text"), 1);
    process.call("delete_all", &json!({}));
    assert_eq!((count(&deployment, "statement_text"), count(&deployment, "fact")), (0, 0));
    process.intact();
}

#[test]
fn words_go_when_their_last_fact_is_refined() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    let tell = |words: &str, value: &str, action: &str| {
        let fact = json!({ "subject": "car", "value": value, "action": action, "confidence": 0.95 });
        let told = json!({ "text": format!("{} car", long(words)), "facts": [fact] });
        process.call("remember", &told)
    };
    tell("Blue it was. ", "blue", "ADD");
    let refined = tell("Rather dark. ", "blue, a dark one", "REFINE");
    assert!(refined.contains("REFINE"), "{refined}");
    assert_eq!(texts(&process), [format!("{} car", long("Rather dark. "))]);
    assert_eq!(count(&deployment, "statement_text"), 1);
}

#[test]
fn words_that_were_moved_to_another_fact_do_not_open() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    tell(&process, "The quick brown fox. ", 1);
    tell(&process, "Another story. ", 1);
    let sql = deployment.sql();
    sql.run("UPDATE fact SET statement_ix = (SELECT statement_ix FROM fact WHERE id = 2) WHERE id = 1");
    let exported = || {
        let export: Value = serde_json::from_str(&process.call("export_memory", &json!({}))).unwrap();
        let ids: Vec<i64> =
            export["records"].as_array().unwrap().iter().map(|fact| fact["id"].as_i64().unwrap()).collect();
        (ids, export["unreadable"].as_i64().unwrap())
    };
    assert_eq!(exported(), (vec![2], 1));
    sql.run("UPDATE fact SET statement_ix = NULL WHERE id = 1");
    assert_eq!(exported(), (vec![2], 1));
}

/// Facts of the version before keep their words within, and a long one that is erased leaves nothing.
#[test]
fn an_older_database_keeps_its_words() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_ENCRYPT", "off");
    let process = deployment.start();
    let text = tell(&process, "The quick brown fox. ", 2);
    assert!(process.close().success());
    for id in [1, 2] {
        let body = deployment.sql().cell(&format!("SELECT body FROM fact WHERE id = {id}"));
        let (mark, json) = body.bytes().split_first().unwrap();
        let mut fact: Value = serde_json::from_slice(json).unwrap();
        fact["text"] = text.clone().into();
        let body = Cell::Bytes([&[*mark], fact.to_string().as_bytes()].concat());
        deployment.sql().run(&format!("UPDATE fact SET body = {} WHERE id = {id}", body.literal()));
    }
    deployment.back_to_version(3);
    let process = deployment.start();
    assert_eq!(texts(&process), [text.clone(), text]);
    process.call("delete", &json!({ "subject": "The quick brown fox. 1" }));
    assert_eq!(texts(&process), ["(erased)"]);
    assert!(stored(&deployment) < 1000);
}
