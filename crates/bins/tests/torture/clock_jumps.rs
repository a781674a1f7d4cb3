//! A clock that is set back, or years ahead, under a running server.

use crate::campaign::{Campaign, Row, Verdict};
use crate::store_check::intact;
use crate::support::http::Client;
use crate::support::{Deployment, Model, Server, said, says};
use serde_json::json;
use std::path::{Path, PathBuf};

pub const ROW: Row = Row {
    name: "clock-jumps",
    title: "clock −1 h, −1 d, +10 y",
    does_not_show: "a clock that is wrong on one of several servers",
    run,
};

const SHIFTS: [&str; 3] = ["-1h", "-1d", "+10y"];
const LIBRARIES: [&str; 2] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
];

fn run(campaign: &Campaign) -> Verdict {
    let Some(library) = LIBRARIES.iter().find(|library| Path::new(library).exists()) else {
        return Verdict::not_run("install Debian's package `libfaketime`");
    };
    let writes = campaign.amount(3, 50);
    let model = Model::start();
    for (n, shift) in SHIFTS.iter().enumerate() {
        campaign.progress("shifts", n, SHIFTS.len());
        Jump::new(&model, library).run(shift, writes);
    }
    Verdict::held(
        format!(
            "the clock of a running server set by {}, and back, {writes} writes each, with restarts between",
            SHIFTS.join(", ")
        ),
        "every write current in the order it was made, its history in that order; attestations VALID; a key ended with \
         its own time and not before; log INTACT at every step",
    )
}

struct Jump {
    deployment: Deployment,
    /// Holds by how much the clock is wrong.
    clock: PathBuf,
}

impl Jump {
    fn new(model: &Model, library: &str) -> Self {
        let mut deployment = Deployment::new(model).with("SVC_RATE_PER_MIN", "0");
        let clock = deployment.folder().join("clock");
        std::fs::write(&clock, "+0").unwrap();
        deployment.set("LD_PRELOAD", library);
        deployment.set("FAKETIME_TIMESTAMP_FILE", &clock.display().to_string());
        deployment.set("FAKETIME_NO_CACHE", "1");
        // Time limits run by another clock, which nobody sets.
        deployment.set("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        Self { deployment, clock }
    }

    fn run(&self, shift: &str, writes: usize) {
        let (_, key) = self.deployment.principal("admin", &[]);
        let (_, ending) = self.deployment.principal("guest", &["--expires", "30d"]);
        let server = self.deployment.serve();
        let mut told = Told::default();
        told.write(&server, &key, writes);
        self.set(shift);
        told.write(&server, &key, writes);
        assert_eq!(accepts(&server, &ending), !shift.starts_with('+'), "{shift}");
        // A server that starts with the wrong clock, and one that sees it put right.
        drop(server);
        let server = self.deployment.serve();
        told.write(&server, &key, writes);
        self.set("+0");
        told.write(&server, &key, writes);
        assert!(accepts(&server, &ending), "{shift}");
        drop(server);
        told.write(&self.deployment.serve(), &key, writes);
    }

    fn set(&self, shift: &str) {
        // Renamed into place: the server must never read half a file.
        let draft = self.clock.with_extension("draft");
        std::fs::write(&draft, shift).unwrap();
        std::fs::rename(&draft, &self.clock).unwrap();
    }
}

fn accepts(server: &Server, key: &str) -> bool {
    server.client(key).ask("list_memories", &json!({})).unwrap().status == 200
}

/// What was said so far about one subject.
#[derive(Default)]
struct Told {
    values: Vec<String>,
}

impl Told {
    fn write(&mut self, server: &Server, key: &str, writes: usize) {
        let mut client = server.client(key);
        for _ in 0..writes {
            let value = format!("value {}", self.values.len());
            let action = if self.values.is_empty() { "ADD" } else { "SUPERSEDE" };
            let fact = json!([{ "subject": "city", "value": value, "action": action }]);
            let reply = client.remember(&said("", &fact));
            assert!(reply.starts_with(&format!("Stored: [{action}]")), "{reply}");
            self.values.push(value);
        }
        client.remember(&says("other", &format!("{}", self.values.len())));
        self.check(&mut client);
    }

    fn check(&self, client: &mut Client) {
        let history = client.call("history", &json!({ "subject": "city" }));
        let last = self.values.len() - 1;
        let lines: Vec<&str> = history.lines().skip(1).collect();
        assert_eq!(lines.len(), self.values.len(), "{history}");
        for (n, line) in lines.iter().enumerate() {
            let status = if n == last { "ACTIVE" } else { "SUPERSEDED" };
            assert_eq!(line.trim_start(), format!("{}. {}  [{status}]", n + 1, self.values[n]), "{history}");
        }
        let attested = client.call("attest", &json!({ "subject": "city" }));
        assert!(attested.contains(&format!("'city' = {}", self.values[last])), "{attested}");
        let receipt = client.call("verify_receipt", &json!({ "receipt_id": crate::support::id(&attested) }));
        assert!(receipt.contains("✓ VALID"), "{receipt}");
        intact(client);
    }
}
