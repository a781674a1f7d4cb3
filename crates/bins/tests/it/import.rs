//! `svc import`: what another memory holds is brought once, whatever happens on the way.

use crate::support::{Deployment, Model, program, says};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn sample(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/import_samples").join(name).display().to_string()
}

/// Brings a file, and returns what is said of it and what became of each of its records.
pub fn import(deployment: &Deployment, from: &str, file: &str, more: &[&str]) -> (String, Vec<Value>) {
    let report = deployment.folder().join("report.jsonl");
    std::fs::remove_file(&report).ok();
    let mut arguments = vec!["import", "--from", from, file, "--report", report.to_str().unwrap()];
    arguments.extend(more);
    let output = deployment.run(&program("svc"), &arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() || error.contains("could not be taken"), "{error}");
    (String::from_utf8(output.stdout).unwrap(), read_report(&report))
}

fn read_report(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub fn exported(deployment: &Deployment) -> Vec<Value> {
    let text = deployment.svc(&["export", "--all"]);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The facts without what is each memory's own: numbers, and who brought it.
fn comparable(facts: &[Value]) -> Vec<Value> {
    let values: BTreeMap<i64, &Value> =
        facts.iter().map(|fact| (fact["id"].as_i64().unwrap(), &fact["value"])).collect();
    let mut plain: Vec<Value> = facts.to_vec();
    for fact in &mut plain {
        let fields = fact.as_object_mut().unwrap();
        fields.remove("id");
        let old = fields["supersedes"].as_i64().map(|id| values[&id].clone());
        fields.insert("supersedes".to_owned(), json!(old));
        let metadata = fields["metadata"].as_object_mut().unwrap();
        metadata.retain(|name, _| !["asserted_by", "imported_from", "imported_id"].contains(&name.as_str()));
        if let Some(pending) = fields["pending"].as_object_mut() {
            let target = pending["target"].as_i64().map(|id| values[&id].clone());
            pending.insert("target".to_owned(), json!(target));
        }
    }
    plain
}

pub fn written(deployment: &Deployment, name: &str, text: &str) -> PathBuf {
    let file = deployment.folder().join(name);
    std::fs::write(&file, text).unwrap();
    file
}

#[test]
fn times_scopes_and_history_are_kept() {
    let deployment = Deployment::new(&Model::start());
    let (said, report) = import(&deployment, "jsonl", &sample("plain.jsonl"), &[]);
    assert!(said.starts_with("7 records of jsonl: 7 taken, 0 unchanged, 0 not taken."), "{said}");
    assert!(said.contains("1 to user_id 'ben', agent_id 'coach'"), "{said}");
    let lines: Vec<i64> = report.iter().map(|account| account["line"].as_i64().unwrap()).collect();
    assert_eq!(lines, [1, 2, 3, 4, 5, 6, 7]);

    let process = deployment.start();
    let list = process.list();
    for fact in ["home city = Lisbon", "theme = dark", "theme = light", "marathon = ran"] {
        assert!(list.contains(&format!("• {fact}")), "{list}");
    }
    assert!(!list.contains("• gym") && !list.contains("• resting pulse"), "{list}");
    let history = process.call("history", &json!({ "subject": "home city" }));
    assert!(history.contains("1. Porto  [HISTORICAL]\n  2. Lisbon  [ACTIVE]"), "{history}");
    let gym = process.call("history", &json!({ "subject": "gym" }));
    assert!(gym.contains("1. Riverside  [HISTORICAL]"), "{gym}");

    let facts = exported(&deployment);
    let fact = |value: &str| facts.iter().find(|fact| fact["value"] == value).unwrap();
    assert_eq!(fact("Lisbon")["said_at"], "2024-06-01T10:00:00Z");
    assert_eq!(
        (&fact("Porto")["ended"], &fact("Porto")["source"]),
        (&json!("2024-06-01T10:00:00Z"), &json!("ana"))
    );
    assert_eq!(fact("Riverside")["ended"], "2023-09-01T09:00:00Z");
    assert_eq!(fact("dark")["metadata"]["category"], "preference");
    assert_eq!(
        (&fact("dark")["metadata"]["ticket"], &fact("dark")["metadata"]["imported_id"]),
        (&json!(71), &json!("4"))
    );
    assert_eq!((&fact("52")["user_id"], &fact("52")["agent_id"]), (&json!("ben"), &json!("coach")));

    let log = process.call("audit_log", &json!({}));
    assert!(
        log.contains("import_records") && log.contains("imported from jsonl: ARCHIVE home city"),
        "{log}"
    );
    process.intact();
    drop(process);
    deployment.svc(&["fsck"]);
}

#[test]
fn a_dry_run_says_what_will_happen_and_changes_nothing() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    process.remember(&says("home city", "Faro"));
    drop(process);
    let words = |n: i64, value: &str| {
        json!({ "id": n, "text": says("pet", value), "created": format!("2024-0{n}-01") }).to_string()
    };
    let lines =
        [words(1, "a cat"), words(2, "a dog"), std::fs::read_to_string(sample("plain.jsonl")).unwrap()];
    let file = written(&deployment, "mixed.jsonl", &lines.join("\n"));
    let file = file.to_str().unwrap();
    let rows = || {
        let sql = deployment.sql();
        let tables = ["fact", "statement", "audit_entry", "vector", "space", "sequence", "deployment"];
        tables.map(|table| sql.cell(&format!("SELECT count(*) FROM {table}")).integer())
    };
    let files = || std::fs::read_dir(deployment.folder()).unwrap().count();
    import(&deployment, "jsonl", file, &["--dry-run"]);
    let (held, before) = (exported(&deployment), (rows(), files()));
    let (said, tried) = import(&deployment, "jsonl", file, &["--dry-run"]);
    assert!(said.contains("mixed.jsonl:2  SUPERSEDE pet = a dog"), "{said}");
    assert!(said.contains("Nothing was changed. 9 records of jsonl"), "{said}");
    assert_eq!((rows(), files()), before);
    assert_eq!(exported(&deployment), held);
    let (done_said, done) = import(&deployment, "jsonl", file, &[]);
    assert_eq!(tried, done);
    assert!(said.contains(done_said.lines().next().unwrap()), "{said} {done_said}");
    let (_, again) = import(&deployment, "jsonl", file, &["--dry-run"]);
    assert!(again.iter().all(|account| account["fate"] == "unchanged"), "{again:?}");
}

#[test]
fn imported_twice_nothing_changes() {
    for more in [&[][..], &["--as-is"]] {
        let deployment = Deployment::new(&Model::start());
        import(&deployment, "jsonl", &sample("plain.jsonl"), more);
        let before = exported(&deployment);
        let (said, _) = import(&deployment, "jsonl", &sample("plain.jsonl"), more);
        assert!(said.starts_with("7 records of jsonl: 0 taken, 7 unchanged, 0 not taken."), "{said}");
        assert_eq!(exported(&deployment), before);
    }
}

#[test]
fn an_import_that_was_killed_goes_on() {
    let deployment = Deployment::new(&Model::start());
    let lines: Vec<String> = (0..400)
        .map(|n| json!({ "id": n, "subject": format!("shelf {}", n % 150), "value": format!("box {n}"), "created": 1_700_000_000 + n }).to_string())
        .collect();
    let file = written(&deployment, "shelves.jsonl", &lines.join("\n"));
    let file = file.to_str().unwrap();
    deployment.svc(&["list"]);
    for facts in [1, 120] {
        let mut command = deployment.svc_command();
        let mut process = command.args(["import", "--from", "jsonl", file]).spawn().unwrap();
        let sql = deployment.sql();
        let held = || sql.cell("SELECT count(*) FROM fact").integer();
        while held() < facts && process.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        process.kill().unwrap();
        process.wait().unwrap();
    }
    let (said, report) = import(&deployment, "jsonl", file, &[]);
    assert!(said.contains("0 not taken") && report.len() == 400, "{said}");
    let whole = Deployment::new(&Model::start());
    import(&whole, "jsonl", file, &[]);
    let undated = |deployment: &Deployment| {
        let mut facts = comparable(&exported(deployment));
        for fact in &mut facts {
            fact.as_object_mut().unwrap().retain(|name, _| !["created", "changed"].contains(&name.as_str()));
        }
        facts
    };
    assert_eq!(undated(&deployment), undated(&whole));
}

#[test]
fn an_older_value_goes_to_history() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    process.remember(&says("home city", "Faro"));
    let (_, report) = import(&deployment, "jsonl", &sample("plain.jsonl"), &[]);
    assert!(report[1]["why"].as_str().unwrap().starts_with("ARCHIVE home city = Lisbon"), "{report:?}");
    assert!(process.list().contains("• home city = Faro"));
    let (said, report) = import(&deployment, "csv", &sample_csv(&deployment), &["--as-is"]);
    assert!(said.contains("not taken: SKIP") && said.contains("another value is current"), "{said}");
    assert_eq!(report[0]["fate"], "not taken");
}

