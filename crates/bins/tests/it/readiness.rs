//! What the service says of itself while nothing can be stored, and what it still answers.

use crate::support::http::{Connection, request};
use crate::support::{Deployment, Model, PATIENCE, Server, Sql, says};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Twice what the server gives itself, for a machine that is busy with other tests.
const SOON: Duration = Duration::from_secs(2);
/// What `health` promises, and what a busy machine adds.
const HEALTH_TIME: Duration = Duration::from_millis(2500);

fn get(server: &Server, path: &str) -> (u16, String) {
    let answer = Connection::open(server.address()).ask(&request("GET", path, &[], b"")).unwrap();
    (answer.status, answer.body)
}

#[track_caller]
fn check_not_ready(server: &Server, part: &str) {
    let deadline = Instant::now() + PATIENCE;
    // A commit of a moment ago may still count.
    while get(server, "/readyz").0 == 200 {
        assert!(Instant::now() < deadline, "it stays ready");
    }
    let began = Instant::now();
    let (status, body) = get(server, "/readyz");
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    let said: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, said), (503, json!({ "status": "not-ready" })));
    server.wait_for_log(&format!("part=\"{part}\""));
    let (status, page) = get(server, "/metrics");
    assert!(status == 200 && page.contains(&format!("svc_not_ready{{part=\"{part}\"}} 1")), "{page}");
}

fn wait_until_ready(server: &Server) {
    let deadline = Instant::now() + PATIENCE;
    while get(server, "/readyz").0 != 200 {
        assert!(Instant::now() < deadline, "it does not become ready again");
    }
}

/// What needs no audit entry is answered.
fn check_still_served(server: &Server, key: &str) {
    for path in ["/healthz", "/metrics"] {
        assert_eq!(get(server, path).0, 200, "{path}");
    }
    let headers = crate::support::http::headers(key);
    let answer = server.connect().ask(&request("GET", "/openapi.json", &headers, b"")).unwrap();
    assert_eq!(answer.status, 200);
    for method in ["initialize", "ping", "tools/list", "prompts/list", "resources/list"] {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": {} }).to_string();
        let began = Instant::now();
        let answer = server.connect().ask(&request("POST", "/mcp", &headers, body.as_bytes())).unwrap();
        let events = answer.events();
        assert!(events.last().is_some_and(|event| event.get("result").is_some()), "{method}: {answer:?}");
        assert!(began.elapsed() < SOON, "{method}: {:?}", began.elapsed());
    }
}

