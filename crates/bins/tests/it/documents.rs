//! What the documentation shows is what happens: every command and every exchange in it is run.

use crate::support::documents::{Exchange, Part, agrees, pages, root};
use reconcile::{PRESETS, SlotSchema};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Set to write what came of the commands into the pages, where it differs.
const WRITE: &str = "SVC_WRITE_DOCS";

#[test]
fn every_command_does_what_its_page_says() {
    list_the_presets();
    let mut wrong = Vec::new();
    for page in pages() {
        let mut came = page.run();
        let mut differs = false;
        for (part, came) in page.parts.iter().zip(&mut came) {
            for (exchange, came) in exchanges(part).iter().zip(exchanges_mut(came)) {
                if agrees(&exchange.expected, &came.expected) {
                    came.expected.clone_from(&exchange.expected);
                } else {
                    differs = true;
                    let (said, came) = (exchange.expected.join("\n"), came.expected.join("\n"));
                    let name = page.path.file_name().unwrap().display();
                    wrong.push(format!(
                        "{name}: {}\n--- the page\n{said}\n--- what came\n{came}\n",
                        exchange.asked
                    ));
                }
            }
        }
        if differs && std::env::var_os(WRITE).is_some() {
            page.write(&came);
        }
    }
    assert!(
        wrong.is_empty(),
        "run this test with {WRITE}=1 to write what came into the pages\n{}",
        wrong.join("\n")
    );
}

fn exchanges(part: &Part) -> &[Exchange] {
    match part {
        Part::Prose(_) => &[],
        Part::Console(exchanges) | Part::Mcp { exchanges, .. } => exchanges,
    }
}

fn exchanges_mut(part: &mut Part) -> &mut [Exchange] {
    match part {
        Part::Prose(_) => &mut [],
        Part::Console(exchanges) | Part::Mcp { exchanges, .. } => exchanges,
    }
}

#[test]
fn the_picture_shows_what_the_demo_prints() {
    let folder = tempfile::tempdir().unwrap();
    let (made, kept) = (folder.path().join("demo.svg"), root().join("docs/demo.svg"));
    let ended = Command::new(env!("CARGO_BIN_EXE_svc")).arg("demo").arg("--svg").arg(&made).status().unwrap();
    assert!(ended.success());
    let lines = |path: &Path| -> Vec<String> {
        std::fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
    };
    let is_same = agrees(&lines(&kept), &lines(&made));
    if !is_same && std::env::var_os(WRITE).is_some() {
        std::fs::copy(&made, &kept).unwrap();
    } else {
        assert!(is_same, "run this test with {WRITE}=1 to make docs/demo.svg again");
    }
}

#[test]
fn every_tool_has_a_real_exchange() {
    let pages = pages();
    let page = pages.iter().find(|page| page.path.ends_with("tools.md")).unwrap();
    let called: BTreeSet<&str> = page
        .parts
        .iter()
        .flat_map(exchanges)
        .filter_map(|exchange| exchange.asked.strip_prefix("> ")?.split(' ').next())
        .collect();
    let tools: BTreeSet<&str> = service::catalogue().iter().map(|tool| tool.name).collect();
    assert_eq!(called, tools);
    let text = std::fs::read_to_string(&page.path).unwrap();
    for tool in tools {
        assert!(text.contains(&format!("### `{tool}`\n")), "{tool} has no heading");
    }
}

/// The page of the slots lists the presets as they are.
fn list_the_presets() {
    let path = root().join("docs/slots.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (start, rest) = text.split_once("<!-- presets -->\n").unwrap();
    let (listed, end) = rest.split_once("<!-- end of presets -->\n").unwrap();
    let real: String = PRESETS.iter().map(|name| table(name)).collect();
    if listed != real && std::env::var_os(WRITE).is_some() {
        let text = format!("{start}<!-- presets -->\n{real}<!-- end of presets -->\n{end}");
        std::fs::write(&path, text).unwrap();
        return;
    }
    assert_eq!(listed, real, "run this test with {WRITE}=1 to write the presets into the page");
}

fn table(preset: &str) -> String {
    let schema = SlotSchema::preset(preset).unwrap();
    let row = |slot: &reconcile::Slot| {
        let marks = [(slot.confirm, "guarded"), (slot.multi, "list"), (slot.verbatim, "verbatim")];
        let marks: Vec<&str> = marks.iter().filter(|(on, _)| *on).map(|(_, mark)| *mark).collect();
        let category = slot.category.as_deref().unwrap_or_default();
        format!("| `{}` | {} | {} | {category} |\n", slot.name, slot.description, marks.join(", "))
    };
    let rows: String = schema.slots().iter().map(row).collect();
    format!("\n### `preset:{preset}`\n\n| Slot | What it is | | Category |\n|---|---|---|---|\n{rows}")
}
