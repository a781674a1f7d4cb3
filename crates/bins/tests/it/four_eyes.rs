//! Who may decide what: approval by a second person, and sources that only their own principals may name.

use crate::support::http::Client;
use crate::support::{Cell, Deployment, Model, id, said, says};
use serde_json::json;

fn change(subject: &str, value: &str) -> String {
    said("", &json!([{ "subject": subject, "value": value, "action": "SUPERSEDE" }]))
}

fn clinic(model: &Model) -> Deployment {
    Deployment::new(model).with("SVC_SLOT_SCHEMA", "preset:clinical").with("SVC_FOUR_EYES", "on")
}

fn member(deployment: &Deployment, name: &str) -> String {
    deployment.principal(name, &["--role", "member"]).1
}

fn waiting(client: &mut Client) -> i64 {
    id(&client.call("pending_changes", &json!({})))
}

#[test]
fn with_four_eyes_nobody_approves_what_they_proposed() {
    let model = Model::start();
    let deployment = clinic(&model);
    let (ana, ben) = (member(&deployment, "ana"), member(&deployment, "ben"));
    let server = deployment.serve();
    let (mut ana, mut ben) = (server.client(&ana), server.client(&ben));
    ana.remember(&says("code_status", "full code"));
    assert!(ana.remember(&change("code_status", "DNR")).starts_with("Stored: [FLAG]"));
    let proposed = waiting(&mut ana);

    let own = ana.call("confirm_change", &json!({ "memory_id": proposed, "decided_by": "ben" }));
    assert!(own.starts_with(&format!("Access denied: #{proposed} was proposed by you")), "{own}");
    assert!(own.contains("SVC_FOUR_EYES") && own.contains("somebody else"), "{own}");
    assert!(ana.list().contains("• code_status = full code"));
    let approved = ben.call("confirm_change", &json!({ "memory_id": proposed }));
    assert!(approved.starts_with(&format!("Approved #{proposed}: SUPERSEDE")), "{approved}");

    // An edit by hand is a proposal too, and so is a removal.
    let edited = ben.call("update_memory", &json!({ "memory_id": proposed, "new_value": "DNI" }));
    assert!(edited.contains("awaiting approval"), "{edited}");
    let edit = waiting(&mut ben);
    assert!(ben.call("confirm_change", &json!({ "memory_id": edit })).starts_with("Access denied:"));
    assert!(ana.call("confirm_change", &json!({ "memory_id": edit })).starts_with("Approved"));
    let removal = json!([{ "subject": "code_status", "value": "DNI", "action": "RETRACT" }]);
    ana.call("forget", &json!({ "text": said("take it off", &removal) }));
    let removal = waiting(&mut ana);
    assert!(ana.call("confirm_change", &json!({ "memory_id": removal })).starts_with("Access denied:"));
    let rejected = ana.call("reject_change", &json!({ "memory_id": removal }));
    assert!(rejected.starts_with("Rejected"), "a proposal can be taken back: {rejected}");

    let log = deployment.start().call("audit_log", &json!({}));
    assert_eq!(log.matches("access_denied").count(), 3, "{log}");
}

#[test]
fn with_four_eyes_an_approver_is_no_trusted_source() {
    let model = Model::start();
    let deployment = clinic(&model).with("SVC_TRUSTED_SOURCES", "ehr");
    let (ana, ehr) = (member(&deployment, "ana"), deployment.principal("ehr", &["--role", "agent"]).1);
    let server = deployment.serve();
    let write = |value: &str| json!({ "text": change("code_status", value), "source": "ehr" });
    server.client(&ana).remember(&says("code_status", "full code"));
    let denied = server.client(&ana).call("remember", &write("DNR"));
    assert!(denied.starts_with("Access denied: 'ehr' is a trusted source"), "{denied}");
    let itself = server.client(&ehr).call("remember", &write("DNR"));
    assert!(itself.starts_with("Stored: [SUPERSEDE]"), "{itself}");
}

