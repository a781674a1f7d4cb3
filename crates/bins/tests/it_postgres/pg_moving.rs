//! Moving a SQLite deployment up to PostgreSQL, with everything in it, and with interruptions.

use crate::support::{Cell, Deployment, Model, PATIENCE, Seed, Sql, amount, said, says};
use samples::postgres::{Database, Postgres, Role, durable, shared};
use serde_json::{Value, json};
use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A SQLite deployment, whichever engine the suite is about.
fn on_sqlite(model: &Model) -> Deployment {
    Deployment::new(model).with("SVC_DATABASE_URL", "")
}

/// The same folder and settings, with the memory where it was moved to.
fn moved(deployment: &mut Deployment, target: &Database) {
    deployment.set("SVC_DATABASE_URL", &target.url(Role::Owner));
}

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn sqlite(deployment: &Deployment) -> Sql {
    Sql::open_file(&deployment.folder().join("svc.db"))
}

const SPACES: [(&str, &str); 3] = [("default", ""), ("ann", "coder"), ("bob", "")];

/// Writes a little of everything as one tenant; what the other tenant has under the same numbers differs.
fn fill(call: &mut dyn FnMut(&str, Value) -> String, tenant: &str) {
    for (user, agent) in SPACES {
        let with = |mut arguments: Value| {
            arguments["user_id"] = json!(user);
            arguments["agent_id"] = json!(agent);
            arguments
        };
        for n in 0..6 {
            let text = says(&format!("subject {n}"), &format!("{tenant} value {n} of {user}"));
            call("remember", with(json!({ "text": text, "source": "ops", "metadata": { "n": n } })));
        }
        let change = json!([{ "subject": "subject 1", "value": "changed" }]);
        call("remember", with(json!({ "text": said("it changed", &change) })));
        let doubt = json!([{ "subject": "subject 3", "value": "perhaps", "action": "FLAG" }]);
        call("remember", with(json!({ "text": said("it may have", &doubt) })));
        call("set_reconcile_policy", with(json!({ "mode": "REVIEW" })));
        call("record_decision", with(json!({ "action_summary": "go on", "question": "what now?" })));
        call("attest", with(json!({ "subject": "subject 4" })));
        call("delete", with(json!({ "subject": "subject 2" })));
    }
}

/// What the tenant can get out, space by space, and whether its evidence holds.
fn seen(call: &mut dyn FnMut(&str, Value) -> String) -> Vec<Value> {
    let mut seen = Vec::new();
    for (user, agent) in SPACES {
        let export = call("export_memory", json!({ "user_id": user, "agent_id": agent }));
        seen.push(Value::String(export));
    }
    for receipt in 1..=2 * SPACES.len() {
        let reply = call("verify_receipt", json!({ "receipt_id": receipt }));
        assert!(reply.contains("✓ VALID"), "{reply}");
        seen.push(Value::String(reply));
    }
    seen
}

/// The head of the log moves on with each export, on each side at its own time, and the proofs with it.
fn without_head(export: &Value) -> Value {
    match serde_json::from_str::<Value>(export.as_str().unwrap()) {
        Ok(mut export) => {
            export.as_object_mut().unwrap().remove("audit_head");
            for (list, field) in [("audit", "proof"), ("decisions", "logged"), ("receipts", "logged")] {
                for object in export[list].as_array_mut().into_iter().flatten() {
                    object.as_object_mut().unwrap().remove(field);
                }
            }
            export
        }
        Err(_) => export.clone(),
    }
}

