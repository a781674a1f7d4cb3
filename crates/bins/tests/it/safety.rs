//! What an answer may rest on: age, change, and the facts that no recall leaves out.

use crate::support::{Deployment, InProcess, Model, says};
use reconcile::SlotSchema;
use serde_json::json;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn staleness_follows_the_days_asked_for() {
    let model = Model::start();
    let started = InProcess::start(&model, SlotSchema::none(), &[]).await;
    for (days, value) in [(40, "Oslo"), (10, "Rome")] {
        started.days_ago(days, "remember", &json!({ "text": says("city", value) })).await;
    }
    started.days_ago(10, "remember", &json!({ "text": says("colour", "red") })).await;
    for (subject, argument, days, concern) in [
        ("city", "max_staleness_days", json!(11), None),
        ("city", "max_staleness_days", json!(9), Some("stale: #2 city is 10.0 days old, more than 9")),
        ("city", "max_staleness_days", json!("9.5"), Some("stale: #2 city is 10.0 days old, more than 9.5")),
        ("city", "max_staleness_days", json!(0), None),
        ("city", "block_on_recent_change_days", json!(9.9), None),
        (
            "city",
            "block_on_recent_change_days",
            json!(10.5),
            Some("recently changed: #2 city changed 10.0 days ago, less than 10.5"),
        ),
        ("city", "block_on_recent_change_days", json!(0), None),
        // A first value is no change.
        ("colour", "block_on_recent_change_days", json!(365), None),
    ] {
        let check = json!({ "subject": subject, argument: days });
        let verdict = started.days_ago(0, "check_before_act", &check).await;
        let question = json!({ "question": "what?", argument: days });
        let answer = started.days_ago(0, "safe_recall", &question).await;
        match concern {
            None => assert!(verdict.starts_with(&format!("SAFE to act on '{subject}'.")), "{verdict}"),
            Some(concern) => {
                assert_eq!(
                    verdict.lines().take(2).collect::<Vec<_>>(),
                    [format!("BLOCKED: do not act on '{subject}' yet."), format!("  - {concern}")]
                );
                assert!(answer.starts_with("WITHHELD") && answer.contains(concern), "{answer}");
            }
        }
    }
}

#[test]
fn fractions_of_a_day_count() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    process.remember(&says("city", "Oslo"));
    process.remember(&says("city", "Rome"));
    let check = |argument: &str, days: f64| {
        process.call("check_before_act", &json!({ "subject": "city", argument: days }))
    };
    assert!(check("max_staleness_days", 0.5).starts_with("SAFE"));
    assert!(check("max_staleness_days", 1e-9).contains("  - stale: #2 city is 0.0000"));
    assert!(check("block_on_recent_change_days", 1e-9).starts_with("SAFE"));
    assert!(
        check("block_on_recent_change_days", 0.25).contains("  - recently changed: #2 city changed 0.0000")
    );
    for days in [json!(-0.5), json!("soon"), json!(true)] {
        let refusal =
            process.refused("safe_recall", &json!({ "question": "where?", "max_staleness_days": days }));
        assert!(refusal.contains("max_staleness_days") && refusal.contains("0.5"), "{refusal}");
    }
}

/// With no facts by rank, an answer rests on the critical ones alone.
#[test]
fn every_recall_includes_critical_categories() {
    let model = Model::start();
    let mut deployment = Deployment::new(&model).with("SVC_RECALL_CONTEXT", "0");
    let process = deployment.start();
    for (subject, category) in [("nut allergy", "Allergy"), ("badge", "access"), ("city", "")] {
        let told = json!({ "text": says(subject, "yes"), "metadata": { "category": category } });
        process.call("remember", &told);
    }
    let recall = |categories: &str| {
        let asked = json!({ "question": "Which city?", "critical_categories": categories });
        let answer = process.call("recall", &asked);
        ["nut allergy", "badge", "city"].map(|subject| answer.contains(subject))
    };
    assert_eq!(recall(""), [true, false, false], "empty means the deployment's list");
    assert_eq!(recall("access"), [false, true, false]);
    assert_eq!(recall(" ACCESS , allergy"), [true, true, false]);
    assert_eq!(recall("nothing of the kind"), [false; 3]);
    drop(process);
    deployment.set("SVC_CRITICAL_CATEGORIES", "access");
    let process = deployment.start();
    let answer = process.call("recall", &json!({ "question": "Which city?" }));
    assert!(answer.contains("badge") && !answer.contains("allergy"), "{answer}");
    drop(process);
    deployment.set("SVC_CRITICAL_BUDGET", "0");
    let process = deployment.start();
    let answer = process.call("recall", &json!({ "question": "Which city?" }));
    assert!(answer.starts_with("Svc couldn't complete that (ref "), "{answer}");
    let other = process.call("recall", &json!({ "question": "Which city?", "critical_categories": "other" }));
    assert_eq!(other, "I do not know.");
}

#[test]
fn a_statement_can_be_read_without_known_facts() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_RECONCILE_CONTEXT", "0");
    let process = deployment.start();
    process.remember(&says("kestrel", "Oslo"));
    let changed = process.remember(&says("kestrel", "Rome"));
    assert!(changed.starts_with("Stored: [SUPERSEDE] kestrel = Rome"), "{changed}");
    process.remember(&says("colour", "red"));
    // The model is shown nothing that is held: the subject comes only in the statements that say it.
    assert_eq!(model.asked("kestrel"), 2);
}
