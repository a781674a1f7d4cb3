//! Quotas of a key and of its tenant.

use crate::support::http::{Answer, Client};
use crate::support::{Deployment, HANG_WORD, Model, says};
use serde_json::json;

fn list(client: &mut Client) -> Answer {
    client.ask("list_memories", &json!({})).unwrap()
}

/// That the call was refused for this quota, and when to come back.
fn check_refused(answer: &Answer, setting: &str) {
    assert_eq!(answer.status, 429, "{answer:?}");
    assert_eq!(answer.json()["error"], "rate limit exceeded");
    assert!(answer.json()["detail"].as_str().unwrap().starts_with(setting), "{answer:?}");
    let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{answer:?}");
}

#[test]
fn a_key_and_its_tenant_have_so_many_calls_a_minute() {
    let model = Model::start();
    let deployment = Deployment::new(&model)
        .with("SVC_QUOTA_KEY_CALLS", "3")
        .with("SVC_QUOTA_TENANT_CALLS", "5")
        .with_seats(9);
    let acme = ["--tenant", "acme"];
    let keys = [("a", &acme[..]), ("b", &acme), ("c", &acme), ("d", &["--tenant", "globex"])];
    let keys = keys.map(|(name, arguments)| deployment.principal(name, arguments).1);
    let server = deployment.serve();
    let [mut first, mut second, mut third, mut other] = keys.each_ref().map(|key| server.client(key));
    for _ in 0..3 {
        assert_eq!(list(&mut first).status, 200);
    }
    check_refused(&list(&mut first), "SVC_QUOTA_KEY_CALLS allows a key 3 call(s) a minute, and 3 were made.");
    assert_eq!(list(&mut second).status, 200);
    assert_eq!(list(&mut second).status, 200);
    check_refused(&list(&mut third), "SVC_QUOTA_TENANT_CALLS allows a tenant 5 call(s) a minute");
    assert_eq!(list(&mut other).status, 200);
}

#[test]
fn a_key_has_so_many_calls_at_once() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_QUOTA_KEY_CONCURRENT", "1");
    let (_, greedy) = deployment.principal("greedy", &[]);
    let (_, modest) = deployment.principal("modest", &[]);
    let server = deployment.serve();
    let hanging = json!({ "text": format!("{HANG_WORD} {}", says("slow subject", "later")) });
    std::thread::scope(|scope| {
        let under_way = scope.spawn(|| server.client(&greedy).call("remember", &hanging));
        model.wait_until_asked("slow subject");
        check_refused(
            &list(&mut server.client(&greedy)),
            "SVC_QUOTA_KEY_CONCURRENT allows a key 1 call(s) at once",
        );
        assert_eq!(list(&mut server.client(&modest)).status, 200);
        model.release();
        assert!(under_way.join().unwrap().starts_with("Stored: [ADD]"));
    });
    assert_eq!(list(&mut server.client(&greedy)).status, 200);
    let log = server.client(&modest).call("audit_log", &json!({}));
    assert!(log.contains("refused: SVC_QUOTA_KEY_CONCURRENT"), "{log}");
}

#[test]
fn the_person_at_the_machine_reads_of_the_quota_in_the_reply() {
    let model = Model::start();
    let deployment =
        Deployment::new(&model).with("SVC_QUOTA_KEY_CALLS", "1").with("SVC_QUOTA_TENANT_CALLS", "2");
    let process = deployment.start();
    process.list();
    process.list();
    let refused = process.call("list_memories", &json!({}));
    assert!(
        refused.starts_with("Quota reached: SVC_QUOTA_TENANT_CALLS allows a tenant 2 call(s)"),
        "{refused}"
    );
}
