//! Witnesses remember the head of the log where whoever can write the database, its head file and all else beside it
//! cannot write. Here all of that is put back at once.

use crate::support::{Deployment, Model, PATIENCE, WitnessProcess, says};
use evidence::{AddCheckpoint, Cosigner, Signer};
use serde_json::json;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

/// Some calls, and a look at the log, for which every witness is asked and moved on.
fn write(deployment: &Deployment, numbers: std::ops::Range<usize>) -> String {
    let process = deployment.start();
    for n in numbers {
        process.remember(&says(&format!("subject {n}"), &format!("value {n}")));
    }
    let verdict = process.call("verify_audit", &json!({}));
    assert!(process.close().success());
    verdict
}

/// Everything that the service keeps goes back to what it was.
fn put_back(deployment: &Deployment, earlier: &Deployment) {
    deployment.roll_back_database_to(earlier);
    std::fs::copy(earlier.folder().join("svc.db.head"), deployment.folder().join("svc.db.head")).unwrap();
}

fn verdict(deployment: &Deployment) -> String {
    write(deployment, 0..0)
}

#[track_caller]
fn check_intact(verdict: &str) {
    assert!(verdict.starts_with("✓ Audit chain INTACT") && verdict.lines().count() == 1, "{verdict}");
}

#[track_caller]
fn check_broken(verdict: &str, reason: &str) {
    assert!(verdict.starts_with("⚠ Audit chain BROKEN at seq ") && verdict.contains(reason), "{verdict}");
}

fn file_setting(folder: &Path) -> String {
    format!("file:{}", folder.join("svc.head").display())
}

#[test]
fn a_file_elsewhere_finds_a_rollback_of_everything_here() {
    let elsewhere = tempfile::tempdir().unwrap();
    let setting = file_setting(elsewhere.path());
    let deployment = Deployment::new(&Model::start()).with("SVC_WITNESS", &setting);
    check_intact(&write(&deployment, 0..3));
    let earlier = deployment.copy();
    check_intact(&write(&deployment, 3..6));
    put_back(&deployment, &earlier);
    check_broken(&verdict(&deployment), &format!("the log was rolled back: witness {setting} has seen "));
    // Another history that has grown past what the witness remembers.
    check_broken(&write(&deployment, 10..16), &format!("the log was rewritten: witness {setting}"));
    let said = deployment.svc(&["restore", "--confirm", "the disk failed"]);
    assert!(said.contains(&format!("Witness {setting} agrees")), "{said}");
    let told = verdict(&deployment);
    assert!(
        told.contains("INTACT") && told.ends_with("as the operator confirmed: the disk failed."),
        "{told}"
    );
    let confirmed = deployment.copy();
    write(&deployment, 20..22);
    put_back(&deployment, &confirmed);
    check_broken(&verdict(&deployment), "rolled back");
}

#[test]
fn a_process_that_ends_at_once_has_shown_its_head() {
    let mut deployment = Deployment::bare();
    let witness = WitnessProcess::of(&deployment);
    deployment.set("SVC_WITNESS", witness.setting());
    deployment.svc(&["remember", "Our database is MySQL."]);
    assert!(!witness.checkpoints().is_empty());
}

#[test]
fn idle_connections_keep_nobody_from_a_witness() {
    let mut deployment = Deployment::bare();
    let witness = WitnessProcess::of(&deployment);
    let address = witness.name().strip_prefix("http://").unwrap();
    let idle: Vec<TcpStream> = (0..300).map(|_| TcpStream::connect(address).unwrap()).collect();
    deployment.set("SVC_WITNESS", witness.setting());
    check_intact(&write(&deployment, 0..1));
    assert!(!witness.checkpoints().is_empty());
    drop(idle);
}

