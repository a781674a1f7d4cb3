//! How fast the service is on this machine.

use crate::bench::load::Memory;
use crate::bench::plot;
use crate::bench::run::{Plan, Run};
use crate::bench::servers::Database;
use crate::error::LabError;
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a page has around the figures, which are written anew between them.
const BEGIN: &str = "<!-- svc-lab bench writes from here -->";
const END: &str = "<!-- to here -->";

#[derive(Debug, Args)]
pub struct Command {
    /// Clients that read (get_memory), each as fast as it is answered.
    #[arg(long, default_value_t = 16)]
    readers: usize,
    /// Clients that write (remember, by way of the stand-in model).
    #[arg(long, default_value_t = 8)]
    writers: usize,
    /// Spaces that the clients are spread over.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    spaces: u16,
    /// Server processes on one database.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..))]
    processes: u8,
    /// Facts in each space before it begins.
    #[arg(long, default_value_t = 1000)]
    facts: usize,
    /// Seconds of each part.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Milliseconds that the stand-in model takes for each call.
    #[arg(long, default_value_t = 0, value_name = "MS")]
    model_ms: u64,
    /// An empty PostgreSQL database instead of a new SQLite file. The growth table needs another empty one, and is left
    /// out.
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    /// Sizes of the memory for the growth table, separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "100,1000,10000,100000", value_name = "FACTS")]
    growth: Vec<usize>,
    /// Leave the growth table out.
    #[arg(long)]
    no_growth: bool,
    /// Print one JSON object instead of the tables.
    #[arg(long)]
    json: bool,
    /// Draw the growth table into this file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the figures into this page, between the lines that mark their place.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

impl Command {
    pub fn run(self, out: &mut impl Write) -> Result<(), LabError> {
        let plan = self.plan();
        let run = plan.run(|doing| {
            let _ = writeln!(std::io::stderr(), "{doing} …");
        })?;
        if let Some(file) = &self.svg {
            std::fs::write(file, plot::svg(&run.growth))?;
        }
        if let Some(page) = &self.write {
            write_into(page, &run)?;
        }
        if self.json {
            writeln!(out, "{}", run.json())?
        } else {
            write!(out, "{run}")?
        }
        Ok(())
    }

    fn plan(&self) -> Plan {
        let growth = !self.no_growth && self.database_url.is_none();
        Plan {
            database: self.database_url.clone().map_or(Database::Sqlite, Database::Postgres),
            processes: self.processes.into(),
            readers: self.readers,
            writers: self.writers,
            memory: Memory { spaces: self.spaces.into(), facts: self.facts },
            lasting: Duration::from_secs(self.seconds),
            model_latency: Duration::from_millis(self.model_ms),
            growth: if growth { self.growth.clone() } else { Vec::new() },
        }
    }
}

fn write_into(page: &Path, run: &Run) -> Result<(), LabError> {
    let text = std::fs::read_to_string(page)?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let figures = format!("What `svc-lab {}` printed:\n\n```text\n{run}```", arguments.join(" "));
    let written = replaced(&text, &figures)
        .ok_or_else(|| LabError::Refused(format!("{} has no lines '{BEGIN}' and '{END}'", page.display())))?;
    Ok(std::fs::write(page, written)?)
}

/// The page with these figures in their place.
fn replaced(page: &str, figures: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{figures}\n\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn figures_are_written_between_their_marks() {
        let page = "Before\n<!-- svc-lab bench writes from here -->\nold\n<!-- to here -->\nAfter";
        let written = replaced(page, "new").unwrap();
        assert!(written.contains("\nnew\n") && !written.contains("old"));
        assert_eq!(replaced(&written, "new").as_ref(), Some(&written));
        assert_eq!(replaced("no marks", "new"), None);
    }
}
