//! The handle on the database.

use super::readers::Readers;
use super::untouched::{LastIntact, Stamp};
use super::writer::Writer;
use crate::StoreError;
use crate::error::Part;
use crate::load::Load;
use crate::script::StoreResult;
use crate::secrets::Secrets;
use std::path::PathBuf;
use std::sync::Arc;

/// What a call or two may write. With less than this the disk is as good as full.
const ROOM: u64 = 256 * 1024;

pub(crate) struct Sqlite {
    pub path: PathBuf,
    pub secrets: Arc<Secrets>,
    pub readers: Readers,
    pub large: Readers,
    pub desk: Readers,
    pub verification: Readers,
    pub writer: Writer,
    pub last_intact: Arc<LastIntact>,
}

impl Sqlite {
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
