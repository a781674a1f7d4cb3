//! Console blocks: all commands of a page, in one shell, in a home folder of the page's own.

use super::{Exchange, Page, Part};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

/// What the pages show instead of the places and the port of this run.
const HOME: &str = "/home/you";
const PROGRAMS: &str = "/home/you/svc/target/release";
const PORT: &str = "8080";
/// Between the outputs of two commands.
const MARK: char = '\u{1}';

pub fn run(page: &Page) -> Vec<Vec<Exchange>> {
    let blocks: Vec<&Vec<Exchange>> = page
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Console(exchanges) => Some(exchanges),
            _ => None,
        })
        .collect();
    if blocks.is_empty() {
        return Vec::new();
    }
    let sandbox = Sandbox::new();
    let script: String =
        blocks.iter().flat_map(|block| block.iter()).map(|exchange| sandbox.command(exchange)).collect();
    let output = sandbox.run(&script);
    let mut outputs = output.split(MARK).skip(1).map(str::to_owned);
    let mut answer = |exchange: &Exchange| {
        let output = outputs.next().unwrap_or_else(|| panic!("no output for {exchange:?}"));
        let expected = sandbox.shown(&output).lines().map(|line| line.trim_end().to_owned()).collect();
        Exchange { asked: exchange.asked.clone(), expected }
    };
    blocks.into_iter().map(|block| block.iter().map(&mut answer).collect()).collect()
}

struct Sandbox {
    home: tempfile::TempDir,
    programs: String,
    port: String,
}

impl Sandbox {
    fn new() -> Self {
        let programs = Path::new(env!("CARGO_BIN_EXE_svc")).parent().unwrap().to_str().unwrap().to_owned();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
        Self { home: tempfile::tempdir().unwrap(), programs, port }
    }

    fn home(&self) -> &str {
        self.home.path().to_str().unwrap()
    }

    /// The lines of the script for one command. What is typed at its prompt is part of what is expected of it.
    fn command(&self, exchange: &Exchange) -> String {
        let command = exchange.asked.strip_prefix("$ ").unwrap_or_default();
        let typed: Vec<&str> =
            exchange.expected.iter().filter_map(|line| line.strip_prefix("svc> ")).collect();
        let typed = if typed.is_empty() {
            String::new()
        } else {
            format!(" <<'END_OF_INPUT'\n{}\nEND_OF_INPUT", typed.join("\n"))
        };
        // A server is there once it listens.
        let wait = if command.ends_with('&') {
            "for n in {1..1200}; do (exec 3<>/dev/tcp/127.0.0.1/8080) 2>/dev/null && break; sleep 0.05; done\n"
        } else {
            ""
        };
        let lines = format!("printf '\\001'\n{command}{typed}\n{wait}");
        lines.replace(PROGRAMS, &self.programs).replace(HOME, self.home()).replace(PORT, &self.port)
    }

    fn run(&self, script: &str) -> String {
        let file = self.home.path().join(".script");
        std::fs::write(&file, format!("trap 'kill $(jobs -p) 2>/dev/null' EXIT\nexec 2>&1\n{script}"))
            .unwrap();
        let output = Command::new("bash")
            .arg(&file)
            .env_clear()
            .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", self.programs))
            .env("HOME", self.home())
            .env("SVC_PORT", &self.port)
            .current_dir(self.home())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    fn shown(&self, output: &str) -> String {
        output.replace(&self.programs, PROGRAMS).replace(self.home(), HOME).replace(&self.port, PORT)
    }
}
