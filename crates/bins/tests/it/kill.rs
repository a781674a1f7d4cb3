//! A process that dies in the middle of its work.

use crate::support::{Deployment, Mcp, Model, random, says};
use serde_json::json;
use std::collections::BTreeSet;

const KILLS: usize = 50;
/// Calls under way when the process dies.
const IN_FLIGHT: u64 = 8;

/// Writes until the process is killed; returns the numbers of the acknowledged writes, and how many got no answer.
fn write_until_killed(process: Mcp, user: &str) -> (BTreeSet<u64>, usize) {
    let acknowledged_before_the_end = random(8);
    let mut writes = Vec::new();
    for n in 0..acknowledged_before_the_end + IN_FLIGHT {
        let arguments = json!({ "text": says(&format!("item {n}"), &format!("value {n}")), "user_id": user });
        writes.push((n, process.send("remember", &arguments)));
    }
    let mut acknowledged = BTreeSet::new();
    let mut rest = writes.into_iter();
    for (n, write) in rest.by_ref().take(usize::try_from(acknowledged_before_the_end).unwrap()) {
        assert!(write.wait().text.starts_with("Stored: [ADD]"));
        acknowledged.insert(n);
    }
    process.kill();
    let mut unanswered = 0;
    for (n, write) in rest {
        match write.outcome() {
            None => unanswered += 1,
            Some(reply) => {
                assert!(reply.text.starts_with("Stored: [ADD]"), "{}", reply.text);
                acknowledged.insert(n);
            }
        }
    }
    (acknowledged, unanswered)
}

#[test]
fn kills_lose_no_acknowledged_write_or_audit_entry() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let mut process = deployment.start();
    let mut cut_off = 0;
    for round in 0..KILLS {
        let user = format!("round {round}");
        let (acknowledged, unanswered) = write_until_killed(process, &user);
        cut_off += unanswered;
        process = deployment.start();
        process.intact();
        let list = process.call("list_memories", &json!({ "user_id": user }));
        for n in &acknowledged {
            assert!(list.contains(&format!("• item {n} = value {n}  (#")), "round {round} lost {n}:\n{list}");
        }
        let kept = list.matches('•').count();
        let log = process.call("audit_log", &json!({ "user_id": user, "limit": 1000 }));
        let entries = log.lines().filter(|line| line.contains("  remember  ")).count();
        assert_eq!(entries, kept, "round {round}:\n{log}");
    }
    assert!(cut_off >= KILLS, "only {cut_off} writes were under way when their process died");
}
