//! The audit log and its heads changed by somebody who can write the files and has no key.

use crate::campaign::{Campaign, Row, Verdict, thousands};
use crate::support::{Cell, Deployment, Model, Seed, WitnessProcess, blob, program, says};
use evidence::{Head, OutsideHead, Signed, SignedHead, Signer};
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub const ROW: Row = Row {
    name: "forged-logs",
    title: "mutations of an audit log and its heads by somebody without the keys",
    does_not_show: "a database and head file that are put back together where there is no witness; PostgreSQL, whose log \
                    is checked by the same code",
    run,
};

/// What is done to a copy of the log.
type Mutation = fn(&Logs, &Deployment, &mut Seed);

const CLASSES: [(&str, Mutation); 18] = [
    ("an entry edited", edited),
    ("an entry deleted", deleted),
    ("two entries swapped", swapped),
    ("an entry inserted", inserted),
    ("the end cut off", truncated),
    ("an entry moved to another tenant", moved),
    ("an entry of another log spliced in", spliced),
    ("hashes nulled", hashes_nulled),
    ("the head's signature nulled", signature_nulled),
    ("the head row removed", head_row_removed),
    ("the head file removed", head_removed),
    ("the head file emptied or cut", head_cut),
    ("the head file of another database", head_of_another),
    ("an older database with its own head row as the head file", own_head_row),
    ("log, head row and head file removed", all_removed),
    ("an older database", rolled_back),
    ("re-signed by a stranger's key", resigned),
    ("another history from an older copy on", forked),
];

/// Where the witness is.
type Setting = fn(&Logs) -> String;

/// Database and head file put back together, to the older copy or another history: found by a witness.
const WITNESSED: [(&str, Setting); 2] = [
    ("all files put back, with a witness that is a file", |logs| logs.witness_file()),
    ("all files put back, with a witness over HTTP", |logs| logs.witness.setting().to_owned()),
];

/// What shows that a change did no harm.
type Check = fn(&Logs, &Deployment);

/// What is put right by itself or holds all the same, and what shows that.
const HELD: [(&str, Mutation, Check); 7] = [
    ("the row of the tree removed", peaks_removed, found_and_mended),
    ("the row of the tree changed", peaks_changed, found_and_mended),
    ("a memory marked as being erased", marked, found_and_mended),
    ("an earlier fact put back", fact_put_back, nothing_is_safe),
    ("the policy of a memory taken away", policy_removed, policy_holds),
    ("how sources are bound removed", sources_removed, sources_stay_bound),
    ("a revoked principal put back", principal_put_back, revoked_stays_out),
];

/// The log, an older copy of it, another history that begins with that copy, and a log of somebody else.
struct Logs {
    newest: Deployment,
    older: Deployment,
    fork: Deployment,
    stranger: Deployment,
    entries: usize,
    /// Keys of an agent, and of one that was revoked after the older copy was made.
    agent: String,
    revoked: String,
    /// They have seen the newest log.
    witness: WitnessProcess,
    elsewhere: TempDir,
}

fn run(campaign: &Campaign) -> Verdict {
    let entries = campaign.amount(24, 1_000);
    let classes = CLASSES.len() + WITNESSED.len();
    let (mutations, clean) = (campaign.amount(classes * 2, 10_000), campaign.amount(3, 1_000));
    let held = campaign.amount(HELD.len(), 700);
    let model = Model::start();
    let logs = Logs::new(&model, entries);
    let mut seed = Seed::new(campaign.seed);
    for n in 0..mutations {
        campaign.progress("mutations", n, mutations);
        let mut deployment = logs.newest.copy();
        let class = match CLASSES.get(n % classes) {
            Some((class, mutate)) => {
                mutate(&logs, &deployment, &mut seed);
                class
            }
            None => {
                let (class, witness) = WITNESSED[n % classes - CLASSES.len()];
                deployment.set("SVC_WITNESS", &witness(&logs));
                put_back(&logs, &deployment, &mut seed);
                class
            }
        };
        let verdict = verdict(&deployment);
        assert!(verdict.starts_with("⚠ Audit chain BROKEN at seq "), "{class} (number {n}): {verdict}");
    }
    for n in 0..held {
        campaign.progress("changes that hold", n, held);
        let (class, mutate, check) = HELD[n % HELD.len()];
        let deployment = logs.newest.copy();
        mutate(&logs, &deployment, &mut seed);
        eprintln!("{class}, number {n}");
        check(&logs, &deployment);
    }
    for n in 0..clean {
        campaign.progress("clean logs", n, clean);
        let deployment = logs.newest.copy();
        write(&deployment, n % 3);
        let verdict = verdict(&deployment);
        assert!(verdict.starts_with("✓ Audit chain INTACT"), "clean log {n}: {verdict}");
    }
    Verdict::held(
        format!(
            "{} mutations in {} classes of a log of {} entries and its heads; {} changes in {} classes of rows beside it; {} \
             clean logs",
            thousands(mutations),
            classes,
            thousands(entries),
            thousands(held),
            HELD.len(),
            thousands(clean)
        ),
        "every mutation BROKEN, every clean log INTACT; the tree's row and marks of no erasure found and mended; no fact, \
         policy, binding of sources or principal that was put back counted",
    )
}

