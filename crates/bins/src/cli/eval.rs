//! How well the configured model keeps a memory.

use super::CliError;
use crate::eval::report::Report;
use crate::eval::run::{Bench, Outcome};
use crate::eval::sequence::{Kind, Sequence, Trade};
use crate::eval::sets::Set;
use crate::eval::tally::Tally;
use clap::Args;
use std::io::{IsTerminal, Write};

#[derive(Debug, Args)]
pub struct Command {
    /// tune, held-out, or a file of sequences in the same format.
    #[arg(long, default_value = "held-out")]
    set: Set,
    /// Only the sequences of this trade.
    #[arg(long)]
    trade: Option<Trade>,
    /// Only the sequences of this kind.
    #[arg(long)]
    kind: Option<Kind>,
    /// Only this many sequences, evenly spread and always the same ones.
    #[arg(long)]
    sample: Option<usize>,
    /// Show each sequence that is not correct: what was said, what does not hold, what was found.
    #[arg(long)]
    failures: bool,
    /// Print one JSON object instead of the table.
    #[arg(long)]
    json: bool,
}

impl Command {
    pub async fn run(
        self,
        variables: impl IntoIterator<Item = (String, String)>,
        out: &mut impl Write,
    ) -> Result<(), CliError> {
        let chosen = self.chosen()?;
        let mut bench = Bench::new(variables)?;
        let model = bench.model().await?;
        let mut progress = Progress::new(chosen.len());
        let mut outcomes: Vec<Outcome> = Vec::new();
        for sequence in chosen {
            outcomes.push(bench.run(sequence).await?);
            progress.show(Tally::of(outcomes.iter().map(Outcome::verdict)))?;
        }
        let report = Report { model: &model, set: &self.set.to_string(), outcomes: &outcomes };
        if self.json {
            writeln!(out, "{}", report.json())?;
            return Ok(());
        }
        if self.failures {
            report.write_failures(out)?;
        }
        report.write(out)?;
        Ok(())
    }

    fn chosen(&self) -> Result<Vec<Sequence>, CliError> {
        let mut sequences = self.set.sequences().map_err(CliError::Refused)?;
        sequences
            .retain(|s| self.trade.is_none_or(|t| t == s.trade) && self.kind.is_none_or(|k| k == s.kind));
        if let Some(wanted) = self.sample {
            sequences = spread(sequences, wanted);
        }
        if sequences.is_empty() {
            return Err(CliError::Refused(
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
