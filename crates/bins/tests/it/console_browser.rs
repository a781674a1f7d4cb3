//! The console in a real browser: headless Chromium, driven by `browser/console.mjs`.

use crate::support::console::LocalConsole;
use crate::support::http::Client;
use crate::support::{Deployment, id};
use serde_json::json;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Set to write the pictures of the page on the console.
const WRITE: &str = "SVC_WRITE_DOCS";
const PATIENTS: [&str; 3] = ["patient-7", "patient-8", "patient-9"];

#[test]
fn people_use_the_console_in_a_browser() {
    let (chromium, modules) = match (chromium(), modules()) {
        (Ok(chromium), Ok(modules)) => (chromium, modules),
        (Err(why), _) | (_, Err(why)) => return not_run(&why),
    };
    let deployment = Deployment::bare()
        .with("SVC_SLOT_SCHEMA", "preset:clinical")
        .with("SVC_RATE_PER_MIN", "0")
        .with_console();
    let keys: serde_json::Map<_, _> = ["admin", "member", "viewer", "auditor"]
        .map(|role| (role.to_owned(), deployment.principal(role, &["--role", role]).1.into()))
        .into_iter()
        .collect();
    let server = deployment.serve();
    let mut client = server.client(keys["admin"].as_str().unwrap());
    let (allergy, script) = tell(&mut client);
    tell_long_words(&mut client);
    let local = LocalConsole::start(&deployment);
    let pictures = std::env::var_os(WRITE).map(|_| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/console");
        fs::create_dir_all(&folder).unwrap();
        folder
    });
    let given = json!({
        "console": format!("http://{}", server.console()),
        "local": format!("http://{}{}", local.address, local.path),
        "keys": keys,
        "chromium": chromium,
        "modules": modules,
        "pictures": pictures,
        "allergy": allergy,
        "script": script,
        "wide": wide(),
    });
    let output = Command::new("node")
        .arg(folder().join("console.mjs"))
        .env("CONSOLE_TEST", given.to_string())
        .output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// What the clinic's tutorial tells, of three patients, and what somebody malicious does. Returns the numbers of the first
/// patient's allergy and of the malicious fact.
fn tell(client: &mut Client) -> (i64, i64) {
    for patient in PATIENTS {
        for (text, source) in [
            ("The patient is allergic to penicillin.", "intake"),
            ("The patient takes warfarin 5 mg daily.", "dr-lee"),
            ("The patient now takes warfarin 7.5 mg daily.", "nurse"),
        ] {
            let reply =
                client.call("remember", &json!({ "text": text, "user_id": patient, "source": source }));
            assert!(reply.starts_with("Stored: "), "{reply}");
        }
    }
    for (from, relation, to) in [
        ("checkout", "uses", "ledger-db"),
        ("billing", "uses", "ledger-db"),
        ("ledger-db", "runs in", "Frankfurt"),
        ("Ana", "owns", "checkout"),
        ("Ben", "owns", "billing"),
        ("checkout", "sends to", "mailer"),
    ] {
        let fact = json!({ "subject": format!("{from} {relation}"), "value": to, "head": from, "relation": relation, "tail": to });
        client.call(
            "remember",
            &json!({ "text": format!("{from} {relation} {to}"), "user_id": "team", "facts": [fact] }),
        );
    }
    let decision = json!({
        "action_summary": "Ordered an INR check in three days",
        "question": "Which medication does the patient take?",
        "user_id": PATIENTS[0],
    });
    client.call("record_decision", &decision);
    let value = "<script>alert(1)</script><img src=x onerror=alert(1)>";
    let fact = json!({ "subject": "note", "value": value });
    client.call("remember", &json!({ "text": value, "user_id": "mallory", "facts": [fact] }));
    let allergy = client.call("list_memories", &json!({ "user_id": PATIENTS[0], "limit": 1 }));
    (id(&allergy), id(&client.call("list_memories", &json!({ "user_id": "mallory" }))))
}

/// A user whose name is one long word.
fn wide() -> String {
    "w".repeat(105)
}

/// Words without a space, wherever others can write one.
fn tell_long_words(client: &mut Client) {
    let (value, entry) = ("v".repeat(420), "k".repeat(250));
    for (subject, said, action) in [("note", "The note is", "ADD"), ("office", "Maybe the office is", "FLAG")]
    {
        let fact = json!({ "subject": subject, "value": value, "action": action });
        let statement = json!({
            "text": format!("{said} {value}."), "user_id": wide(), "source": entry, "metadata": { entry.as_str(): entry }, "facts": [fact],
        });
        let reply = client.call("remember", &statement);
        assert!(reply.starts_with("Stored: "), "{reply}");
    }
    let decision = json!({ "action_summary": value, "question": "note?", "user_id": wide() });
    client.call("record_decision", &decision);
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/browser")
}

fn chromium() -> Result<String, String> {
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find_map(|name| {
        let output = Command::new("sh").args(["-c", &format!("command -v {name}")]).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    });
    found.ok_or_else(|| "there is no Chromium; install Debian's package `chromium`".to_owned())
}

/// Where the packages of `browser/package.json` are, installed once. An error says why this machine cannot have them.
fn modules() -> Result<PathBuf, String> {
    let tools = samples::tools_folder()?.join("browser");
    let failed = |error: std::io::Error| format!("{}: {error}", tools.display());
    fs::create_dir_all(&tools).map_err(failed)?;
    // Of test programs that start at once, one installs and the others wait. The lock ends with the file.
    let lock = File::create(tools.join("lock")).map_err(failed)?;
    lock.lock().map_err(failed)?;
    let (wanted, kept) = (folder().join("package.json"), tools.join("package.json"));
    let is_same = || fs::read(&wanted).ok() == fs::read(&kept).ok();
    if !(is_same() && tools.join("node_modules/axe-core").is_dir()) {
        fs::copy(&wanted, &kept).map_err(failed)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(&tools);
        let output = npm.output().map_err(|error| format!("npm: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
    }
    Ok(tools.clone())
}

fn not_run(why: &str) {
    let notice = format!("NOT RUN: the console in a browser. It takes Chromium, Node and npm: {why}");
    assert!(std::env::var_os("CI").is_none(), "{notice}");
    // Written past the test harness, which shows what a passing test prints to nobody.
    let _ = writeln!(std::io::stderr(), "\n{notice}\n");
}
