//! Bringing what another memory holds.

mod csv_rows;
mod files;
mod formats;
mod json;
mod record;
mod report;
mod telling;

use super::CliError;
use super::progress::Progress;
use super::session::Session;
use crate::settings::Settings;
use clap::Args;
use domain::{Space, Timestamp, counted};
use formats::Format;
use record::{Reading, Record};
use report::{Account, Report};
use serde_json::json;
use service::{RECORDS_PER_CALL, Reply, ToolReply};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{LineWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Instant;
use store::Arrival;
use telling::{Telling, Turn};

/// Bring what another memory holds: mem0, Zep, Letta, notes in Markdown and others.
///
/// Each record is told at the time that it has there, and judged by the rules like anything else that is said: a later
/// value replaces an earlier one, and what is doubtful waits for a decision. Each record is brought once, so an import that
/// was interrupted is started again with the same command.
#[derive(Debug, Args)]
pub struct Command {
    /// The memory that the files are from.
    #[arg(long, value_name = "FORMAT")]
    from: Format,
    /// Files, and for notes folders too.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Show what would become of each record, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Put every record down as it is. No rule judges it and no model reads it.
    #[arg(long)]
    as_is: bool,
    /// Write what became of every record to this new file, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// The user whose memory it becomes, whatever the files say.
    #[arg(long, value_name = "ID", default_value = "")]
    user: String,
    /// The agent, likewise.
    #[arg(long, value_name = "ID", default_value = "")]
    agent: String,
    /// The run, likewise.
    #[arg(long, value_name = "ID", default_value = "")]
    run: String,
}

impl Command {
    pub async fn run(self, settings: Settings, out: &mut impl Write) -> Result<(), CliError> {
        let refused = |why: String| CliError::Refused(format!("{why} Nothing was imported."));
        let (files, passed_over) = files::named(&self.files, self.from.endings()).map_err(refused)?;
        let mut reading = Reading::default();
        self.from.read(&files, &mut reading).map_err(refused)?;
        let storage = settings.storage.clone();
        let session = Session::open(settings).await?;
        // The database is there by now, so that it is not taken for a report that is to be written.
        let report_file = self.report.as_deref().map(new_file).transpose()?;
        let mut import = Import::of(&self, reading);
        let ended = if self.dry_run {
            // The same import on a copy of the deployment, which is thrown away: rules, quotas, and what the model reads of
            // one record after the other, are as they will be. A transaction that is rolled back would have to stay open for
            // as long as the model reads, and everybody else would wait for it.
            let (_copy, trial) = session.on_copy(&storage).await?;
            let ended = import.bring(&trial, "tried").await;
            trial.end().await;
            ended
        } else {
            import.bring(&session, "imported").await
        };
        let Import { telling, mut accounts, .. } = import;
        accounts.sort_by(|a, b| (&a.place.file, a.place.line).cmp(&(&b.place.file, b.place.line)));
        let report = Report { from: telling.from, accounts, dry_run: self.dry_run, passed_over };
        if let Some(file) = report_file {
            report.write_json(&mut LineWriter::new(file))?;
        }
        report.write(out)?;
        ended?;
        match report.refused() {
            0 => Ok(()),
            n => Err(CliError::Refused(format!(
                "{} could not be taken; the lines are above. Mend them and start the same command again: what was \
                 taken is not taken twice.",
                counted(n as u64, "record", "records")
            ))),
        }
    }
}

/// For a report: made before anything is brought, so that a name that cannot be written costs nothing.
fn new_file(path: &Path) -> Result<File, CliError> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    made.map_err(|error| CliError::Refused(format!("--report {} cannot be made: {error}.", path.display())))
}

struct Import {
    telling: Telling,
    records: Vec<Record>,
    /// For each space what is told there.
    spaces: Vec<(Space, Vec<Turn>)>,
    accounts: Vec<Account>,
}

impl Import {
    fn of(command: &Command, mut reading: Reading) -> Self {
        let telling = Telling { from: command.from.name(), as_is: command.as_is, now: Timestamp::now() };
        let asked = Space::new(&command.user, &command.agent, &command.run);
        telling::tell_apart(&mut reading.records, &asked);
        let mut spaces: BTreeMap<Space, Vec<(usize, &Record)>> = BTreeMap::new();
        let mut accounts = Vec::with_capacity(reading.records.len());
        for (n, record) in reading.records.iter().enumerate() {
            let space = telling::space(record, &asked);
            accounts.push(Account::of(record, space.clone()));
            spaces.entry(space).or_default().push((n, record));
        }
        let told = spaces.into_iter().map(|(space, records)| (space, telling.turns(&records)));
        let spaces: Vec<(Space, Vec<Turn>)> = told.collect();
        for turn in spaces.iter().flat_map(|(_, turns)| turns) {
            if let Some(account) = accounts.get_mut(turn.record) {
                account.steps_left += 1;
            }
        }
        accounts.extend(reading.refused.into_iter().map(|(place, why)| Account::refused(place, why)));
        Self { telling, records: reading.records, spaces, accounts }
    }

    async fn bring(&mut self, session: &Session, done_to_them: &str) -> Result<(), CliError> {
        let total = self.spaces.iter().map(|(_, turns)| turns.len()).sum::<usize>();
        let (mut progress, mut done, mut shown) = (Progress::on_stderr(), 0, Instant::now());
        for (space, turns) in &self.spaces {
            for batch in batches(turns) {
                let told = |turn: &Turn| Some(self.telling.arguments(self.records.get(turn.record)?, *turn));
                let call = json!({
                    "from": self.telling.from, "records": batch.iter().filter_map(told).collect::<Vec<_>>(),
                    "user_id": space.user_id, "agent_id": space.agent_id, "run_id": space.run_id,
                });
                let arrivals = answer(session.call("import_records", call).await, batch.len(), done)?;
                for (turn, arrival) in batch.iter().zip(&arrivals) {
                    if let Some(account) = self.accounts.get_mut(turn.record) {
                        account.add(arrival);
                    }
                }
                done += batch.len();
                if done == total || shown.elapsed() >= progress.every() {
                    shown = Instant::now();
                    progress.count(done_to_them, done as u64, Some(total as u64));
                }
            }
        }
        progress.end();
        Ok(())
    }
}

/// What the model reads goes by itself, and anything else in batches.
fn batches(turns: &[Turn]) -> impl Iterator<Item = &[Turn]> {
    turns.chunk_by(|a, b| !a.by_model && !b.by_model).flat_map(|run| run.chunks(RECORDS_PER_CALL))
}

/// What came of so many steps. A call is refused as a whole for the space that it names, and the other spaces are not.
fn answer(reply: Reply, steps: usize, done: usize) -> Result<Vec<Arrival>, CliError> {
    match reply {
        Reply::Done(ToolReply::ImportRecords(imported)) => Ok(imported.arrivals),
        Reply::Refused { why } => Ok(vec![Arrival::refused(why); steps]),
        other => Err(CliError::Refused(format!(
            "The import stopped after {}: {other}\nStart the same command again to go on: what was taken is not \
             taken twice.",
            counted(done as u64, "step", "steps")
        ))),
    }
}
