//! The handle on the database.

use super::readers::Readers;
use super::untouched::{LastIntact, Stamp};
use super::writer::Writer;
use crate::StoreError;
use crate::error::Part;
use crate::load::Load;
use crate::script::StoreResult;
use crate::secrets::Secrets;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a call or two may write. With less than this the disk is as good as full.
const ROOM: u64 = 256 * 1024;

pub(crate) struct Sqlite {
    pub path: PathBuf,
    /// Which file it is that lies there.
    pub file: FileId,
    pub secrets: Arc<Secrets>,
    pub readers: Readers,
    pub large: Readers,
    pub desk: Readers,
    pub verification: Readers,
    pub writer: Writer,
    pub last_intact: Arc<LastIntact>,
}

/// Device and number of a file, which stay its own when it is renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileId(u64, u64);

impl FileId {
    pub fn of(path: &Path) -> std::io::Result<Self> {
        std::fs::metadata(path).map(|file| Self(file.dev(), file.ino()))
    }
}

impl Sqlite {
    /// An error where the file is no longer at its place. SQLite goes on with the one that it has open, and what is stored
    /// there is lost to whoever opens the database next.
    pub fn check_place(&self) -> StoreResult<()> {
        if FileId::of(&self.path).is_ok_and(|there| there == self.file) {
            return Ok(());
        }
        let why = "the database file was moved, removed or replaced while the service had it open; put it back, or restart \
                   the service";
        Err(StoreError::Sqlite { why: why.to_owned(), part: Part::Database })
    }

    /// How the database is now, as far as others could have changed it.
    pub async fn stamp(&self) -> Option<Stamp> {
        Stamp::of(&self.path, &self.writer).await
    }

    /// An error where the disk has no room left. A disk that cannot be asked shows in what is written.
    pub fn check_room(&self) -> StoreResult<()> {
        match rustix::fs::statvfs(&self.path) {
            Ok(disk) if disk.f_bavail.saturating_mul(disk.f_frsize) < ROOM => {
                let why = "the disk of the database has no room left".to_owned();
                Err(StoreError::Sqlite { why, part: Part::Disk })
            }
            _ => Ok(()),
        }
    }

    pub fn load(&self) -> Load {
        let pools = [&self.readers, &self.large, &self.desk, &self.verification];
        Load { writes_waiting: self.writer.waiting(), pools: pools.map(Readers::load).into() }
    }
}
