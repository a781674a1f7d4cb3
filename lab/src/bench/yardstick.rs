//! What the machine can do at best: grouped commits of bare rows, and an HTTP server that answers without looking.

use super::wire::{Connection, answer, request};
use crate::error::LabError;
use rusqlite::Connection as Sqlite;
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

/// About what an audit entry takes with its indexes' keys.
const ROW_BYTES: usize = 500;
/// As many calls as a group of ours may hold.
const GROUP: usize = 256;

/// Rows a second: one thread, groups as ours, each on disk before the next.
pub fn commits(lasting: Duration) -> Result<f64, LabError> {
    let folder = tempfile::Builder::new().prefix("svc-bench-").tempdir()?;
    rows_a_second(&folder.path().join("bare.db"), lasting)
        .map_err(|error| LabError::Refused(error.to_string()))
}

fn rows_a_second(path: &Path, lasting: Duration) -> Result<f64, rusqlite::Error> {
    let mut db = Sqlite::open(path)?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    db.pragma_update(None, "synchronous", "FULL")?;
    db.execute_batch("CREATE TABLE entry (seq INTEGER PRIMARY KEY, body BLOB NOT NULL)")?;
    let row = vec![7_u8; ROW_BYTES];
    let (began, mut rows) = (Instant::now(), 0_u32);
    while began.elapsed() < lasting {
        let group = db.transaction()?;
        {
            let mut insert = group.prepare_cached("INSERT INTO entry (body) VALUES (?1)")?;
            for _ in 0..GROUP {
                insert.execute([&row])?;
                rows += 1;
            }
        }
        group.commit()?;
    }
    Ok(f64::from(rows) / began.elapsed().as_secs_f64())
}

/// Answers a second over as many connections, a thread at either end of each.
pub fn echoes(connections: usize, lasting: Duration) -> Result<f64, LabError> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for stream in listener.incoming().take(connections).flatten() {
            std::thread::spawn(move || {
                let mut connection = Connection::over(stream)?;
                loop {
                    connection.receive()?;
                    connection.send(&answer("200 OK", "{}"))?;
                }
                #[allow(unreachable_code, reason = "the loop ends with the connection, as an error")]
                Ok::<(), std::io::Error>(())
            });
        }
    });
    let began = Instant::now();
    let until = began + lasting;
    let asked: usize = std::thread::scope(|scope| {
        let one = || {
            let Ok(mut connection) = Connection::open(address) else { return 0 };
            let request = request("key", "{}");
            let mut answered = 0;
            while Instant::now() < until
                && connection.send(&request).and_then(|()| connection.receive()).is_ok()
            {
                answered += 1;
            }
            answered
        };
        let threads: Vec<_> = (0..connections).map(|_| scope.spawn(one)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(0)).sum()
    });
    Ok(asked as f64 / began.elapsed().as_secs_f64())
}
