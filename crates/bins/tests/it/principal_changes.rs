//! Changing what a principal reaches and how much it may ask for, at the command line and in the console.

use crate::support::console::Visitor;
use crate::support::http::Client;
use crate::support::{Deployment, Model, Server, says};
use serde_json::json;

/// As the page sends it where somebody filled in these fields, beside what it showed before.
fn submit(admin: &mut Visitor, id: &str, fields: &[(&str, &str)]) -> String {
    admin.submit("/change-key", &[&[("id", id)], fields].concat())
}

fn change(deployment: &Deployment, id: &str, more: &[&str]) -> String {
    deployment.svc(&[&["principal", "change", id], more].concat())
}

fn line_of(deployment: &Deployment, id: &str) -> String {
    let list = deployment.svc(&["principal", "list"]);
    list.lines().find(|line| line.starts_with(id)).unwrap().to_owned()
}

fn status(client: &mut Client, user: &str) -> (u16, String) {
    let answer = client.ask("list_memories", &json!({ "user_id": user })).unwrap();
    let text = if answer.status == 200 { String::new() } else { answer.body.clone() };
    (answer.status, text)
}

/// Two keys, and a server with the console.
fn serve(deployment: &Deployment, role: &str, more: &[&str]) -> (Server, String, String, String) {
    let (id, key) = deployment.principal("ana", &[&["--role", role], more].concat());
    let (_, admin) = deployment.principal("root", &[]);
    (deployment.serve(), id, key, admin)
}

#[test]
fn a_quota_of_calls_holds_at_once_and_says_whose_it_is() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_QUOTA_KEY_CALLS", "8").with_console();
    let (server, id, key, admin) = serve(&deployment, "agent", &[]);
    let mut ana = server.client(&key);
    for _ in 0..3 {
        assert_eq!(status(&mut ana, "u1").0, 200);
    }
    let mut root = Visitor::signed_in(server.console(), &admin);
    root.page("/people");
    let told = submit(&mut root, &id, &[("calls_per_minute", "2")]);
    assert!(
        told.contains("&#39;ana&#39;: calls a minute none → 2.")
            || told.contains("'ana': calls a minute none → 2."),
        "{told}"
    );
    assert!(told.contains("at most 2 calls a minute"), "{told}");
    let (code, text) = status(&mut ana, "u1");
    assert_eq!(code, 429);
    assert!(text.contains("the quota of this key allows it 2 call(s) a minute, and 3 were made."), "{text}");
    assert!(
        text.contains("An admin can change that quota, in the console or with svc principal change."),
        "{text}"
    );
    assert_eq!(status(&mut server.client(&admin), "u1").0, 200, "it is the quota of one key");

    // A higher one than the deployment's lifts nothing.
    let told = change(&deployment, &id, &["--calls-per-minute", "1000"]);
    assert!(
        told.contains("calls a minute 2 → 1000")
            && told.contains("SVC_QUOTA_KEY_CALLS allows 8, and that counts."),
        "{told}"
    );
    let replies: Vec<_> = (0..6).map(|_| status(&mut ana, "u1")).collect();
    let (let_in, over): (Vec<_>, Vec<_>) = replies.iter().partition(|(code, _)| *code == 200);
    assert_eq!((let_in.len(), over.len()), (5, 1), "{replies:?}");
    assert!(over[0].1.contains("SVC_QUOTA_KEY_CALLS allows a key 8 call(s) a minute"), "{over:?}");

    let told = change(&deployment, &id, &["--calls-per-minute", "none"]);
    assert!(told.contains("calls a minute 1000 → none"), "{told}");
    assert!(!line_of(&deployment, &id).contains("at most"));
}

#[test]
fn a_quota_of_facts_and_bytes_is_kept_by_the_store() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (server, id, key, _) = serve(&deployment, "agent", &[]);
    let mut ana = server.client(&key);
    assert!(ana.remember(&says("subject 1", "x")).starts_with("Stored: [ADD]"));
    change(&deployment, &id, &["--facts", "2"]);
    assert!(ana.remember(&says("subject 2", "x")).starts_with("Stored: [ADD]"));
    let full = ana.remember(&says("subject 3", "x"));
    assert!(
        full.starts_with("Quota reached: the quota of this key allows it 2 fact(s), 2 are held"),
        "{full}"
    );
    assert!(
        full.contains("when an admin changes that quota, in the console or with svc principal change"),
        "{full}"
    );
    // What takes back needs no room.
    let taken_back = ana.call("forget", &json!({ "text": "Forget subject 1." }));
    assert!(!taken_back.starts_with("Quota reached"), "{taken_back}");
    change(&deployment, &id, &["--facts", "none", "--bytes", "1"]);
    let full = ana.remember(&says("subject 4", "x"));
    assert!(full.starts_with("Quota reached: the quota of this key allows it 1 byte(s)"), "{full}");
    change(&deployment, &id, &["--bytes", "none"]);
    assert!(ana.remember(&says("subject 4", "x")).starts_with("Stored: [ADD]"));
}