#[test]
fn with_four_eyes_nobody_erases_a_guarded_value_alone() {
    for (_, deployment) in Deployment::on_each_engine(&Model::start()) {
        let deployment = deployment.with("SVC_SLOT_SCHEMA", "preset:clinical").with("SVC_FOUR_EYES", "on");
        let (ana, ben) = (member(&deployment, "ana"), member(&deployment, "ben"));
        let (_, root) = deployment.principal("root", &[]);
        let server = deployment.serve();
        let [mut ana, mut ben, mut root] = [ana, ben, root].map(|key| server.client(&key));
        assert!(
            ana.remember(&says("code_status", "full code")).starts_with("Stored: [ADD]"),
            "a first value passes"
        );
        ana.remember(&says("office", "Bergen"));
        assert!(ana.call("delete", &json!({ "subject": "office" })).starts_with("Deleted 1"));
        for (tool, arguments) in [
            ("delete", json!({ "subject": "Code Status" })),
            ("delete_all", json!({})),
            ("purge_expired", json!({ "older_than_days": 0 })),
        ] {
            let denied = root.call(tool, &arguments);
            assert!(denied.starts_with("Access denied: SVC_FOUR_EYES is on"), "{tool}: {denied}");
        }
        assert!(ana.list().contains("code_status = full code"));

        let removal = json!([{ "subject": "code_status", "value": "full code", "action": "RETRACT" }]);
        ana.call("forget", &json!({ "text": said("take it off", &removal) }));
        let removal = waiting(&mut ana);
        assert!(ben.call("confirm_change", &json!({ "memory_id": removal })).starts_with("Approved"));
        assert!(ana.call("delete", &json!({ "subject": "code_status" })).starts_with("Deleted"));

        let first = ana.remember(&says("code_status", "DNR"));
        assert!(
            first.starts_with("Stored: [FLAG] code_status = DNR"),
            "the first after an erasure waits: {first}"
        );
        let first = waiting(&mut ana);
        assert!(ana.call("confirm_change", &json!({ "memory_id": first })).starts_with("Access denied:"));
        assert!(ben.call("confirm_change", &json!({ "memory_id": first })).starts_with("Approved"));
        assert!(ana.list().contains("• code_status = DNR"));
    }
}

/// The number in the line of a list that holds these words.
fn id_of(list: &str, words: &str) -> i64 {
    id(list.lines().find(|line| line.contains(words)).unwrap())
}

#[test]
fn with_four_eyes_nobody_fills_alone_what_another_agreed_to_empty() {
    for (_, deployment) in Deployment::on_each_engine(&Model::start()) {
        let deployment = deployment.with("SVC_SLOT_SCHEMA", "preset:clinical").with("SVC_FOUR_EYES", "on");
        let [ana, ben] = ["ana", "ben"].map(|name| member(&deployment, name));
        let server = deployment.serve();
        let [mut ana, mut ben] = [ana, ben].map(|key| server.client(&key));
        ana.remember(&says("code_status", "full code"));
        ana.call("forget", &json!({ "memory_id": 1, "text": "it was wrong" }));
        let removal = waiting(&mut ana);
        assert!(ben.call("confirm_change", &json!({ "memory_id": removal })).starts_with("Approved"));
        let next = ana.remember(&says("code_status", "DNR"));
        assert!(next.starts_with("Stored: [FLAG] code_status = DNR"), "{next}");
        let next = waiting(&mut ana);
        assert!(ana.call("confirm_change", &json!({ "memory_id": next })).starts_with("Access denied:"));
        assert!(ben.call("confirm_change", &json!({ "memory_id": next })).starts_with("Approved"));
        assert!(ana.remember(&says("blood_type", "A+")).starts_with("Stored: [ADD]"), "a first value passes");
        ana.remember(&says("active_medication", "metoprolol 50 mg"));
        let item = id_of(&ana.list(), "metoprolol");
        ana.call("forget", &json!({ "memory_id": item, "text": "it was stopped" }));
        let removal = waiting(&mut ana);
        assert!(ben.call("confirm_change", &json!({ "memory_id": removal })).starts_with("Approved"));
        let item = ana.remember(&says("active_medication", "ramipril 5 mg"));
        assert!(item.starts_with("Stored: [ADD]"), "an item takes nobody's place: {item}");
    }
}

