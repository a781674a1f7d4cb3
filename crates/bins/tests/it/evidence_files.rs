//! Exports, receipts, decisions and the log as files: whoever has the public key can check them with nothing else, by
//! our program or by a second one that was written from the page on the format.

use crate::support::{Deployment, Model, Seed, amount, program, says};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

struct Sample {
    deployment: Deployment,
    key: String,
    /// Each as it came, and good.
    files: Vec<PathBuf>,
}

static SAMPLE: LazyLock<Sample> = LazyLock::new(|| {
    let deployment = Deployment::new(&Model::start());
    deployment.principal("member", &["--tenant", "acme"]);
    let process = deployment.start();
    for n in 0..5 {
        process.remember(&says(&format!("subject {n}"), &format!("value {n}")));
    }
    process.call("remember", &json!({ "text": says("elsewhere", "x"), "user_id": "ann" }));
    process.call("attest", &json!({ "subject": "subject 1" }));
    process.call("record_decision", &json!({ "action_summary": "go on", "question": "what now?" }));
    process.call("delete", &json!({ "subject": "subject 2" }));
    let key = process.call("export_public_key", &json!({})).lines().last().unwrap().to_owned();
    let export = process.call("export_memory", &json!({}));
    assert!(process.close().success());

    let folder = deployment.folder().to_owned();
    let mut files = Vec::new();
    let mut keep = |name: &str, text: &str| {
        files.push(folder.join(name));
        std::fs::write(folder.join(name), text).unwrap();
    };
    let parts: Value = serde_json::from_str(&export).unwrap();
    keep("export.json", &export);
    keep("attestation.json", &parts["receipts"][0].to_string());
    keep("erasure.json", &parts["receipts"][1].to_string());
    keep("decision.json", &parts["decisions"][0].to_string());
    keep("log.jsonl", &extract(&deployment, "log", &[]));
    keep("head.txt", &deployment.svc(&["head"]));
    keep("entry.txt", &deployment.svc(&["head", "--entry", "4"]));
    keep("tenant.jsonl", &extract(&deployment, "tenant", &["--tenant", "acme"]));
    let process = deployment.start();
    process.call("purge_expired", &json!({ "older_than_days": 0, "include_audit": true }));
    process.remember(&says("after", "the purge"));
    assert!(process.close().success());
    keep("purged.jsonl", &extract(&deployment, "purged", &[]));
    Sample { deployment, key, files }
});

fn extract(deployment: &Deployment, name: &str, more: &[&str]) -> String {
    let written = deployment.run(&program("svc"), &[&["audit", "export", name], more].concat());
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    std::fs::read_to_string(deployment.folder().join(name)).unwrap()
}

/// What our program says of each file.
fn verified(files: &[PathBuf], key: &str) -> (Vec<Value>, Output) {
    let arguments = ["verify", "--json", "--key", key].map(Into::into);
    let mut command = Command::new(program("svc"));
    judged(command.args(
        arguments.iter().chain(&files.iter().map(|file| file.into()).collect::<Vec<std::ffi::OsString>>()),
    ))
}

/// What the second one says.
fn verified_again(files: &[PathBuf], key: &str) -> (Vec<Value>, Output) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib/verify_evidence.py");
    let mut command = Command::new("python3");
    judged(command.arg(script).args(["--json", "--key", key]).args(files))
}

fn judged(command: &mut Command) -> (Vec<Value>, Output) {
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stdout.clone()).unwrap();
    let lines = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (lines, output)
}

#[test]
fn good_files_are_good_to_both() {
    let Sample { key, files, .. } = &*SAMPLE;
    for (said, output) in [verified(files, key), verified_again(files, key)] {
        assert_eq!(output.status.code(), Some(0), "{said:#?}");
        assert_eq!(said.len(), files.len());
        assert!(said.iter().all(|file| file["holds"] == true), "{said:#?}");
    }
}