impl Logs {
    fn new(model: &Model, entries: usize) -> Self {
        let newest = Deployment::new(model).with("SVC_RATE_PER_MIN", "0");
        let (_, agent) = newest.principal("agent", &["--role", "agent"]);
        let (ended, revoked) = newest.principal("revoked", &["--role", "agent"]);
        let process = newest.start();
        process.remember(&says(PINNED, "what was"));
        process.call("set_reconcile_policy", &json!({ "mode": "REVIEW" }));
        assert!(process.close().success());
        write(&newest, entries - entries / 4);
        let older = newest.copy();
        let fork = newest.copy();
        write(&fork, entries / 2);
        write(&newest, entries / 4);
        let process = newest.start();
        process.call("revoke_principal", &json!({ "principal_id": ended }));
        assert!(process.remember(&says(PINNED, "what is")).starts_with("Stored: [SUPERSEDE]"));
        assert!(process.close().success());
        let stranger = Deployment::new(model);
        write(&stranger, 4);
        let (witness, elsewhere) = (WitnessProcess::of(&newest), tempfile::tempdir().unwrap());
        let logs = Self { newest, older, fork, stranger, entries, agent, revoked, witness, elsewhere };
        // Asked by a copy, so that the log itself stays as it is.
        let mut shown = logs.newest.copy();
        shown.set("SVC_WITNESS", &format!("{},{}", logs.witness_file(), logs.witness.setting()));
        let health = shown.start().call("health", &json!({}));
        assert_eq!(health.matches("\nwitness ").count(), 2, "{health}");
        assert!(!health.contains("WitnessAway"), "{health}");
        logs
    }

    fn witness_file(&self) -> String {
        format!("file:{}", self.elsewhere.path().join("svc.head").display())
    }

    /// The number of an entry.
    fn any(&self, seed: &mut Seed) -> usize {
        1 + seed.below(self.entries - 1)
    }
}

fn write(deployment: &Deployment, count: usize) {
    let process = deployment.start();
    for n in 0..count {
        process.remember(&says(&format!("subject {n}"), "some value"));
    }
    assert!(process.close().success());
}

/// The subject of the fact that was replaced after the older copy was made.
const PINNED: &str = "code";

fn verdict(deployment: &Deployment) -> String {
    deployment.start().call("verify_audit", &json!({}))
}

fn head_file(deployment: &Deployment) -> PathBuf {
    deployment.folder().join("svc.db.head")
}

fn change(deployment: &Deployment, statement: &str) {
    deployment.sql().run(statement);
}

fn edited(logs: &Logs, deployment: &Deployment, seed: &mut Seed) {
    let edits = [
        "action = 'recall'",
        "user_id = 'mallory'",
        "caller = 'mallory'",
        "request = 'other'",
        "ts = ts + 1",
        "committed = zeroblob(32)",
        "detail = NULL",
        "changes = zeroblob(40)",
        "prev = randomblob(32)",
    ];
    let edit = *seed.pick(&edits);
    change(deployment, &format!("UPDATE audit_entry SET {edit} WHERE seq = {}", logs.any(seed)));
}

fn deleted(logs: &Logs, deployment: &Deployment, seed: &mut Seed) {
    change(deployment, &format!("DELETE FROM audit_entry WHERE seq = {}", logs.any(seed)));
}

fn swapped(logs: &Logs, deployment: &Deployment, seed: &mut Seed) {
    let first = logs.any(seed);
    let second = first + 1;
    change(
        deployment,
        &format!(
            "UPDATE audit_entry SET seq = -1 WHERE seq = {first};
             UPDATE audit_entry SET seq = {first} WHERE seq = {second};
             UPDATE audit_entry SET seq = {second} WHERE seq = -1;"
        ),
    );
}

const COLUMNS: &str = "tenant, ts, action, user_id, agent_id, run_id, caller, request, committed, detail, blanks, prev, \
                       hash, signature, changes";

fn inserted(logs: &Logs, deployment: &Deployment, seed: &mut Seed) {
    let place = *seed.pick(&["0", "-7", "(SELECT max(seq) + 1 FROM audit_entry)"]);
    let from = logs.any(seed);
    change(
        deployment,
        &format!(
            "INSERT INTO audit_entry (seq, {COLUMNS}) SELECT {place}, {COLUMNS} FROM audit_entry WHERE seq = {from}"
        ),
    );
}

