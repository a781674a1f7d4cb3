//! The memory that is asked: in this process, or in one of its own that serves MCP over its standard input and output.

use crate::error::LabError;
use crate::eval::bench::{self, Bench};
use domain::{FactId, Status};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub enum Memory<'a> {
    InProcess(&'a bench::Memory),
    OfItsOwn(Box<Process>),
}

impl Memory<'_> {
    /// The text of the reply.
    pub async fn call(&mut self, tool: &str, arguments: Map<String, Value>) -> Result<String, LabError> {
        match self {
            Self::InProcess(memory) => Ok(memory.call(tool, Value::Object(arguments)).await?.text()),
            Self::OfItsOwn(process) => process.call(tool, &arguments),
        }
    }

    /// What is current.
    pub async fn current(&mut self) -> Result<Vec<Held>, LabError> {
        let export: Export = serde_json::from_str(&self.call("export_memory", Map::new()).await?)
            .map_err(|error| LabError::Refused(format!("export_memory: {error}")))?;
        Ok(export.records.into_iter().filter(|held| held.status == Status::Active.word()).collect())
    }
}

#[derive(Debug, Deserialize)]
struct Export {
    records: Vec<Held>,
}

/// A fact that is held.
#[derive(Debug, Clone, Deserialize)]
pub struct Held {
    pub id: FactId,
    pub subject: String,
    pub value: String,
    status: String,
    #[serde(default)]
    pub text: String,
}

/// `svc-mcp` with the settings of the evaluation.
pub struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    calls: u64,
}

impl Process {
    pub fn start(bench: &Bench, folder: &Path) -> Result<Self, LabError> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg0("svc-mcp")
            .env_clear()
            .envs(bench.variables(folder))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(ended());
        };
        Ok(Self { child, input, output: BufReader::new(output), calls: 0 })
    }

    fn call(&mut self, tool: &str, arguments: &Map<String, Value>) -> Result<String, LabError> {
        self.calls += 1;
        let params = json!({ "name": tool, "arguments": arguments });
        let request = json!({ "jsonrpc": "2.0", "id": self.calls, "method": "tools/call", "params": params });
        writeln!(self.input, "{request}")?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(ended());
            }
            let message: Value = serde_json::from_str(&line).unwrap_or_default();
            if message.get("id").and_then(Value::as_u64) == Some(self.calls) {
                let text = message.pointer("/result/content/0/text").and_then(Value::as_str);
                return text
                    .map(str::to_owned)
                    .ok_or_else(|| LabError::Refused(format!("{tool}: {message}")));
            }
        }
    }

    /// Closes its input, as a client does that goes, and waits for its end.
    pub fn end(mut self) -> Result<(), LabError> {
        drop(self.input);
        self.child.wait()?;
        Ok(())
    }
}

fn ended() -> LabError {
    LabError::Refused("the process that was to be asked has ended".to_owned())
}
