//! A key for each user, destroyed when everything of the user is erased, and what a restore does not bring back.

use crate::support::{Deployment, Mcp, Model, Server, created, id, program, says};
use serde_json::{Value, json};

/// Remembers one value for each of two users, with a decision and an attestation on it.
fn filled(model: &Model) -> Deployment {
    let deployment = Deployment::new(model);
    let process = deployment.start();
    for (user, value) in [("ann", "red kittiwake"), ("ben", "grey heron")] {
        let with = |arguments: Value| of(user, arguments);
        process.call("remember", &with(json!({ "text": says("bird", value) })));
        process.call(
            "record_decision",
            &with(json!({ "action_summary": "buy seeds", "question": "which bird?" })),
        );
        process.call("attest", &with(json!({ "subject": "bird" })));
    }
    process.intact();
    assert!(process.close().success());
    deployment
}

fn of(user: &str, mut arguments: Value) -> Value {
    arguments["user_id"] = json!(user);
    arguments
}

fn list(process: &Mcp, user: &str) -> String {
    process.reply("list_memories", &of(user, json!({}))).text
}

fn erase(process: &Mcp, user: &str) -> String {
    let all = json!({ "include_decisions": true, "include_receipts": true, "include_audit": true });
    process.call("delete_all", &of(user, all))
}

#[test]
fn what_an_erased_user_stored_opens_in_no_earlier_copy() {
    let model = Model::start();
    let deployment = filled(&model);
    deployment.svc(&["backup", "before"]);
    let stolen = deployment.copy();

    let process = deployment.start();
    let reply = erase(&process, "ann");
    assert!(reply.contains("key was destroyed"), "{reply}");
    let receipt = json!({ "receipt_id": id(&reply[reply.find("receipt #").unwrap()..]) });
    let verdict = process.call("verify_receipt", &receipt);
    assert!(verdict.contains("the user's key was destroyed") && verdict.contains("✓ VALID"), "{verdict}");
    assert!(list(&process, "ben").contains("grey heron"));
    process.intact();
    assert!(process.close().success());

    // The files of the database as they were, with the keys as they are.
    if deployment.folder().join("svc.db").exists() {
        let users = "svc.db.users.key";
        std::fs::copy(deployment.folder().join(users), stolen.folder().join(users)).unwrap();
        let process = stolen.start();
        for tool in ["list_memories", "export_memory"] {
            let reply = process.reply(tool, &of("ann", json!({})));
            assert!(!reply.text.contains("kittiwake"), "{tool}: {}", reply.text);
        }
        assert!(list(&process, "ben").contains("grey heron"));
        drop(process);
    }

    let said = deployment.svc(&["restore", "before", "--force", "--confirm", "a drill"]);
    assert!(said.contains("Left out: everything of user 'ann' in tenant 'default'"), "{said}");
    assert!(!said.contains("'ben'"), "{said}");
    let process = deployment.start();
    assert!(!list(&process, "ann").contains("kittiwake"), "{}", list(&process, "ann"));
    assert!(!process.call("export_memory", &of("ann", json!({}))).contains("kittiwake"));
    assert!(list(&process, "ben").contains("grey heron"));
    process.call("remember", &of("ann", json!({ "text": says("bird", "white stork") })));
    assert!(list(&process, "ann").contains("white stork"));
    process.intact();
}

/// What somebody who can write the database makes of the key of ann's spaces.
fn with_key_of_ann(deployment: &Deployment, key: &str) {
    let changed =
        deployment.sql().change(&format!("UPDATE space SET user_key = {key} WHERE user_id = 'ann'"));
    assert_eq!(changed, 1);
}

#[test]
fn an_erasure_cannot_be_aimed_at_another_user() {
    let model = Model::start();
    for (forged, writes_meanwhile) in [
        ("(SELECT user_key FROM space AS other WHERE other.user_id = 'ben')", false),
        ("(SELECT user_key FROM space AS other WHERE other.user_id = 'ben')", true),
        ("NULL", false),
        ("NULL", true),
        ("user_key + 99", false),
        ("user_key + 99", true),
        ("(SELECT user_key FROM space AS other WHERE other.user_id = 'ben'), policy = NULL", true),
        ("NULL, policy = NULL", false),
    ] {
        let deployment = filled(&model);
        deployment.svc(&["backup", "before"]);
        with_key_of_ann(&deployment, forged);
        let said = deployment.run(&program("svc"), &["fsck"]);
        assert!(!said.status.success(), "{forged}: {}", String::from_utf8_lossy(&said.stdout));

        let process = deployment.start();
        if writes_meanwhile {
            process.call("remember", &of("ann", json!({ "text": says("tree", "old oak") })));
            process.call("remember", &of("ben", json!({ "text": says("tree", "young elm") })));
        }
        let reply = erase(&process, "ann");
        assert!(reply.contains("key was destroyed"), "{forged}: {reply}");
        let kept = list(&process, "ben");
        assert!(kept.contains("grey heron") && !kept.contains("cannot be read"), "{forged}: {kept}");
        process.intact();
        assert!(process.close().success());

        let said = deployment.svc(&["restore", "before", "--force", "--confirm", "a drill"]);
        assert!(
            said.contains("Left out: everything of user 'ann'") && !said.contains("'ben'"),
            "{forged}: {said}"
        );
        let process = deployment.start();
        let erased = list(&process, "ann");
        assert!(
            !erased.contains("kittiwake") && list(&process, "ben").contains("grey heron"),
            "{forged}: {erased}"
        );
    }
}

