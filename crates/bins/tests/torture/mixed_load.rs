//! Readers and writers for hours: memory, the write-ahead log and the slowest calls stay where they were.

use crate::campaign::{Campaign, Row, Verdict, thousands};
use crate::store_check::intact;
use crate::support::http::Client;
use crate::support::{Deployment, Model, Seed, Server, says};
use serde_json::json;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub const ROW: Row = Row {
    name: "mixed-load",
    title: "hours of mixed load with memory, WAL and p99 flat",
    does_not_show: "what only weeks bring; how fast it is, which docs/performance.md has",
    run,
};

const CLIENTS: usize = 8;
/// Each client begins a call this often, so that how long calls take is not how long the others' queue is.
const PACE: Duration = Duration::from_millis(20);
const USERS: usize = 40;
const SLICES: usize = 12;
/// Below this, slices are too short to compare.
const COMPARED_FROM: Duration = Duration::from_secs(300);
/// Slices in which caches and files reach their size.
const WARM_UP: usize = 3;
/// What a busy machine may add, and what is no growth.
const SLACK_MS: f64 = 20.0;
const SLACK_BYTES: u64 = 24 * 1024 * 1024;

fn run(campaign: &Campaign) -> Verdict {
    let seconds = campaign.amount(4, 7200);
    let whole = Duration::from_secs(seconds as u64);
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_RATE_PER_MIN", "0");
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let load = Load {
        server: &server,
        key: &key,
        done: AtomicBool::new(false),
        calls: AtomicUsize::new(0),
        times: Mutex::default(),
    };
    let mut slices = Vec::new();
    std::thread::scope(|scope| {
        for n in 0..CLIENTS {
            let (load, seed) = (&load, campaign.seed_for(n));
            scope.spawn(move || load.drive(seed));
        }
        let _ending = Ending(&load.done);
        for n in 0..SLICES {
            campaign.progress("slices", n, SLICES);
            std::thread::sleep(whole / SLICES as u32);
            slices.push(Slice::take(&load, deployment.folder()));
        }
    });
    for slice in &slices {
        eprintln!("  {slice:?}");
    }
    if whole >= COMPARED_FROM {
        compare(&slices);
    }
    intact(&mut server.client(&key));
    let last = slices.last().unwrap();
    Verdict::held(
        format!(
            "{CLIENTS} clients, each a call every {} ms, for {seconds} s: {} calls",
            PACE.as_millis(),
            thousands(load.calls.load(Ordering::Relaxed))
        ),
        format!(
            "no call failed; p99 {:.0} ms in the first quarter and {:.0} ms at the end, memory {} MB and {} MB, WAL {} KB and \
             {} KB; log INTACT",
            slices[WARM_UP - 1].p99,
            last.p99,
            slices[WARM_UP - 1].resident / 1024 / 1024,
            last.resident / 1024 / 1024,
            slices[WARM_UP - 1].wal / 1024,
            last.wal / 1024
        ),
    )
}

/// Ends the clients' work, also where a slice finds a fault.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct Load<'a> {
    server: &'a Server,
    key: &'a str,
    done: AtomicBool,
    calls: AtomicUsize,
    /// Of the calls since the last slice, in milliseconds.
    times: Mutex<Vec<f64>>,
}

impl Load<'_> {
    fn drive(&self, mut seed: Seed) {
        let mut client = self.server.client(self.key);
        while !self.done.load(Ordering::Relaxed) {
            let began = Instant::now();
            one_call(&mut client, &mut seed);
            self.times.lock().unwrap().push(began.elapsed().as_secs_f64() * 1000.0);
            self.calls.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(PACE.saturating_sub(began.elapsed()));
        }
    }
}

fn one_call(client: &mut Client, seed: &mut Seed) {
    let user = format!("user {}", seed.below(USERS));
    let subject = format!("subject {}", seed.below(50));
    let (tool, arguments) = match seed.below(100) {
        0..40 => ("get_memory", json!({ "memory_id": seed.below(5000), "user_id": user })),
        40..65 => {
            let text = says(&subject, &format!("value {}", seed.below(1_000_000)));
            ("remember", json!({ "text": text, "user_id": user }))
        }
        65..80 => ("recall", json!({ "question": format!("What is {subject}?"), "user_id": user })),
        80..90 => ("check_before_act", json!({ "subject": subject, "user_id": user })),
        90..99 => ("list_memories", json!({ "limit": 20, "user_id": user })),
        // Now and then a whole memory goes, or all would grow.
        _ => ("delete_all", json!({ "user_id": user })),
    };
    let said = client.call(tool, &arguments);
    assert!(!said.starts_with("Svc couldn't"), "{tool} {arguments}: {said}");
}

#[derive(Debug)]
struct Slice {
    p99: f64,
    resident: u64,
    wal: u64,
}

impl Slice {
    fn take(load: &Load, folder: &Path) -> Self {
        let mut times = std::mem::take(&mut *load.times.lock().unwrap());
        times.sort_by(f64::total_cmp);
        let p99 = times.get(times.len() * 99 / 100).copied().unwrap_or_default();
        let wal = std::fs::metadata(folder.join("svc.db-wal")).map_or(0, |wal| wal.len());
        Self { p99, resident: load.server.resident(), wal }
    }
}

/// The second half is not slower or larger than what the first quarter came to.
fn compare(slices: &[Slice]) {
    let (early, late) = (&slices[..WARM_UP], &slices[SLICES / 2..]);
    let check = |what: &str, of: fn(&Slice) -> f64, slack: f64| {
        let (before, after) = (median(early, of), median(late, of));
        assert!(after < before * 1.5 + slack, "{what} went from {before:.0} to {after:.0}");
    };
    check("p99 in ms", |slice| slice.p99, SLACK_MS);
    check("resident memory", |slice| slice.resident as f64, SLACK_BYTES as f64);
    check("write-ahead log", |slice| slice.wal as f64, SLACK_BYTES as f64);
}

fn median(slices: &[Slice], of: fn(&Slice) -> f64) -> f64 {
    let mut all: Vec<f64> = slices.iter().map(of).collect();
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}
