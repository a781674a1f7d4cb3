//! One deployment: a folder of its own, and the settings to start programs with.

use super::{Mcp, Model, Server};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

pub struct Deployment {
    folder: TempDir,
    variables: Vec<(String, String)>,
}

impl Deployment {
    pub fn new(model: &Model) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let variables = vec![("OPENAI_BASE_URL".to_owned(), model.base_url())];
        Self { folder, variables }
    }

    /// Without any variable set: the built-in model serves.
    pub fn bare() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), variables: Vec::new() }
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.set(name, value);
        self
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// The same files and settings in another folder. No program may be running on this one.
    pub fn copy(&self) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for file in self.files() {
            std::fs::copy(self.folder.path().join(&file), folder.path().join(&file)).unwrap();
        }
        Self { folder, variables: self.variables.clone() }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn database(&self) -> PathBuf {
        self.folder.path().join("svc.db")
    }

    /// The names of the files, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The database itself, as somebody with access to the disk could open it.
    pub fn sql(&self) -> rusqlite::Connection {
        let sql = rusqlite::Connection::open(self.database()).unwrap();
        sql.busy_timeout(super::PATIENCE).unwrap();
        sql.pragma_update(None, "synchronous", "OFF").unwrap();
        sql
    }

    pub fn start(&self) -> Mcp {
        Mcp::start(self.command(env!("CARGO_BIN_EXE_svc-mcp")))
    }

    pub fn serve(&self) -> Server {
        Server::start(self.command(env!("CARGO_BIN_EXE_svc-server")))
    }

    /// `svc-mcp`, for a test that speaks its protocol line by line.
    pub fn stdio(&self) -> Command {
        self.command(env!("CARGO_BIN_EXE_svc-mcp"))
    }

    /// What the program says when it does not start.
    pub fn refusal(&self) -> String {
        let output = self.run(env!("CARGO_BIN_EXE_svc-mcp"), &[]);
        assert!(!output.status.success(), "it started");
        assert!(output.stdout.is_empty(), "standard output is for the protocol alone");
        String::from_utf8(output.stderr).unwrap()
    }

    /// Runs a program to its end, with nothing on standard input.
    pub fn run(&self, program: &str, arguments: &[&str]) -> Output {
        self.command(program).args(arguments).stdin(std::process::Stdio::null()).output().unwrap()
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.variables.iter().cloned()).current_dir(self.folder.path());
        command
    }
}
