//! Somebody else holds a lock on the database, or on the file with the head of the log.

use crate::campaign::{Campaign, Row, Verdict, name_of, thousands};
use crate::store_check::{Export, intact};
use crate::support::http::request;
use crate::support::{Deployment, Engine, Model, PATIENCE, Server, says};
use serde_json::json;
use std::fs::OpenOptions;
use std::time::{Duration, Instant};

pub const ROW: Row = Row {
    name: "foreign-lock",
    title: "a stranger's lock on the database or the head file",
    does_not_show: "a lock that is never released: writes then wait and fail until an operator ends its holder",
    run,
};

const USER: &str = "patient";
/// A process that lives answers its probe in this time, whatever the database does; a hundred times what it needs.
const ALIVE: Duration = Duration::from_secs(2);
/// From the lock to the first answer that the server is not ready: the second that is promised, and as much for the
/// machine.
const NOTICED: Duration = Duration::from_secs(2);
/// A write that waits for nothing, on a busy machine.
const UNHINDERED: Duration = Duration::from_secs(5);
/// How long a lock is held beyond the moment when it was noticed, at most.
const LONGEST: usize = 1500;

fn run(campaign: &Campaign) -> Verdict {
    let locks = campaign.amount(1, 40);
    let model = Model::start();
    let (mut writes, mut told) = (0, Vec::new());
    for (engine, deployment) in Deployment::on_each_engine(&model) {
        let (_, key) = deployment.principal("admin", &[]);
        let server = deployment.serve();
        let place = Place { deployment: &deployment, server: &server, key: &key };
        let mut acknowledged = Vec::new();
        for n in 0..locks {
            campaign.progress(name_of(engine), n, locks);
            let longer = campaign.seed_for(n).below(LONGEST);
            acknowledged.extend(place.lock_database(engine, n, Duration::from_millis(longer as u64)));
            if engine == Engine::Sqlite {
                acknowledged.push(place.lock_head(n));
            }
        }
        let mut client = server.client(&key);
        Export::of(&mut client, USER).check_added(&acknowledged);
        intact(&mut client);
        writes += acknowledged.len();
        told.push(format!("{locks} with {}", name_of(engine)));
    }
    Verdict::held(
        format!("locks on the database ({}), and {locks} on SQLite's head file", told.join(", ")),
        format!(
            "`/healthz` answered and `/readyz` said 503 while a database was locked; the head file's lock delayed no \
             write; all {} acknowledged writes there; log INTACT",
            thousands(writes)
        ),
    )
}

struct Place<'a> {
    deployment: &'a Deployment,
    server: &'a Server,
    key: &'a str,
}

impl Place<'_> {
    /// Returns the subject of the write that was made under the lock, if it was acknowledged.
    fn lock_database(&self, engine: Engine, n: usize, longer: Duration) -> Option<String> {
        let subject = format!("database {n}");
        let stranger = self.deployment.sql();
        stranger.run(match engine {
            Engine::Sqlite => "BEGIN IMMEDIATE",
            Engine::Postgres => "BEGIN; LOCK TABLE audit_entry IN ACCESS EXCLUSIVE MODE",
        });
        let said = std::thread::scope(|scope| {
            let writer = scope.spawn(|| self.write(&subject));
            let locked = Instant::now();
            assert_eq!(self.probe("/healthz", ALIVE), 200);
            while self.probe("/readyz", ALIVE) != 503 {
                assert!(locked.elapsed() < NOTICED, "/readyz does not tell of a lock on {}", name_of(engine));
                std::thread::sleep(Duration::from_millis(20));
            }
            std::thread::sleep(longer);
            if writer.is_finished() {
                let said = writer.join().unwrap();
                assert!(!said.starts_with("Stored:"), "acknowledged under a stranger's lock: {said}");
                stranger.run("ROLLBACK");
                return said;
            }
            stranger.run("ROLLBACK");
            writer.join().unwrap()
        });
        let deadline = Instant::now() + PATIENCE;
        while self.probe("/readyz", PATIENCE) != 200 {
            assert!(Instant::now() < deadline, "not ready after the lock was released");
        }
        said.starts_with("Stored: [ADD]").then_some(subject)
    }

    fn lock_head(&self, n: usize) -> String {
        let subject = format!("head {n}");
        let path = self.deployment.folder().join("svc.db.head");
        let head = OpenOptions::new().read(true).write(true).open(path).unwrap();
        head.lock().unwrap();
        let began = Instant::now();
        let said = self.write(&subject);
        assert!(said.starts_with("Stored: [ADD]"), "{said}");
        assert!(
            began.elapsed() < UNHINDERED,
            "a lock on the head file held a write up for {:?}",
            began.elapsed()
        );
        head.unlock().unwrap();
        subject
    }

    fn write(&self, subject: &str) -> String {
        let arguments = json!({ "text": says(subject, "kept"), "user_id": USER });
        self.server.client(self.key).call("remember", &arguments)
    }

    fn probe(&self, path: &str, within: Duration) -> u16 {
        let began = Instant::now();
        let answer = self.server.connect().ask(&request("GET", path, &[], b"")).unwrap();
        assert!(began.elapsed() < within, "{path} took {:?}", began.elapsed());
        answer.status
    }
}
