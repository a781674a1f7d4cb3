//! Bringing what another memory holds.

mod csv_rows;
mod files;
mod formats;
mod json_objects;
mod periods;
mod record;
mod report;
mod report_file;
mod telling;
mod utf8;
mod vanished;

use super::CliError;
use super::progress::Progress;
use super::session::Session;
use super::wait_notice::while_waiting;
use crate::settings::Settings;
use clap::Args;
use domain::{Space, Timestamp, counted};
use files::Files;
use formats::Format;
use record::{Reading, Record};
use report::{Account, Report};
use report_file::ReportFile;
use serde_json::{Map, Value};
use service::{RECORDS_PER_CALL, Reply, ToolReply};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use store::Arrival;
use telling::{Manner, Purpose, Turn};
use vanished::vanished;

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
    /// The files are all that the other memory holds: what was brought from it before and is not in them has ended there,
    /// and ends here. Only the memories of users, agents and runs that are in the files are looked at.
    #[arg(long)]
    whole: bool,
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
        let (mut reading, passed_over) = Files::named(&self.files, self.from)?.read();
        if self.whole && !reading.unread.is_empty() {
            return Err(CliError::Refused(format!(
                "{} in the files cannot be read, and may be a record that is there still. Mend them, or leave out \
                 --whole; without it, a dry run shows what cannot be read.",
                counted(reading.unread.len() as u64, "part", "parts")
            )));
        }
        let session = Session::open(settings).await?;
        // The database is there by now, so that it is not taken for a report that is to be written.
        let report_file = self.report.as_deref().map(ReportFile::open).transpose()?;
        if self.whole {
            let gone = vanished(&session, &self.from.name(), &reading.records, &self.asked()).await?;
            reading.records.extend(gone);
            reading.records.iter_mut().for_each(|record| record.is_whole = true);
        }
        let mut import = Import::of(&self, reading);
        let ended = if self.dry_run { import.rehearse(&session).await } else { import.bring(&session).await };
        import.sort();
        let Import { from, accounts, .. } = import;
        let report = Report { from, accounts, dry_run: self.dry_run, passed_over };
        if let Some(file) = report_file {
            file.write(&report)?;
        }
        report.write(out)?;
        ended?;
        match report.refused() {
            0 => Ok(()),
            n => Err(CliError::Refused(format!(
                "{} could not be read or taken; the lines are above. Mend them and start the same command again: \
                 what was taken is not taken twice.",
                counted(n as u64, "record", "records")
            ))),
        }
    }
}

impl Command {
    /// Where the records go, as far as the person says so.
    fn asked(&self) -> Space {
        Space::new(&self.user, &self.agent, &self.run)
    }
}

struct Import {
    from: String,
    manner: Manner,
    records: Vec<Record>,
    /// For each space what is told there.
    spaces: Vec<(Arc<Space>, Vec<Turn>)>,
    accounts: Vec<Account>,
}

impl Import {
    fn of(command: &Command, mut reading: Reading) -> Self {
        periods::settle(&mut reading.records, Timestamp::now());
        let from = command.from.name();
        let manner = if command.as_is { Manner::AsIs } else { Manner::Told };
        let asked = command.asked();
        telling::tell_apart(&mut reading.records, &asked);
        let mut spaces: BTreeMap<Arc<Space>, Vec<(usize, &Record)>> = BTreeMap::new();
        let mut accounts = Vec::with_capacity(reading.records.len());
        for (n, record) in reading.records.iter().enumerate() {
            let space = Arc::new(telling::space(record, &asked));
            let space = spaces.get_key_value(&space).map_or(space, |(known, _)| known.clone());
            accounts.push(Account::of(record, space.clone()));
            spaces.entry(space).or_default().push((n, record));
        }
        let told = |(space, records): (Arc<Space>, Vec<(usize, &Record)>)| {
            (space, telling::turns(&from, &records, manner))
        };
        let spaces: Vec<(Arc<Space>, Vec<Turn>)> = spaces.into_iter().map(told).collect();
        for turn in spaces.iter().flat_map(|(_, turns)| turns) {
            if let Some(account) = accounts.get_mut(turn.record) {
                account.steps_left += 1;
            }
        }
        accounts.extend(reading.unread.into_iter().map(Account::unread));
        Self { from, manner, records: reading.records, spaces, accounts }
    }

    async fn bring(&mut self, session: &Session) -> Result<(), CliError> {
        let total = self.spaces.iter().map(|(_, turns)| turns.len()).sum::<usize>();
        let (mut progress, mut done, mut shown) = (Progress::on_stderr(), 0, Instant::now());
        for (space, turns) in std::mem::take(&mut self.spaces) {
            let mut known: BTreeMap<String, i64> = BTreeMap::new();
            for batch in batches(&turns) {
                let steps = telling::steps(&self.from, &self.records, batch, self.manner);
                let named: Map<String, Value> = steps
                    .iter()
                    .flat_map(|step| &step.links)
                    .filter_map(|id| Some((id.clone(), (*known.get(id)?).into())))
                    .collect();
                let call = telling::call(&self.from, &space, steps, Purpose::Bring(named));
                let arrivals = answer(session.call("import_records", call).await, batch.len(), done)?;
                for (turn, arrival) in batch.iter().zip(&arrivals) {
                    self.note(*turn, arrival, &mut known);
                }
                done += batch.len();
                if done == total || shown.elapsed() >= progress.every() {
                    shown = Instant::now();
                    progress.count("imported", done as u64, Some(total as u64));
                }
            }
        }
        progress.end();
        Ok(())
    }

    async fn rehearse(&mut self, session: &Session) -> Result<(), CliError> {
        for (space, turns) in std::mem::take(&mut self.spaces) {
            let steps = telling::steps(&self.from, &self.records, &turns, self.manner);
            let call = telling::call(&self.from, &space, steps, Purpose::Try);
            let (notice, call) = session.begin_long("import_records", call);
            let arrivals = answer(while_waiting(notice, call).await, turns.len(), 0)?;
            for (turn, arrival) in turns.iter().zip(arrivals) {
                self.note(*turn, &arrival, &mut BTreeMap::new());
            }
        }
        Ok(())
    }

    fn note(&mut self, turn: Turn, arrival: &Arrival, known: &mut BTreeMap<String, i64>) {
        let Some(account) = self.accounts.get_mut(turn.record) else { return };
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
