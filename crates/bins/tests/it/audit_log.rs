//! Reading the audit log: what is listed, who did it, and how a reader picks and goes on.

use crate::support::{Deployment, Mcp, Model, says};
use domain::Timestamp;
use serde_json::{Value, json};

/// More entries than one reply holds.
const MANY: usize = 1003;

fn log(process: &Mcp, arguments: &Value) -> Vec<String> {
    process.call("audit_log", arguments).lines().map(str::to_owned).collect()
}

/// The action of each line.
fn actions(lines: &[String]) -> Vec<&str> {
    lines.iter().map(|line| line.split("  ").nth(1).unwrap_or_default()).collect()
}

fn counted(text: &str) -> u64 {
    let digits = text.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty());
    digits.unwrap_or_else(|| panic!("no number: {text}")).parse().unwrap()
}

#[test]
fn reading_the_log_is_itself_recorded() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    process.remember(&says("city", "Oslo"));
    let count = || counted(&process.call("verify_audit", &json!({})));
    assert_eq!(count(), 1, "the call that is being answered is not counted");
    assert_eq!(count(), 2, "the one before is");
    let lines = log(&process, &json!({}));
    assert_eq!(actions(&lines), ["verify_audit", "verify_audit", "remember"]);
    assert_eq!(actions(&log(&process, &json!({ "limit": 1 }))), ["audit_log"]);
    let backed_up = deployment.svc(&["backup", "copy"]);
    let said = backed_up.split(": ").nth(1).unwrap();
    assert_eq!(counted(said), 5, "{backed_up}");
    assert_eq!(count(), 5);
    assert_eq!(log(&process, &json!({ "limit": 0 })).len(), 6);
}

#[test]
fn entries_name_their_principal_and_cannot_be_faked() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (id, key) = deployment.principal("robot", &["--role", "agent"]);
    let server = deployment.serve();
    server.client(&key).remember(&says("city", "Oslo"));
    let process = deployment.start();
    let forged = format!("bob by={id}");
    process.call("remember", &json!({ "text": says("city", "Rome"), "user_id": forged }));
    process.call("recall", &json!({ "question": format!("Who? by={id}"), "user_id": forged }));
    process.call("audit_log", &json!({ "user_id": forged }));
    let lines = log(&process, &json!({ "limit": 4 }));
    let by = format!(" by={id}");
    let mine: Vec<&String> = lines.iter().filter(|line| line.contains("by=")).collect();
    let [line] = mine.as_slice() else { panic!("{lines:#?}") };
    assert!(line.ends_with(&format!("  remember  user=default  ADD city{by}")), "{line}");
    assert_eq!(lines.iter().filter(|line| line.contains(&format!("bob by\\={id}"))).count(), 3, "{lines:#?}");
    assert_eq!(log(&process, &json!({ "user_id": forged })).len(), 2);
}

#[test]
fn entries_are_picked_by_action_caller_and_time() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (id, key) = deployment.principal("acme admin", &["--tenant", "acme"]);
    let server = deployment.serve();
    let mut acme = server.client(&key);
    acme.remember(&says("city", "Oslo"));
    acme.list();
    let process = deployment.start();
    process.remember(&says("city", "Rome"));
    process.list();
    process.call("remember", &json!({ "text": says("city", "Bern"), "user_id": "ann" }));
    let all = log(&process, &json!({}));
    assert_eq!(
        actions(&all),
        ["remember", "list_memories", "remember", "list_memories", "remember", "create_principal"]
    );
    let picked = |arguments: Value| {
        let lines = log(&process, &arguments);
        let places = lines.iter().map(|line| all.iter().position(|other| other == line));
        places
            .collect::<Option<Vec<usize>>>()
            .unwrap_or_else(|| panic!("{arguments}: {lines:#?} of {all:#?}"))
    };
    let time = |place: usize| all[place].split("  ").next().unwrap().to_owned();
    for (arguments, places) in [
        (json!({ "action": "remember" }), vec![0, 2, 4]),
        (json!({ "action": "remember", "limit": 2 }), vec![0, 2]),
        (json!({ "action": "remember", "user_id": "ann" }), vec![0]),
        (json!({ "caller": id }), vec![3, 4]),
        (json!({ "caller": "local", "action": "remember" }), vec![0, 2]),
        (json!({ "caller": id, "action": "create_principal" }), vec![]),
        (json!({ "since": time(3), "until": time(1) }), vec![1, 2, 3]),
        (json!({ "since": time(4), "until": time(1), "caller": "local" }), vec![1, 2]),
        (json!({ "until": time(4) }), vec![4, 5]),
        (json!({ "until": &time(0)[..10], "action": "remember", "user_id": "ann" }), vec![0]),
        (json!({ "since": "2026-01-01", "until": "2026-01-01" }), vec![]),
    ] {
        if places.is_empty() {
            assert_eq!(process.call("audit_log", &arguments), "No audit entries.", "{arguments}");
        } else {
            assert_eq!(picked(arguments.clone()), places, "{arguments}");
        }
    }
    let own = acme.call("audit_log", &json!({ "action": "remember" }));
    assert!(own.lines().count() == 1 && own.ends_with(&format!("ADD city by={id}")), "{own}");
    assert_eq!(acme.call("audit_log", &json!({ "caller": "local" })), "No audit entries.");
    for argument in ["since", "until"] {
        let refusal = process.refused("audit_log", &json!({ argument: "yesterday" }));
        assert!(refusal.contains(argument) && refusal.contains("2026-11-17T08:00:00Z"), "{refusal}");
    }
    assert!(process.refused("audit_log", &json!({ "before": -1 })).contains("before"));
}