#[test]
fn a_witness_over_http_finds_a_rollback_of_everything_here() {
    let mut deployment = Deployment::new(&Model::start());
    let witness = WitnessProcess::of(&deployment);
    deployment.set("SVC_WITNESS", witness.setting());
    check_intact(&write(&deployment, 0..3));
    std::fs::write(deployment.folder().join("then"), deployment.svc(&["head"])).unwrap();
    let earlier = deployment.copy();
    check_intact(&write(&deployment, 3..6));
    put_back(&deployment, &earlier);
    // It remembers across its own end.
    let key = deployment.svc(&["head", "--key"]);
    let witness = WitnessProcess::start(witness.kill(), &[key.trim()]);
    deployment.set("SVC_WITNESS", witness.setting());
    let name = witness.name();
    check_broken(&verdict(&deployment), &format!("the log was rolled back: witness {name} has seen "));
    let refusal = deployment.svc_refuses(&["verify", "--since", "then"]);
    assert!(refusal.contains(&format!("witness {name} has seen")), "{refusal}");
    let refusal = deployment.run(&crate::support::program("svc"), &["fsck"]);
    assert!(String::from_utf8_lossy(&refusal.stdout).contains(&format!("witness {name} has seen")));
    check_broken(&write(&deployment, 10..16), &format!("the log was rewritten: witness {name}"));

    let said = deployment.svc(&["restore", "--confirm", "the disk failed"]);
    assert!(said.contains("have it forget this log"), "{said}");
    let told = verdict(&deployment);
    assert!(told.contains("INTACT") && told.contains("before a confirmed restoration"), "{told}");
    witness.forget();
    let told = verdict(&deployment);
    assert!(told.contains("INTACT") && !told.contains("Witness"), "{told}");
    let confirmed = deployment.copy();
    write(&deployment, 20..22);
    put_back(&deployment, &confirmed);
    check_broken(&verdict(&deployment), "rolled back");
}

#[test]
fn a_commit_reaches_the_witnesses_by_itself() {
    let elsewhere = tempfile::tempdir().unwrap();
    let mut deployment = Deployment::new(&Model::start());
    let witness = WitnessProcess::of(&deployment);
    deployment.set("SVC_WITNESS", &format!("{},{}", file_setting(elsewhere.path()), witness.setting()));
    let process = deployment.start();
    process.remember(&says("subject", "value"));
    let file = elsewhere.path().join("svc.head");
    let has_both =
        || witness.remembers("\n1\n") && std::fs::read(&file).is_ok_and(|held| holds(&held, b"\n1\n"));
    let deadline = Instant::now() + PATIENCE;
    while !has_both() {
        assert!(Instant::now() < deadline, "the witnesses were not shown the commit");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(process.close().success());
    // What it keeps is a checkpoint that anybody can hold against the log.
    let [checkpoint] = witness.checkpoints().try_into().unwrap();
    let said = deployment.svc(&["verify", "--since", checkpoint.to_str().unwrap()]);
    assert!(said.contains("continues the one of 1,"), "{said}");
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn a_server_says_when_it_starts_that_a_witness_disagrees() {
    let elsewhere = tempfile::tempdir().unwrap();
    let setting = file_setting(elsewhere.path());
    let deployment = Deployment::new(&Model::start()).with("SVC_WITNESS", &setting);
    check_intact(&write(&deployment, 0..1));
    let earlier = deployment.copy();
    check_intact(&write(&deployment, 1..3));
    put_back(&deployment, &earlier);
    deployment.serve().wait_for_log(&format!("the log was rolled back: witness {setting}"));
}

#[test]
fn a_purge_of_the_whole_log_accuses_nobody() {
    let elsewhere = tempfile::tempdir().unwrap();
    let mut deployment = Deployment::new(&Model::start());
    let witness = WitnessProcess::of(&deployment);
    deployment.set("SVC_WITNESS", &format!("{},{}", file_setting(elsewhere.path()), witness.setting()));
    check_intact(&write(&deployment, 0..3));
    let process = deployment.start();
    process.call("purge_expired", &json!({ "older_than_days": 0, "include_audit": true }));
    assert!(process.close().success());
    let told = write(&deployment, 3..4);
    assert!(told.starts_with("✓ Audit chain INTACT"), "{told}");
    // Where entries are gone that the witness had not seen yet, nobody can show that the log goes on from them.
    witness.forget();
    check_intact(&verdict(&deployment));
}

#[test]
fn a_witness_that_is_away_is_told_and_stops_nothing() {
    let mut deployment = Deployment::new(&Model::start());
    let witness = WitnessProcess::of(&deployment);
    deployment.set("SVC_WITNESS", witness.setting());
    check_intact(&write(&deployment, 0..2));
    let (name, process) = (witness.name().to_owned(), deployment.start());
    let health = process.call("health", &json!({}));
    assert!(health.ends_with(&format!("\nwitness {name}: ok")), "{health}");
    let folder = witness.kill();
    assert!(process.remember(&says("subject", "value")).starts_with("Stored: [ADD]"));
    let health = process.call("health", &json!({}));
    assert!(health.ends_with(&format!("\nwitness {name}: FAIL (WitnessAway)")), "{health}");
    let told = process.call("verify_audit", &json!({}));
    assert!(told.starts_with("✓ Audit chain INTACT"), "{told}");
    assert!(told.contains(&format!("\nWitness {name} could not be asked")), "{told}");
    assert!(process.close().success());
    let said = deployment.svc(&["fsck"]);
    assert!(said.contains("Nothing is wrong") && said.contains("could not be asked"), "{said}");
    drop(folder);
}

/// A witness that signs something else, or with another key.
#[test]
fn a_false_cosignature_is_not_believed() {
    let cosigner = Cosigner::new(Signer::from_seed([1; 32]));
    let key = cosigner.key().to_string();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let name = format!("http://{}", listener.local_addr().unwrap());
    let forged = cosigner.cosign(&other_head(), domain::Timestamp::now());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            read_request(&mut stream);
            let length = forged.len();
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{forged}"
            );
        }
    });
    let deployment = Deployment::new(&Model::start()).with("SVC_WITNESS", &format!("{name}#{key}"));
    let told = write(&deployment, 0..2);
    assert!(told.contains("INTACT") && told.contains(&format!("\nWitness {name} is not believed")), "{told}");
}