#[test]
fn with_four_eyes_an_import_fills_nothing_alone() {
    let deployment = clinic(&Model::start());
    let ben = member(&deployment, "ben");
    let process = deployment.start();
    process.remember(&says("code_status", "full code"));
    process.call("forget", &json!({ "memory_id": 1, "text": "it was wrong" }));
    let server = deployment.serve();
    let mut ben = server.client(&ben);
    let removal = waiting(&mut ben);
    assert!(ben.call("confirm_change", &json!({ "memory_id": removal })).starts_with("Approved"));
    let fact = json!({ "subject": "code_status", "value": "DNR" }).to_string();
    std::fs::write(deployment.folder().join("memory.jsonl"), fact).unwrap();
    deployment.svc(&["import", "--from", "jsonl", "memory.jsonl"]);
    let list = process.list();
    assert!(list.contains("⚠ code_status = DNR") && !list.contains("• code_status"), "{list}");
}

#[test]
fn a_guard_that_one_person_passes_is_said_at_startup() {
    let model = Model::start();
    let warned = |deployment: Deployment| {
        let server = deployment.serve();
        server.log().iter().any(|line| line.contains("SVC_FOUR_EYES is off"))
    };
    assert!(warned(Deployment::new(&model).with("SVC_SLOT_SCHEMA", "preset:clinical")));
    assert!(!warned(
        Deployment::new(&model).with("SVC_SLOT_SCHEMA", "preset:assistant").with("SVC_FOUR_EYES", "on")
    ));
    assert!(!warned(Deployment::new(&model)));
}

#[test]
fn without_the_setting_an_approver_may_decide_alone() {
    let model = Model::start();
    let deployment = clinic(&model).with("SVC_FOUR_EYES", "off");
    let ana = member(&deployment, "ana");
    let server = deployment.serve();
    let mut ana = server.client(&ana);
    ana.remember(&says("code_status", "full code"));
    ana.remember(&change("code_status", "DNR"));
    let proposed = waiting(&mut ana);
    assert!(ana.call("confirm_change", &json!({ "memory_id": proposed })).starts_with("Approved"));
}

/// A deployment with a policy, an agent whose name is a source, and one that claims to be it.
fn claims(deployment: &Deployment, mode: &str) -> [String; 3] {
    let (_, ops) = deployment.principal("ops", &["--role", "agent"]);
    let (_, intern) = deployment.principal("intern", &["--role", "agent"]);
    let (_, boss) = deployment.principal("boss", &["--role", "member"]);
    let local = deployment.start();
    local.call("set_reconcile_policy", &json!({ "mode": mode, "authority": { "ops": 5 } }));
    local.call("remember", &json!({ "text": says("region", "north"), "source": "ops" }));
    let server = deployment.serve();
    let write = |key: &str, value: &str| {
        let text = json!({ "text": change("region", value), "source": "ops" });
        server.client(key).call("remember", &text)
    };
    [write(&intern, "south"), write(&ops, "east"), write(&boss, "west")]
}

#[test]
fn a_policy_binds_whatever_changes_or_ends_a_fact() {
    for mode in ["AUTHORITY", "REVIEW"] {
        let deployment = Deployment::new(&Model::start());
        let (_, intern) = deployment.principal("intern", &["--role", "agent"]);
        let local = deployment.start();
        local.call("set_reconcile_policy", &json!({ "mode": mode, "authority": { "ops": 5 } }));
        local.call("remember", &json!({ "text": says("region", "north"), "source": "ops" }));
        let server = deployment.serve();
        let mut intern = server.client(&intern);
        for (tool, arguments) in [
            ("update_memory", json!({ "memory_id": 1, "new_value": "south" })),
            ("forget", json!({ "memory_id": 1, "text": "wrong" })),
            ("forget", json!({ "text": "region" })),
        ] {
            let reply = intern.call(tool, &arguments);
            let held = intern.list();
            assert!(held.contains("• region = north"), "{mode} {tool}: {reply}\n{held}");
        }
    }
}