fn truncated(logs: &Logs, deployment: &Deployment, seed: &mut Seed) {
    change(deployment, &format!("DELETE FROM audit_entry WHERE seq > {}", logs.any(seed)));
}

fn moved(logs: &Logs, deployment: &Deployment, seed: &mut Seed) {
    change(deployment, &format!("UPDATE audit_entry SET tenant = 'acme' WHERE seq = {}", logs.any(seed)));
}

fn spliced(logs: &Logs, deployment: &Deployment, seed: &mut Seed) {
    let theirs = logs.stranger.sql().rows(&format!("SELECT {COLUMNS} FROM audit_entry WHERE seq = 2"));
    let values: Vec<String> = theirs[0].iter().map(Cell::literal).collect();
    let place = logs.any(seed);
    change(
        deployment,
        &format!(
            "DELETE FROM audit_entry WHERE seq = {place};
             INSERT INTO audit_entry (seq, {COLUMNS}) VALUES ({place}, {});",
            values.join(", ")
        ),
    );
}

fn hashes_nulled(logs: &Logs, deployment: &Deployment, seed: &mut Seed) {
    let which = *seed.pick(&["seq >", "seq =", "seq <="]);
    change(deployment, &format!("UPDATE audit_entry SET hash = NULL WHERE {which} {}", logs.any(seed)));
}

fn head_row(deployment: &Deployment) -> Vec<u8> {
    deployment.sql().cell("SELECT value FROM deployment WHERE name = 'audit_head'").bytes().to_vec()
}

fn set_head_row(deployment: &Deployment, head: &SignedHead) {
    let value = blob(&head.encode());
    change(deployment, &format!("UPDATE deployment SET value = {value} WHERE name = 'audit_head'"));
}

fn signature_nulled(_: &Logs, deployment: &Deployment, _: &mut Seed) {
    let head: SignedHead = Signed::decode(&head_row(deployment)).unwrap();
    set_head_row(deployment, &Signed { signature: None, ..head });
}

fn head_row_removed(_: &Logs, deployment: &Deployment, _: &mut Seed) {
    change(deployment, "DELETE FROM deployment WHERE name = 'audit_head'");
}

fn head_removed(_: &Logs, deployment: &Deployment, _: &mut Seed) {
    std::fs::remove_file(head_file(deployment)).unwrap();
}

fn head_cut(_: &Logs, deployment: &Deployment, seed: &mut Seed) {
    let mut bytes = std::fs::read(head_file(deployment)).unwrap();
    bytes.truncate(seed.below(900));
    std::fs::write(head_file(deployment), bytes).unwrap();
}

fn head_of_another(logs: &Logs, deployment: &Deployment, _: &mut Seed) {
    std::fs::copy(head_file(&logs.stranger), head_file(deployment)).unwrap();
}

/// Both slots of a head file.
fn slots(body: &[u8]) -> Vec<u8> {
    let mut slot = u16::try_from(body.len()).unwrap().to_be_bytes().to_vec();
    slot.extend(body);
    slot.resize(512, 0);
    slot.repeat(2)
}

fn own_head_row(logs: &Logs, deployment: &Deployment, _: &mut Seed) {
    deployment.roll_back_database_to(&logs.older);
    std::fs::write(head_file(deployment), slots(&head_row(deployment))).unwrap();
}

fn all_removed(_: &Logs, deployment: &Deployment, _: &mut Seed) {
    change(deployment, "DELETE FROM audit_entry; DELETE FROM deployment WHERE name LIKE 'audit_%';");
    std::fs::remove_file(head_file(deployment)).unwrap();
}

fn rolled_back(logs: &Logs, deployment: &Deployment, _: &mut Seed) {
    deployment.roll_back_database_to(&logs.older);
}

/// The older database, and heads for it that another key signed.
fn resigned(logs: &Logs, deployment: &Deployment, _: &mut Seed) {
    deployment.roll_back_database_to(&logs.older);
    let head: SignedHead = Signed::decode(&head_row(deployment)).unwrap();
    let stranger = Signer::from_seed([7; 32]);
    let head: Signed<Head> = Signed::new(head.statement, Some(&stranger));
    set_head_row(deployment, &head);
    let outside = Signed::new(OutsideHead(head), Some(&stranger)).encode();
    std::fs::write(head_file(deployment), slots(&outside)).unwrap();
}

fn put_back(logs: &Logs, deployment: &Deployment, seed: &mut Seed) {
    let earlier = *seed.pick(&[&logs.older, &logs.fork]);
    deployment.roll_back_database_to(earlier);
    std::fs::copy(head_file(earlier), head_file(deployment)).unwrap();
}

