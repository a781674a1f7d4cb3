//! Quotas of a key and of its tenant.

use crate::support::http::{Answer, Client};
use crate::support::{Deployment, HANG_WORD, Model, says};
use serde_json::json;

/// That what is counted for the quotas is what the tables hold.
fn check_counts(deployment: &Deployment) {
    let sql = deployment.sql();
    let number = |query: &str| sql.cell(query).integer();
    let length = match crate::ENGINE {
        crate::support::Engine::Sqlite => "length",
        crate::support::Engine::Postgres => "octet_length",
    };
    let bytes = |table: &str| {
        number(&format!("SELECT CAST(coalesce(sum({length}(body)), 0) AS BIGINT) FROM {table}"))
    };
    let counted =
        |column: &str| number(&format!("SELECT CAST(coalesce(sum({column}), 0) AS BIGINT) FROM storage_use"));
    assert_eq!(counted("facts"), number("SELECT count(*) FROM fact"));
    assert_eq!(counted("bytes"), bytes("fact") + bytes("statement_text"));
}

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
fn denied_calls_count_and_the_log_tells_once_of_those_beyond_a_quota() {
    let deployment = Deployment::new(&Model::start()).with("SVC_QUOTA_KEY_CALLS", "5");
    let (_, viewer) = deployment.principal("viewer", &["--role", "viewer"]);
    let (_, admin) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let mut viewer = server.client(&viewer);
    let mut write = || viewer.ask("remember", &json!({ "text": says("city", "Oslo") })).unwrap();
    let statuses: Vec<u16> = (0..20).map(|_| write().status).collect();
    assert_eq!(statuses, [vec![200; 5], vec![429; 15]].concat());
    let log = server.client(&admin).call("audit_log", &json!({}));
    assert_eq!(log.matches("requires the 'write' capability").count(), 5, "{log}");
    assert_eq!(log.matches("refused: SVC_QUOTA_KEY_CALLS").count(), 1, "{log}");
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

#[test]
fn a_tenant_holds_so_many_facts_however_many_write_at_once() {
    const MOST: usize = 10;
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_QUOTA_TENANT_FACTS", &MOST.to_string());
    let (_, key) = deployment.principal("acme", &["--tenant", "acme"]);
    let (_, other) = deployment.principal("globex", &["--tenant", "globex"]);
    let servers = [deployment.serve(), deployment.serve()];
    let said: Vec<String> = std::thread::scope(|scope| {
        let (servers, key) = (&servers, &key);
        let writer = |n: usize| {
            let arguments =
                json!({ "text": says(&format!("subject {n}"), "x"), "user_id": format!("u{}", n % 4) });
            servers[n % 2].client(key).call("remember", &arguments)
        };
        let writers: Vec<_> = (0..2 * MOST).map(|n| scope.spawn(move || writer(n))).collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let stored = said.iter().filter(|reply| reply.starts_with("Stored: [ADD]")).count();
    let full = "Quota reached: SVC_QUOTA_TENANT_FACTS allows a tenant 10 fact(s), 10 are held";
    let refused = said.iter().filter(|reply| reply.starts_with(full)).count();
    assert_eq!((stored, refused), (MOST, MOST), "{said:#?}");
    check_counts(&deployment);

    let mut client = servers[0].client(&key);
    assert!(servers[0].client(&other).remember(&says("city", "Rome")).starts_with("Stored: [ADD]"));
    // What is known already needs no room, and erasing makes some.
    let n = said.iter().position(|reply| reply.starts_with("Stored")).unwrap();
    let user = format!("u{}", n % 4);
    let again = json!({ "text": says(&format!("subject {n}"), "x"), "user_id": user });
    assert!(client.call("remember", &again).starts_with("Stored: [DEDUP]"));
    client.call("delete_all", &json!({ "user_id": user }));
    check_counts(&deployment);
    assert!(client.call("remember", &json!({ "text": says("after", "x") })).starts_with("Stored: [ADD]"));
}

#[test]
fn a_key_stores_so_many_bytes_and_what_takes_back_needs_no_room() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_QUOTA_KEY_BYTES", "6000");
    let (_, greedy) = deployment.principal("greedy", &[]);
    let (_, modest) = deployment.principal("modest", &[]);
    let server = deployment.serve();
    let mut client = server.client(&greedy);
    let replies: Vec<String> =
        (0..40).map(|n| client.remember(&says(&format!("subject {n}"), &"long ".repeat(40)))).collect();
    let stored = replies.iter().take_while(|reply| reply.starts_with("Stored: [ADD]")).count();
    assert!((1..40).contains(&stored), "{replies:#?}");
    let full = "Quota reached: SVC_QUOTA_KEY_BYTES allows a key 6000 byte(s)";
    assert!(replies[stored].starts_with(full), "{}", replies[stored]);
    check_counts(&deployment);
    let id = crate::support::id(&client.list());
    let grown = client.call("update_memory", &json!({ "memory_id": id, "new_value": "y ".repeat(4000) }));
    assert!(grown.starts_with(full), "{grown}");
    assert!(server.client(&modest).remember(&says("city", "Rome")).starts_with("Stored: [ADD]"));
    client.call("delete_all", &json!({}));
    check_counts(&deployment);
    assert!(client.remember(&says("city", "Oslo")).starts_with("Stored: [ADD]"));
}

#[test]
fn a_database_of_before_is_counted_when_it_is_opened() {
    let model = Model::start();
    let mut deployment = Deployment::new(&model);
    let process = deployment.start();
    process.remember(&says("city", "Oslo"));
    process.remember(&says("city", "Bergen"));
    assert!(process.close().success());
    deployment.back_to_version(4);
    deployment.set("SVC_QUOTA_TENANT_FACTS", "3");
    let process = deployment.start();
    assert!(process.remember(&says("colour", "red")).starts_with("Stored: [ADD]"));
    check_counts(&deployment);
    let refused = process.remember(&says("food", "fish"));
    assert!(refused.starts_with("Quota reached: SVC_QUOTA_TENANT_FACTS"), "{refused}");
    // A fact is taken back all the same.
    let taken_back = process.call("forget", &json!({ "text": "Forget the colour." }));
    assert!(!taken_back.starts_with("Quota reached"), "{taken_back}");
}
