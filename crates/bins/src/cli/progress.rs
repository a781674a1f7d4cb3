//! How far a copy has come, on standard error: one line a table, rewritten in place where somebody is looking.

use std::io::{IsTerminal, Write};
use std::time::Duration;
use store::{Beginning, Step};

pub(super) struct Progress<W> {
    out: W,
    screen: Screen,
}

enum Screen {
    Terminal,
    /// A log, where a line that was written stays.
    Lines,
}

impl Progress<std::io::Stderr> {
    pub fn on_stderr() -> Self {
        let out = std::io::stderr();
        let screen = if out.is_terminal() { Screen::Terminal } else { Screen::Lines };
        Self { out, screen }
    }
}

impl<W: Write> Progress<W> {
    pub fn show(&mut self, step: Step) {
        // A copy does not fail because nobody can be told of it.
        let _ = match step {
            Step::Begins(Beginning::Fresh) => Ok(()),
            Step::Begins(Beginning::GoesOn) => {
                writeln!(self.out, "going on with the copy that was interrupted")
            }
            Step::Begins(Beginning::Anew) => writeln!(
                self.out,
                "the source has changed since the copy was interrupted; what was copied is removed, and the copy starts again"
            ),
            Step::Copied { table, done, total } => self.copied(table, done, total),
        };
    }

    fn copied(&mut self, table: &str, done: u64, total: u64) -> std::io::Result<()> {
        match self.screen {
            Screen::Terminal => {
                let end = if done == total { "\n" } else { "" };
                write!(self.out, "\r{table}: {done} of {total} rows{end}")?;
                self.out.flush()
            }
            Screen::Lines if done == 0 && total > 0 => Ok(()),
            Screen::Lines => writeln!(self.out, "{table}: {done} of {total} rows"),
        }
    }

    /// How often a count is worth showing.
    pub fn every(&self) -> Duration {
        Duration::from_secs(if matches!(self.screen, Screen::Terminal) { 1 } else { 10 })
    }

    /// How many there are by now, of how many if that is known.
    pub fn count(&mut self, what: &str, done: u64, total: Option<u64>) {
        let total = total.map_or_else(String::new, |total| format!(" of {total}"));
        let _ = match self.screen {
            Screen::Terminal => write!(self.out, "\r{what}: {done}{total}").and_then(|()| self.out.flush()),
            Screen::Lines => writeln!(self.out, "{what}: {done}{total}"),
        };
    }

    /// Leaves the line that was rewritten in place.
    pub fn end(&mut self) {
        if matches!(self.screen, Screen::Terminal) {
            let _ = writeln!(self.out);
        }
    }
}