#[test]
fn a_space_under_another_users_name_is_neither_read_nor_written_nor_erased() {
    let model = Model::start();
    let deployment = filled(&model);
    deployment.svc(&["backup", "before"]);
    let rename = |from: &str, to: &str| {
        let sql = format!("UPDATE space SET user_id = '{to}' WHERE user_id = '{from}'");
        assert_eq!(deployment.sql().change(&sql), 1);
    };
    let swap = || {
        rename("ann", "nobody");
        rename("ben", "ann");
        rename("nobody", "ben");
    };
    swap();
    let process = deployment.start();
    for user in ["ann", "ben"] {
        for (tool, arguments) in [
            ("list_memories", json!({})),
            ("recall", json!({ "question": "Which bird?" })),
            ("attest", json!({ "subject": "bird" })),
            ("remember", json!({ "text": says("bird", "white stork") })),
            ("delete_all", json!({})),
        ] {
            let reply = process.reply(tool, &of(user, arguments));
            assert!(reply.text.contains("stored, but damaged"), "{user} {tool}: {}", reply.text);
            let shown = ["kittiwake", "heron"].iter().any(|value| reply.text.contains(value));
            assert!(!shown, "{user} {tool}: {}", reply.text);
        }
    }
    assert!(process.close().success());
    assert!(!deployment.run(&program("svc"), &["fsck"]).status.success());

    swap();
    let process = deployment.start();
    assert!(list(&process, "ann").contains("red kittiwake"), "{}", list(&process, "ann"));
    assert!(list(&process, "ben").contains("grey heron"), "{}", list(&process, "ben"));
    assert!(process.close().success());
    let said = deployment.svc(&["restore", "before", "--force", "--confirm", "a drill"]);
    assert!(!said.contains("Left out"), "{said}");
}

