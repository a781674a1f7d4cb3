//! The disk is full, and then it is not.

use crate::campaign::{Campaign, Row, Verdict, thousands};
use crate::store_check::{Export, intact};
use crate::support::http::request;
use crate::support::{Deployment, Model, PATIENCE, Server, says};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

pub const ROW: Row = Row {
    name: "disk-full",
    title: "a disk that fills up while it is written to",
    does_not_show: "a disk that fills up under PostgreSQL",
    run,
};

const USER: &str = "patient";
const SIZE: &str = "size=16m";
/// Writes that a full disk still has room for, in files that have grown already.
const STILL_TAKEN: usize = 2000;
/// From the first write that failed: the second that is promised, and as much for the machine.
const NOTICED: Duration = Duration::from_secs(2);

fn run(campaign: &Campaign) -> Verdict {
    let rounds = campaign.amount(1, 30);
    let disk = match Disk::mount() {
        Ok(disk) => disk,
        Err(why) => return Verdict::not_run(&why),
    };
    let model = Model::start();
    let deployment = Deployment::within(&model, disk.folder.path()).with("SVC_RATE_PER_MIN", "0");
    let (_, key) = deployment.principal("admin", &[]);
    let mut server = deployment.serve();
    let (mut acknowledged, mut refused) = (Vec::new(), 0);
    for round in 0..rounds {
        campaign.progress("rounds", round, rounds);
        refused += fill_up(&disk, &server, &key, round, &mut acknowledged);
        // Every second time the server is killed while the disk is full.
        if round % 2 == 1 {
            server.kill();
            disk.empty();
            server = deployment.serve();
        } else {
            disk.empty();
        }
        wait_until_ready(&server);
        let mut client = server.client(&key);
        let said = client
            .call("remember", &json!({ "text": says(&format!("free {round}"), "kept"), "user_id": USER }));
        assert!(said.starts_with("Stored: [ADD]"), "with room again: {said}");
        acknowledged.push(format!("free {round}"));
        intact(&mut client);
    }
    let mut client = server.client(&key);
    Export::of(&mut client, USER).check_added(&acknowledged);
    Verdict::held(
        format!(
            "a disk of 16 MB filled to the last byte {rounds} times under writes, the server killed in every second one"
        ),
        format!(
            "{} writes refused, all {} acknowledged ones there; `/readyz` said 503 and `/healthz` answered while it was \
             full; it wrote again once there was room; log INTACT after each",
            thousands(refused),
            thousands(acknowledged.len())
        ),
    )
}

/// Returns how many writes were refused.
fn fill_up(disk: &Disk, server: &Server, key: &str, round: usize, acknowledged: &mut Vec<String>) -> usize {
    disk.fill();
    let mut client = server.client(key);
    let mut refused = 0;
    for n in 0..STILL_TAKEN {
        let subject = format!("item {round}-{n}");
        let value = "x".repeat(4000);
        let said = client.call("remember", &json!({ "text": says(&subject, &value), "user_id": USER }));
        if said.starts_with("Stored: [ADD]") {
            acknowledged.push(subject);
            continue;
        }
        refused += 1;
        if refused == 1 {
            not_ready(server);
        }
        if refused == 5 {
            return refused;
        }
    }
    panic!("a full disk took {STILL_TAKEN} writes");
}

fn not_ready(server: &Server) {
    let failed = Instant::now();
    while probe(server, "/readyz") != 503 {
        assert!(failed.elapsed() < NOTICED, "/readyz does not tell that the disk is full");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(probe(server, "/healthz"), 200);
}

fn wait_until_ready(server: &Server) {
    let deadline = Instant::now() + PATIENCE;
    while probe(server, "/readyz") != 200 {
        assert!(Instant::now() < deadline, "not ready although there is room again");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn probe(server: &Server, path: &str) -> u16 {
    server.connect().ask(&request("GET", path, &[], b"")).unwrap().status
}

/// A small file system of its own. It goes with the value.
struct Disk {
    folder: tempfile::TempDir,
}

impl Disk {
    fn mount() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mount =
            Command::new("mount").args(["-t", "tmpfs", "-o", SIZE, "tmpfs"]).arg(folder.path()).output();
        match mount {
            Ok(output) if output.status.success() => Ok(Self { folder }),
            _ => Err("only root may mount a small file system".to_owned()),
        }
    }

    fn ballast(&self) -> PathBuf {
        self.folder.path().join("ballast")
    }

    /// Takes all the room that is left.
    fn fill(&self) {
        let zeros = std::fs::File::open("/dev/zero").unwrap();
        let mut ballast = std::fs::File::create(self.ballast()).unwrap();
        // It ends when there is no room.
        assert!(std::io::copy(&mut &zeros, &mut ballast).is_err());
    }

    fn empty(&self) {
        std::fs::remove_file(self.ballast()).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let path: &Path = self.folder.path();
        // Lazily: a server that a failed row has left may still have files open.
        let _ = Command::new("umount").arg("-l").arg(path).status();
    }
}