#[test]
fn a_file_says_what_it_proves() {
    let Sample { key, files, deployment } = &*SAMPLE;
    let path = |name: &str| files.iter().find(|file| file.ends_with(name)).unwrap().display().to_string();
    let said = |name: &str| {
        let output = deployment.run(&program("svc"), &["verify", &path(name), "--key", key]);
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(
        said("attestation.json").contains("attestation #1 of tenant default"),
        "{}",
        said("attestation.json")
    );
    assert!(said("erasure.json").contains("erased 'subject 2'"), "{}", said("erasure.json"));
    assert!(said("decision.json").contains("'go on'; "), "{}", said("decision.json"));
    // Taken out of the export, each still shows its place in the log.
    for name in ["attestation.json", "erasure.json", "decision.json"] {
        assert!(said(name).contains(" tells of it"), "{}", said(name));
    }
    assert!(said("head.txt").contains("the head of a log that counted "), "{}", said("head.txt"));
    assert!(said("entry.txt").contains("entry 4 of the log that counted "), "{}", said("entry.txt"));
    assert!(said("log.jsonl").contains("none missing, none changed"), "{}", said("log.jsonl"));
    assert!(said("tenant.jsonl").contains("of tenant acme"), "{}", said("tenant.jsonl"));
    assert!(said("purged.jsonl").contains("that were purged"), "{}", said("purged.jsonl"));
    assert!(said("export.json").contains("without signatures"), "{}", said("export.json"));
}

#[test]
fn a_rewritten_summary_is_no_proof() {
    let Sample { key, files, deployment } = &*SAMPLE;
    let folder = tempfile::tempdir().unwrap();
    for name in ["attestation.json", "erasure.json"] {
        let held = std::fs::read_to_string(deployment.folder().join(name)).unwrap();
        let mut receipt: Value = serde_json::from_str(&held).unwrap();
        assert!(files.iter().any(|file| file.ends_with(name)));
        let said = receipt["summary"].as_str().unwrap().replace("subject", "object");
        assert_ne!(receipt["summary"], json!(said));
        receipt["summary"] = said.into();
        let file = folder.path().join(name);
        std::fs::write(&file, receipt.to_string()).unwrap();
        for (said, output) in [verified(std::slice::from_ref(&file), key), verified_again(&[file], key)] {
            assert_eq!(
                (output.status.code(), &said[0]["holds"]),
                (Some(1), &json!(false)),
                "{name}: {said:#?}"
            );
            assert!(said[0].to_string().contains("summary"), "{said:#?}");
        }
    }
}

#[test]
fn an_exported_log_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let file = SAMPLE.deployment.folder().join("log");
    assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn the_entry_of_another_call_is_no_proof() {
    let Sample { key, deployment, .. } = &*SAMPLE;
    let export = deployment.folder().join("export.json");
    let export: Value = serde_json::from_str(&std::fs::read_to_string(export).unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for (name, kind, from) in [("a", "receipts", "decisions"), ("b", "decisions", "receipts")] {
        let mut swapped = export[kind][0].clone();
        swapped["logged"] = export[from][0]["logged"].clone();
        files.push(folder.path().join(name));
        std::fs::write(folder.path().join(name), swapped.to_string()).unwrap();
    }
    for (said, _) in [verified(&files, key), verified_again(&files, key)] {
        assert!(said.iter().all(|file| file["holds"] == false), "{said:#?}");
    }
}

#[test]
fn another_key_vouches_for_nothing() {
    let Sample { files, .. } = &*SAMPLE;
    let stranger = evidence::Signer::from_seed([9; 32]).public_key().to_hex();
    for (said, output) in [verified(files, &stranger), verified_again(files, &stranger)] {
        assert_eq!(output.status.code(), Some(1), "{said:#?}");
        assert!(said.iter().all(|file| file["holds"] == false), "{said:#?}");
    }
}

#[test]
fn both_say_the_same_of_changed_files() {
    let Sample { key, files, .. } = &*SAMPLE;
    let folder = tempfile::tempdir().unwrap();
    let mut changed = Vec::new();
    for number in 0..amount(600, 10_000) {
        let mut seed = Seed::new(number as u64);
        let original = seed.pick(files).clone();
        let text = change(&std::fs::read_to_string(&original).unwrap(), &mut seed);
        let name = original.file_name().unwrap().to_str().unwrap().to_owned();
        let file = folder.path().join(format!("{number}-{name}"));
        std::fs::write(&file, text).unwrap();
        changed.push(file);
    }
    let (mut refused, mut disagreements) = (0, Vec::new());
    for files in changed.chunks(500) {
        let (ours, theirs) = (verified(files, key).0, verified_again(files, key).0);
        assert_eq!((ours.len(), theirs.len()), (files.len(), files.len()));
        for ((file, ours), theirs) in files.iter().zip(&ours).zip(&theirs) {
            if ours["holds"] != theirs["holds"] {
                let text = std::fs::read_to_string(file).unwrap();
                disagreements.push(format!("{ours}\n{theirs}\n{text}"));
            }
            refused += usize::from(ours["holds"] == false);
        }
    }
    assert!(disagreements.is_empty(), "{}", disagreements.join("\n\n"));
    // The rest changed what is not signed: facts of an export, or a field that nobody reads.
    assert!(refused * 10 > changed.len() * 6, "{refused} of {} were refused", changed.len());
}

/// One change: to a value of the JSON, or to a line.
fn change(text: &str, seed: &mut Seed) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = seed.below(lines.len());
    match seed.below(12) {
        0 => lines.truncate(at),
        1 => {
            lines.remove(at);
        }
        2 => lines.insert(at, lines[at].clone()),
        3 if at > 0 => lines.swap(at, at - 1),
        4 if !lines[at].is_empty() => {
            let end = seed.below(lines[at].len());
            lines[at] = lines[at].chars().take(end).collect();
        }
        _ => {
            let read = serde_json::from_str(&lines[at]);
            let is_text = !matches!(read, Ok(Value::Object(_)));
            let mut value = if is_text { Value::String(lines[at].clone()) } else { read.unwrap() };
            change_value(&mut value, seed);
            lines[at] = value.as_str().filter(|_| is_text).map_or_else(|| value.to_string(), str::to_owned);
        }
    }
    lines.join("\n")
}

fn change_value(value: &mut Value, seed: &mut Seed) {
    match value {
        Value::Object(fields) if !fields.is_empty() => change_field(fields, seed),
        Value::Array(items) if !items.is_empty() => {
            let at = seed.below(items.len());
            match seed.below(8) {
                0 => {
                    items.remove(at);
                }
                1 => items.push(items[at].clone()),
                2 => items.reverse(),
                _ => change_value(&mut items[at], seed),
            }
        }
        Value::String(text) if !text.is_empty() => {
            let mut characters: Vec<char> = text.chars().collect();
            let at = seed.below(characters.len());
            characters[at] = *seed.pick(&['0', '7', 'f', 'g', 'A', ' ']);
            *text = characters.into_iter().collect();
        }
        Value::Number(number) => *value = json!(number.as_i64().unwrap_or_default() + 1),
        other => {
            *other = seed.pick(&[json!(null), json!(""), json!("00"), json!(0), json!([]), json!({})]).clone()
        }
    }
}

fn change_field(fields: &mut Map<String, Value>, seed: &mut Seed) {
    let names: Vec<String> = fields.keys().cloned().collect();
    let name = seed.pick(&names);
    match seed.below(10) {
        0 => {
            fields.remove(name);
        }
        1 => {
            fields.insert(name.clone(), Value::Null);
        }
        2 => {
            let other = fields[seed.pick(&names)].clone();
            fields.insert(name.clone(), other);
        }
        _ => change_value(&mut fields[name], seed),
    }
}
