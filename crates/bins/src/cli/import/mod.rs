//! Bringing what another memory holds.

mod csv_rows;
mod formats;
mod json_objects;
mod record;
mod report;
mod telling;

use super::CliError;
use super::progress::Progress;
use super::session::Session;
use super::wait_notice::while_waiting;
use crate::settings::Settings;
use clap::Args;
use domain::{Space, counted};
use formats::{File, Format};
use record::{Reading, Record};
use report::{Account, Report};
use serde_json::{Map, Value};
use service::{RECORDS_PER_CALL, Reply, ToolReply};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use store::Arrival;
use telling::{Manner, Purpose, Step};

/// Bring what another memory holds: mem0, Zep, Letta, notes in Markdown and others.
///
/// Each record is told at the time that it has there, and judged by the rules like anything else that is said: a later
/// value replaces an earlier one, and what is doubtful waits for a decision. What was brought once is not brought again,
/// so an import that was interrupted is started again with the same command.
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
    /// Write what became of every record to this file, one JSON object a line.
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
        let reading = self.read()?;
        let session = Session::open(settings).await?;
        let mut import = Import::of(&self, reading);
        let ended = if self.dry_run { import.rehearse(&session).await } else { import.bring(&session).await };
        let report = Report { from: import.from, accounts: import.accounts, dry_run: self.dry_run };
        ended?;
        if let Some(file) = &self.report {
            let mut lines = BufWriter::new(fs::File::create(file)?);
            report.write_json(&mut lines)?;
            lines.flush()?;
        }
        report.write(out)?;
        match report.unread() {
            0 => Ok(()),
            n => Err(CliError::Refused(format!(
                "{n} of the records could not be read; their lines are above. Mend them and start the same command \
                 again: what was taken is not taken twice."
            ))),
        }
    }

    fn read(&self) -> Result<Reading, CliError> {
        let mut files = Vec::new();
        for file in &self.files {
            files_of(file, self.from, &mut files)?;
        }
        if files.is_empty() {
            return Err(CliError::Refused("There is no file in this form in the folder.".to_owned()));
        }
        let read = |path: PathBuf| match fs::read(&path) {
            Ok(bytes) => Ok(File { text: String::from_utf8_lossy(&bytes).into_owned(), path }),
            Err(error) => Err(unreadable(&path, &error)),
        };
        let files = files.into_iter().map(read).collect::<Result<Vec<File>, CliError>>()?;
        Ok(self.from.read(&files))
    }
}

/// A file, or those of a folder that are in the form, in the order of their names.
fn files_of(file: &Path, from: Format, files: &mut Vec<PathBuf>) -> Result<(), CliError> {
    if !file.is_dir() {
        files.push(file.to_owned());
        return Ok(());
    }
    let Some(ending) = from.ending() else {
        let why = format!("{} is a folder; --from {} takes files.", file.display(), from.name());
        return Err(CliError::Refused(why));
    };
    let entries = fs::read_dir(file).map_err(|error| unreadable(file, &error))?;
    let mut within: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    within.sort();
    for path in within {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_dir() && !hidden {
            files_of(&path, from, files)?;
        } else if path.extension().is_some_and(|end| end == ending) {
            files.push(path);
        }
    }
    Ok(())
}

fn unreadable(file: &Path, error: &std::io::Error) -> CliError {
    CliError::Refused(format!("{} cannot be read: {error}.", file.display()))
}

struct Import {
    from: String,
    /// For each space what is told there.
    spaces: Vec<(Space, Vec<Step>)>,
    accounts: Vec<Account>,
}

