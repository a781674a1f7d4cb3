//! Changes that wait for a person: confirm-gated slots, stale proposals, and whose word counts.

use crate::support::{Deployment, InProcess, Mcp, Model, id, ids, principal, said, says};
use domain::{Identity, Role};
use reconcile::SlotSchema;
use serde_json::json;

fn clinic(model: &Model) -> Deployment {
    Deployment::new(model).with("SVC_SLOT_SCHEMA", "preset:clinical")
}

fn change(subject: &str, value: &str) -> String {
    said("", &json!([{ "subject": subject, "value": value, "action": "SUPERSEDE" }]))
}

fn pending(process: &Mcp) -> String {
    process.call("pending_changes", &json!({}))
}

#[test]
fn a_change_of_a_guarded_slot_waits_for_approval() {
    let model = Model::start();
    let deployment = clinic(&model);
    let process = deployment.start();
    assert!(process.remember(&says("code status", "full code")).starts_with("Stored: [ADD] code_status"));
    assert!(process.remember(&change("code status", "DNR")).starts_with("Stored: [FLAG] code_status = DNR"));
    assert!(process.remember(&format!("Again: {}", change("code status", "DNR"))).contains("[DEDUP]"));
    let list = process.list();
    assert!(list.contains("• code_status = full code") && list.contains("⚠ code_status = DNR"), "{list}");
    let waiting = pending(&process);
    assert!(waiting.contains("REPLACE code_status: 'full code' → 'DNR'"), "{waiting}");
    assert_eq!(waiting.lines().count(), 1);
    let act = process.call("check_before_act", &json!({ "subject": "code_status" }));
    assert!(act.starts_with("BLOCKED"), "{act}");

    let approved =
        process.call("confirm_change", &json!({ "memory_id": id(&waiting), "decided_by": "Dr. Lind" }));
    assert!(approved.starts_with(&format!("Approved #{}: SUPERSEDE", id(&waiting))), "{approved}");
    let shown = process.call("get_memory", &json!({ "memory_id": id(&waiting) }));
    assert!(
        shown.contains("status: ACTIVE") && shown.contains("local") && shown.contains("Dr. Lind"),
        "{shown}"
    );
    assert!(!pending(&process).contains('#'));
    let again = process.call("confirm_change", &json!({ "memory_id": id(&waiting) }));
    assert!(again.starts_with("Nothing was changed"), "{again}");
}

#[test]
fn what_looks_like_a_guarded_slot_is_no_second_one() {
    let deployment = clinic(&Model::start());
    let process = deployment.start();
    process.remember(&says("code_status", "full code"));
    for (n, imitated) in [
        "codestatus",
        "code\u{2060}status",
        "c\u{f3}de_status",
        "code_s\u{442}atus",
        "cod\u{435}sta\u{442}us",
        "Code.Sta tus",
    ]
    .into_iter()
    .enumerate()
    {
        let stored = process.remember(&says(imitated, &format!("DNR {n}")));
        assert!(stored.starts_with(&format!("Stored: [FLAG] code_status = DNR {n}")), "{imitated}: {stored}");
    }
    assert_eq!(process.list().matches('•').count(), 1, "{}", process.list());
}

#[test]
fn a_removal_from_a_guarded_slot_waits_once() {
    let model = Model::start();
    let deployment = clinic(&model);
    let process = deployment.start();
    process.remember(&says("code_status", "DNR"));
    let forget = |words: &str| {
        let fact = json!([{ "subject": "code_status", "value": "DNR", "action": "RETRACT" }]);
        process.call("forget", &json!({ "text": said(words, &fact) }))
    };
    let proposed = forget("take it off");
    assert!(proposed.starts_with("Proposed for removal, awaiting approval"), "{proposed}");
    assert!(proposed.contains("code_status = DNR"), "{proposed}");
    assert!(forget("off with it").starts_with("Already awaiting approval"));
    let waiting = pending(&process);
    assert!(waiting.contains("REMOVE code_status: 'DNR'") && waiting.lines().count() == 1, "{waiting}");

    process.call("reject_change", &json!({ "memory_id": id(&waiting) }));
    let rejected = process.call("get_memory", &json!({ "memory_id": id(&waiting) }));
    assert!(rejected.contains("status: HISTORICAL") && rejected.contains("rejected_by"), "{rejected}");
    assert!(process.list().contains("• code_status = DNR"));

    assert!(forget("once more").starts_with("Proposed for removal"));
    let approved = process.call("confirm_change", &json!({ "memory_id": id(&pending(&process)) }));
    assert!(approved.contains("RETRACT code_status"), "{approved}");
    let list = process.list();
    assert!(!list.contains('•') && list.contains("(retracted: DNR)  [HISTORICAL]"), "{list}");
    assert!(forget("nothing left").starts_with("Nothing matching to retract"));
}