#[test]
fn keys_of_users_that_are_put_back_are_noticed() {
    let model = Model::start();
    let deployment = filled(&model);
    let Ok(before) = std::fs::read(deployment.folder().join("svc.db.users.key")) else { return };
    let process = deployment.start();
    process.call("delete_all", &of("ann", json!({})));
    assert!(process.close().success());
    deployment.svc(&["fsck"]);
    std::fs::write(deployment.folder().join("svc.db.users.key"), before).unwrap();
    let output = deployment.run(&program("svc"), &["fsck"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(!output.status.success() && said.contains("is there again"), "{said}");
}

#[test]
fn a_mark_of_no_erasure_holds_nobody_up() {
    for (_, deployment) in Deployment::on_each_engine(&Model::start()) {
        let process = deployment.start();
        process.remember(&says("city", "Oslo"));
        deployment.sql().run("UPDATE space SET erasing = 1");
        let began = std::time::Instant::now();
        assert!(process.list().contains("city = Oslo"));
        assert!(process.remember(&says("office", "Bergen")).starts_with("Stored: [ADD]"));
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    }
}

/// As an earlier version left it: the key of a space stands in its column alone.
#[test]
fn a_key_from_before_it_was_sealed_goes_with_its_user() {
    let model = Model::start();
    let deployment = filled(&model);
    let stolen = deployment.copy();
    deployment.sql().run("UPDATE space SET policy = NULL");
    let process = deployment.start();
    assert!(list(&process, "ann").contains("kittiwake"));
    assert!(erase(&process, "ann").contains("key was destroyed"));
    assert!(list(&process, "ben").contains("grey heron"));
    assert!(process.close().success());
    if deployment.folder().join("svc.db").exists() {
        let users = "svc.db.users.key";
        std::fs::copy(deployment.folder().join(users), stolen.folder().join(users)).unwrap();
        assert!(!list(&stolen.start(), "ann").contains("kittiwake"));
    }
}

#[test]
fn what_stays_of_an_erased_user_still_verifies() {
    let model = Model::start();
    let deployment = filled(&model);
    let process = deployment.start();
    let reply = process.call("delete_all", &of("ann", json!({})));
    assert!(reply.contains("key was destroyed"), "{reply}");
    let attested = process.call("verify_receipt", &json!({ "receipt_id": 1 }));
    assert!(attested.contains("✓ VALID"), "{attested}");
    let decided = process.call("explain_decision", &of("ann", json!({ "decision_id": 1 })));
    assert!(decided.contains("action: buy seeds") && decided.contains("✓ receipt verified"), "{decided}");
    process.intact();
}

#[test]
fn other_processes_go_on_with_the_next_key_of_the_user() {
    let model = Model::start();
    let deployment = filled(&model);
    let (one, other) = (deployment.start(), deployment.start());
    for round in 0..3 {
        assert!(list(&other, "ben").contains("grey heron"));
        erase(&one, "ann");
        assert!(!list(&other, "ann").contains("bird"), "round {round}");
        other.call("remember", &of("ann", json!({ "text": says("bird", "white stork") })));
        assert!(list(&one, "ann").contains("white stork"), "round {round}");
        other.call("remember", &of("ann", json!({ "agent_id": "coder", "text": says("tree", "elm") })));
        assert!(list(&one, "ann").contains("white stork"), "round {round}");
    }
    other.intact();
}

#[test]
fn a_restore_needs_the_users_keys() {
    let model = Model::start();
    let deployment = filled(&model);
    let said = deployment.svc(&["backup", "before"]);
    assert!(said.contains("svc.db.users.key"), "{said}");
    let elsewhere = Deployment::new(&model);
    for name in ["svc.db.key", "svc.db.sign.key"] {
        std::fs::copy(deployment.folder().join(name), elsewhere.folder().join(name)).unwrap();
    }
    let backup = deployment.folder().join("before");
    let refusal = elsewhere.svc_refuses(&["restore", backup.to_str().unwrap()]);
    assert!(refusal.contains("svc.db.users.key is missing"), "{refusal}");
    elsewhere.take_keys_of(&deployment);
    elsewhere.svc(&["restore", backup.to_str().unwrap()]);
    assert!(list(&elsewhere.start(), "ann").contains("red kittiwake"));
}

fn status(server: &Server, key: &str) -> u16 {
    server.client(key).ask("list_memories", &json!({})).unwrap().status
}

#[test]
fn a_restore_brings_no_revoked_principal_and_no_replaced_key_back() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_seats(4);
    let (_, admin) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let mut client = server.client(&admin);
    let (doomed, key) = created(&client.call("create_principal", &json!({ "name": "agent" })));
    let (kept, other) = created(&client.call("create_principal", &json!({ "name": "another" })));
    let (rotated, replaced) = created(&client.call("create_principal", &json!({ "name": "third" })));
    deployment.svc(&["backup", "before"]);
    deployment.svc(&["principal", "rotate", &rotated, "--overlap", "0s"]);
    assert_eq!(status(&server, &replaced), 401);
    client.call("revoke_principal", &json!({ "principal_id": doomed }));
    assert_eq!(status(&server, &key), 401);
    server.terminate();
    assert!(server.wait().success());

    let said = deployment.svc(&["restore", "before", "--force", "--confirm", "a drill"]);
    assert!(said.contains(&format!("Left out: principal {doomed}, which was revoked.")), "{said}");
    assert!(!said.contains(&kept), "{said}");
    assert!(said.contains(&format!("Left out: the API key of principal {rotated}")), "{said}");
    let server = deployment.serve();
    assert_eq!(status(&server, &key), 401);
    assert_eq!(status(&server, &other), 200);
    assert_eq!(status(&server, &replaced), 401);
    let verdict = server.client(&admin).call("verify_audit", &json!({}));
    assert!(verdict.contains("INTACT"), "{verdict}");
}

/// The file of the keys is written before the transaction commits, and here that does not happen.
#[test]
fn an_erasure_that_lost_its_commit_is_finished_with_its_receipt() {
    let model = Model::start();
    let deployment = filled(&model);
    if !deployment.folder().join("svc.db").exists() {
        return;
    }
    let process = deployment.start();
    list(&process, "ann");
    let sql = deployment.sql();
    sql.run(
        "CREATE TRIGGER stop BEFORE INSERT ON deployment WHEN new.name = 'keys_at'
         BEGIN SELECT RAISE(ABORT, 'stop'); END",
    );
    let all = json!({ "include_decisions": true, "include_receipts": true, "include_audit": true });
    let reply = process.reply("delete_all", &of("ann", all));
    assert!(!reply.text.contains("receipt #"), "{}", reply.text);
    process.kill();
    sql.run("DROP TRIGGER stop");
    drop(sql);

    let process = deployment.start();
    let text = list(&process, "ann");
    assert!(!text.contains("kittiwake") && !text.contains('⚠'), "{text}");
    let receipts: Value =
        serde_json::from_str(&process.call("export_memory", &of("ann", json!({})))).unwrap();
    let last = receipts["receipts"].as_array().unwrap().last().unwrap().clone();
    assert!(last["summary"].as_str().unwrap().contains("the user's key was destroyed"), "{last}");
    assert!(process.call("verify_receipt", &json!({ "receipt_id": last["id"] })).contains("✓ VALID"));
    process.intact();
    assert!(process.close().success());
    assert!(deployment.svc(&["fsck"]).contains("✓"));
}
