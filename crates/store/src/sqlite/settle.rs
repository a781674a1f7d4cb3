//! Beginning the head beside the database anew, once a restoration was confirmed.

use super::db::{SqliteDb, at_once};
use crate::StoreError;
use crate::head_file::HeadFile;
use crate::rows::deployment::HEAD;
use crate::script::StoreResult;
use crate::scripts::{deployment, log};
use evidence::Head;

impl SqliteDb<'_> {
    /// Begins the head outside anew where the operator has signed for what it knows and the log does not; whether that
    /// was so.
    pub fn settle(&mut self, head_file: &HeadFile) -> StoreResult<bool> {
        let written = |e: std::io::Error| StoreError::corrupt("the head beside the database", e);
        let Some(outside) = head_file.read().map_err(written)?.kept.heads() else { return Ok(false) };
        let settled = at_once(log::standing(self, outside))?.is_settled(self.secrets);
        let head = at_once(deployment::signed::<_, Head>(self, HEAD))?.filter(|_| settled);
        head.map_or(Ok(false), |head| head_file.reset(&head).map(|()| true).map_err(written))
    }
}