#[test]
fn scopes_hold_from_the_next_call_on_and_in_a_session() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_console();
    let (server, id, key, admin) = serve(&deployment, "member", &["--scopes", "u1,u2"]);
    let mut root = server.client(&admin);
    for user in ["u1", "u2", "u3"] {
        root.call("remember", &json!({ "text": says("city", &format!("city of {user}")), "user_id": user }));
    }
    let mut session = Visitor::signed_in(server.console(), &key);
    assert!(session.page("/memory?user_id=u2").contains("city of u2"));
    let mut ana = server.client(&key);
    assert!(ana.call("list_memories", &json!({ "user_id": "u2" })).contains("city of u2"));

    let mut root = Visitor::signed_in(server.console(), &admin);
    let page = root.page("/people");
    assert!(page.contains(r#"name="scopes" value="u1, u2""#), "the form shows what is there: {page}");
    let told = submit(&mut root, &id, &[("scopes", "u1"), ("scopes_was", "u1, u2")]);
    assert!(told.contains("scopes u1, u2 → u1."), "{told}");
    assert!(ana.call("list_memories", &json!({ "user_id": "u2" })).starts_with("Access denied:"));
    assert!(ana.call("list_memories", &json!({ "user_id": "u1" })).contains("city of u1"));
    assert_eq!(session.get("/memory?user_id=u2").status, 403);
    assert!(!session.page("/memory?user_id=u1").contains("u2"), "nor is it among the names to choose from");

    change(&deployment, &id, &["--scopes", "u1, u3"]);
    assert!(ana.call("list_memories", &json!({ "user_id": "u3" })).contains("city of u3"));
    assert!(session.page("/memory?user_id=u3").contains("city of u3"));
    change(&deployment, &id, &["--scopes", "*"]);
    assert!(ana.call("list_memories", &json!({ "user_id": "u2" })).contains("city of u2"));
}

/// An emptied field widens nobody to everything, and a page that is out of date changes only what was typed there.
#[test]
fn a_form_changes_only_what_was_filled_in() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_console();
    let (server, id, _, admin) = serve(&deployment, "agent", &["--scopes", "u1"]);
    let mut root = Visitor::signed_in(server.console(), &admin);
    root.page("/people");
    let shown = [("scopes_was", "u1"), ("calls_per_minute_was", ""), ("facts_was", "")];
    for empty in ["", "  "] {
        let refused =
            root.post("/change-key", &[&[("id", id.as_str()), ("scopes", empty)], &shown[..]].concat());
        assert_eq!(refused.status, 400);
        assert!(refused.body.contains("is empty. Name user_ids with commas between"), "{}", refused.body);
    }
    let refused = deployment.svc_refuses(&["principal", "change", &id, "--scopes", ""]);
    assert!(refused.contains("Argument 'scopes' is empty."), "{refused}");
    let untouched = [("scopes", "u1"), ("calls_per_minute", ""), ("facts", "")];
    assert!(submit(&mut root, &id, &[&untouched, &shown[..]].concat()).contains("Nothing was changed."));

    // Meanwhile somebody else narrows the scopes; the page still shows the old ones.
    change(&deployment, &id, &["--scopes", "u0", "--at-once", "3"]);
    let filled = [("scopes", "u1"), ("calls_per_minute", "9"), ("facts", "")];
    submit(&mut root, &id, &[&filled, &shown[..]].concat());
    let line = line_of(&deployment, &id);
    assert!(
        line.contains("scopes: u0, ") && line.ends_with("at most 9 calls a minute, 3 calls at once"),
        "{line}"
    );
    // An emptied quota is none.
    let emptied = [("calls_per_minute", ""), ("calls_per_minute_was", "9")];
    assert!(submit(&mut root, &id, &emptied).contains("calls a minute 9 → none"));
}

#[test]
fn what_is_no_quota_is_refused_and_changes_nothing() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_console();
    let (server, id, _, admin) = serve(&deployment, "agent", &["--scopes", "u1"]);
    change(&deployment, &id, &["--facts", "7"]);
    let before = line_of(&deployment, &id);
    let mut root = Visitor::signed_in(server.console(), &admin);
    root.page("/people");
    for wrong in ["0", "-1", "many", "1.5", "1000000000000001", "99999999999999999999999"] {
        for (option, field) in [
            ("--calls-per-minute", "calls_per_minute"),
            ("--at-once", "at_once"),
            ("--facts", "facts"),
            ("--bytes", "bytes"),
        ] {
            let said = format!(
                "Invalid argument '{field}': it takes a whole number from 1 to 1000000000000000, or 'none' for no quota."
            );
            let refused =
                deployment.svc_refuses(&["principal", "change", &id, option, wrong, "--scopes", "u9"]);
            assert!(refused.contains(&said), "{wrong}: {refused}");
            let answer = root.post("/change-key", &[("id", &id), (field, wrong), ("scopes", "u9")]);
            assert_eq!(answer.status, 400, "{wrong}");
            assert!(
                answer.body.contains("it takes a whole number from 1 to 1000000000000000"),
                "{}",
                answer.body
            );
        }
    }
    for wrong in ["u1,*", ",", "u1\nu2"] {
        deployment.svc_refuses(&["principal", "change", &id, "--scopes", wrong]);
    }
    let refused = deployment.svc_refuses(&["principal", "change", &id]);
    assert!(refused.contains("Nothing was named that is to change"), "{refused}");
    assert_eq!(line_of(&deployment, &id), before);
}

