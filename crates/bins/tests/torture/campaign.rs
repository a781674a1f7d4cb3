//! What a row is, how much of it is asked for, and what came of it.

use crate::support::{Engine, Seed};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// One kind of harm.
pub struct Row {
    /// What it is called on the command line.
    pub name: &'static str,
    pub title: &'static str,
    /// What one must not conclude from it.
    pub does_not_show: &'static str,
    /// Panics where the programs broke a promise.
    pub run: fn(&Campaign) -> Verdict,
}

/// What came of a row.
pub struct Verdict {
    /// What was done, with the amounts.
    pub done: String,
    pub result: String,
}

const FAILED: &str = "FAILED";

impl Verdict {
    pub fn held(done: impl Into<String>, result: impl Into<String>) -> Self {
        Self { done: done.into(), result: result.into() }
    }

    /// For a machine that lacks what the row needs.
    pub fn not_run(why: &str) -> Self {
        Self { done: "nothing".to_owned(), result: format!("NOT RUN: {why}") }
    }

    pub fn failed(row: &Row, fault: &str) -> Self {
        let first_line = fault.lines().next().unwrap_or_default();
        let short: String = first_line.chars().take(300).collect();
        Self { done: row.title.to_owned(), result: format!("{FAILED}: {short}") }
    }

    pub fn is_failure(&self) -> bool {
        self.result.starts_with(FAILED)
    }
}

/// How the rows are to be run.
#[derive(Default)]
pub struct Campaign {
    rows: Vec<String>,
    pub seed: u64,
    /// Without it, the short form.
    pub percent: Option<usize>,
    pub writes_table: bool,
    pub lists_rows: bool,
    told: Mutex<Option<Instant>>,
}

const TELL_EVERY: Duration = Duration::from_secs(5);

impl Campaign {
    /// `[row…] --seed N --percent N --write --list`. What the usual test programs take besides is named and left out:
    /// `cargo test` hands the same arguments to all.
    pub fn from_arguments(arguments: impl Iterator<Item = String>) -> Self {
        let mut campaign = Self { seed: 1, ..Self::default() };
        let mut arguments = arguments.peekable();
        while let Some(argument) = arguments.next() {
            let mut number = || arguments.next().and_then(|n| n.parse().ok()).expect("a number behind it");
            match argument.as_str() {
                "--seed" => campaign.seed = number(),
                "--percent" => campaign.percent = Some(usize::try_from(number()).unwrap()),
                "--write" => campaign.writes_table = true,
                "--list" => campaign.lists_rows = true,
                option if option.starts_with('-') => eprintln!("torture does not know {option}"),
                row => campaign.rows.push(row.to_owned()),
            }
        }
        campaign
    }

    pub fn wants(&self, row: &str) -> bool {
        self.rows.is_empty() || self.rows.iter().any(|wanted| wanted == row)
    }

    /// How much of something to do: `short` in every run of the tests, and `full` at 100 percent.
    pub fn amount(&self, short: usize, full: usize) -> usize {
        self.percent.map_or(short, |percent| (full * percent / 100).max(short))
    }

    /// Numbers of their own for each part of a row.
    pub fn seed_for(&self, part: usize) -> Seed {
        Seed::new(self.seed.wrapping_mul(1_000_003).wrapping_add(part as u64))
    }

    /// Says how far it has come, now and then.
    pub fn progress(&self, what: &str, done: usize, all: usize) {
        let mut told = self.told.lock().unwrap();
        if told.is_none_or(|told| told.elapsed() >= TELL_EVERY) {
            eprintln!("  {what}: {done} of {all}");
            *told = Some(Instant::now());
        }
    }

    /// What repeats the row.
    pub fn command(&self, row: &Row) -> String {
        let percent = match self.percent {
            Some(100) => String::new(),
            Some(percent) => format!(" --percent {percent}"),
            None => " --percent 0".to_owned(),
        };
        format!("just torture {} --seed {}{percent}", row.name, self.seed)
    }
}

pub const fn name_of(engine: Engine) -> &'static str {
    match engine {
        Engine::Sqlite => "SQLite",
        Engine::Postgres => "PostgreSQL",
    }
}

/// A number as people read it: 1,000,000.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
