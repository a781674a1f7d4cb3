//! With no variable set at all, the built-in model serves.

use crate::support::{Deployment, Mcp, id};
use serde_json::json;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

fn remember(mcp: &Mcp, text: &str) -> String {
    mcp.call("remember", &json!({ "text": text }))
}

fn recall(mcp: &Mcp, question: &str) -> String {
    mcp.call("recall", &json!({ "question": question }))
}

#[test]
fn a_fact_goes_through_its_whole_life() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    assert!(mcp.call("health", &json!({})).contains("model=built-in"));
    assert_eq!(remember(&mcp, "Our database is MySQL."), "Stored: [ADD] database = MySQL");
    assert_eq!(
        remember(&mcp, "We migrated from MySQL to Postgres 16."),
        "Stored: [SUPERSEDE] database = Postgres 16"
    );
    assert!(recall(&mcp, "Which database do we use?").starts_with("Postgres 16"));
    let history = mcp.call("history", &json!({ "subject": "database" }));
    assert!(
        history.contains("1. MySQL  [SUPERSEDED]") && history.contains("2. Postgres 16  [ACTIVE]"),
        "{history}"
    );
    let forgotten = mcp.call("forget", &json!({ "text": "the database" }));
    assert!(
        forgotten.starts_with("Retracted (retained in history for audit): database = Postgres 16"),
        "{forgotten}"
    );
    assert!(recall(&mcp, "Which database do we use?").starts_with("I do not know"));
}

#[test]
fn chatter_is_not_stored_and_doubt_waits() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    for nothing in ["Do we use Oracle?", "thanks everyone!", "???"] {
        assert!(remember(&mcp, nothing).starts_with("No durable fact found"), "{nothing}");
    }
    assert!(remember(&mcp, "If we ever moved to Oracle, costs would double.").starts_with("Not stored ("));
    assert!(remember(&mcp, "Maybe the office is in York.").starts_with("Stored: [FLAG]"));
    assert!(remember(&mcp, "We will move the office to Hull in May.").starts_with("Stored: [FLAG]"));
    assert!(!mcp.call("list_memories", &json!({})).contains('•'));
    let past = remember(&mcp, "The office used to be in Leeds.");
    assert!(past.contains("[ARCHIVE] office = "), "{past}");
    let current = mcp.call("list_memories", &json!({}));
    assert!(!current.contains("• office ="), "{current}");
}

/// What could not be read is kept as it was told, and found again.
#[test]
fn nothing_told_is_lost() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    let told = "Noor: He loves his new bike and finds riding it relaxing, mostly along the canal.";
    assert!(remember(&mcp, told).starts_with("Stored: [ADD] noor: "));
    remember(&mcp, "The canteen closes at four.");
    let answer = recall(&mcp, "What does he do to relax?");
    assert!(answer.contains("finds riding it relaxing"), "{answer}");
}

/// The words name one of two that look alike; the other stays.
#[test]
fn only_what_the_words_name_changes() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    remember(&mcp, "The audit service is owned by Priya Raman and listens on port 8001.");
    remember(&mcp, "The queue service is owned by Kwesi Opoku and listens on port 8002.");
    let changed = remember(&mcp, "The queue service now listens on 9107.");
    assert_eq!(changed, "Stored: [SUPERSEDE] queue service port = 9107");
    remember(&mcp, "My sister's address is 5 Elm Street.");
    assert!(mcp.call("forget", &json!({ "text": "forget my address" })).starts_with("Nothing matching"));
    let all = mcp.call("list_memories", &json!({}));
    let current: String = all.lines().filter(|line| line.starts_with('•')).collect();
    for held in [
        "audit service owner = Priya Raman",
        "audit service port = 8001",
        "queue service owner = Kwesi Opoku",
    ] {
        assert!(current.contains(held), "{held}: {current}");
    }
    assert!(current.contains("5 Elm Street") && !current.contains("8002"), "{current}");
}

/// The day that "yesterday" was is kept beside the words.
#[test]
fn days_are_kept_beside_the_words() {
    let deployment = Deployment::bare();
    let mcp = deployment.start();
    let said = remember(&mcp, "[2023-05-08] Caroline: I went to a support group yesterday, it was powerful.");
    assert!(said.contains("[yesterday: 2023-05-07]"), "{said}");
}

#[test]
fn startup_mentions_the_built_in_model_once() {
    let deployment = Deployment::bare();
    let mut command = deployment.stdio();
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.matches("No language model is configured").count(), 1, "{said}");
    assert!(said.contains("OPENAI_API_KEY"), "{said}");
}

#[test]
fn a_provider_without_its_key_names_the_key() {
    let deployment = Deployment::bare().with("LLM_PROVIDER", "openai");
    let mcp = deployment.start();
    let said = remember(&mcp, "Our database is MySQL.");
    assert!(said.starts_with("Svc config error: missing 'OPENAI_API_KEY'."), "{said}");
}

