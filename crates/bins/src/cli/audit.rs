//! The audit log as a file that others can check.

use super::CliError;
use super::restore::replace;
use crate::settings::Settings;
use crate::startup::StartupError;
use clap::{Args, Subcommand};
use domain::{Tenant, Timestamp, counted};
use serde_json::{Value, json};
use service::{entry_json, head_json, key_history_json, signed_json};
use std::fs::OpenOptions;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use store::{Draft, ExtractEnds, ExtractedEntry, Store, StoreError};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write the audit log to a file, from its first entry to its head. The service may keep running.
    ///
    /// The file holds what was done, by whom and with what in it, in clear. `svc verify FILE --key KEY` checks it
    /// without the database: that no entry is missing, and none was changed.
    Export(Export),
}

#[derive(Debug, Args)]
pub struct Export {
    /// Where it goes.
    file: PathBuf,
    /// Show the entries of this tenant only. Of all others the file then has the place and the hash.
    #[arg(long)]
    tenant: Option<String>,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
}

impl Command {
    pub async fn run(self, settings: Settings, out: &mut impl Write) -> Result<(), CliError> {
        let Self::Export(export) = self;
        export.run(settings, out).await
    }
}

impl Export {
    async fn run(self, settings: Settings, out: &mut impl Write) -> Result<(), CliError> {
        let file = &self.file;
        if !self.force && file.exists() {
            return Err(CliError::Refused(format!("{} exists; --force replaces it", file.display())));
        }
        let store = Store::open(settings.storage, Timestamp::now()).await.map_err(failed)?;
        let Some(ends) = store.extract_ends().await.map_err(failed)? else {
            return Err(CliError::Refused("The audit log has no entry yet.".to_owned()));
        };
        // What it holds was sealed in the database, so it is for its owner alone, as a draft is.
        let draft = Draft::beside(file).map_err(failed)?;
        let shown = self.write(&store, &ends, draft.path()).await?;
        draft.put_in_place(file, replace(self.force)).map_err(failed)?;
        let all = ends.head.statement.at.size;
        writeln!(
            out,
            "Wrote {} of {all} to {}. Check it anywhere with svc verify {} --key KEY.",
            counted(shown, "entry", "entries"),
            file.display(),
            file.display()
        )?;
        Ok(())
    }

    async fn write(&self, store: &Store, ends: &ExtractEnds, draft: &Path) -> Result<u64, CliError> {
        let mut lines = BufWriter::new(OpenOptions::new().write(true).open(draft)?);
        let mut line = |value: Value| writeln!(lines, "{value}");
        let anchor = ends.anchor.as_ref().map(signed_json);
        let mut first = json!({ "audit_export": 1, "tenant": self.tenant, "anchor": anchor });
        if let (Some(history), Value::Object(fields)) = (history(store), &mut first) {
            fields.insert("key_history".to_owned(), history);
        }
        line(first)?;
        let last = ends.head.statement.at.size;
        let mut after = ends.anchor.as_ref().map_or(0, |anchor| anchor.statement.at.size);
        let mut shown = 0;
        let progress = std::io::stderr().is_terminal();
        while after < last {
            let tenant = self.tenant.clone().map(Tenant::new);
            let page = store.extract_page(after, last, tenant).await.map_err(failed)?;
            if page.is_empty() {
                let why = format!("Entry {} is missing; run verify_audit.", after + 1);
                return Err(CliError::Refused(why));
            }
            for entry in page {
                match entry {
                    ExtractedEntry::Shown(stored) => {
                        after = stored.entry.seq;
                        shown += 1;
                        line(entry_json(&stored))?;
                    }
                    ExtractedEntry::Passed(at) => {
                        after = at.size;
                        line(json!({ "seq": at.size, "hash": at.hash.to_string() }))?;
                    }
                }
            }
            if progress {
                write!(std::io::stderr(), "\r{after} of {last} entries")?;
            }
        }
        if progress {
            writeln!(std::io::stderr())?;
        }
        line(json!({ "head": head_json(&ends.head) }))?;
        let file = lines.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.sync_all()?;
        Ok(shown)
    }
}

fn history(store: &Store) -> Option<Value> {
    key_history_json(&store.key_history()?)
}

fn failed(error: StoreError) -> CliError {
    StartupError::from(error).into()
}
