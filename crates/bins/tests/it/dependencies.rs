//! Which crate may use which.

use cargo_metadata::{DependencyKind, MetadataCommand};

/// The crates of the house that each may use; the programs may use any.
const ALLOWED: [(&str, &[&str]); 16] = [
    ("svc-domain", &[]),
    ("svc-reconcile", &["svc-domain"]),
    ("svc-evidence", &["svc-domain"]),
    ("svc-encoder", &[]),
    ("svc-tls", &[]),
    ("svc-prose", &["svc-domain"]),
    ("svc-model", &["svc-domain", "svc-prose", "svc-tls"]),
    ("svc-reader", &["svc-domain", "svc-encoder", "svc-model", "svc-prose"]),
    ("svc-recall", &["svc-domain"]),
    ("svc-graph", &["svc-domain"]),
    ("svc-store", &["svc-domain", "svc-evidence", "svc-reconcile", "svc-tls"]),
    (
        "svc-service",
        &["svc-domain", "svc-evidence", "svc-graph", "svc-model", "svc-recall", "svc-reconcile", "svc-store"],
    ),
    ("svc-edge", &["svc-domain", "svc-service", "svc-store", "svc-tls"]),
    // Nothing that users run needs these two: the one measures, the other is for tests.
    ("svc-lab", &["svc", "svc-domain", "svc-model", "svc-reconcile", "svc-service"]),
    ("svc-samples", &["svc-tls"]),
    ("svc-console", &["svc-domain", "svc-edge", "svc-evidence", "svc-service", "svc-store"]),
];
const PROGRAMS: &str = "svc";

#[test]
fn crates_depend_on_each_other_only_as_listed() {
    let metadata = MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .no_deps()
        .exec()
        .unwrap();
    let names: Vec<String> = metadata.packages.iter().map(|package| package.name.to_string()).collect();
    let mut wrong = Vec::new();
    for package in &metadata.packages {
        let name = package.name.as_str();
        if name == PROGRAMS {
            continue;
        }
        let Some((_, allowed)) = ALLOWED.iter().find(|(known, _)| *known == name) else {
            wrong.push(format!("{name} has no place in the house: add it to the table"));
            continue;
        };
        let used = package
            .dependencies
            .iter()
            .filter(|used| used.kind != DependencyKind::Development && names.contains(&used.name));
        wrong.extend(
            used.filter(|used| !allowed.contains(&used.name.as_str()))
                .map(|used| format!("{name} must not use {}", used.name)),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(names.len(), ALLOWED.len() + 1, "{names:?}");
}