fn sample_csv(deployment: &Deployment) -> String {
    written(deployment, "late.csv", "subject,value\nhome city,Braga\n").display().to_string()
}

#[test]
fn words_are_read_by_the_model_in_the_order_of_time() {
    let deployment = Deployment::new(&Model::start());
    let lines = [
        json!({ "id": "new", "text": says("pet", "a cat"), "created": "2024-05-01" }),
        json!({ "id": "old", "text": says("pet", "a dog"), "created": "2023-05-01" }),
        json!({ "id": "none", "text": "Nothing that a model makes a fact of.", "created": "2023-06-01" }),
    ];
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let file = written(&deployment, "words.jsonl", &lines.join("\n"));
    let (said, report) = import(&deployment, "jsonl", file.to_str().unwrap(), &[]);
    assert!(said.starts_with("3 records of jsonl: 3 taken"), "{said}");
    let why: Vec<&str> = report.iter().map(|account| account["why"].as_str().unwrap()).collect();
    assert_eq!(why[..2], ["SUPERSEDE pet = a cat", "ADD pet = a dog"]);
    assert!(why[2].starts_with("ADD Nothing that a model makes a"), "{why:?}");
    let (said, _) = import(&deployment, "jsonl", file.to_str().unwrap(), &[]);
    assert!(said.starts_with("3 records of jsonl: 0 taken, 3 unchanged"), "{said}");
}