impl Import {
    fn of(command: &Command, reading: Reading) -> Self {
        let from = command.from.name();
        let manner = if command.as_is { Manner::AsIs } else { Manner::Told };
        let asked = Space::new(&command.user, &command.agent, &command.run);
        let mut spaces: BTreeMap<Space, Vec<(usize, &Record)>> = BTreeMap::new();
        for (n, record) in reading.records.iter().enumerate() {
            spaces.entry(telling::space(record, &asked)).or_default().push((n, record));
        }
        let told =
            spaces.iter().map(|(space, records)| (space.clone(), telling::steps(&from, records, manner)));
        let told = told.collect();
        let account = |record: &Record| Account {
            place: record.place.clone(),
            id: record.id.clone(),
            space: Some(telling::space(record, &asked)),
            outcomes: Vec::new(),
            was_known: false,
            unread: None,
        };
        let mut accounts: Vec<Account> = reading.records.iter().map(account).collect();
        accounts.extend(reading.unread.into_iter().map(Account::unread));
        Self { from, spaces: told, accounts }
    }

    async fn bring(&mut self, session: &Session) -> Result<(), CliError> {
        let total = self.spaces.iter().map(|(_, steps)| steps.len()).sum::<usize>();
        let (mut progress, mut done) = (Progress::on_stderr(), 0);
        for (space, steps) in std::mem::take(&mut self.spaces) {
            let mut known: BTreeMap<String, i64> = BTreeMap::new();
            for batch in batches(&steps) {
                let named: Map<String, Value> = batch
                    .iter()
                    .flat_map(|step| &step.links)
                    .filter_map(|id| Some((id.clone(), (*known.get(id)?).into())))
                    .collect();
                let call = telling::call(&self.from, &space, batch, &Purpose::Bring(named));
                let arrivals = answer(session.call("import_records", call).await, batch.len(), done)?;
                for (step, arrival) in batch.iter().zip(&arrivals) {
                    self.note(step, arrival, &mut known);
                }
                let before = done;
                done += batch.len();
                if done == total || done / SHOWN_EVERY > before / SHOWN_EVERY {
                    progress.count("imported", done as u64, Some(total as u64));
                }
            }
        }
        progress.end();
        self.sort();
        Ok(())
    }

    async fn rehearse(&mut self, session: &Session) -> Result<(), CliError> {
        for (space, steps) in std::mem::take(&mut self.spaces) {
            let call = telling::call(&self.from, &space, &steps, &Purpose::Try);
            let (notice, call) = session.begin_long("import_records", call);
            let arrivals = answer(while_waiting(notice, call).await, steps.len(), 0)?;
            for (step, arrival) in steps.iter().zip(&arrivals) {
                self.note(step, arrival, &mut BTreeMap::new());
            }
        }
        self.sort();
        Ok(())
    }

    fn note(&mut self, step: &Step, arrival: &Arrival, known: &mut BTreeMap<String, i64>) {
        let Some(account) = self.accounts.get_mut(step.record) else { return };
        account.add(arrival);
        let first = match arrival {
            Arrival::Known(ids) => ids.first().copied(),
            Arrival::New(plan) => plan.outcomes.iter().find_map(|outcome| outcome.id),
        };
        known.extend(first.map(|id| (account.id.clone(), id.0)));
    }

    fn sort(&mut self) {
        self.accounts.sort_by(|a, b| (&a.place.file, a.place.line).cmp(&(&b.place.file, b.place.line)));
    }
}

/// How often it is said how far it has come.
const SHOWN_EVERY: usize = 1000;

/// What the model reads goes by itself, and anything else in batches.
fn batches(steps: &[Step]) -> impl Iterator<Item = &[Step]> {
    steps.chunk_by(|a, b| !a.by_model && !b.by_model).flat_map(|run| run.chunks(RECORDS_PER_CALL))
}

/// What came of so many steps. A call is refused as a whole for the space that it names, and the other spaces are not.
fn answer(reply: Reply, steps: usize, done: usize) -> Result<Vec<Arrival>, CliError> {
    match reply {
        Reply::Done(ToolReply::ImportRecords(imported)) => Ok(imported.arrivals),
        Reply::Refused { why } => Ok(vec![Arrival::refused(why); steps]),
        other => Err(CliError::Refused(format!(
            "The import stopped after {}: {other}\nStart the same command again to go on: what was taken is not taken \
             twice.",
            counted(done as u64, "step", "steps")
        ))),
    }
}