/// Follows the last line of each reply to the end of the log; every entry that was listed, and the size of each reply.
fn whole(process: &Mcp, arguments: &Value) -> (Vec<String>, Vec<usize>) {
    let (mut lines, mut sizes) = (Vec::new(), Vec::new());
    let mut arguments = arguments.clone();
    loop {
        let mut page = log(process, &arguments);
        let last = page.last().unwrap().clone();
        let next = last.split("before=").nth(1).map(counted);
        if next.is_some() {
            assert!(last.starts_with("There are more: one reply holds 1000 entries."), "{last}");
            page.pop();
        }
        sizes.push(page.len());
        lines.extend(page);
        match next {
            Some(next) => arguments["before"] = next.into(),
            None => return (lines, sizes),
        }
    }
}

#[test]
fn a_long_log_can_be_read_to_its_end() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    let calls: Vec<_> =
        (0..MANY).map(|n| process.send("get_memory", &json!({ "memory_id": n, "user_id": "ann" }))).collect();
    calls.into_iter().for_each(|call| drop(call.wait()));
    for limit in [json!(1_000_000), json!(0), json!(-1), json!(i64::MAX)] {
        let (lines, sizes) = whole(&process, &json!({ "user_id": "ann", "limit": limit }));
        assert_eq!(sizes, [1000, 3], "{limit}");
        let mut numbers: Vec<u64> =
            lines.iter().map(|line| counted(line.rsplit('#').next().unwrap())).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..MANY as u64), "{limit}: an entry is missing or listed twice");
    }
    let by_time = json!({ "action": "get_memory", "limit": 5000, "since": "2026-01-01" });
    let (mut lines, sizes) = whole(&process, &by_time);
    assert_eq!(sizes, [1000, 3]);
    let times: Vec<Timestamp> =
        lines.iter().map(|line| line.split("  ").next().unwrap().parse().unwrap()).collect();
    assert!(times.is_sorted_by(|newer, older| newer >= older), "not newest first");
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), MANY);
    assert_eq!(log(&process, &json!({ "user_id": "ann", "limit": 1000 })).len(), 1000);
    assert_eq!(log(&process, &json!({ "user_id": "ann", "limit": 1001 })).len(), 1001);
}

#[test]
fn a_caller_name_makes_no_space() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let process = deployment.start();
    for user in ["local", "anonymous", "prin_0123456789abcdef", "oidc_1"] {
        for (tool, arguments) in [
            ("remember", json!({ "text": says("city", "Oslo"), "user_id": user })),
            ("attest", json!({ "subject": "city", "user_id": user })),
            ("set_reconcile_policy", json!({ "user_id": user })),
            ("record_decision", json!({ "action_summary": "go", "question": "where?", "user_id": user })),
        ] {
            let refusal = process.refused(tool, &arguments);
            assert!(refusal.starts_with(&format!("Argument 'user_id': '{user}'")), "{refusal}");
            assert!(refusal.ends_with("Choose another user_id."), "{refusal}");
        }
        assert_eq!(process.call("list_memories", &json!({ "user_id": user })), "(no memories yet)");
    }
}

#[test]
fn a_space_that_was_named_after_a_caller_before_this_was_refused_is_served_on() {
    let model = Model::start();
    // Where nothing is sealed, a row is all that says whose space it is.
    let deployment = Deployment::new(&model).with("SVC_ENCRYPT", "off");
    let process = deployment.start();
    process.remember(&says("city", "Oslo"));
    deployment.sql().run("UPDATE space SET user_id = 'local'");
    let stored = process.call("remember", &json!({ "text": says("city", "Rome"), "user_id": "local" }));
    assert!(stored.starts_with("Stored: [SUPERSEDE]"), "{stored}");
}