#[test]
fn a_clinic_changes_a_medicine_with_approval_and_proof() {
    let deployment = Deployment::bare().with("SVC_SLOT_SCHEMA", "preset:clinical");
    let mcp = deployment.start();
    let first = remember(&mcp, "The patient takes warfarin 5 mg daily.");
    assert_eq!(first, "Stored: [ADD] active_medication = warfarin 5 mg daily");
    let change = remember(&mcp, "Warfarin was replaced by apixaban 5 mg twice daily.");
    assert!(change.starts_with("Stored: [FLAG] active_medication = apixaban 5 mg twice daily"), "{change}");
    assert!(recall(&mcp, "Which medication does the patient take?").contains("warfarin 5 mg"));
    let pending = mcp.call("pending_changes", &json!({}));
    let id = id(&pending);
    let approved = mcp.call("confirm_change", &json!({ "memory_id": id }));
    assert!(approved.starts_with(&format!("Approved #{id}: SUPERSEDE")), "{approved}");
    let answer = recall(&mcp, "Which medication does the patient take?");
    assert!(answer.contains("apixaban 5 mg twice daily") && !answer.contains("warfarin"), "{answer}");
    let decision = mcp.call(
        "record_decision",
        &json!({ "action_summary": "no extra anticoagulant given", "question": "Which medication does the patient take?" }),
    );
    assert!(decision.starts_with("Decision #1 recorded, bound to 1 belief(s)."), "{decision}");
    let explained = mcp.call("explain_decision", &json!({ "decision_id": 1 }));
    assert!(explained.contains("active_medication = apixaban 5 mg twice daily"), "{explained}");
    assert!(explained.ends_with("✓ receipt verified (record intact)"), "{explained}");
    assert!(mcp.call("verify_audit", &json!({})).starts_with("✓ Audit chain INTACT"));
}

/// What is told, and what `check_before_act` then says of a slot.
#[track_caller]
fn checked(mcp: &Mcp, space: &str, told: &[&str], slot: &str) -> String {
    for text in told {
        mcp.call("remember", &json!({ "text": text, "user_id": space }));
    }
    mcp.call("check_before_act", &json!({ "subject": slot, "user_id": space }))
}

#[test]
fn a_declared_slot_is_not_acted_on_while_later_words_put_it_in_doubt() {
    let clinic = Deployment::bare().with("SVC_SLOT_SCHEMA", "preset:clinical");
    let mcp = clinic.start();
    for (space, told, slot, begins) in [
        (
            "held",
            ["The patient takes metformin 500 mg.", "We're holding metformin until the scan."],
            "active_medication",
            "BLOCKED",
        ),
        (
            "heard",
            ["The patient is full code.", "The night porter reckons she signed a DNR."],
            "code_status",
            "BLOCKED",
        ),
        ("denied", ["The patient is full code.", "The patient has not signed a DNR."], "code_status", "SAFE"),
        (
            "another's",
            ["The patient takes lithium.", "The lady in bed 6 was taken off lithium."],
            "active_medication",
            "SAFE",
        ),
    ] {
        let said = checked(&mcp, space, &told, slot);
        assert!(said.starts_with(begins), "{space}: {said}");
    }
    let sales = Deployment::bare().with("SVC_SLOT_SCHEMA", "preset:sales");
    let mcp = sales.start();
    for (space, told) in [
        ("date", ["Close date is 15 September.", "Sep 15 is off the table."]),
        ("first name", ["Our champion is Priya Nair.", "Priya has been let go."]),
    ] {
        let slot = if space == "date" { "close_date" } else { "champion" };
        let said = checked(&mcp, space, &told, slot);
        assert!(said.starts_with("BLOCKED"), "{space}: {said}");
    }
}

#[test]
fn what_another_project_has_is_not_ours() {
    let deployment = Deployment::bare().with("SVC_SLOT_SCHEMA", "preset:coding");
    let mcp = deployment.start();
    let told = ["Our framework is Django.", "The marketing site's framework is Next.js."];
    let framework = checked(&mcp, "site", &told, "framework");
    assert!(framework.starts_with("SAFE") && framework.contains("framework = Django"), "{framework}");
    let told = ["Our database is MySQL.", "Netflix runs on AWS and its database is Cassandra."];
    let database = checked(&mcp, "netflix", &told, "database");
    assert!(database.starts_with("SAFE") && database.contains("database = MySQL"), "{database}");
}

#[test]
fn the_answer_is_found_in_a_large_space() {
    let deployment = Deployment::bare().with("SVC_RECALL_CONTEXT", "10");
    let mcp = deployment.start();
    remember(&mcp, "The billing service runs on Hetzner.");
    for room in 1..60 {
        remember(&mcp, &format!("Sensor {room} is mounted in hall {}.", room + 100));
    }
    assert!(recall(&mcp, "Where does the billing service run?").contains("Hetzner"));
    assert!(recall(&mcp, "Where is sensor 17 mounted?").contains("hall 117"));
}

#[test]
fn long_statements_keep_no_other_caller_waiting() {
    const LONG: usize = 8;
    let deployment = Deployment::bare().with("SVC_RATE_PER_MIN", "0");
    let (_, greedy) = deployment.principal("greedy", &["--tenant", "acme"]);
    let (_, colleague) = deployment.principal("colleague", &["--tenant", "acme"]);
    let (_, modest) = deployment.principal("modest", &[]);
    let server = deployment.serve();
    // With the first one the weights are unpacked.
    server.client(&modest).remember("The office is in Leeds.");
    let long = |number: usize| -> String {
        let sentence =
            |n: usize| format!("Engineer {n} of team {number} carried crate {n} to the quay in the rain. ");
        (0..100).map(sentence).collect()
    };
    let answered = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for number in 0..LONG {
            let (server, greedy, answered) = (&server, &greedy, &answered);
            scope.spawn(move || {
                server.client(greedy).remember(&long(number));
                answered.fetch_add(1, Ordering::SeqCst);
            });
        }
        while answered.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        for key in [&modest, &colleague] {
            let told = json!({ "text": "The shop is in York.", "user_id": "someone else" });
            let reply = server.client(key).call("remember", &told);
            assert!(reply.starts_with("Stored: [ADD] shop ="), "{reply}");
        }
        let first = answered.load(Ordering::SeqCst);
        assert!(first < LONG - 2, "{first} of {LONG} long statements first");
    });
}
