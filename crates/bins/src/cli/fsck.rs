//! Checking the whole database.

use super::CliError;
use super::progress::Progress;
use super::wait_notice::while_waiting;
use crate::settings::Settings;
use crate::startup::{self, StartupError};
use clap::Args;
use domain::{Caller, Identity, Notice, Timestamp, counted};
use serde_json::json;
use std::io::Write;
use std::time::{Duration, Instant};
use store::{AuditReport, Call, Finding, Fsck, Store, StoreError, Witnessed, fsck};

/// Longer than the largest log takes.
const PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// Check everything that the database holds, and change nothing. The service may keep running.
///
/// It looks at the audit log with its heads, and at every row: whether it opens, is found by what it holds, belongs to
/// what it says, and is counted. Each row that is wrong is named. The exit status is 0 where nothing is.
#[derive(Debug, Args)]
pub struct Command {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Remove this row, as an earlier check named it, if the check still finds it wrong. The audit log says so.
    #[arg(long, value_name = "ROW")]
    erase: Option<String>,
}

/// What is known of the audit log.
struct Log {
    entries: u64,
    witnessed: Vec<Witnessed>,
}

impl Command {
    pub async fn run(self, settings: Settings, out: &mut impl Write) -> Result<(), CliError> {
        // The rows come first: a database that has still to be migrated is refused before anything opens it.
        let mut progress = Progress::on_stderr();
        let mut checked = fsck(&settings.storage, &mut |step| progress.show(step)).await.map_err(failed)?;
        let store = startup::store(settings.storage, settings.witnesses).await?;
        let notice = Notice::default();
        let verdict = store.audit_verify(Instant::now() + PATIENCE, &notice);
        let log = match while_waiting(notice.clone(), verdict).await.map_err(failed)? {
            AuditReport::Intact { entries, witnessed, .. } => Log { entries, witnessed },
            AuditReport::Broken(broken) => {
                let what = format!("the audit log is broken at seq {}: {}", broken.seq, broken.reason);
                checked.findings.insert(0, Finding { row: None, what });
                Log { entries: 0, witnessed: store.witnesses_ask().await }
            }
        };
        match &self.erase {
            Some(row) => erase(&store, &checked, row, out).await,
            None => self.report(&checked, &log, out),
        }
    }

    fn report(&self, checked: &Fsck, log: &Log, out: &mut impl Write) -> Result<(), CliError> {
        let Log { entries, witnessed } = log;
        let Fsck { rows, findings, is_covered } = checked;
        if self.json {
            let listed: Vec<_> = findings
                .iter()
                .map(
                    |found| json!({ "row": found.row.as_ref().map(ToString::to_string), "what": found.what }),
                )
                .collect();
            let said = json!({
                "rows": rows,
                "audit_entries": entries,
                "rows_compared_with_log": is_covered,
                "witnesses": witnessed.iter().map(|w| json!({ "witness": w.witness, "said": w.said.kind() })).collect::<Vec<_>>(),
                "findings": listed,
            });
            writeln!(out, "{said}")?;
        } else {
            for finding in findings {
                writeln!(out, "✗ {finding}")?;
            }
            if findings.is_empty() {
                let entries = counted(*entries, "audit entry", "audit entries");
                writeln!(
                    out,
                    "✓ Nothing is wrong: {} and {entries} checked.",
                    counted(*rows, "row", "rows")
                )?;
                if !is_covered {
                    writeln!(out, "The rows could not be compared with the audit log: encryption is off.")?;
                }
            }
            // Those that are against the log were told as what is wrong with it.
            for witnessed in witnessed.iter().filter(|witnessed| !witnessed.said.is_against()) {
                writeln!(out, "{witnessed}.")?;
            }
        }
        if findings.is_empty() {
            return Ok(());
        }
        Err(CliError::Refused(format!(
            "{} found. Restore a backup (svc restore FILE), or remove a row that is named with svc fsck --erase ROW",
            counted(findings.len() as u64, "fault", "faults")
        )))
    }
}

fn failed(error: StoreError) -> CliError {
    CliError::Startup(StartupError::from(error))
}

async fn erase(store: &Store, checked: &Fsck, named: &str, out: &mut impl Write) -> Result<(), CliError> {
    let found =
        checked.findings.iter().find(|finding| finding.row.as_ref().is_some_and(|row| row.as_str() == named));
    let Some(row) = found.and_then(|finding| finding.row.clone()) else {
        return Err(CliError::Refused(format!(
            "the check finds nothing wrong with {named}; name a row as svc fsck names it, such as fact/default/12"
        )));
    };
    let now = Timestamp::now();
    let caller = Caller::new(Identity::Local, "fsck".to_owned(), now, Instant::now() + PATIENCE);
    let call = Call::new(caller, "fsck", None);
    if !store.row_erase(call, row).await.map_err(failed)? {
        return Err(CliError::Refused(format!("{named} is not there, so there is nothing to remove")));
    }
    writeln!(out, "Removed {named}. The audit log says so.")?;
    Ok(())
}
