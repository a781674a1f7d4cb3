//! How well the configured model keeps a memory.

use crate::error::LabError;
use crate::eval::background::Backgrounds;
use crate::eval::bench::Bench;
use crate::eval::folder::Folder;
use crate::eval::forms::Forms;
use crate::eval::guarded::Guarded;
use crate::eval::report::{Findings, Report};
use crate::eval::run::{self, Outcome};
use crate::eval::sequence::{Sequence, SequenceKind, Trade};
use crate::eval::sets::Set;
use crate::eval::tally::Tally;
use crate::eval::{agent, lived_in, long, related};
use clap::Args;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Command {
    /// Tell statements about declared slots: denials, other owners, what has stopped, hearsay, lists.
    #[arg(long, conflicts_with_all = STORIES, conflicts_with_all = ["long", "lived_in", "forms", "related"])]
    guarded: bool,
    /// Tell long conversations: those in the folder, or these files.
    #[arg(long, value_name = "FILE", num_args = 0.., conflicts_with_all = STORIES)]
    long: Option<Vec<PathBuf>>,
    /// Tell the stories into a memory that already holds facts of their trade.
    #[arg(long, conflicts_with = "long")]
    lived_in: bool,
    /// Tell statements of one form: about many things, added to lists, and unrelated to what is held.
    #[arg(long, conflicts_with_all = STORIES, conflicts_with_all = ["long", "lived_in"])]
    forms: bool,
    /// Ask relational questions, answered along paths in the entity graph: takes SVC_GRAPH=on and its settings.
    #[arg(long, conflicts_with_all = ["trade", "kind", "sample", "long", "lived_in", "forms"])]
    related: bool,
    /// Store what an agent kept of conversations, and ask for it: at once and in processes that end soon.
    #[arg(long, conflicts_with_all = STORIES, conflicts_with_all = ["long", "lived_in", "forms", "related"])]
    agent: bool,
    /// The stories: tune, held-out, or a file of sequences in the same format.
    #[arg(long, default_value = "held-out")]
    set: Set,
    /// Only the stories of this trade.
    #[arg(long)]
    trade: Option<Trade>,
    /// Only the stories of this kind.
    #[arg(long)]
    kind: Option<SequenceKind>,
    /// Only this many stories, evenly spread and always the same ones.
    #[arg(long)]
    sample: Option<usize>,
    /// Where the evaluation sets are.
    #[arg(long, default_value = "lab/sets", value_name = "DIR")]
    folder: PathBuf,
    /// Show everything that is not correct: what was said, what does not hold, what was found.
    #[arg(long)]
    failures: bool,
    /// Print one JSON object instead of the table.
    #[arg(long)]
    json: bool,
}

/// The options that choose among the stories.
const STORIES: [&str; 4] = ["set", "trade", "kind", "sample"];

impl Command {
    pub async fn run(
        self,
        variables: impl IntoIterator<Item = (String, String)>,
        out: &mut impl Write,
    ) -> Result<(), LabError> {
        let mut bench = Bench::new(variables)?;
        match &self.long {
            Some(files) => self.long(&mut bench, files, out).await,
            None if self.guarded => self.guarded(&mut bench, out).await,
            None if self.lived_in => self.lived_in(&mut bench, out).await,
            None if self.related => self.related(&mut bench, out).await,
            None if self.agent => self.agent(&mut bench, out).await,
            None if self.forms => self.forms(&mut bench, out).await,
            None => self.stories(&mut bench, out).await,
        }
    }

    async fn long(&self, bench: &mut Bench, files: &[PathBuf], out: &mut impl Write) -> Result<(), LabError> {
        let conversations = long::conversations(&self.sets(), files).map_err(LabError::Refused)?;
        let model = bench.model().await?;
        let mut outcomes = Vec::new();
        for conversation in &conversations {
            let outcome = long::run(bench, conversation).await?;
            writeln!(std::io::stderr(), "{}", outcome.summary())?;
            outcomes.push(outcome);
        }
        self.present(&long::Report { model: &model, outcomes: &outcomes }, out)
    }

    async fn lived_in(&self, bench: &mut Bench, out: &mut impl Write) -> Result<(), LabError> {
        let chosen = self.chosen()?;
        let model = bench.model().await?;
        let mut progress = Progress::new(chosen.len());
        let mut backgrounds = Backgrounds::new(self.sets());
        let (mut outcomes, mut harms) = (Vec::new(), Vec::new());
        for sequence in chosen {
            let (outcome, harm) = lived_in::run(bench, &mut backgrounds, sequence).await?;
            outcomes.push(outcome);
            harms.push(harm);
            progress.show(Tally::of(outcomes.iter().map(Outcome::grade)))?;
        }
        let stories = Report { model: &model, set: &self.set.to_string(), outcomes: &outcomes };
        self.present(&lived_in::Report { stories, harms: &harms }, out)
    }

