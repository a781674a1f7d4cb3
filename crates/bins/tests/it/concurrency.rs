//! Several processes on one database.

use crate::support::{Deployment, Model, says};
use serde_json::json;

#[test]
fn four_processes_on_one_slot_leave_one_value() {
    const WRITES: usize = 200;
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let processes: Vec<_> = (0..4).map(|_| deployment.start()).collect();
    std::thread::scope(|scope| {
        for (writer, process) in processes.iter().enumerate() {
            scope.spawn(move || {
                for n in 0..WRITES {
                    let reply = process.remember(&says("deploy target", &format!("host {writer}-{n}")));
                    assert!(reply.starts_with("Stored: ["), "{reply}");
                }
            });
        }
    });
    let log = processes[0].call("audit_log", &json!({ "limit": 1000 }));
    assert_eq!(log.lines().filter(|line| line.contains("  remember  ")).count(), 4 * WRITES);
    for process in &processes {
        process.intact();
        let list = process.list();
        assert_eq!(list.matches('•').count(), 1, "{list}");
    }
    let history = processes[3].call("history", &json!({ "subject": "deploy target" }));
    assert_eq!(history.matches("[ACTIVE]").count(), 1);
    assert_eq!(history.matches("[SUPERSEDED]").count(), 4 * WRITES - 1);
}

#[test]
fn what_one_process_writes_another_reads_at_once() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (one, other) = (deployment.start(), deployment.start());
    assert_eq!(other.list(), "(no memories yet)");
    for n in 0..10 {
        one.remember(&says("counter", &n.to_string()));
        assert!(other.list().contains(&format!("• counter = {n}  (#")), "{n}");
        let answer = other.call("recall", &json!({ "question": "How far is the counter?" }));
        assert!(answer.contains(&format!("counter = {n}")), "{answer}");
    }
}