#[test]
fn a_policy_binds_what_would_stand_beside_the_value() {
    for mode in ["AUTHORITY", "REVIEW"] {
        let deployment = Deployment::new(&Model::start());
        let process = deployment.start();
        process.call("set_reconcile_policy", &json!({ "mode": mode, "authority": { "ops": 5 } }));
        let tell = |source: &str, mut fact: serde_json::Value| {
            fact["subject"] = json!("payment office");
            let text = format!("The payment office is {}.", fact["value"].as_str().unwrap());
            process.call("remember", &json!({ "text": text, "source": source, "facts": [fact] }))
        };
        tell("ops", json!({ "value": "York" }));
        let forms = [
            json!({ "action": "COEXIST" }),
            json!({ "list": true }),
            json!({ "kind": "event" }),
            json!({ "scope": "today" }),
            json!({ "scope": "today", "action": "COEXIST" }),
        ];
        for (n, form) in forms.into_iter().enumerate() {
            let mut fact = form.clone();
            fact["value"] = json!(format!("Leeds {n}"));
            let reply = tell("wiki", fact);
            assert!(reply.starts_with("Stored: [FLAG]"), "{mode} {form}: {reply}");
        }
        let reply = tell("ops", json!({ "value": "Oslo" }));
        assert!(reply.starts_with("Stored: [SUPERSEDE] payment office = Oslo"), "{mode}: {reply}");
        let list = process.list();
        assert_eq!(list.matches('•').count(), 1, "{list}");
        let reply = tell("ops", json!({ "value": "Bergen", "action": "COEXIST" }));
        assert!(reply.starts_with("Stored: [COEXIST]"), "{mode}: {reply}");
    }
}

#[test]
fn a_bound_source_is_used_by_itself_or_an_approver() {
    let model = Model::start();
    for mode in ["AUTHORITY", "REVIEW"] {
        let [claimed, itself, approver] = claims(&Deployment::new(&model), mode);
        assert!(claimed.starts_with("Access denied:"), "{claimed}");
        assert!(claimed.contains(mode) && claimed.contains("'ops'"), "{claimed}");
        assert!(itself.starts_with("Stored: [SUPERSEDE] region = east"), "{itself}");
        assert!(approver.starts_with("Stored: [SUPERSEDE] region = west"), "{approver}");
    }
    let [free, ..] = claims(&Deployment::new(&model), "RECENCY");
    assert!(free.starts_with("Stored: [SUPERSEDE]"), "{free}");
}

#[test]
fn new_deployments_bind_sources_by_default() {
    let model = Model::start();
    let off = Deployment::new(&model).with("SVC_BOUND_SOURCES", "off");
    assert!(claims(&off, "REVIEW")[0].starts_with("Stored:"));

    // A deployment from before this was known goes on as it was, until it is told otherwise.
    for (set, begins) in [("", "Stored:"), ("on", "Access denied:")] {
        let mut older = made_before_sources_were_bound(&model);
        older.set("SVC_BOUND_SOURCES", set);
        let [claimed, ..] = claims(&older, "REVIEW");
        assert!(claimed.starts_with(begins), "SVC_BOUND_SOURCES={set}: {claimed}");
    }
}

/// Without encryption, so that it can be brought back to what an earlier version wrote.
fn made_before_sources_were_bound(model: &Model) -> Deployment {
    let older = Deployment::new(model).with("SVC_ENCRYPT", "off");
    older.start().list();
    let sql = older.sql();
    let check = sql.cell("SELECT value FROM deployment WHERE name = 'key_check'").bytes().to_vec();
    let bare = check.strip_suffix(b", and sources are bound").unwrap();
    let bare = Cell::Bytes(bare.to_vec()).literal();
    sql.run(&format!("UPDATE deployment SET value = {bare} WHERE name = 'key_check'"));
    older
}

#[test]
fn nobody_unbinds_sources_by_taking_rows_away() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    deployment.start().list();
    deployment.sql().run("DELETE FROM deployment WHERE name = 'sources'");
    let [claimed, ..] = claims(&deployment, "REVIEW");
    assert!(claimed.starts_with("Access denied:"), "{claimed}");

    // As an earlier version kept it, in a row of its own.
    let older = made_before_sources_were_bound(&model);
    let bound = Cell::Bytes(b"bound".to_vec()).literal();
    older.sql().run(&format!("INSERT INTO deployment (name, value) VALUES ('sources', {bound})"));
    older.start().list();
    older.sql().run("DELETE FROM deployment WHERE name = 'sources'");
    let [claimed, ..] = claims(&older, "REVIEW");
    assert!(claimed.starts_with("Access denied:"), "{claimed}");
}
