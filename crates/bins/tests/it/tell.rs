//! `svc remember` and its kin: one call from a script, and its answer.

use crate::support::{Deployment, Model};
use serde_json::{Value, json};

fn answer(deployment: &Deployment, arguments: &[&str]) -> Value {
    serde_json::from_str(&deployment.svc(arguments)).unwrap()
}

#[test]
fn a_script_can_use_the_memory() {
    let deployment = Deployment::bare();
    assert_eq!(deployment.svc(&["remember", "Our database is MySQL."]), "Stored: [ADD] database = MySQL\n");
    assert!(deployment.svc(&["recall", "Which", "database", "do", "we", "use?"]).contains("MySQL"));
    assert!(deployment.svc(&["list"]).contains("• database = MySQL  (#1)"));
    assert!(deployment.svc(&["forget", "our database"]).starts_with("Retracted"));
    assert!(deployment.svc(&["history", "database"]).contains("1. MySQL  [SUPERSEDED]"));
}

#[test]
fn json_gives_the_text_and_the_facts() {
    let deployment = Deployment::bare();
    let told = answer(&deployment, &["remember", "--json", "Our database is MySQL."]);
    let fact = json!({ "action": "ADD", "subject": "database", "value": "MySQL", "id": 1 });
    assert_eq!(told, json!({ "text": "Stored: [ADD] database = MySQL", "facts": [fact] }));
    let again = answer(&deployment, &["remember", "--json", "Our database is MySQL."]);
    assert_eq!(again["facts"][0]["action"], "DEDUP");

    let listed = answer(&deployment, &["list", "--json"]);
    assert_eq!(listed["facts"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&listed["facts"][0]["value"], &listed["facts"][0]["status"]),
        (&json!("MySQL"), &json!("ACTIVE"))
    );
    assert!(answer(&deployment, &["recall", "--json", "Which database?"])["text"].is_string());

    let retracted = answer(&deployment, &["forget", "--json", "our database"]);
    assert_eq!(retracted["facts"][0]["action"], "RETRACT");
    let history = answer(&deployment, &["history", "--json", "database"]);
    assert_eq!(history["facts"][0]["status"], "SUPERSEDED");
    assert_eq!(answer(&deployment, &["list", "--json"])["facts"], json!([]));
}

#[test]
fn a_failed_call_is_a_failed_command() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("OPENAI_BASE_URL", "").with("LLM_PROVIDER", "openai");
    let refused = deployment.svc_refuses(&["remember", "--json", "Our database is MySQL."]);
    assert!(refused.contains("Svc config error: missing 'OPENAI_API_KEY'"), "{refused}");
    assert!(deployment.svc_refuses(&["remember", " "]).contains("text"));
}