/// All of it: closing a connection with something unread on it would take the answer back.
fn read_request(stream: &mut TcpStream) {
    let (mut read, mut bytes) = (Vec::new(), [0; 4096]);
    loop {
        let head = read.windows(4).position(|end| end == b"\r\n\r\n").map(|at| at + 4);
        if let Some(head) = head {
            let text = String::from_utf8_lossy(&read[..head]).to_lowercase();
            let length = text.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next());
            if read.len() >= head + length.map_or(0, |length| length.parse().unwrap()) {
                return;
            }
        }
        match stream.read(&mut bytes).unwrap() {
            0 => return,
            count => read.extend(&bytes[..count]),
        }
    }
}

fn other_head() -> evidence::Head {
    let origin = evidence::Origin(Signer::from_seed([2; 32]).key_id());
    evidence::LogEnd::genesis().head(origin, domain::Timestamp::now())
}

#[test]
fn one_witness_that_disagrees_is_enough() {
    let elsewhere = tempfile::tempdir().unwrap();
    let mut deployment = Deployment::new(&Model::start());
    let witness = WitnessProcess::of(&deployment);
    deployment.set("SVC_WITNESS", &format!("{},{}", file_setting(elsewhere.path()), witness.setting()));
    check_intact(&write(&deployment, 0..3));
    let (earlier, file) = (deployment.copy(), elsewhere.path().join("svc.head"));
    let remembered = std::fs::read(&file).unwrap();
    check_intact(&write(&deployment, 3..5));
    put_back(&deployment, &earlier);
    std::fs::write(&file, remembered).unwrap();
    check_broken(&verdict(&deployment), &format!("witness {}", witness.name()));
}

#[test]
fn a_witness_file_that_is_gone_is_not_begun_anew_unasked() {
    let elsewhere = tempfile::tempdir().unwrap();
    let setting = file_setting(elsewhere.path());
    let deployment = Deployment::new(&Model::start()).with("SVC_WITNESS", &setting);
    check_intact(&write(&deployment, 0..2));
    let file = elsewhere.path().join("svc.head");
    for spoiled in [None, Some(""), Some("a file of somebody else")] {
        match spoiled {
            None => std::fs::remove_file(&file).unwrap(),
            Some(text) => std::fs::write(&file, text).unwrap(),
        }
        let told = verdict(&deployment);
        assert!(
            told.contains("INTACT") && told.contains(&format!("\nWitness {setting} could not be asked")),
            "{told}"
        );
        let said = deployment.svc(&["restore", "--confirm", "the share was wiped"]);
        assert!(said.contains("begins anew"), "{said}");
        check_intact(&verdict(&deployment));
    }
    let stranger = Deployment::new(&Model::start());
    write(&stranger, 0..1);
    std::fs::copy(stranger.folder().join("svc.db.head"), &file).unwrap();
    let told = verdict(&deployment);
    assert!(told.contains("INTACT") && told.contains("is not believed"), "{told}");
}

