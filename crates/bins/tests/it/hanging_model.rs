//! A model that does not answer holds up only the call that asked it.

use crate::support::{Deployment, HANG_WORD, Model, id, says};
use serde_json::json;
use std::time::{Duration, Instant};

/// Far below any timeout of a model call, and far above what the calls need.
const AT_ONCE: Duration = Duration::from_secs(2);

fn hanging(subject: &str) -> String {
    format!("{HANG_WORD} {}", says(subject, "later"))
}

#[test]
fn a_slow_model_holds_up_no_other_call() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    process.remember(&says("city", "Oslo"));
    let waiting = process.send("remember", &json!({ "text": hanging("slow subject") }));
    model.wait_until_asked("slow subject");

    let began = Instant::now();
    assert!(process.remember(&says("city", "Bergen")).starts_with("Stored: [SUPERSEDE]"));
    let list = process.list();
    process.call("get_memory", &json!({ "memory_id": id(&list) }));
    process.call("history", &json!({ "subject": "city" }));
    process.call("check_before_act", &json!({ "subject": "city" }));
    process.call("recall", &json!({ "question": "Which city?" }));
    process.intact();
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    assert!(!waiting.is_answered());

    model.release();
    assert!(waiting.wait().text.starts_with("Stored: [ADD] slow subject = later"));
}

#[test]
fn a_cancelled_call_leaves_no_trace() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    let waiting = process.send("remember", &json!({ "text": hanging("cancelled subject") }));
    model.wait_until_asked("cancelled subject");
    process
        .notify("notifications/cancelled", &json!({ "requestId": waiting.id, "reason": "changed my mind" }));
    // Messages are read in order, so this answer comes after the cancellation.
    assert_eq!(process.list(), "(no memories yet)");
    model.release();

    let began = Instant::now();
    assert!(process.close().success());
    assert!(began.elapsed() < AT_ONCE, "a cancelled call holds up the end: {:?}", began.elapsed());
    assert!(waiting.outcome().is_none(), "a cancelled call was answered");
    assert_eq!(deployment.start().list(), "(no memories yet)");
}

#[test]
fn the_process_ends_with_its_input_even_if_a_call_hangs() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    let waiting = process.send("remember", &json!({ "text": hanging("abandoned subject") }));
    model.wait_until_asked("abandoned subject");
    let began = Instant::now();
    assert!(process.close().success());
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    assert!(waiting.outcome().is_none());
    let process = deployment.start();
    assert_eq!(process.list(), "(no memories yet)");
    process.intact();
}