#[test]
fn a_moved_deployment_is_the_same() {
    let model = Model::start();
    // Vectors are made where there are more facts than a question is answered from.
    let mut deployment = on_sqlite(&model).with("SVC_RECALL_CONTEXT", "1").with("SVC_RATE_PER_MIN", "0");
    let keys = [
        deployment.principal("operator", &[]).1,
        deployment.principal("acme admin", &["--tenant", "acme"]).1,
    ];
    let server = deployment.serve();
    for (key, tenant) in keys.iter().zip(["default", "acme"]) {
        let mut client = server.client(key);
        fill(&mut |tool, arguments| client.call(tool, &arguments), tenant);
    }
    let mut operator = server.client(&keys[0]);
    operator.call("delete", &json!({ "subject": "subject 5", "user_id": "bob", "include_audit": true }));
    let vectors = || sqlite(&deployment).cell("SELECT count(*) FROM vector").integer();
    wait_for("no vectors are made", || vectors() > 0);
    server.terminate();
    assert!(server.wait().success());

    let target = Database::create(shared().unwrap());
    let said = deployment.svc(&["migrate-to", &target.url(Role::Owner)]);
    assert!(said.contains("verifies on the other side"), "{said}");
    let there = Sql::connect(target.url(Role::Superuser));
    for (table, order) in [("sequence", "tenant, name"), ("vector", "tenant, fact"), ("tool_counter", "tool")]
    {
        let query = format!("SELECT * FROM {table} ORDER BY {order}");
        assert_eq!(sqlite(&deployment).rows(&query), there.rows(&query), "{table}");
    }

    let look = |deployment: &Deployment| -> Vec<Vec<Value>> {
        let server = deployment.serve();
        let seen = keys.iter().map(|key| {
            let mut client = server.client(key);
            seen(&mut |tool, arguments| client.call(tool, &arguments))
        });
        let seen = seen.collect();
        let verdict = server.client(&keys[0]).call("verify_audit", &json!({}));
        assert!(verdict.contains("INTACT"), "{verdict}");
        seen
    };
    let source = deployment.copy().with("SVC_DATABASE_URL", "");
    let before = look(&source);
    moved(&mut deployment, &target);
    let after = look(&deployment);
    assert_eq!(before[0][0], after[0][0], "the first export, with its head");
    for (before, after) in before.iter().zip(&after) {
        for (before, after) in before.iter().zip(after) {
            assert_eq!(without_head(before), without_head(after));
        }
    }
}

#[test]
fn an_unsafe_move_is_refused() {
    let model = Model::start();
    let mut deployment = on_sqlite(&model);
    let target = Database::create(shared().unwrap());
    let url = target.url(Role::Owner);
    let refusal = deployment.svc_refuses(&["migrate-to", &url]);
    assert!(refusal.contains("there is no database at"), "{refusal}");
    assert!(deployment.start().close().success());
    let refusal = deployment.svc_refuses(&["migrate-to", "postgresql://nobody@127.0.0.1:1/nothing"]);
    assert!(refusal.contains("cannot reach"), "{refusal}");
    let refusal = deployment.svc_refuses(&["migrate-to", "mysql://127.0.0.1/nothing"]);
    assert!(refusal.contains("postgresql://"), "{refusal}");

    deployment.svc(&["migrate-to", &url]);
    let refusal = deployment.svc_refuses(&["migrate-to", &url]);
    assert!(refusal.contains("already holds a deployment"), "{refusal}");
    moved(&mut deployment, &target);
    let refusal = deployment.svc_refuses(&["migrate-to", &url]);
    assert!(refusal.contains("SVC_DATABASE_URL is set"), "{refusal}");
    deployment.start().intact();
}

/// A deployment with so many facts, of a hundred users.
fn with_facts(model: &Model, facts: usize) -> Deployment {
    const AT_ONCE: usize = 16;
    let deployment = on_sqlite(model);
    let process = deployment.start();
    std::thread::scope(|scope| {
        for worker in 0..AT_ONCE {
            let process = &process;
            scope.spawn(move || {
                for n in (worker..facts).step_by(AT_ONCE) {
                    let text = says(&format!("subject {n}"), &format!("value {n}"));
                    let user = format!("user {}", n % 100);
                    let reply = process.call("remember", &json!({ "text": text, "user_id": user }));
                    assert!(reply.starts_with("Stored: [ADD]"), "{reply}");
                }
            });
        }
    });
    assert!(process.close().success());
    deployment
}

/// Starts a copy that cannot get past this table, and waits until it is stuck there.
fn copy_up_to(deployment: &Deployment, target: &Database, table: &str) -> (std::process::Child, Sql) {
    let lock = Sql::connect(target.url(Role::Superuser));
    lock.run(&format!("BEGIN; LOCK TABLE {table} IN SHARE MODE"));
    let child = deployment.svc_command().args(["migrate-to", &target.url(Role::Owner)]).spawn().unwrap();
    let waiting = Sql::connect(target.url(Role::Superuser));
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    wait_for("the copy does not come to the table", || waiting.cell(waits).integer() > 0);
    (child, lock)
}

