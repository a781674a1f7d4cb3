//! A memory as a file: one fact a line, which `svc import` reads, or a page for people.

mod page;

use super::CliError;
use super::session::Session;
use crate::settings::Settings;
use crate::startup::StartupError;
use clap::Args;
use domain::{DEFAULT_USER, Space, counted};
use serde_json::json;
use service::{Exported, Reply, ToolReply, fact_json};
use std::fs;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Write a memory to a file, one fact a line, or as a page that a person can read.
///
/// Every fact is in it with its times, its scope and its history, in clear. `svc import --from jsonl` reads it. Decisions,
/// receipts and the audit log are not in it: the tool export_memory gives those, and svc backup everything.
#[derive(Debug, Args)]
pub struct Command {
    /// Where it goes; standard output where it is left out.
    file: Option<PathBuf>,
    /// Write a page in Markdown.
    #[arg(long)]
    markdown: bool,
    /// Every space that there is.
    #[arg(long, conflicts_with_all = ["user", "agent", "run"])]
    all: bool,
    /// Whose memory.
    #[arg(long, value_name = "ID", default_value = DEFAULT_USER)]
    user: String,
    /// Of which agent.
    #[arg(long, value_name = "ID", default_value = "")]
    agent: String,
    /// Of which run.
    #[arg(long, value_name = "ID", default_value = "")]
    run: String,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
}

impl Command {
    pub async fn run(self, settings: Settings, out: &mut impl Write) -> Result<(), CliError> {
        if let Some(file) = self.file.as_ref().filter(|file| !self.force && file.exists()) {
            return Err(CliError::Refused(format!("{} exists; --force replaces it", file.display())));
        }
        let session = Session::without_model(settings).await?;
        let spaces = match self.all {
            true => session.spaces().await.map_err(StartupError::from)?,
            false => vec![Space::new(&self.user, &self.agent, &self.run)],
        };
        let Some(file) = &self.file else {
            self.write(&session, &spaces, out).await?;
            return Ok(());
        };
        let mut lines = BufWriter::new(fs::File::create(file)?);
        let facts = self.write(&session, &spaces, &mut lines).await?;
        lines.flush()?;
        writeln!(out, "Wrote {} to {}.", counted(facts as u64, "fact", "facts"), file.display())?;
        Ok(())
    }

    async fn write(
        &self,
        session: &Session,
        spaces: &[Space],
        out: &mut impl Write,
    ) -> Result<usize, CliError> {
        let mut facts = 0;
        for space in spaces {
            let exported = exported(session, space).await?;
            facts += exported.export.records.len();
            if self.markdown {
                page::write(&exported, out)?;
            } else {
                lines(&exported, out)?;
            }
        }
        Ok(facts)
    }
}

async fn exported(session: &Session, space: &Space) -> Result<Exported, CliError> {
    let Space { user_id, agent_id, run_id } = space;
    let arguments = json!({ "user_id": user_id, "agent_id": agent_id, "run_id": run_id });
    match session.call("export_memory", arguments).await {
        Reply::Done(ToolReply::ExportMemory(exported)) if exported.export.unreadable == 0 => Ok(exported),
        Reply::Done(ToolReply::ExportMemory(_)) => Err(CliError::Refused(
            "Some of it cannot be read, so it would not be all. Look with svc fsck.".to_owned(),
        )),
        other => Err(CliError::Refused(other.text())),
    }
}

fn lines(exported: &Exported, out: &mut impl Write) -> Result<(), CliError> {
    let space = &exported.space;
    for fact in &exported.export.records {
        let mut line = fact_json(fact);
        if let Some(fields) = line.as_object_mut() {
            fields.insert("user_id".to_owned(), space.user_id.as_str().into());
            fields.insert("agent_id".to_owned(), space.agent_id.as_str().into());
            fields.insert("run_id".to_owned(), space.run_id.as_str().into());
        }
        writeln!(out, "{line}")?;
    }
    Ok(())
}
