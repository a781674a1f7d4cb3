//! The pages for those who change the code name files that exist, and links lead somewhere.

use crate::support::documents::root;
use std::path::{Path, PathBuf};

/// What a page for developers may call a file or a folder: `gate.rs`, `sqlite/tx.rs`, `store/src/seal.rs`, `presets/`.
const ENDINGS: [&str; 5] = [".rs", ".sql", ".txt", ".json", "/"];

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden || path.ends_with("target") {
            continue;
        }
        if path.is_dir() {
            files_below(&path, found);
        }
        found.push(path);
    }
}

/// Every file and folder of the repository, from its root, with a slash before and one behind a folder.
fn places() -> Vec<String> {
    let (root, mut found) = (root(), Vec::new());
    files_below(&root, &mut found);
    let shown = |path: &PathBuf| {
        let end = if path.is_dir() { "/" } else { "" };
        format!("/{}{end}", path.strip_prefix(&root).unwrap().display())
    };
    found.iter().map(shown).collect()
}

fn pages(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
}

/// The words between backticks that look like a file or folder.
fn named(text: &str) -> impl Iterator<Item = &str> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| {
            ENDINGS.iter().any(|end| word.ends_with(end)) && !word.contains([' ', '<', '*', '…', ':'])
        })
        .filter(|word| !word.starts_with(['/', '.', '~']))
}

#[test]
fn the_map_has_every_crate() {
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        for start in [format!("| `{name}`"), format!("**`{name}`")] {
            let named = |line: &str| line.starts_with(&start) || line.contains(&format!(" and `{name}`: "));
            assert!(map.lines().any(named), "the map has no line that begins with {start}");
        }
    }
}

#[test]
fn the_map_names_files_of_the_right_crate() {
    let places = places();
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let tables = map.split("## Walks").next().unwrap();
    let (mut wrong, mut crates) = (Vec::new(), Vec::new());
    for line in tables.lines() {
        // The row of a crate in the first table, or the title of a crate's own table.
        let named_here: Vec<&str> = line
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|word| root().join("crates").join(word).is_dir())
            .collect();
        if !named_here.is_empty() {
            crates = named_here;
        }
        let is_there = |file: &str| {
            let in_crate = |name: &&str| places.contains(&format!("/crates/{name}/src/{file}"));
            crates.iter().any(in_crate) || places.contains(&format!("/{file}"))
        };
        wrong.extend(named(line).filter(|file| !is_there(file)).map(|file| format!("{crates:?}: no {file}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pages_for_developers_name_files_that_exist() {
    let (root, places) = (root(), places());
    let mut wrong = Vec::new();
    let decisions = pages("docs/decisions").into_iter();
    for page in [root.join("ARCHITECTURE.md"), root.join("CONTRIBUTING.md")].into_iter().chain(decisions) {
        let text = std::fs::read_to_string(&page).unwrap();
        let missing = named(&text).filter(|file| !places.iter().any(|p| p.ends_with(&format!("/{file}"))));
        wrong.extend(missing.map(|file| format!("{}: there is no {file}", page.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_link_leads_somewhere() {
    let root = root();
    let mut all: Vec<PathBuf> = [".", "docs", "docs/decisions", "packaging", "interop", "lab/training"]
        .iter()
        .flat_map(|folder| pages(folder))
        .collect();
    all.sort();
    let mut wrong = Vec::new();
    for page in &all {
        let text = std::fs::read_to_string(page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.with_file_name("").join(file) };
            let leads = target.exists() && (heading.is_empty() || has_heading(&target, heading));
            if !leads {
                wrong.push(format!("{}: {link}", page.strip_prefix(&root).unwrap().display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a page has a heading with this anchor, in the way that GitHub makes them.
fn has_heading(page: &Path, anchor: &str) -> bool {
    let text = std::fs::read_to_string(page).unwrap();
    let anchor_of = |heading: &str| -> String {
        let kept = heading.trim_start_matches('#').trim().to_lowercase();
        kept.chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
            .collect::<String>()
            .replace(' ', "-")
    };
    text.lines().filter(|line| line.starts_with('#')).any(|line| anchor_of(line) == anchor)
}
