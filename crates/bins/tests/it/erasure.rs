//! Erasing for good, and the proof that it was done.

use crate::support::console::Visitor;
use crate::support::{Deployment, InProcess, Mcp, Model, id, says};
use reconcile::SlotSchema;
use serde_json::json;

fn receipt(reply: &str) -> i64 {
    id(&reply[reply.find("receipt #").unwrap_or_else(|| panic!("no receipt: {reply}"))..])
}

fn check_receipt(process: &Mcp, reply: &str) {
    let verdict = process.call("verify_receipt", &json!({ "receipt_id": receipt(reply) }));
    assert!(verdict.contains("[erasure_receipt]") && verdict.contains("✓ VALID"), "{verdict}");
}

#[test]
fn an_erasure_of_a_user_says_what_stays_and_offers_them_no_more() {
    let deployment = Deployment::new(&Model::start()).with_console();
    let (_, key) = deployment.principal("root", &[]);
    let process = deployment.start();
    process.call("remember", &json!({ "text": says("bird", "red kittiwake"), "user_id": "ann" }));
    process.call("list_memories", &json!({ "user_id": "ann" }));
    let server = deployment.serve();
    let offered = || Visitor::signed_in(server.console(), &key).page("/memory").contains("ann");
    assert!(offered());
    let reply = process.call("delete_all", &json!({ "user_id": "ann" }));
    assert!(reply.contains("the details of 2 audit entries") && reply.contains("operators only"), "{reply}");
    assert!(!offered());
    let reply = process.call("delete_all", &json!({ "user_id": "ann", "include_audit": true }));
    assert!(!reply.contains("the details of"), "{reply}");
}

#[test]
fn without_signing_no_erasure_is_called_proven() {
    let deployment = Deployment::new(&Model::start()).with("SVC_SIGN", "off");
    let process = deployment.start();
    process.remember(&says("city", "Oslo"));
    let deleted = process.call("delete", &json!({ "subject": "city" }));
    assert!(deleted.contains("receipt #1") && !deleted.contains("proven"), "{deleted}");
}

#[test]
fn erased_values_leave_decisions_that_still_verify() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    process.remember(&says("phone", "line kittiwake"));
    process.remember(&says("city", "Oslo"));
    let question =
        json!({ "action_summary": "Call them at line-kittiwake", "question": "How do I reach them?" });
    let telling = id(&process.call("record_decision", &question));
    let silent = id(&process.call(
        "record_decision",
        &json!({ "action_summary": "Send a letter", "question": "How do I reach them?" }),
    ));
    let explain = |decision: i64| process.call("explain_decision", &json!({ "decision_id": decision }));
    assert!(
        explain(telling).contains("phone = line kittiwake") && explain(telling).contains("action: Call them")
    );

    let deleted = process.call("delete", &json!({ "subject": "Phone" }));
    check_receipt(&process, &deleted);
    for (decision, action) in [(telling, "action: (redacted"), (silent, "action: Send a letter")] {
        let explained = explain(decision);
        assert!(!explained.contains("kittiwake"), "{explained}");
        assert!(explained.contains(action) && explained.contains("city = Oslo"), "{explained}");
        assert!(explained.ends_with("✓ receipt verified (record intact)"), "{explained}");
    }
    assert!(!process.list().contains("phone"));
    assert_eq!(process.call("history", &json!({ "subject": "phone" })), "No history for 'phone'.");
    assert!(!process.call("export_memory", &json!({})).contains("kittiwake"), "the export keeps it");
    process.intact();
}

#[test]
fn decisions_can_go_but_erasure_receipts_stay() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    process.remember(&says("phone", "555 1234"));
    process.remember(&says("city", "Oslo"));
    let attested = id(&process.call("attest", &json!({ "subject": "phone" })));
    let other = id(&process.call("attest", &json!({ "subject": "city" })));
    let decision =
        id(&process.call("record_decision", &json!({ "action_summary": "go", "question": "where to?" })));
    let deleted = process
        .call("delete", &json!({ "subject": "phone", "include_decisions": true, "include_receipts": true }));
    check_receipt(&process, &deleted);
    let verify = |receipt: i64| process.call("verify_receipt", &json!({ "receipt_id": receipt }));
    assert_eq!(verify(attested), format!("No receipt #{attested}."));
    assert!(verify(other).contains("✓ VALID"));
    let explained = process.call("explain_decision", &json!({ "decision_id": decision }));
    assert!(explained.starts_with("No decision #"), "{explained}");
    let all = process.call("delete_all", &json!({ "include_receipts": true }));
    assert!(verify(other).starts_with("No receipt"));
    check_receipt(&process, &deleted);
    check_receipt(&process, &all);
    process.intact();
}