fn kill(mut child: std::process::Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Makes the schema, for a test that locks a table.
fn prepare(deployment: &mut Deployment, target: &Database) {
    moved(deployment, target);
    let migrate = deployment.run(env!("CARGO_BIN_EXE_svc-migrate"), &["up"]);
    assert!(migrate.status.success());
    deployment.set("SVC_DATABASE_URL", "");
}

fn check_moved(deployment: &mut Deployment, target: &Database) {
    let here = sqlite(deployment);
    let there = Sql::connect(target.url(Role::Superuser));
    for (table, order) in [("fact", "tenant, id"), ("audit_entry", "seq"), ("statement", "space, text_ix")] {
        let query = format!("SELECT * FROM {table} ORDER BY {order}");
        assert_eq!(here.rows(&query), there.rows(&query), "{table}");
    }
    let marked = "SELECT count(*) FROM deployment WHERE name = 'copying'";
    assert_eq!(there.cell(marked), Cell::Integer(0));
    drop(there);
    moved(deployment, target);
    deployment.start().intact();
}

#[test]
fn a_copy_that_is_killed_goes_on_where_it_stopped() {
    let model = Model::start();
    let original = with_facts(&model, 2_000);
    let mut seed = Seed::new(11);
    for _ in 0..amount(2, 8) {
        let mut deployment = original.copy().with("SVC_DATABASE_URL", "");
        let target = Database::create(shared().unwrap());
        prepare(&mut deployment, &target);
        let table =
            *seed.pick(&["space", "fact", "statement", "audit_entry", "tool_counter", "action_counter"]);
        let (child, lock) = copy_up_to(&deployment, &target, table);
        kill(child);
        lock.run("ROLLBACK");
        drop(lock);

        moved(&mut deployment, &target);
        let refusal = deployment.refusal();
        assert!(refusal.contains("run svc migrate-to or svc restore again"), "{refusal}");
        deployment.set("SVC_DATABASE_URL", "");
        let output = deployment.run(env!("CARGO_BIN_EXE_svc"), &["migrate-to", &target.url(Role::Owner)]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && told.contains("going on with the copy"), "{table}: {told}");
        check_moved(&mut deployment, &target);
    }
}

/// The outbox comes and goes without an entry in the log, by which a copy that goes on knows its source again.
#[test]
fn an_outbox_that_changed_meanwhile_is_copied_anew_and_the_graph_is_off() {
    let model = Model::start();
    let mut deployment = with_facts(&model, 10);
    let target = Database::create(shared().unwrap());
    prepare(&mut deployment, &target);
    let here = sqlite(&deployment);
    here.run("INSERT INTO graph_projection (id, fence) VALUES (1, 0)");
    here.run("INSERT INTO graph_outbox (tenant, fact, created) SELECT tenant, id, created FROM fact");
    let (child, lock) = copy_up_to(&deployment, &target, "tool_counter");
    kill(child);
    lock.run("ROLLBACK");
    drop(lock);
    here.run("DELETE FROM graph_outbox WHERE fact < 5");
    let output = deployment.run(env!("CARGO_BIN_EXE_svc"), &["migrate-to", &target.url(Role::Owner)]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && told.contains("going on with the copy"), "{told}");
    let there = Sql::connect(target.url(Role::Superuser));
    let rows = "SELECT * FROM graph_outbox ORDER BY seq";
    assert_eq!(here.rows(rows), there.rows(rows));
    assert_eq!(there.cell("SELECT count(*) FROM graph_projection"), Cell::Integer(0));
    there.run("INSERT INTO graph_outbox (tenant, fact, created) VALUES ('default', 1, 1)");
    assert_eq!(there.cell("SELECT max(seq) FROM graph_outbox"), Cell::Integer(11));
    drop(there);
    check_moved(&mut deployment, &target);
}

#[test]
fn a_copy_killed_within_a_table_repeats_no_row() {
    let model = Model::start();
    let mut deployment = with_facts(&model, 2_000);
    let target = Database::create(shared().unwrap());
    prepare(&mut deployment, &target);
    // The copy fails at a random batch: a stand-in for anything that ends it there. It has looked at the schema by then.
    let at = 1 + Seed::new(5).below(2_000);
    let (mut child, lock) = copy_up_to(&deployment, &target, "space");
    let there = Sql::connect(target.url(Role::Superuser));
    there.run(&format!(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'no more'; END $$;
         CREATE TRIGGER refuse BEFORE INSERT ON fact FOR EACH ROW WHEN (NEW.id = {at}) EXECUTE FUNCTION refuse()"
    ));
    lock.run("ROLLBACK");
    drop(lock);
    assert!(!child.wait().unwrap().success());
    let copied = there.cell("SELECT count(*) FROM fact").integer();
    assert!(copied < 2_000 && copied % 500 == 0, "{copied}");
    there.run("DROP FUNCTION refuse CASCADE");
    let output = deployment.run(env!("CARGO_BIN_EXE_svc"), &["migrate-to", &target.url(Role::Owner)]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    // The first thing that is said of the table counts what was there.
    let first = told.lines().find(|line| line.starts_with("fact: ")).unwrap();
    assert!(copied == 0 || first == format!("fact: {copied} of 2000 rows"), "{told}");
    drop(there);
    check_moved(&mut deployment, &target);
}

#[test]
fn a_copy_survives_a_restart_of_its_database() {
    let Some(postgres): Option<Arc<Postgres>> = durable() else { return };
    let model = Model::start();
    let mut deployment = with_facts(&model, 1_000);
    let target = Database::create(&postgres);
    prepare(&mut deployment, &target);
    let (mut child, lock) = copy_up_to(&deployment, &target, "audit_entry");
    postgres.stop_immediate();
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert!(!child.wait().unwrap().success(), "{told}");
    drop(lock);
    postgres.start();
    deployment.svc(&["migrate-to", &target.url(Role::Owner)]);
    check_moved(&mut deployment, &target);
}

#[test]
fn a_changed_source_is_copied_again() {
    let model = Model::start();
    let mut deployment = with_facts(&model, 1_000);
    let target = Database::create(shared().unwrap());
    prepare(&mut deployment, &target);
    let (child, lock) = copy_up_to(&deployment, &target, "tool_counter");
    kill(child);
    lock.run("ROLLBACK");
    drop(lock);
    let process = deployment.start();
    process.call("delete_all", &json!({}));
    process.remember(&says("another", "fact"));
    assert!(process.close().success());
    let output = deployment.run(env!("CARGO_BIN_EXE_svc"), &["migrate-to", &target.url(Role::Owner)]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && told.contains("the copy starts again"), "{told}");
    check_moved(&mut deployment, &target);
}

#[test]
fn calls_during_a_copy_make_it_incomplete() {
    let model = Model::start();
    let mut deployment = with_facts(&model, 100);
    let target = Database::create(shared().unwrap());
    prepare(&mut deployment, &target);
    let (mut child, lock) = copy_up_to(&deployment, &target, "tool_counter");
    let process = deployment.start();
    for n in 0..3 {
        process.remember(&says(&format!("meanwhile {n}"), "lost otherwise"));
    }
    assert!(process.close().success());
    lock.run("ROLLBACK");
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert!(!child.wait().unwrap().success());
    assert!(told.contains("3 calls were made"), "{told}");
    drop(lock);
    moved(&mut deployment, &target);
    deployment.refusal();
    deployment.set("SVC_DATABASE_URL", "");
    deployment.svc(&["migrate-to", &target.url(Role::Owner)]);
    check_moved(&mut deployment, &target);
}

/// With SVC_TEST_FULL it is the whole 50,000.
#[test]
fn an_interrupted_large_move_still_verifies() {
    let model = Model::start();
    let facts = amount(3_000, 50_000);
    let mut deployment = with_facts(&model, facts);
    let target = Database::create(shared().unwrap());
    prepare(&mut deployment, &target);
    let (child, lock) = copy_up_to(&deployment, &target, "statement");
    kill(child);
    lock.run("ROLLBACK");
    drop(lock);
    let began = Instant::now();
    let said = deployment.svc(&["migrate-to", &target.url(Role::Owner)]);
    let took = began.elapsed();
    assert!(said.contains("verifies on the other side"), "{said}");
    let counted = Sql::connect(target.url(Role::Superuser)).cell("SELECT count(*) FROM fact").integer();
    assert_eq!(counted, i64::try_from(facts).unwrap());
    check_moved(&mut deployment, &target);
    println!("{facts} facts: the second run took {took:?}");
}