    async fn forms(&self, bench: &mut Bench, out: &mut impl Write) -> Result<(), LabError> {
        let forms = Forms::read(&self.sets()).map_err(LabError::Refused)?;
        let model = bench.model().await?;
        let mut backgrounds = Backgrounds::new(self.sets());
        self.present(&forms.run(bench, &mut backgrounds, model).await?, out)
    }

    async fn agent(&self, bench: &mut Bench, out: &mut impl Write) -> Result<(), LabError> {
        let conversations = agent::Conversation::read(&self.sets()).map_err(LabError::Refused)?;
        let model = bench.model().await?;
        let mut outcomes = Vec::new();
        for conversation in &conversations {
            let outcome = agent::run(bench, conversation).await?;
            writeln!(std::io::stderr(), "{}", outcome.summary())?;
            outcomes.push(outcome);
        }
        self.present(&agent::Report { model: &model, outcomes: &outcomes }, out)
    }

    async fn guarded(&self, bench: &mut Bench, out: &mut impl Write) -> Result<(), LabError> {
        let guarded = Guarded::read(&self.sets()).map_err(LabError::Refused)?;
        let model = bench.model().await?;
        self.present(&guarded.run(bench, model).await?, out)
    }

    async fn related(&self, bench: &mut Bench, out: &mut impl Write) -> Result<(), LabError> {
        let trades = related::Trade::read(&self.sets()).map_err(LabError::Refused)?;
        let (model, set) = (bench.model().await?, self.set.to_string());
        let mut outcomes = Vec::new();
        for trade in &trades {
            outcomes.extend(trade.run(bench, &set).await?);
            writeln!(std::io::stderr(), "{} questions asked", outcomes.len())?;
        }
        self.present(&related::Report { model: &model, set: &set, outcomes: &outcomes }, out)
    }

    async fn stories(&self, bench: &mut Bench, out: &mut impl Write) -> Result<(), LabError> {
        let chosen = self.chosen()?;
        let model = bench.model().await?;
        let mut progress = Progress::new(chosen.len());
        let mut outcomes: Vec<Outcome> = Vec::new();
        for sequence in chosen {
            outcomes.push(run::run(bench, sequence).await?);
            progress.show(Tally::of(outcomes.iter().map(Outcome::grade)))?;
        }
        self.present(&Report { model: &model, set: &self.set.to_string(), outcomes: &outcomes }, out)
    }

    fn present(&self, findings: &impl Findings, out: &mut impl Write) -> Result<(), LabError> {
        if self.json {
            writeln!(out, "{}", findings.json())?;
            return Ok(());
        }
        if self.failures {
            findings.write_failures(out)?;
        }
        findings.write(out)?;
        Ok(())
    }

    fn sets(&self) -> Folder {
        Folder::new(self.folder.clone())
    }

    fn chosen(&self) -> Result<Vec<Sequence>, LabError> {
        let mut sequences = self.set.sequences(&self.sets()).map_err(LabError::Refused)?;
        sequences
            .retain(|s| self.trade.is_none_or(|t| t == s.trade) && self.kind.is_none_or(|k| k == s.kind));
        if let Some(wanted) = self.sample {
            sequences = spread(sequences, wanted);
        }
        if sequences.is_empty() {
            return Err(LabError::Refused(
                "no sequence is left to run; ask for another --set, --trade, --kind or --sample".to_owned(),
            ));
        }
        Ok(sequences)
    }
}

/// So many of them, at even distances.
fn spread(sequences: Vec<Sequence>, wanted: usize) -> Vec<Sequence> {
    let whole = sequences.len();
    if wanted >= whole {
        return sequences;
    }
    let is_chosen = |at: usize| (at + 1) * wanted / whole > at * wanted / whole;
    sequences.into_iter().enumerate().filter(|(at, _)| is_chosen(*at)).map(|(_, sequence)| sequence).collect()
}

/// How far it has come, on standard error: in place on a terminal, a line now and then elsewhere.
struct Progress {
    whole: usize,
    in_place: bool,
}

impl Progress {
    fn new(whole: usize) -> Self {
        Self { whole, in_place: std::io::stderr().is_terminal() }
    }

    fn show(&mut self, tally: Tally) -> std::io::Result<()> {
        const EVERY: usize = 20;
        let (done, last) = (tally.total(), tally.total() == self.whole);
        let mut err = std::io::stderr();
        let line = format!(
            "{done}/{}: {} correct, {} safe, {} silently wrong",
            self.whole, tally.correct, tally.safe, tally.silently_wrong
        );
        match self.in_place {
            true if last => writeln!(err, "\r{line}"),
            true => write!(err, "\r{line}"),
            false if last || done % EVERY == 0 => writeln!(err, "{line}"),
            false => Ok(()),
        }
    }
}
