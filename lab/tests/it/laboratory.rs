//! A folder of its own to measure in, with a model of the test's.

use samples::model::Model;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

pub struct Laboratory {
    folder: TempDir,
    variables: Vec<(String, String)>,
}

impl Laboratory {
    pub fn new(model: &Model) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), variables: Vec::new() }
            .with("OPENAI_BASE_URL", &model.base_url())
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The names of the files, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs `svc-lab` to its end.
    pub fn run(&self, arguments: &[&str]) -> Output {
        let mut lab = Command::new(env!("CARGO_BIN_EXE_svc-lab"));
        lab.env_clear().envs(self.variables.iter().cloned()).current_dir(self.folder());
        lab.args(arguments).stdin(Stdio::null()).output().unwrap()
    }
}