#[test]
fn only_an_admin_who_reaches_somebody_changes_them() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_console();
    let (server, id, key, admin) = serve(&deployment, "agent", &["--scopes", "u1"]);
    let before = line_of(&deployment, &id);
    for role in ["member", "agent", "viewer", "auditor"] {
        let (_, other) = deployment.principal(role, &["--role", role]);
        let mut visitor = Visitor::signed_in(server.console(), &other);
        visitor.page("/health");
        let answer = visitor.post("/change-key", &[("id", &id), ("scopes", "*")]);
        assert_eq!(answer.status, 403, "{role}");
        assert!(answer.body.contains("it takes the right 'admin'"), "{}", answer.body);
    }
    let (_, elsewhere) = deployment.principal("elsewhere", &["--tenant", "acme"]);
    let mut elsewhere = Visitor::signed_in(server.console(), &elsewhere);
    elsewhere.page("/people");
    let gone = |id: &str| format!("No active principal {id} (unknown or already revoked).");
    assert!(submit(&mut elsewhere, &id, &[("scopes", "*")]).contains(&gone(&id)));
    let nobody = "prin_0000000000000000";
    assert!(deployment.svc_refuses(&["principal", "change", nobody, "--facts", "1"]).contains(&gone(nobody)));
    assert_eq!(line_of(&deployment, &id), before);
    // No client is offered it.
    let arguments = json!({ "principal_id": id, "scopes": "*" });
    let text = server.client(&admin).ask("change_principal", &arguments).unwrap().body;
    assert!(text.contains("Unknown tool: 'change_principal'"), "{text}");

    // The operator changes somebody of another tenant; a revoked one is as unknown.
    let (theirs, _) = deployment.principal("theirs", &["--role", "agent", "--tenant", "acme"]);
    assert!(change(&deployment, &theirs, &["--at-once", "2"]).contains("calls at once none → 2"));
    deployment.svc(&["principal", "revoke", &id]);
    assert!(deployment.svc_refuses(&["principal", "change", &id, "--facts", "1"]).contains(&gone(&id)));
    assert_eq!(server.client(&key).ask("list_memories", &json!({})).unwrap().status, 401);
}

#[test]
fn an_admin_can_narrow_themself() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_console();
    let (id, key) = deployment.principal("root", &[]);
    let server = deployment.serve();
    let mut root = Visitor::signed_in(server.console(), &key);
    root.page("/people");
    let told =
        submit(&mut root, &id, &[("scopes", "u1"), ("scopes_was", "*"), ("facts", "1"), ("facts_was", "")]);
    assert!(told.contains("scopes * → u1; facts none → 1"), "{told}");
    assert!(told.contains("An admin reaches every user of the tenant, whatever the scopes."), "{told}");
    assert!(server.client(&key).remember(&says("city", "Oslo")).starts_with("Stored: [ADD]"));
    assert!(
        server
            .client(&key)
            .remember(&says("food", "fish"))
            .starts_with("Quota reached: the quota of this key")
    );
}

#[test]
fn the_log_says_once_what_was_changed_and_everything_holds() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (server, id, key, admin) = serve(&deployment, "agent", &["--scopes", "u1"]);
    change(&deployment, &id, &["--scopes", "u1,u2", "--facts", "7"]);
    let same = change(&deployment, &id, &["--facts", "7"]);
    assert!(same.starts_with(&format!("Nothing was changed: {id} 'ana' has that already.")), "{same}");
    let mut root = server.client(&admin);
    let log = root.call("audit_log", &json!({ "action": "change_principal" }));
    assert_eq!(log.lines().count(), 2, "{log}");
    assert!(log.contains(&format!("{id}: scopes u1 → u1, u2; facts none → 7")), "{log}");
    assert!(log.contains(&format!("{id} has that already")), "{log}");
    assert!(root.call("verify_audit", &json!({})).contains("INTACT"));

    // It goes along with a new key, a backup, a new master key and the checks of every row.
    deployment.svc(&["principal", "rotate", &id]);
    let line = line_of(&deployment, &id);
    assert!(line.contains("scopes: u1, u2, active") && line.contains("at most 7 facts"), "{line}");
    crate::master_rotation::rotate(&deployment);
    assert!(deployment.svc(&["fsck"]).contains("Nothing is wrong"));
    assert_eq!(line_of(&deployment, &id), line);
    deployment.svc(&["backup", "copy"]);
    let elsewhere = Deployment::new(&model);
    elsewhere.take_keys_of(&deployment);
    elsewhere.svc(&["restore", deployment.folder().join("copy").to_str().unwrap()]);
    assert_eq!(line_of(&elsewhere, &id), line);
    assert!(elsewhere.svc(&["fsck"]).contains("Nothing is wrong"));
    let server = elsewhere.serve();
    assert!(
        server.client(&key).call("list_memories", &json!({ "user_id": "u3" })).starts_with("Access denied:")
    );
}
