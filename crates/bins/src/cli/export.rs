//! A memory as a file: one fact a line, which `svc import` reads, or a page for people.

mod page;

use super::CliError;
use super::restore::replace;
use super::session::Session;
use super::whose::Whose;
use crate::settings::Settings;
use crate::startup::StartupError;
use clap::Args;
use domain::{DEFAULT_TENANT, Space, counted};
use serde_json::json;
use service::{Exported, Reply, ToolReply, fact_json};
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use store::Draft;

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
    /// Every space of the tenant 'default'.
    #[arg(long, conflicts_with_all = ["user", "agent", "run"])]
    all: bool,
    #[command(flatten)]
    whose: Whose,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
}

impl Command {
    pub async fn run(self, settings: Settings, out: &mut impl Write) -> Result<(), CliError> {
        if let Some(file) = &self.file {
            self.check(file)?;
        }
        let session = Session::without_model(settings).await?;
        let spaces = match self.all {
            true => session.spaces().await.map_err(StartupError::from)?,
            false => vec![self.whose.space()],
        };
        match &self.file {
            None => {
                self.write(&session, &spaces, out).await?;
            }
            Some(file) => {
                let facts = self.write_file(&session, &spaces, file).await?;
                writeln!(out, "Wrote {} to {}.", counted(facts as u64, "fact", "facts"), file.display())?;
            }
        }
        let others = if self.all { session.other_tenants().await.map_err(StartupError::from)? } else { 0 };
        if others > 0 {
            let others = counted(others as u64, "other tenant", "other tenants");
            writeln!(
                io::stderr(),
                "Left out: what {others} hold; svc works in the tenant '{DEFAULT_TENANT}'. A key of a tenant exports \
                 its memories with the tool export_memory."
            )?;
        }
        Ok(())
    }

    fn check(&self, file: &Path) -> Result<(), CliError> {
        let refused = |why: &str| Err(CliError::Refused(format!("{} {why}", file.display())));
        if fs::metadata(file).is_ok_and(|found| !found.is_file()) {
            return refused("is not a plain file. Name another one, or none to write to standard output.");
        }
        // A link that leads nowhere is there too.
        if !self.force && fs::symlink_metadata(file).is_ok() {
            return refused("exists; --force replaces it");
        }
        Ok(())
    }

    /// For its owner alone, and under its name only once it is whole.
    async fn write_file(&self, session: &Session, spaces: &[Space], file: &Path) -> Result<usize, CliError> {
        let draft = Draft::beside(file).map_err(StartupError::from)?;
        let mut lines = BufWriter::new(OpenOptions::new().write(true).open(draft.path())?);
        let facts = self.write(session, spaces, &mut lines).await?;
        lines.flush()?;
        draft.put_in_place(file, replace(self.force)).map_err(StartupError::from)?;
        Ok(facts)
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
