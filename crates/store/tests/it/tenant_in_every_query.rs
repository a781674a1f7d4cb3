//! Every query on a table that belongs to tenants names the tenant. A query that forgets it often finds the right rows
//! all the same, because its keys are derived from the tenant too or because PostgreSQL's policies hold: so this is
//! checked where it is written.

use std::path::{Path, PathBuf};

/// Tables whose rows belong to a tenant, and nothing else.
const OF_TENANTS: [&str; 9] = [
    "space",
    "fact",
    "statement",
    "statement_text",
    "vector",
    "decision",
    "belief",
    "receipt",
    "storage_use",
];

/// The folders that hold SQL for the service. Copying whole deployments, which is about all tenants at once, is in
/// another.
const FOLDERS: [&str; 4] = ["sqlite", "postgres", "rows", "scripts"];

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let files = entries.map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// The text literals of a source file, each on one line with single spaces.
fn literals(source: &str) -> Vec<String> {
    let code: String = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| format!("{line}\n"))
        .collect();
    let mut found = Vec::new();
    let mut rest = code.as_str();
    while let Some(start) = rest.find('"') {
        let Some((_, after)) = rest.split_at_checked(start + 1) else { break };
        let Some(end) = after.find('"') else { break };
        let Some((text, beyond)) = after.split_at_checked(end) else { break };
        found.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
        rest = beyond.get(1..).unwrap_or_default();
    }
    found
}

/// The tables of tenants that a statement reads or writes.
fn touched(sql: &str) -> Vec<&'static str> {
    let words: Vec<&str> = sql.split([' ', '(', ')', ',', ';']).collect();
    let named = |table: &str| {
        words
            .windows(2)
            .any(|pair| matches!(pair, ["FROM" | "JOIN" | "INTO" | "UPDATE", name] if *name == table))
    };
    OF_TENANTS.into_iter().filter(|table| named(table)).collect()
}

fn names_the_tenant(sql: &str) -> bool {
    let by_condition = ["tenant = $1", "tenant = ?1"].iter().any(|condition| sql.contains(condition));
    by_condition || (sql.starts_with("INSERT INTO") && sql.contains("(tenant,"))
}

#[test]
fn no_query_on_rows_of_tenants_leaves_the_tenant_out() {
    let mut seen = 0;
    let mut without = Vec::new();
    for folder in FOLDERS {
        for file in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder)) {
            for sql in literals(&std::fs::read_to_string(&file).unwrap()) {
                if touched(&sql).is_empty() {
                    continue;
                }
                seen += 1;
                if !names_the_tenant(&sql) {
                    without.push(format!("{}: {sql}", file.display()));
                }
            }
        }
    }
    assert!(seen > 40, "only {seen} queries were found: does this test still read them?");
    assert!(without.is_empty(), "queries without a tenant:\n{}", without.join("\n"));
}

#[test]
fn a_query_that_leaves_it_out_is_noticed() {
    let source = "let rows = db.all(\"SELECT id FROM fact\n    WHERE space = ?2\", params)?;";
    let [sql] = literals(source).try_into().unwrap();
    assert_eq!((touched(&sql), names_the_tenant(&sql)), (vec!["fact"], false));
    assert!(names_the_tenant("DELETE FROM fact WHERE tenant = ?1 AND id = ?2"));
}
