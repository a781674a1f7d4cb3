//! Whether anybody but this process has written to the database since its log was last found intact.

use super::writer::Writer;
use crate::script::{Db, Durability, Ground, Rows, Script, StoreResult};
use crate::scripts::marks::Intact;
use domain::Tenant;
use parking_lot::Mutex;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

/// Whoever holds the write lock for longer has the whole log checked instead.
const PATIENCE: Duration = Duration::from_secs(1);

/// The log that was found intact last, and how the database was by then.
#[derive(Default)]
pub(crate) struct LastIntact(Mutex<Option<(Stamp, Intact)>>);

impl LastIntact {
    pub fn at(&self, stamp: &Stamp) -> Option<Intact> {
        self.0.lock().as_ref().filter(|(then, _)| then == stamp).map(|(_, intact)| intact.clone())
    }

    pub fn set(&self, intact: Option<(Stamp, Intact)>) {
        *self.0.lock() = intact;
    }
}

/// The same as long as nobody else has committed, and nobody has changed the file itself. SQLite's own copying of the
/// write-ahead log into the file changes it too, and cannot be told from an edit.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    commits_of_others: i64,
    file: [i64; 5],
}

/// SQLite's number for the connection that writes, which changes when another one has committed.
struct CommitsOfOthers(Tenant);

impl Script for CommitsOfOthers {
    type Output = i64;

    fn ground(&self) -> Ground<'_> {
        Ground::tenant(&self.0)
    }

    fn durability(&self) -> Durability {
        Durability::Soon
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<i64> {
        let version: Option<(i64,)> = rows.db().one("PRAGMA data_version", &[]).await?;
        Ok(version.map_or(0, |(version,)| version))
    }
}

impl Stamp {
    /// `None` where that cannot be told: then everything is checked.
    pub async fn of(path: &Path, writer: &Writer) -> Option<Self> {
        let asked = writer.run(CommitsOfOthers(Tenant::default()));
        let commits_of_others = tokio::time::timeout(PATIENCE, asked).await.ok()?.ok()?;
        Some(Self { commits_of_others, file: file(path)? })
    }
}

fn file(path: &Path) -> Option<[i64; 5]> {
    let file = std::fs::metadata(path).ok()?;
    let number = |number: u64| i64::try_from(number).ok();
    Some([number(file.dev())?, number(file.ino())?, number(file.size())?, file.ctime(), file.ctime_nsec()])
}