/// `health` answers in its lines, within two seconds, and says what is wrong with the database.
#[track_caller]
fn check_health(server: &Server, key: &str, db: &str) {
    let began = Instant::now();
    let said = server.client(key).call("health", &json!({}));
    assert!(began.elapsed() < HEALTH_TIME, "{:?}", began.elapsed());
    let lines: Vec<&str> = said.lines().collect();
    let starts = ["config: ", "license: ", "encryption: ", "db: ", "embedder: ", "llm: ", "graph: "];
    assert!(lines.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{said}");
    assert_eq!(lines[3], format!("db: {db}"), "{said}");
}

#[test]
fn a_foreign_lock_is_told_and_ends() {
    let deployment = Deployment::new(&Model::start()).with("SVC_RATE_PER_MIN", "0");
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    assert_eq!(get(&server, "/readyz").0, 200);
    let stranger = Sql::open_file(&deployment.folder().join("svc.db"));
    stranger.run("BEGIN IMMEDIATE");
    check_not_ready(&server, "lock");
    check_still_served(&server, &key);
    check_health(&server, &key, "FAIL (DatabaseLocked)");
    stranger.run("ROLLBACK");
    wait_until_ready(&server);
    assert!(server.client(&key).remember(&says("after", "the lock")).starts_with("Stored: [ADD]"));
}

/// Says that a test was left out, past the harness that keeps what tests print. Where everything must run, it fails.
fn not_run(what: &str) {
    let notice = format!("NOT RUN: {what}\n");
    assert!(std::env::var_os("CI").is_none(), "{notice}");
    std::io::stderr().write_all(notice.as_bytes()).unwrap();
}

/// A small file system of its own, which only root may make.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn make() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=3m", "tmpfs"]).arg(folder.path());
        let made = mount.output().is_ok_and(|output| output.status.success());
        if !made {
            not_run("a full disk. Only root may mount the small file system that this test fills.");
            return None;
        }
        Some(Self(folder))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

#[test]
fn a_full_disk_is_told_and_ends() {
    let Some(disk) = SmallDisk::make() else { return };
    let database = disk.path().join("svc.db");
    let deployment = Deployment::new(&Model::start())
        .with("SVC_RATE_PER_MIN", "0")
        .with("SVC_DB", database.to_str().unwrap());
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    client.remember(&says("before", "it was full"));
    let ballast = disk.path().join("ballast");
    let full = std::fs::write(&ballast, vec![1; 4 << 20]).unwrap_err();
    assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
    // What is written goes over what the log for writing ahead holds already, until that is used up.
    let refused = (0..2000)
        .map(|n| client.remember(&says(&format!("subject {n}"), &"x".repeat(2000))))
        .find(|said| !said.starts_with("Stored:"))
        .unwrap();
    assert!(refused.starts_with("Svc couldn't complete that (ref "), "{refused}");
    assert!(refused.contains("Nothing was changed: the disk is full"), "{refused}");
    check_not_ready(&server, "disk");
    check_still_served(&server, &key);
    check_health(&server, &key, "FAIL (DiskError)");
    std::fs::remove_file(&ballast).unwrap();
    wait_until_ready(&server);
    assert!(client.remember(&says("after", "it was full")).starts_with("Stored: [ADD]"));
    assert!(client.call("verify_audit", &json!({})).contains("INTACT"));
}

/// Small writes still go over what the log for writing ahead holds, until that is used up in the middle of a call.
#[test]
fn a_disk_is_full_before_a_call_finds_out() {
    let Some(disk) = SmallDisk::make() else { return };
    let database = disk.path().join("svc.db");
    let deployment = Deployment::new(&Model::start())
        .with("SVC_RATE_PER_MIN", "0")
        .with("SVC_DB", database.to_str().unwrap());
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    for n in 0..20 {
        client.remember(&says(&format!("subject {n}"), &"x".repeat(2000)));
    }
    assert_eq!(get(&server, "/readyz").0, 200);
    std::fs::write(disk.path().join("ballast"), vec![1; 4 << 20]).unwrap_err();
    check_not_ready(&server, "disk");
    check_health(&server, &key, "FAIL (DiskError)");
}

#[test]
fn a_log_that_takes_no_entry_is_told_and_ends() {
    for (_, deployment) in Deployment::on_each_engine(&Model::start()) {
        let (_, key) = deployment.principal("admin", &[]);
        let server = deployment.serve();
        assert_eq!(get(&server, "/readyz").0, 200);
        let sql = deployment.sql();
        sql.run("ALTER TABLE audit_entry RENAME TO elsewhere");
        check_not_ready(&server, "audit-log");
        check_health(&server, &key, "FAIL (AuditLogError)");
        sql.run("ALTER TABLE elsewhere RENAME TO audit_entry");
        wait_until_ready(&server);
        assert!(server.client(&key).remember(&says("after", "it")).starts_with("Stored: [ADD]"));
        assert!(server.client(&key).call("verify_audit", &json!({})).contains("INTACT"));
    }
}

#[test]
fn a_database_file_that_is_away_is_told_and_takes_nothing() {
    let deployment = Deployment::new(&Model::start());
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    assert!(server.client(&key).remember(&says("before", "it")).starts_with("Stored: [ADD]"));
    let (file, elsewhere) = (deployment.folder().join("svc.db"), deployment.folder().join("elsewhere"));
    std::fs::rename(&file, &elsewhere).unwrap();
    check_not_ready(&server, "database");
    check_health(&server, &key, "FAIL (SqliteError)");
    let reply = server.client(&key).call("remember", &json!({ "text": says("lost", "it") }));
    assert!(reply.starts_with("Svc couldn't complete that"), "{reply}");
    assert!(!file.exists(), "another one was begun");
    std::fs::rename(&elsewhere, &file).unwrap();
    wait_until_ready(&server);
    let mut client = server.client(&key);
    assert!(client.remember(&says("after", "it")).starts_with("Stored: [ADD]"));
    assert!(client.list().contains("before = it") && !client.list().contains("lost"));
}

#[test]
fn a_log_without_its_head_is_told_and_ends() {
    for (_, deployment) in Deployment::on_each_engine(&Model::start()) {
        let (_, key) = deployment.principal("admin", &[]);
        let sql = deployment.sql();
        sql.run("UPDATE deployment SET name = 'elsewhere' WHERE name = 'audit_head'");
        let server = deployment.serve();
        check_not_ready(&server, "audit-log");
        check_health(&server, &key, "FAIL (AuditLogError)");
        let reply = server.client(&key).call("remember", &json!({ "text": says("city", "Oslo") }));
        assert!(reply.contains("stored, but damaged"), "{reply}");
        sql.run("UPDATE deployment SET name = 'audit_head' WHERE name = 'elsewhere'");
        wait_until_ready(&server);
        assert!(server.client(&key).remember(&says("after", "it")).starts_with("Stored: [ADD]"));
        assert!(server.client(&key).call("verify_audit", &json!({})).contains("INTACT"));
    }
}

#[test]
fn a_failed_sync_ends_the_writer() {
    let has_strace = Command::new("strace").arg("-V").output().is_ok_and(|output| output.status.success());
    if !has_strace {
        not_run("a failed sync. Install strace, which this test injects it with.");
        return;
    }
    let deployment = Deployment::new(&Model::start()).with("SVC_RATE_PER_MIN", "0");
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    assert!(client.remember(&says("before", "kept")).starts_with("Stored: [ADD]"));
    // One sync that fails, and then the disk is as good as ever.
    let mut tracer = Command::new("strace");
    // Printed nowhere: strace stops the server when nobody reads what it prints.
    tracer.args(["-f", "-q", "-o", "/dev/null", "-e", "trace=fsync,fdatasync"]);
    tracer.args(["-e", "inject=fsync,fdatasync:error=EIO:when=1", "-p", &server.id().to_string()]);
    let mut tracer = tracer.stderr(std::process::Stdio::null()).spawn().unwrap();
    let unknown = loop {
        let said = client.remember(&says("during", "a fault of the disk"));
        if !said.starts_with("Stored:") {
            break said;
        }
        if tracer.try_wait().unwrap().is_some() {
            not_run("a failed sync. This machine does not let strace attach to a process.");
            return;
        }
    };
    let _ = tracer.kill();
    let _ = tracer.wait();
    // The sync that failed was that of the call's own commit, or of what was read before it.
    let told = ["It is not known whether this was stored", "until the operator has restarted the service"];
    assert!(told.iter().any(|words| unknown.contains(words)), "{unknown}");
    let refused = client.remember(&says("after", "a failed sync"));
    assert!(refused.contains("until the operator has restarted the service"), "{refused}");
    check_not_ready(&server, "disk");
    check_still_served(&server, &key);
    drop(server);

    let server = deployment.serve();
    let mut client = server.client(&key);
    wait_until_ready(&server);
    let held = client.list();
    assert!(held.contains("before") && !held.contains("after"), "{held}");
    assert!(client.call("verify_audit", &json!({})).contains("INTACT"));
}
