//! What the operator does with a deployment on the command line.

use super::{Cell, Deployment, program};
use std::process::{Command, Stdio};

/// All that a deployment keeps, in the order in which both engines can give it.
const TABLES: [(&str, &str); 18] = [
    ("deployment", "name"),
    ("sequence", "tenant, name"),
    ("space", "tenant, id"),
    ("fact", "tenant, id"),
    ("statement", "tenant, space, text_ix"),
    ("statement_text", "tenant, ix"),
    ("storage_use", "tenant, writer, space"),
    ("vector", "tenant, fact"),
    ("decision", "tenant, id"),
    ("belief", "tenant, decision, place"),
    ("receipt", "tenant, id"),
    ("erasure", "tenant, id"),
    ("audit_entry", "seq"),
    ("audit_subtree", "level, place"),
    ("principal", "tenant, id"),
    ("graph_outbox", "seq"),
    ("tool_counter", "tool"),
    ("action_counter", "action"),
];

/// What is in every table, and in the files with the keys and the head.
#[derive(Debug, PartialEq, Eq)]
pub struct Contents {
    pub tables: Vec<(String, Vec<Vec<Cell>>)>,
    files: Vec<Option<Vec<u8>>>,
}

impl Deployment {
    /// What `svc` says of something that must succeed.
    pub fn svc(&self, arguments: &[&str]) -> String {
        let output = self.run(&program("svc"), arguments);
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{arguments:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
        said
    }

    /// What `svc` says of something that must be refused.
    pub fn svc_refuses(&self, arguments: &[&str]) -> String {
        let output = self.run(&program("svc"), arguments);
        assert!(
            !output.status.success(),
            "{arguments:?} succeeded: {}",
            String::from_utf8_lossy(&output.stdout)
        );
        String::from_utf8(output.stderr).unwrap()
    }

    /// `svc`, for a test that ends it or listens to it.
    pub fn svc_command(&self) -> Command {
        let environment = self.stdio();
        let mut command = Command::new(program("svc"));
        command.env_clear().current_dir(self.folder());
        command.envs(environment.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Puts the key files of the other deployment in place here.
    pub fn take_keys_of(&self, other: &Self) {
        for name in ["svc.db.key", "svc.db.sign.key", "svc.db.users.key"] {
            let file = other.folder().join(name);
            if file.exists() {
                std::fs::copy(file, self.folder().join(name)).unwrap();
            }
        }
    }

    /// No program may be running on it.
    pub fn contents(&self) -> Contents {
        let sql = self.sql();
        let read = |(table, order): &(&str, &str)| {
            ((*table).to_owned(), sql.rows(&format!("SELECT * FROM {table} ORDER BY {order}")))
        };
        let files = ["svc.db.key", "svc.db.sign.key", "svc.db.users.key", "svc.db.head"];
        let files = files.map(|name| std::fs::read(self.folder().join(name)).ok()).to_vec();
        Contents { tables: TABLES.iter().map(read).collect(), files }
    }
}
