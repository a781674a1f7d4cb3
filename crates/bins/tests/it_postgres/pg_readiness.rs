//! A PostgreSQL that answers and takes no writes, as a standby does; one that ended every connection while nobody used
//! them, as a proxy between does; and one that was emptied.

use crate::support::http::request;
use crate::support::{Deployment, Model, PATIENCE, Server, says};
use serde_json::json;
use std::time::Instant;

/// Changes what the sessions of this database are allowed, and ends those that there are. The change itself must be
/// allowed whatever it was before.
fn change_sessions(deployment: &Deployment, change: &str) {
    let sql = deployment.sql();
    sql.run("SET default_transaction_read_only = off");
    let name = sql.cell("SELECT quote_ident(current_database())").text().to_owned();
    sql.run(&format!("ALTER DATABASE {name} {change}"));
    end_sessions(deployment);
}

fn end_sessions(deployment: &Deployment) {
    deployment.sql().rows(
        "SELECT pg_terminate_backend(pid)::TEXT FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
}

fn wait_for(server: &Server, said: &serde_json::Value) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = server.connect().ask(&request("GET", "/readyz", &[], b"")).unwrap();
        if answer.json() == *said {
            return;
        }
        assert!(Instant::now() < deadline, "{answer:?}");
    }
}

#[test]
fn a_database_that_takes_no_writes_is_not_ready() {
    let deployment = Deployment::new(&Model::start()).with("SVC_RATE_PER_MIN", "0");
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    wait_for(&server, &json!({ "status": "ready" }));
    change_sessions(&deployment, "SET default_transaction_read_only = on");
    wait_for(&server, &json!({ "status": "not-ready" }));
    let refused = server.client(&key).remember(&says("during", "this"));
    assert!(refused.contains("Nothing was changed: the database takes no writes."), "{refused}");
    change_sessions(&deployment, "RESET default_transaction_read_only");
    wait_for(&server, &json!({ "status": "ready" }));
    assert!(server.client(&key).remember(&says("after", "it")).starts_with("Stored: [ADD]"));
}

#[test]
fn connections_that_were_ended_while_idle_fail_no_call() {
    let deployment = Deployment::new(&Model::start()).with("SVC_RATE_PER_MIN", "0");
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    assert!(client.remember(&says("database", "Postgres")).starts_with("Stored: [ADD]"));
    for n in 0..20 {
        end_sessions(&deployment);
        let shown = client.call("get_memory", &json!({ "memory_id": 1 }));
        assert!(shown.contains("database = Postgres"), "round {n}: {shown}");
    }
}

#[test]
fn an_emptied_database_stops_startup_with_what_to_do() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    process.remember(&says("city", "Oslo"));
    assert!(process.close().success());
    deployment.svc(&["backup", "copy"]);
    deployment
        .sql_as_owner()
        .run("DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT ALL ON SCHEMA public TO PUBLIC");
    let said = deployment.refusal();
    assert!(said.contains("the database is empty") && said.contains("svc restore FILE"), "{said}");

    deployment.svc(&["restore", "copy"]);
    let process = deployment.start();
    assert!(process.list().contains("Oslo"));
    process.intact();
}
