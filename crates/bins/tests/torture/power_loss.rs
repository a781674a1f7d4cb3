//! The power goes at some moment: the disk has what was synced, and a random part of what was not.

use crate::campaign::{Campaign, Row, Verdict, thousands};
use crate::recording::{self, Event, Files};
use crate::store_check::Export;
use crate::strace::{Strace, missing};
use crate::support::{Deployment, Mcp, Model, says};
use serde_json::{Value, json};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

pub const ROW: Row = Row {
    name: "power-loss",
    title: "power-loss images that keep what was synced and a random part of the rest",
    does_not_show: "a disk that says that it has synced and has not; PostgreSQL, whose own crash safety is taken as given",
    run,
};

const USER: &str = "patient";
const ERASED: &str = "erased";
/// Enough for the write-ahead log to be folded into the database several times.
const WRITES: usize = 150;
const CHECKERS: usize = 2;

fn run(campaign: &Campaign) -> Verdict {
    if let Some(why) = missing() {
        return Verdict::not_run(&why);
    }
    let images = campaign.amount(12, 2000);
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let run = Run::record(campaign, &deployment);
    let (next, required) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..CHECKERS {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= images {
                        break;
                    }
                    campaign.progress("images", n, images);
                    required.fetch_add(run.check(campaign, &model, n), Ordering::Relaxed);
                }
            });
        }
    });
    Verdict::held(
        format!(
            "{} images at random moments of {WRITES} writes, {WRITES} reads and one erasure ({} changes to files)",
            thousands(images),
            thousands(run.events.len())
        ),
        format!(
            "each image opened, its log INTACT, and took the next write; {} acknowledged writes looked for and found",
            thousands(required.into_inner())
        ),
    )
}

struct Run {
    before: Files,
    events: Vec<Event>,
}

impl Run {
    /// A process at work, with all that it did to its files.
    fn record(campaign: &Campaign, deployment: &Deployment) -> Self {
        let process = deployment.start();
        for n in 0..3 {
            process.call("remember", &json!({ "text": says(&format!("old {n}"), "x"), "user_id": ERASED }));
        }
        assert!(process.close().success());
        let process = deployment.start();
        process.remember(&says("all there", "before"));
        let before = files(deployment.folder());
        let seen = tempfile::tempdir().unwrap();
        let seen = seen.path().join("seen");
        let strace = Strace::attach(process.id(), &seen, &recording::OPTIONS);
        for n in 0..WRITES {
            campaign.progress("recording", n, WRITES);
            let said = process
                .call("remember", &json!({ "text": says(&format!("item {n}"), "kept"), "user_id": USER }));
            assert!(said.starts_with("Stored: [ADD]"), "{said}");
            // A read is noted in the log without waiting for the disk.
            process.call("get_memory", &json!({ "memory_id": 1, "user_id": USER }));
            if n == WRITES / 2 {
                process.call("delete_all", &json!({ "user_id": ERASED }));
            }
        }
        // The answer arrives before strace has seen its call return, so it may miss the last one.
        process.call("get_memory", &json!({ "memory_id": 1, "user_id": USER }));
        strace.detach();
        process.kill();
        let events = recording::read(&std::fs::read_to_string(&seen).unwrap(), deployment.folder());
        let answers = events.iter().filter(|event| matches!(event, Event::Answer { .. })).count();
        assert!(answers > 2 * WRITES, "the recording misses answers: it has {answers}");
        Self { before, events }
    }

    /// Returns how many acknowledged writes had to be there.
    fn check(&self, campaign: &Campaign, model: &Model, n: usize) -> usize {
        let mut seed = campaign.seed_for(n);
        let cut = 1 + seed.below(self.events.len());
        let files = recording::image(&self.before, &self.events[..cut], &mut seed);
        let deployment = Deployment::new(model);
        for (path, bytes) in &files {
            let path = deployment.folder().join(path.file_name().unwrap());
            std::fs::write(&path, bytes).unwrap();
            // Key files that others can read are refused.
            std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        }
        let answers: Vec<String> = self.events[..cut].iter().filter_map(answered).collect();
        let acknowledged: Vec<String> = answers.iter().filter_map(|said| stored(said)).collect();
        let erased = answers.iter().any(|said| said.starts_with("Deleted "));
        check_image(&deployment.start(), &acknowledged, erased, n);
        acknowledged.len()
    }
}

fn check_image(process: &Mcp, acknowledged: &[String], erased: bool, n: usize) {
    let verdict = process.call("verify_audit", &json!({}));
    assert!(verdict.contains("INTACT"), "image {n}: {verdict}");
    let export = |user: &str| Export::read(&process.call("export_memory", &json!({ "user_id": user })));
    export(USER).check_added(acknowledged);
    let left = export(ERASED).subjects().len();
    assert!(left == 3 || left == 0, "image {n}: {left} facts are left");
    assert!(left == 0 || !erased, "image {n}: what was erased is back");
    assert!(process.remember(&says("after the cut", "fine")).starts_with("Stored: [ADD]"), "image {n}");
    process.intact();
}

fn answered(event: &Event) -> Option<String> {
    let Event::Answer { bytes } = event else { return None };
    let message: Value = serde_json::from_slice(bytes).unwrap();
    message["result"]["content"][0]["text"].as_str().map(str::to_owned)
}

/// The subject of `Stored: [ADD] item 7 = kept`.
fn stored(said: &str) -> Option<String> {
    Some(said.strip_prefix("Stored: [ADD] ")?.split(" = ").next()?.to_owned())
}

/// All files of the folder; the one that only holds locks is made again by whoever opens the database.
fn files(folder: &Path) -> Files {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let kept = entries.filter(|path| !path.ends_with("svc.db-shm"));
    kept.map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect()
}
