//! Long campaigns against the real programs: each row does one kind of harm for a long time, counts what was
//! acknowledged, and looks for it afterwards. `cargo test` runs a short form of every row; `just torture` runs them in
//! full and writes what came of it into docs/reliability.md.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::print_stderr, reason = "progress goes to standard error")]

mod approval_rules;
mod approval_states;
mod campaign;
mod clock_jumps;
mod cut_connections;
mod disk_full;
mod erasures;
mod foreign_lock;
mod forged_logs;
mod hostile_inputs;
mod injection_payloads;
mod injections;
mod kills;
mod misbehaving_model;
mod mixed_load;
mod one_slot;
mod postgres_cuts;
mod postgres_proxy;
mod power_loss;
mod recording;
mod rotations;
mod store_check;
mod strace;
mod system_calls;
mod table;

#[path = "../it/support/mod.rs"]
mod support;

use campaign::{Campaign, Row, Verdict};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

/// Where a deployment is made without saying otherwise. Rows that use PostgreSQL ask for it.
const ENGINE: support::Engine = support::Engine::Sqlite;

const ROWS: [Row; 17] = [
    kills::ROW,
    system_calls::ROW,
    power_loss::ROW,
    disk_full::ROW,
    foreign_lock::ROW,
    forged_logs::ROW,
    one_slot::ROW,
    cut_connections::ROW,
    postgres_cuts::ROW,
    hostile_inputs::ROW,
    misbehaving_model::ROW,
    injections::ROW,
    clock_jumps::ROW,
    approval_states::ROW,
    erasures::ROW,
    rotations::ROW,
    mixed_load::ROW,
];

/// What the first thread that found a fault said. A scope that is left by a panic only says that there was one.
static FAULT: Mutex<Option<String>> = Mutex::new(None);

fn main() -> ExitCode {
    let campaign = Campaign::from_arguments(std::env::args().skip(1));
    if campaign.lists_rows {
        ROWS.iter().for_each(|row| eprintln!("{}: {}", row.name, row.title));
        return ExitCode::SUCCESS;
    }
    remember_faults();
    let mut failed = Vec::new();
    for row in ROWS.iter().filter(|row| campaign.wants(row.name)) {
        let began = Instant::now();
        eprintln!("torture {}: {}", row.name, row.title);
        let verdict = run(row, &campaign);
        eprintln!("torture {}: {} ({:.1} s)", row.name, verdict.result, began.elapsed().as_secs_f32());
        if verdict.is_failure() {
            failed.push(row.name);
        }
        if campaign.writes_table {
            table::write(row, &verdict, &campaign);
        }
    }
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("FAILED: {}", failed.join(", "));
    ExitCode::FAILURE
}

fn run(row: &Row, campaign: &Campaign) -> Verdict {
    *FAULT.lock().unwrap() = None;
    catch_unwind(AssertUnwindSafe(|| (row.run)(campaign))).unwrap_or_else(|_| {
        let fault = FAULT.lock().unwrap().take();
        Verdict::failed(row, &fault.unwrap_or_else(|| "no reason was given".to_owned()))
    })
}

fn remember_faults() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        usual(panic);
        let said = panic.payload_as_str().unwrap_or("no message").to_owned();
        // A hook must not panic itself, and the first fault is the one that matters.
        if let Ok(mut fault) = FAULT.lock() {
            fault.get_or_insert(said);
        }
    }));
}
