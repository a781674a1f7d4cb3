//! The handle on the database.

use super::readers::Readers;
use super::untouched::{LastIntact, Stamp};
use super::writer::Writer;
use crate::load::Load;
use crate::secrets::Secrets;
use std::path::PathBuf;
use std::sync::Arc;

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

    pub fn load(&self) -> Load {
        let pools = [&self.readers, &self.large, &self.desk, &self.verification];
        Load { writes_waiting: self.writer.waiting(), pools: pools.map(Readers::load).into() }
    }
}