#[test]
fn a_stale_proposal_applies_nothing() {
    let model = Model::start();
    let deployment = clinic(&model);
    let process = deployment.start();
    process.remember(&says("code_status", "full code"));
    process.remember(&change("code_status", "DNR"));
    process.remember(&change("code_status", "DNI"));
    let waiting = ids(&pending(&process));
    let [first, second] = waiting[..] else { panic!("{waiting:?}") };
    let effect = |id: i64| {
        let shown = process.call("get_memory", &json!({ "memory_id": id }));
        shown.lines().find_map(|line| line.strip_prefix("  if confirmed: ")).map(str::to_owned)
    };
    assert_eq!(effect(second).unwrap(), "'DNI' takes the place of 'full code'");
    process.call("confirm_change", &json!({ "memory_id": first }));
    assert_eq!(effect(first), None);
    assert_eq!(effect(second), None);
    let settled = process.call("get_memory", &json!({ "memory_id": second }));
    assert!(settled.contains("what it would change is no longer current"), "{settled}");
    let before = process.list();
    let refused = process.call("confirm_change", &json!({ "memory_id": second }));
    assert!(refused.contains(&format!("#{second}")) && !refused.starts_with("Approved"), "{refused}");
    assert_eq!(process.list(), before);
    assert!(before.contains("• code_status = DNR"), "{before}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_edit_without_the_right_to_approve_is_a_proposal() {
    let model = Model::start();
    let clinic = InProcess::start(&model, SlotSchema::preset("clinical").unwrap(), &[]).await;
    let (agent, member) = (principal("scribe", Role::Agent), principal("nurse", Role::Member));
    clinic.call(&agent, "remember", &json!({ "text": says("code_status", "full code") })).await;
    let edit = json!({ "memory_id": 1, "new_value": "DNR" });
    let proposed = clinic.call(&agent, "update_memory", &edit).await;
    assert!(proposed.starts_with("Proposed #2, awaiting approval"), "{proposed}");
    clinic.call(&agent, "update_memory", &edit).await;
    let waiting = clinic.call(&agent, "pending_changes", &json!({})).await;
    assert_eq!(ids(&waiting), [2], "{waiting}");

    let denied = clinic.call(&agent, "confirm_change", &json!({ "memory_id": 2 })).await;
    assert!(
        denied.starts_with("Access denied: 'confirm_change' requires the 'approve' capability"),
        "{denied}"
    );
    let approved =
        clinic.call(&member, "confirm_change", &json!({ "memory_id": 2, "decided_by": "me" })).await;
    assert!(approved.starts_with("Approved #2: SUPERSEDE"), "{approved}");
    let shown = clinic.call(&member, "get_memory", &json!({ "memory_id": 2 })).await;
    assert!(shown.contains("prin_nurse"), "{shown}");

    let edited = clinic.call(&member, "update_memory", &json!({ "memory_id": 2, "new_value": "DNI" })).await;
    assert_eq!(edited, "Updated #2: 'DNR' → 'DNI' (now #3; old kept in history).");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trusted_source_skips_the_gate_for_its_speakers_only() {
    let model = Model::start();
    let clinic = InProcess::start(&model, SlotSchema::preset("clinical").unwrap(), &["ehr"]).await;
    let write = |value: &str| json!({ "text": change("code_status", value), "source": "ehr" });
    clinic.call(&Identity::Local, "remember", &json!({ "text": says("code_status", "full code") })).await;

    let impostor = clinic.call(&principal("scribe", Role::Agent), "remember", &write("DNR")).await;
    assert!(impostor.starts_with("Access denied:") && impostor.contains("'ehr'"), "{impostor}");
    let log = clinic.call(&Identity::Local, "audit_log", &json!({})).await;
    assert!(log.lines().next().is_some_and(|line| line.contains("access_denied")), "{log}");

    let itself = clinic.call(&principal("ehr", Role::Agent), "remember", &write("DNR")).await;
    assert!(itself.starts_with("Stored: [SUPERSEDE] code_status = DNR"), "{itself}");
    let approver = clinic.call(&principal("nurse", Role::Member), "remember", &write("DNI")).await;
    assert!(approver.starts_with("Stored: [SUPERSEDE] code_status = DNI"), "{approver}");
}

#[test]
fn the_source_policy_of_a_space_decides_whose_word_counts() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    let say = |value: &str, source: &str| {
        process.call("remember", &json!({ "text": change("region", value), "source": source }))
    };
    process.call("remember", &json!({ "text": says("region", "north"), "source": "ops" }));
    process
        .call("set_reconcile_policy", &json!({ "mode": "authority", "authority": { "ops": 5, "cto": "9" } }));
    assert!(say("south", "intern").starts_with("Stored: [FLAG]"));
    assert!(say("east", "OPS").starts_with("Stored: [SUPERSEDE]"), "a source may correct itself");
    assert!(say("west", "cto").starts_with("Stored: [SUPERSEDE]"), "a higher rank wins");
    assert!(say("centre", "ops").starts_with("Stored: [FLAG]"), "a lower rank does not");
    process.call("set_reconcile_policy", &json!({ "mode": "REVIEW" }));
    assert!(say("moon", "board").starts_with("Stored: [FLAG]"));
    // What disputed a value that is no longer current has settled itself.
    let list = process.list();
    assert_eq!((list.matches('•').count(), list.matches('⚠').count()), (1, 2), "{list}");
    let flagged = list.lines().find(|line| line.contains("moon")).unwrap();
    let confirmed = process.call("confirm_change", &json!({ "memory_id": id(flagged) }));
    assert!(confirmed.starts_with("Approved"), "{confirmed}");
    process.call("set_reconcile_policy", &json!({}));
    assert!(process.call("get_reconcile_policy", &json!({})).contains("RECENCY"));
    assert!(say("mars", "intern").starts_with("Stored: [SUPERSEDE]"));
    let list = process.list();
    assert_eq!((list.matches('•').count(), list.matches('⚠').count()), (1, 0), "{list}");
    assert!(list.contains("• region = mars"), "{list}");
}