#[test]
fn what_was_erased_can_be_brought_again() {
    let deployment = Deployment::new(&Model::start());
    import(&deployment, "jsonl", &sample("plain.jsonl"), &[]);
    let process = deployment.start();
    process.call("delete", &json!({ "subject": "marathon" }));
    assert!(!process.list().contains("marathon"));
    let (said, _) = import(&deployment, "jsonl", &sample("plain.jsonl"), &[]);
    assert!(said.starts_with("7 records of jsonl: 1 taken, 6 unchanged"), "{said}");
    assert!(process.list().contains("• marathon = ran"));
    process.intact();
}

#[test]
fn a_table_is_read_with_its_header() {
    let deployment = Deployment::new(&Model::start());
    let (_, report) = import(&deployment, "csv", &sample("plain.csv"), &["--as-is"]);
    let fates: Vec<Value> = report.iter().map(|a| json!([a["line"], a["fate"]])).collect();
    // The second value of the standup is not taken as it is; the rules would have it replace the first.
    let expected = json!([[2, "taken"], [3, "taken"], [4, "not taken"], [5, "taken"]]);
    assert_eq!(Value::from(fates), expected);
    let facts = exported(&deployment);
    assert_eq!(facts[0]["metadata"]["room"], "4.12");
    assert_eq!(facts[1]["value"], "Tuesday, after the \"freeze\"");
    assert_eq!(facts[2]["value"], "The backup runs at night, and is checked on Mondays");
}

#[test]
fn what_is_exported_comes_back_the_same() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    import(&deployment, "jsonl", &sample("plain.jsonl"), &[]);
    process.remember(&crate::support::said(
        "the theme is blue",
        &json!([{ "subject": "colour", "value": "blue" }]),
    ));
    let refined = json!([{ "subject": "colour", "value": "dark blue", "action": "REFINE" }]);
    process.remember(&crate::support::said("the colour is dark blue", &refined));
    let doubtful = json!([{ "subject": "colour", "value": "red", "action": "SUPERSEDE", "confidence": 0.4 }]);
    assert!(process.remember(&crate::support::said("red", &doubtful)).contains("FLAG"));
    drop(process);
    let facts = exported(&deployment);
    let file = deployment.folder().join("all.jsonl");
    deployment.svc(&["export", "--all", file.to_str().unwrap()]);
    assert!(deployment.svc_refuses(&["export", file.to_str().unwrap()]).contains("--force"));

    let other = Deployment::new(&Model::start());
    let (said, _) = import(&other, "jsonl", file.to_str().unwrap(), &["--as-is"]);
    assert!(said.contains(" 0 not taken"), "{said}");
    assert_eq!(comparable(&exported(&other)), comparable(&facts));

    // Told through the rules, the same holds now, and each subject has had the same values.
    let told = Deployment::new(&Model::start());
    import(&told, "jsonl", file.to_str().unwrap(), &[]);
    let current = |facts: &[Value]| -> Vec<String> {
        let mut current: Vec<String> = facts
            .iter()
            .filter(|fact| fact["status"] == "ACTIVE")
            .map(|fact| {
                let said = if fact["said_at"].is_null() { &fact["created"] } else { &fact["said_at"] };
                format!("{} {} {} {said}", fact["subject"], fact["value"], fact["scope"])
            })
            .collect();
        current.sort();
        current
    };
    assert_eq!(current(&exported(&told)), current(&facts));
}

#[test]
fn a_page_shows_what_holds_and_what_was_before() {
    let deployment = Deployment::new(&Model::start());
    import(&deployment, "jsonl", &sample("plain.jsonl"), &[]);
    let page = deployment.svc(&["export", "--markdown"]);
    assert!(page.starts_with("# Memory of default\n"), "{page}");
    let city = "## home city\n\n- **Lisbon**, since 2024-06-01, from ana\n- before: Porto, 2023-02-01 to 2024-06-01, from ana\n";
    assert!(page.contains(city), "{page}");
    let (_, past) = page.split_once("# No longer current\n").unwrap();
    assert!(past.contains("## gym") && !past.contains("## home city"), "{page}");
}
