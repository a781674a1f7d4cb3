//! Opening a connection the one way this store uses SQLite.

use crate::StoreError;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

// SQLite 3.51.3 mends a fault by which a reset of the write-ahead log could lose a commit of another process.
const _: () = assert!(rusqlite::ffi::SQLITE_VERSION_NUMBER >= 3_051_003);

/// Other processes hold the write lock for milliseconds; past this the disk or a stuck process is to blame.
const BUSY_POLLS: i32 = 40_000;
const BUSY_POLL: Duration = Duration::from_micros(500);
/// Pages that each connection keeps to itself, in KiB (a negative number by SQLite's convention). The system keeps the
/// file in memory anyway, so a large cache in every connection would only hold it several times.
const PAGE_CACHE_KIB: i64 = -512;
/// A statement cache that holds every statement of the store.
const CACHED_STATEMENTS: usize = 128;

/// Counts the steps of SQLite's virtual machine, which grow with every row that a statement visits.
#[derive(Debug, Clone, Default)]
pub struct Meter(Arc<AtomicU64>);

impl Meter {
    pub fn steps(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

pub(crate) fn open(path: &Path, meter: Option<&Meter>) -> Result<Connection, StoreError> {
    let mut db = opened(path)?;
    db.busy_handler(Some(wait_for_other_processes))?;
    write_ahead(&db)?;
    prepare(&db)?;
    if let Some(meter) = meter.cloned() {
        db.progress_handler(
            1,
            Some(move || {
                meter.count();
                false
            }),
        )?;
    }
    Ok(db)
}

/// A connection that no other may exist beside: whatever is asked of it fails as busy while there is another one, of
/// this process or any other.
pub(crate) fn open_alone(path: &Path) -> Result<Connection, StoreError> {
    let db = opened(path)?;
    db.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    prepare(&db)?;
    Ok(db)
}

fn opened(path: &Path) -> Result<Connection, StoreError> {
    Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(|e| {
        StoreError::Startup(format!(
            "SVC_DB: cannot open {}: {e}; check the path and its permissions",
            path.display()
        ))
    })
}

fn prepare(db: &Connection) -> Result<(), StoreError> {
    db.pragma_update(None, "synchronous", "FULL")?;
    db.pragma_update(None, "foreign_keys", "ON")?;
    db.pragma_update(None, "secure_delete", "ON")?;
    db.pragma_update(None, "cache_size", PAGE_CACHE_KIB)?;
    db.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    Ok(())
}

/// Turns write-ahead logging on. Two processes that do so on a new file at once get in each other's way, and for this
/// one step SQLite does not call the busy handler.
fn write_ahead(db: &Connection) -> Result<(), StoreError> {
    let mut polls = 0;
    loop {
        match db.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                if !wait_for_other_processes(polls) {
                    return Err(error.into());
                }
                polls += 1;
            }
            result => return Ok(result?),
        }
    }
}

fn wait_for_other_processes(polls: i32) -> bool {
    std::thread::sleep(uneven_pause());
    polls < BUSY_POLLS
}

/// Short, and not the same in every process, so that several that wait do not keep meeting each other.
pub(crate) fn uneven_pause() -> Duration {
    BUSY_POLL + Duration::from_micros(u64::from(std::process::id() % 251))
}