#[test]
fn svc_witness_cosigns_only_what_continues() {
    let deployment = Deployment::new(&Model::start());
    write(&deployment, 0..2);
    let witness = WitnessProcess::of(&deployment);
    let request =
        |note: &str, old: u64| AddCheckpoint { old, proof: Vec::new(), note: note.to_owned() }.encode();
    let (early, fork) = (deployment.svc(&["head"]), deployment.copy());
    write(&deployment, 2..5);
    let late = deployment.svc(&["head"]);
    let size = |note: &str| note.lines().nth(1).unwrap().to_owned();
    let (status, line) = witness.post(&request(&late, 0));
    assert!(status == 200 && line.starts_with("— svc/witness/"), "{status} {line}");
    // The same once more, and what it has.
    let has: u64 = size(&late).parse().unwrap();
    assert_eq!(witness.post(&request(&late, has)).0, 200);
    assert_eq!(witness.post(&request(&late, 0)), (409, format!("{has}\n")));
    // Shorter.
    assert_eq!(witness.post(&request(&early, 0)), (409, format!("{has}\n")));
    assert_eq!(witness.post(&request(&early, has)).0, 400);
    // Of the same length, and longer, with another history.
    write(&fork, 10..13);
    let forked = fork.svc(&["head"]);
    assert_eq!(size(&forked), size(&late));
    assert_eq!(witness.post(&request(&forked, has)), (409, format!("{has}\n")));
    write(&fork, 13..14);
    assert_eq!(witness.post(&request(&fork.svc(&["head"]), has)).0, 422);
    // Not signed, signed by somebody else for this log, and of another log.
    let (text, signature) = late.split_once("\n\n").unwrap();
    assert_eq!(witness.post(&request(&format!("{text}\n\n"), has)).0, 403);
    let stranger = Deployment::new(&Model::start());
    write(&stranger, 0..1);
    let theirs = stranger.svc(&["head"]);
    assert_eq!(witness.post(&request(&theirs, 0)).0, 404);
    let (theirs, _) = theirs.split_once("\n\n").unwrap();
    let disguised = theirs.replacen(theirs.lines().next().unwrap(), text.lines().next().unwrap(), 1);
    assert_eq!(witness.post(&request(&format!("{disguised}\n\n{signature}"), has)).0, 403);
    for nonsense in ["", "old 1", "old 01\n\n", "new 1\n\nx\n", "old 1\nAAAA\n\nx\n"] {
        assert_eq!(witness.post(nonsense).0, 400, "{nonsense}");
    }
    assert_eq!(witness.post(&request(&late, has)).0, 200);
}

#[test]
fn a_witness_that_does_not_know_the_log_is_told() {
    let stranger = Deployment::new(&Model::start());
    let witness = WitnessProcess::of(&stranger);
    let deployment = Deployment::new(&Model::start()).with("SVC_WITNESS", witness.setting());
    let told = write(&deployment, 0..1);
    assert!(told.contains("INTACT") && told.contains("it does not know this log"), "{told}");
}

#[test]
fn a_witness_that_is_told_the_new_signing_key_goes_on() {
    let mut deployment = Deployment::new(&Model::start());
    let witness = WitnessProcess::of(&deployment);
    deployment.set("SVC_WITNESS", witness.setting());
    check_intact(&write(&deployment, 0..3));
    deployment.svc(&["keys", "rotate", "signing"]);
    let told = write(&deployment, 3..4);
    assert!(told.contains("INTACT") && told.contains(witness.name()), "{told}");

    let keys = deployment.svc(&["head", "--key"]);
    let witness = WitnessProcess::start(witness.kill(), &keys.lines().collect::<Vec<_>>());
    deployment.set("SVC_WITNESS", witness.setting());
    check_intact(&write(&deployment, 4..5));
    let earlier = deployment.copy();
    check_intact(&write(&deployment, 5..6));
    put_back(&deployment, &earlier);
    check_broken(&verdict(&deployment), "the log was rolled back");
}
