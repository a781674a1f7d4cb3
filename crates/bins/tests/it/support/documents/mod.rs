//! The documentation, read for what can be run in it. How blocks are marked is told in `docs/README.md`.

mod compare;
mod console;
mod mcp;

pub use compare::agrees;

use std::path::{Path, PathBuf};

/// Blocks of these languages are there to be read.
const READ: [&str; 6] = ["text", "json", "toml", "yaml", "sql", "vectors"];
/// Commands that the checks on every change run themselves, since they build the very programs that the tests use.
const BUILDING: [&str; 3] = ["cargo run --profile quick", "cargo build --release", "cargo test --workspace"];

/// One command or one call, and what is said to come of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The line that asks, as it is in the page.
    pub asked: String,
    pub expected: Vec<String>,
}

#[derive(Debug)]
pub enum Part {
    /// Text, and blocks that are only read.
    Prose(Vec<String>),
    Console(Vec<Exchange>),
    /// Calls of tools; with settings, on a memory of their own, otherwise on the one before.
    Mcp {
        settings: Vec<(String, String)>,
        fence: String,
        exchanges: Vec<Exchange>,
    },
}

pub struct Page {
    pub path: PathBuf,
    pub parts: Vec<Part>,
}

/// Where the project is.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The pages that a person reads to use the service.
pub fn pages() -> Vec<Page> {
    let mut paths = vec![root().join("README.md"), root().join("packaging/README.md")];
    let docs = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    paths.extend(docs.filter(|path| path.extension().is_some_and(|end| end == "md")));
    paths.sort();
    paths.into_iter().map(Page::read).collect()
}

impl Page {
    fn read(path: PathBuf) -> Self {
        let text = std::fs::read_to_string(&path).unwrap();
        Self::parse(path, &text)
    }

    fn parse(path: PathBuf, text: &str) -> Self {
        let mut parts = vec![Part::Prose(Vec::new())];
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(fence) = line.strip_prefix("```") else {
                prose(&mut parts).push(line.to_owned());
                continue;
            };
            let block: Vec<String> =
                lines.by_ref().take_while(|line| *line != "```").map(str::to_owned).collect();
            let (language, settings) = fence.split_once(' ').unwrap_or((fence, ""));
            match language {
                "console" => parts.push(Part::Console(exchanges("$ ", &block))),
                "mcp" => parts.push(Part::Mcp {
                    settings: settings
                        .split(' ')
                        .filter_map(|pair| pair.split_once('='))
                        .map(owned)
                        .collect(),
                    fence: line.to_owned(),
                    exchanges: exchanges("> ", &block),
                }),
                _ => {
                    unmarked(&path, language, &block);
                    let prose = prose(&mut parts);
                    prose.push(line.to_owned());
                    prose.extend(block);
                    prose.push("```".to_owned());
                }
            }
        }
        Self { path, parts }
    }

    /// Runs all that can be run, and puts what came of it in place of what was expected.
    pub fn run(&self) -> Vec<Part> {
        let console = console::run(self);
        let mcp = mcp::run(self);
        let (mut console, mut mcp) = (console.into_iter(), mcp.into_iter());
        let came = |part: &Part| match part {
            Part::Prose(lines) => Part::Prose(lines.clone()),
            Part::Console(_) => Part::Console(console.next().unwrap()),
            Part::Mcp { settings, fence, .. } => {
                Part::Mcp { settings: settings.clone(), fence: fence.clone(), exchanges: mcp.next().unwrap() }
            }
        };
        self.parts.iter().map(came).collect()
    }

    /// Writes the page with these parts.
    pub fn write(&self, parts: &[Part]) {
        let mut lines: Vec<String> = Vec::new();
        for part in parts {
            let (fence, exchanges) = match part {
                Part::Prose(prose) => {
                    lines.extend(prose.iter().cloned());
                    continue;
                }
                Part::Console(exchanges) => ("```console", exchanges),
                Part::Mcp { fence, exchanges, .. } => (fence.as_str(), exchanges),
            };
            lines.push(fence.to_owned());
            for exchange in exchanges {
                lines.push(exchange.asked.clone());
                lines.extend(exchange.expected.iter().map(|line| compare::publishable(line)));
            }
            lines.push("```".to_owned());
        }
        std::fs::write(&self.path, lines.join("\n") + "\n").unwrap();
    }
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn prose(parts: &mut Vec<Part>) -> &mut Vec<String> {
    if !matches!(parts.last(), Some(Part::Prose(_))) {
        parts.push(Part::Prose(Vec::new()));
    }
    match parts.last_mut() {
        Some(Part::Prose(lines)) => lines,
        _ => unreachable!("it was just put there"),
    }
}

fn exchanges(mark: &str, block: &[String]) -> Vec<Exchange> {
    let mut found: Vec<Exchange> = Vec::new();
    for line in block {
        match found.last_mut() {
            _ if line.starts_with(mark) => found.push(Exchange { asked: line.clone(), expected: Vec::new() }),
            Some(exchange) => exchange.expected.push(line.clone()),
            None => panic!("a block that is run begins with '{mark}', not with: {line}"),
        }
    }
    found
}

/// A command that no test runs is a command that may not work.
fn unmarked(path: &Path, language: &str, block: &[String]) {
    let place = path.display();
    if READ.contains(&language) {
        let command = block.iter().find(|line| line.starts_with("$ "));
        assert!(command.is_none(), "{place}: mark this block as console, to have it run: {command:?}");
        return;
    }
    assert_eq!(language, "sh", "{place}: a block is marked console, mcp, sh or one of {READ:?}");
    for line in block {
        let known = BUILDING.contains(&line.as_str());
        assert!(known, "{place}: '{line}' is run by nothing; put it into a console block");
    }
}

#[cfg(test)]
mod tests {
    use super::Page;

    fn is_taken(block: &str) -> bool {
        let text = format!("Some text.\n\n{block}\n");
        std::panic::catch_unwind(|| Page::parse("page.md".into(), &text)).is_ok()
    }

    #[test]
    fn a_block_that_nothing_runs_is_refused() {
        assert!(
            is_taken("```console\n$ svc --version\n```") && is_taken("```sh\ncargo run --profile quick\n```")
        );
        assert!(is_taken("```json\n{}\n```"));
        for block in [
            "```sh\nsvc --version\n```",
            "```bash\ncargo run --profile quick\n```",
            "```\nsvc --version\n```",
            "```text\n$ svc --version\n```",
            "```console\nsvc --version\n```",
            "```mcp\nrecall {}\n```",
        ] {
            assert!(!is_taken(block), "{block}");
        }
    }
}
