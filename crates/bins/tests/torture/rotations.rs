//! Keys that are replaced again and again while several processes read and write.

use crate::campaign::{Campaign, Row, Verdict, name_of, thousands};
use crate::support::{Deployment, Model, program, says};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

pub const ROW: Row = Row {
    name: "rotations",
    title: "signing, users' and master keys replaced under load",
    does_not_show: "hosts that do not share a folder",
    run,
};

/// Processes that read and write meanwhile.
const PROCESSES: usize = 3;

fn run(campaign: &Campaign) -> Verdict {
    let (signing, users) = (campaign.amount(3, 50), campaign.amount(1, 10));
    let model = Model::start();
    let mut engines = Vec::new();
    let calls = AtomicUsize::new(0);
    for (engine, deployment) in Deployment::on_each_engine(&model) {
        on(campaign, &deployment, signing, users, &calls);
        engines.push(name_of(engine));
    }
    Verdict::held(
        format!(
            "{signing} signing, {users} users' and {users} master rotations while {PROCESSES} processes work, on each of {}",
            engines.join(" and ")
        ),
        format!(
            "{} calls, none failed; everything signed before and since verifies with the first key alone; log INTACT, fsck \
             clean; an older file of the users' keys found",
            thousands(calls.load(Ordering::Relaxed))
        ),
    )
}

fn on(campaign: &Campaign, deployment: &Deployment, signing: usize, users: usize, calls: &AtomicUsize) {
    let first = deployment.start();
    work(&first, 0, 0);
    let key = first.call("export_public_key", &json!({})).lines().last().unwrap().to_owned();
    keep(deployment, &first, "0.export");
    assert!(first.close().success());
    // With PostgreSQL they are a row of the database.
    let users_keys = deployment.folder().join("svc.db.users.key");
    let earlier = std::fs::read(&users_keys).ok();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for process in 1..=PROCESSES {
            let (is_over, deployment) = (&is_over, &deployment);
            scope.spawn(move || {
                let own = deployment.start();
                let mut round = 0;
                while !is_over.load(Ordering::Relaxed) {
                    calls.fetch_add(work(&own, process, round), Ordering::Relaxed);
                    round += 1;
                }
                assert!(own.close().success());
            });
        }
        // The others end with this thread, whichever way it ends.
        let _end = End(&is_over);
        for round in 0..signing {
            campaign.progress("rotations", round, signing);
            deployment.svc(&["keys", "rotate", "signing"]);
            if round < users {
                deployment.svc(&["keys", "rotate", "users"]);
                rotate_master(deployment);
            }
        }
    });
    let last = deployment.start();
    keep(deployment, &last, "1.export");
    last.intact();
    assert!(last.close().success());
    assert!(deployment.svc(&["fsck"]).contains('✓'));
    if let Some(earlier) = earlier {
        let keys = std::fs::read(&users_keys).unwrap();
        std::fs::write(&users_keys, earlier).unwrap();
        assert!(
            !deployment.run(&program("svc"), &["fsck"]).status.success(),
            "older users' keys are not found"
        );
        std::fs::write(&users_keys, keys).unwrap();
        assert!(deployment.svc(&["fsck"]).contains('✓'));
    }
    std::fs::write(deployment.folder().join("history"), deployment.svc(&["keys", "history"])).unwrap();
    let arguments = ["verify", "0.export", "1.export", "--key", &key, "--history", "history"];
    let verified = deployment.run(&program("svc"), &arguments);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

/// With PostgreSQL the first run makes the key, and the second uses it.
fn rotate_master(deployment: &Deployment) {
    if deployment.svc(&["keys", "rotate", "master"]).contains("Copy that file") {
        deployment.svc(&["keys", "rotate", "master"]);
    }
}

struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// One of each; a call that fails is a fault. Returns how many calls that were.
fn work(process: &crate::support::Mcp, number: usize, round: usize) -> usize {
    let user = format!("user {number}");
    let of = |mut arguments: Value| {
        arguments["user_id"] = json!(user);
        arguments
    };
    let value = format!("value {round}");
    process.call("remember", &of(json!({ "text": says("subject", &value) })));
    let list = process.call("list_memories", &of(json!({})));
    assert!(list.contains(&value) && !list.contains('⚠'), "{list}");
    let attested = process.call("attest", &of(json!({ "subject": "subject" })));
    let receipt: i64 = number_after(&attested, "verify_receipt #");
    let verdict = process.call("verify_receipt", &json!({ "receipt_id": receipt }));
    assert!(verdict.contains("✓ VALID"), "{verdict}");
    let decided = json!({ "action_summary": "go on", "question": "what is the subject?" });
    process.call("record_decision", &of(decided));
    5
}

fn number_after(text: &str, mark: &str) -> i64 {
    let (_, rest) = text.split_once(mark).unwrap_or_else(|| panic!("no {mark} in: {text}"));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

fn keep(deployment: &Deployment, process: &crate::support::Mcp, name: &str) {
    let export = process.call("export_memory", &json!({ "user_id": "user 0" }));
    std::fs::write(deployment.folder().join(name), export).unwrap();
}