#[test]
fn an_unknown_subject_gets_no_receipt() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    let reply = process.call("delete", &json!({ "subject": "nothing" }));
    assert!(!reply.contains("receipt #"), "{reply}");
    assert_eq!(process.call("verify_receipt", &json!({ "receipt_id": 1 })), "No receipt #1.");
}

#[test]
fn delete_all_reaches_every_space_unless_one_is_named() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    let spaces = [
        json!({ "user_id": "ann" }),
        json!({ "user_id": "ann", "agent_id": "coder" }),
        json!({ "user_id": "ann", "agent_id": "coder", "run_id": "7" }),
        json!({ "user_id": "bob" }),
    ];
    for (n, space) in spaces.iter().enumerate() {
        let mut arguments = space.clone();
        arguments["text"] = says("secret", &format!("value {n}")).into();
        process.call("remember", &arguments);
    }
    let held = || spaces.each_ref().map(|space| process.call("list_memories", space).contains("• secret"));
    assert_eq!(held(), [true; 4]);
    let one = process.call("delete_all", &spaces[1]);
    check_receipt(&process, &one);
    assert_eq!(held(), [true, false, true, true]);
    let all = process.call("delete_all", &spaces[0]);
    check_receipt(&process, &all);
    assert_eq!(held(), [false, false, false, true]);
    process.intact();
}

#[test]
fn an_erased_number_is_never_reused() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    process.remember(&says("city", "Oslo"));
    process.call("delete_all", &json!({}));
    process.remember(&says("city", "Rome"));
    assert!(process.list().contains("• city = Rome  (#2)"), "{}", process.list());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_purge_stops_at_its_cutoff_and_names_its_spaces() {
    let model = Model::start();
    let started = InProcess::start(&model, SlotSchema::none(), &[]).await;
    let spaces = [
        json!({ "user_id": "ann" }),
        json!({ "user_id": "ann", "agent_id": "coder" }),
        json!({ "user_id": "ann", "agent_id": "coder", "run_id": "7" }),
        json!({ "user_id": "bob" }),
    ];
    for space in &spaces {
        for (days, subject) in [(31, "old"), (29, "young")] {
            let mut told = space.clone();
            told["text"] = says(subject, "kept").into();
            started.days_ago(days, "remember", &told).await;
        }
    }
    let purge = json!({ "older_than_days": 30, "user_id": "ann" });
    let reply = started.days_ago(0, "purge_expired", &purge).await;
    assert!(reply.starts_with("Purged 3 fact(s) older than 30 day(s)."), "{reply}");
    let proof = json!({ "receipt_id": receipt(&reply) });
    let shown = started.days_ago(0, "verify_receipt", &proof).await;
    let named = "[erasure_receipt] — erased what was older than 30 day(s) in ann//, ann/coder/, ann/coder/7: 3 fact(s)";
    assert!(shown.contains(named), "{shown}");
    assert!(shown.ends_with("\n✓ VALID — signature verified, payload intact"), "{shown}");
    for (space, held) in spaces.iter().zip([&["young"][..], &["young"], &["young"], &["old", "young"]]) {
        let list = started.days_ago(0, "list_memories", space).await;
        let subjects: Vec<&str> = list.lines().filter_map(|line| line.split(' ').nth(1)).collect();
        assert_eq!(subjects, held, "{space}");
    }
    let again = started.days_ago(0, "purge_expired", &purge).await;
    assert_eq!(again, "Purged 0 fact(s) older than 30 day(s).");
    let one = json!({ "older_than_days": 28, "user_id": "ann", "agent_id": "coder" });
    let reply = started.days_ago(0, "purge_expired", &one).await;
    let shown = started.days_ago(0, "verify_receipt", &json!({ "receipt_id": receipt(&reply) })).await;
    assert!(shown.contains("older than 28 day(s) in ann/coder/: 1 fact(s)"), "{shown}");
}

#[test]
fn erasing_everything_says_what_stays() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    process.remember(&says("phone", "555 1234"));
    process.call("attest", &json!({ "subject": "phone" }));
    process.call("record_decision", &json!({ "action_summary": "go", "question": "which phone?" }));
    let said = process.call("delete_all", &json!({}));
    check_receipt(&process, &said);
    let stays = said.lines().nth(1).unwrap();
    for (what, flag) in
        [("decisions", "include_decisions"), ("attestations", "include_receipts"), ("audit", "include_audit")]
    {
        assert!(stays.contains(what) && stays.contains(flag), "{said}");
    }
    // What stayed goes when the flag is given afterwards.
    let said = process.call("delete_all", &json!({ "include_receipts": true }));
    assert!(said.contains("1 receipt(s) removed"), "{said}");
    assert!(said.contains("include_decisions") && !said.contains("include_receipts"), "{said}");
    let all = json!({ "include_decisions": true, "include_receipts": true, "include_audit": true });
    let said = process.call("delete_all", &all);
    assert!(said.contains("1 decision(s) removed") && said.contains("audit entries erased"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    process.intact();
}
