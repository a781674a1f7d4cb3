//! Users that are erased one after the other, and every copy of the database from before.

use crate::campaign::{Campaign, Row, Verdict, thousands};
use crate::support::{Deployment, Mcp, Model, program, says};
use serde_json::{Value, json};

pub const ROW: Row = Row {
    name: "erasures",
    title: "users that are erased, and copies made before",
    does_not_show: "copies of the users' keys that somebody kept; the details of audit entries in earlier backups, which are \
                    not sealed under the user's key",
    run,
};

const KEYS: &str = "svc.db.users.key";

/// What somebody without the keys makes of the key of a user who is about to be erased.
const AIMS: [&str; 3] =
    ["(SELECT user_key FROM space AS other WHERE other.user_id = 'kept')", "NULL", "user_key + 99"];

/// Whom nobody erases.
const KEPT: &str = "kept";

fn run(campaign: &Campaign) -> Verdict {
    let users = campaign.amount(4, 1000);
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_RATE_PER_MIN", "0");
    let mut seed = campaign.seed_for(0);
    let canaries: Vec<String> =
        (0..users).map(|_| (0..64).map(|_| char::from(b'a' + seed.below(26) as u8)).collect()).collect();
    let process = deployment.start();
    fill(&process, KEPT, "what is kept");
    for (n, canary) in canaries.iter().enumerate() {
        campaign.progress("users told of", n, users);
        fill(&process, &user(n), canary);
    }
    process.intact();
    deployment.svc(&["backup", "before"]);
    assert!(process.close().success());
    let stolen = deployment.copy();

    let earlier_keys = std::fs::read(deployment.folder().join(KEYS)).unwrap();
    let process = deployment.start();
    for n in 0..users {
        campaign.progress("users erased", n, users);
        // Every second erasure is aimed at somebody else by whoever can write the database.
        if n % 2 == 1 {
            let aim = AIMS[n / 2 % AIMS.len()];
            let aimed = format!("UPDATE space SET user_key = {aim} WHERE user_id = '{}'", user(n));
            assert_eq!(deployment.sql().change(&aimed), 1, "{aimed}");
        }
        let all = json!({ "include_decisions": true, "include_receipts": true, "include_audit": true });
        let said = process.call("delete_all", &of(&user(n), all));
        assert!(said.contains("key was destroyed"), "{said}");
    }
    check(&process, users, &canaries);
    assert!(process.close().success());
    assert!(deployment.svc(&["fsck"]).contains('✓'));
    let keys = std::fs::read(deployment.folder().join(KEYS)).unwrap();
    std::fs::write(deployment.folder().join(KEYS), earlier_keys).unwrap();
    let found = deployment.run(&program("svc"), &["fsck"]);
    let said = String::from_utf8_lossy(&found.stdout);
    assert!(!found.status.success() && said.contains("is there again"), "{said}");
    std::fs::write(deployment.folder().join(KEYS), keys).unwrap();
    for name in deployment.files() {
        let bytes = std::fs::read(deployment.folder().join(&name)).unwrap();
        let within = |canary: &String| bytes.windows(64).any(|window| window == canary.as_bytes());
        assert!(!canaries.iter().any(within), "a canary is in {name}");
    }

    // The backup, with the keys as they are now.
    let elsewhere = Deployment::new(&model);
    elsewhere.take_keys_of(&deployment);
    let backup = deployment.folder().join("before");
    let said = elsewhere.svc(&["restore", backup.to_str().unwrap()]);
    assert_eq!(said.matches("Left out: everything of user").count(), users, "{said}");
    check(&elsewhere.start(), users, &canaries);

    // The files of the database as they were, with the keys as they are now.
    std::fs::copy(deployment.folder().join(KEYS), stolen.folder().join(KEYS)).unwrap();
    let process = stolen.start();
    for (n, canary) in canaries.iter().enumerate() {
        for tool in ["list_memories", "export_memory"] {
            let said = process.reply(tool, &of(&user(n), json!({}))).text;
            assert!(!said.contains(canary), "{tool} of {} in a copy from before: {said}", user(n));
        }
    }
    assert!(process.call("list_memories", &of(KEPT, json!({}))).contains("what is kept"));
    Verdict::held(
        format!(
            "{} users with a 64-byte canary each, erased after a backup and a copy of the files, {} of them aimed at the key of \
             somebody else; an older file of the users' keys put back",
            thousands(users),
            thousands(users / 2)
        ),
        "no canary in any file; nothing of an erased user opens in the database, the backup or the copy; what is kept of \
         others is there and verifies; log INTACT; the older keys found",
    )
}

fn user(n: usize) -> String {
    format!("user {n}")
}

fn of(user: &str, mut arguments: Value) -> Value {
    arguments["user_id"] = json!(user);
    arguments
}

/// The value in a fact, its metadata, a decision and an attestation.
fn fill(process: &Mcp, user: &str, value: &str) {
    let told = json!({ "text": says("secret", value), "metadata": { "note": value } });
    let said = process.call("remember", &of(user, told));
    assert!(said.starts_with("Stored: [ADD]"), "{said}");
    let decision = json!({ "action_summary": format!("keep {value}"), "question": "what is secret?" });
    process.call("record_decision", &of(user, decision));
    process.call("attest", &of(user, json!({ "subject": "secret" })));
}

fn check(process: &Mcp, users: usize, canaries: &[String]) {
    for (n, canary) in canaries.iter().enumerate().take(users) {
        let export = process.call("export_memory", &of(&user(n), json!({})));
        assert!(!export.contains(canary), "an export of {} has the canary", user(n));
    }
    assert!(process.call("list_memories", &of(KEPT, json!({}))).contains("what is kept"));
    let decision = process.call("explain_decision", &of(KEPT, json!({ "decision_id": 1 })));
    assert!(decision.contains("✓ receipt verified"), "{decision}");
    let receipt = process.call("verify_receipt", &json!({ "receipt_id": 1 }));
    assert!(receipt.contains("✓ VALID"), "{receipt}");
    process.intact();
}