fn forked(logs: &Logs, deployment: &Deployment, _: &mut Seed) {
    deployment.roll_back_database_to(&logs.fork);
}

fn peaks_removed(_: &Logs, deployment: &Deployment, _: &mut Seed) {
    change(deployment, "DELETE FROM deployment WHERE name = 'audit_peaks'");
}

fn peaks_changed(_: &Logs, deployment: &Deployment, seed: &mut Seed) {
    let sql = deployment.sql();
    let mut peaks = sql.cell("SELECT value FROM deployment WHERE name = 'audit_peaks'").bytes().to_vec();
    let at = seed.below(peaks.len());
    peaks[at] ^= 1 << seed.below(8);
    sql.run(&format!("UPDATE deployment SET value = {} WHERE name = 'audit_peaks'", blob(&peaks)));
}

fn marked(_: &Logs, deployment: &Deployment, seed: &mut Seed) {
    let mark = seed.pick(&["1", "0", "-1", "999999"]).to_string();
    change(deployment, &format!("UPDATE space SET erasing = {mark}"));
}

fn is_clean(deployment: &Deployment) -> bool {
    deployment.run(&program("svc"), &["fsck"]).status.success()
}

fn found_and_mended(_: &Logs, deployment: &Deployment) {
    assert!(!is_clean(deployment), "svc fsck finds nothing");
    let process = deployment.start();
    let began = Instant::now();
    assert!(process.call("list_memories", &json!({})).contains("what is"));
    assert!(process.remember(&says("after", "that")).starts_with("Stored: [ADD]"));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    process.intact();
    assert!(process.close().success());
    assert!(is_clean(deployment), "it is not mended");
}

/// The first fact as it was in the older copy, in place of what it is now and what replaced it.
fn fact_put_back(logs: &Logs, deployment: &Deployment, _: &mut Seed) {
    let row = &logs.older.sql().rows("SELECT * FROM fact WHERE id = 1")[0];
    let values: Vec<String> = row.iter().map(Cell::literal).collect();
    change(
        deployment,
        &format!(
            "DELETE FROM fact WHERE id = 1 OR id = (SELECT max(id) FROM fact);
             INSERT INTO fact VALUES ({});",
            values.join(", ")
        ),
    );
}

fn nothing_is_safe(_: &Logs, deployment: &Deployment) {
    let process = deployment.start();
    let verdict = process.call("check_before_act", &json!({ "subject": PINNED }));
    assert!(verdict.starts_with("BLOCKED"), "{verdict}");
    let list = process.list();
    assert!(!list.contains("what was") && list.contains('⚠'), "{list}");
    assert!(process.close().success());
    assert!(!is_clean(deployment), "svc fsck finds nothing");
}

fn policy_removed(_: &Logs, deployment: &Deployment, _: &mut Seed) {
    change(deployment, "UPDATE space SET policy = NULL");
}

fn policy_holds(logs: &Logs, deployment: &Deployment) {
    let server = deployment.serve();
    let mut agent = server.client(&logs.agent);
    let reply = agent.call("remember", &json!({ "text": says(PINNED, "another"), "source": "agent" }));
    assert!(reply.contains("stored, but damaged"), "{reply}");
    assert!(agent.list().contains("• code = what is"));
    assert!(!is_clean(deployment), "svc fsck finds nothing");
}

fn sources_removed(_: &Logs, deployment: &Deployment, _: &mut Seed) {
    change(deployment, "DELETE FROM deployment WHERE name = 'sources'");
}

fn sources_stay_bound(logs: &Logs, deployment: &Deployment) {
    let server = deployment.serve();
    let claim = json!({ "text": says(PINNED, "another"), "source": "somebody else" });
    let reply = server.client(&logs.agent).call("remember", &claim);
    assert!(reply.starts_with("Access denied:"), "{reply}");
}

fn principal_put_back(logs: &Logs, deployment: &Deployment, _: &mut Seed) {
    change(deployment, "DELETE FROM principal");
    let older = logs.older.sql();
    for row in older.rows("SELECT * FROM principal") {
        let values: Vec<String> = row.iter().map(Cell::literal).collect();
        change(deployment, &format!("INSERT INTO principal VALUES ({})", values.join(", ")));
    }
    let version = older.cell("SELECT value FROM deployment WHERE name = 'principals'").literal();
    change(deployment, &format!("UPDATE deployment SET value = {version} WHERE name = 'principals'"));
}

fn revoked_stays_out(logs: &Logs, deployment: &Deployment) {
    let server = deployment.serve();
    assert!(server.client(&logs.agent).list().contains("what is"));
    let status = server.client(&logs.revoked).ask("list_memories", &json!({})).unwrap().status;
    assert_eq!(status, 401);
}
