//! The handle on the database.

use super::brief::Brief;
use super::readers::Readers;
use super::writer::Writer;
use crate::load::Load;
use crate::script::{Query, StoreResult};
use crate::secrets::Secrets;
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) struct Sqlite {
    pub path: PathBuf,
    pub secrets: Arc<Secrets>,
    pub brief: Brief,
    pub readers: Readers,
    pub desk: Readers,
    pub verification: Readers,
    pub writer: Writer,
}

impl Sqlite {
    pub async fn ask<Q: Query>(&self, query: Q) -> StoreResult<Q::Output> {
        if query.is_brief() {
            if let Some(answer) = self.brief.ask(&query) {
                return answer;
            }
            if self.brief.is_growing() {
                let brief = self.brief.clone();
                // Not waited for: it helps the next query, not this one.
                tokio::task::spawn_blocking(move || brief.grow());
            }
        }
        if query.is_lookup() { self.desk.ask(query).await } else { self.readers.ask(query).await }
    }

    pub fn load(&self) -> Load {
        let pools = [&self.readers, &self.desk, &self.verification];
        Load { writes_waiting: self.writer.waiting(), pools: pools.map(Readers::load).into() }
    }
}
