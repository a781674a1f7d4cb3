//! No two files of a crate use each other, directly or by way of others: what two files share lives below both.

mod source;

use source::Source;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn no_crate_has_a_circle_between_its_files() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut names: Vec<_> = fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    let mut found = Vec::new();
    for name in names.iter().map(|name| name.to_str().unwrap()) {
        let root = crates.join(name).join("src");
        let read = |path: &Path| fs::read_to_string(root.join(path)).ok();
        found.extend(circles(&Source::read(&read)).iter().map(|circle| format!("{name}: {circle}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// One circle for each file that is in any, the shortest through it, spelled out file by file.
fn circles(source: &Source) -> Vec<String> {
    let uses = source.uses();
    let mut told = BTreeSet::new();
    let mut found = Vec::new();
    for start in uses.keys() {
        if told.contains(start) {
            continue;
        }
        let Some(circle) = shortest_circle(&uses, start) else { continue };
        told.extend(circle.iter().cloned());
        let steps = circle.iter().zip(circle.iter().cycle().skip(1));
        let steps = steps.map(|(user, used)| {
            format!("\n  {} uses {} of {}", user.display(), uses[user][used], used.display())
        });
        found.push(format!("a circle of {} files{}", circle.len(), steps.collect::<String>()));
    }
    found
}

type Uses = BTreeMap<PathBuf, BTreeMap<PathBuf, String>>;

fn shortest_circle(uses: &Uses, start: &PathBuf) -> Option<Vec<PathBuf>> {
    let mut reached_from: BTreeMap<&PathBuf, &PathBuf> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(file) = queue.pop_front() {
        for used in uses.get(file).into_iter().flat_map(BTreeMap::keys) {
            if used == start {
                let mut circle = vec![file.clone()];
                while let Some(before) = reached_from.get(circle.last()?) {
                    circle.push((*before).clone());
                }
                circle.reverse();
                return Some(circle);
            }
            if !reached_from.contains_key(used) {
                reached_from.insert(used, file);
                queue.push_back(used);
            }
        }
    }
    None
}

fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
    let read = |path: &Path| {
        files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_owned())
    };
    circles(&Source::read(&read))
}

#[test]
fn a_circle_is_spelled_out_file_by_file() {
    let found = circles_of(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use crate::b::B; pub struct A;"),
        ("b.rs", "pub struct B; fn f() { println!(\"{}\", super::c::C); }"),
        ("c.rs", "pub struct C; fn f(a: crate::a::A) {}"),
    ]);
    let spelled = "a circle of 3 files\n  a.rs uses crate::b::B of b.rs\n  b.rs uses super::c::C of c.rs\n  c.rs uses crate::a::A of a.rs";
    assert_eq!(found, [spelled]);
}

#[test]
fn a_circle_through_a_re_export_is_found() {
    let found = circles_of(&[
        ("lib.rs", "mod a; mod b; pub use b::B as Other;"),
        ("a.rs", "use crate::Other; pub struct A;"),
        ("b.rs", "use super::a; pub struct B(a::A);"),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn a_parent_that_only_re_exports_its_children_is_in_no_circle() {
    let files = |parent: &'static str| {
        [
            ("lib.rs", "mod p;"),
            ("p/mod.rs", parent),
            ("p/a.rs", "pub struct A;"),
            ("p/b.rs", "use super::P; pub struct B(super::A);"),
        ]
    };
    assert!(circles_of(&files("mod a; mod b; pub use {a::A, b::B}; pub struct P;")).is_empty());
    assert_eq!(circles_of(&files("mod a; mod b; pub use {a::A, b::B}; pub struct P(B);")).len(), 1);
}

#[test]
fn tests_are_in_no_circle() {
    let found = circles_of(&[
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate::b::B; pub struct A; #[cfg(test)] mod tests;"),
        ("a/tests.rs", "use super::A;"),
        ("b.rs", "pub struct B; #[cfg(test)] mod tests { use crate::a::A; } #[cfg(test)] use crate::a;"),
    ]);
    assert!(found.is_empty(), "{found:?}");
}
