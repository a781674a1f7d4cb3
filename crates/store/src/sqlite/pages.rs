//! Whether the file is sound by SQLite's own account: its pages fit together, and every row is where its indexes say. What
//! is sealed or signed shows by itself when it was damaged; a row that an index has lost would just be missing.

use super::connection;
use crate::StoreError;
use crate::secrets::Secrets;
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;

/// A file up to this size is looked through before anything is answered from it, in some tens of milliseconds.
const AT_ONCE_BYTES: u64 = 16 << 20;
/// A file up to this size is looked through after the start, while it is answered from. A larger one is for `svc fsck`.
const LATER_BYTES: u64 = 1 << 30;
/// How many faults are worth naming.
const NAMED: usize = 20;

/// What is wrong with the file, up to so many faults.
pub(crate) fn faults(db: &Connection) -> Result<Vec<String>, StoreError> {
    let mut check = db.prepare(&format!("PRAGMA integrity_check({NAMED})"))?;
    let said = check.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    Ok(said.into_iter().filter(|line| line != "ok").collect())
}

/// Looks through the file when it is opened. What is found is said with everything that is read from it.
pub(super) fn look_through(path: &Path, secrets: &Arc<Secrets>) -> Result<(), StoreError> {
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    let (path, secrets) = (path.to_owned(), secrets.clone());
    let look = move || {
        let found = connection::open(&path, None).and_then(|db| faults(&db));
        let first = found.map_or_else(|error| Some(error.to_string()), |faults| faults.into_iter().next());
        if let Some(fault) = first {
            tracing::error!(%fault, "the database file is damaged");
            secrets.unreadable.note_file(fault);
        }
    };
    if bytes <= AT_ONCE_BYTES {
        look();
    } else if bytes <= LATER_BYTES {
        std::thread::Builder::new()
            .name("store-pages".to_owned())
            .spawn(look)
            .map_err(|e| StoreError::Startup(format!("cannot start a thread: {e}")))?;
    }
    Ok(())
}
