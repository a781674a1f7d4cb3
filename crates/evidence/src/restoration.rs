//! The operator's word that a database was restored from an earlier copy, and what of its log is gone with that.

use crate::record::{Reader, Writer};
use crate::{Canonical, Head, Malformed, Place, Position, Signed, Statement};
use domain::Timestamp;

const TAG: &str = "svc/audit-restoration/1";

/// The log was put back to `kept`. What was signed after it, up to `lost`, is missing on purpose. Where both are the
/// same, the log is whole and the head outside was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restoration {
    pub kept: Position,
    pub lost: Position,
    pub ts: Timestamp,
    pub reason: String,
}

pub type SignedRestoration = Signed<Restoration>;

impl Restoration {
    /// Nothing is missing of the log: the head outside was lost, and begun anew here.
    pub fn is_of_head_file(&self) -> bool {
        self.kept == self.lost
    }

    /// Whether the head is of the part that is missing. A head signed after the note is not: the log after a
    /// restoration is checked like any other.
    pub fn covers(&self, head: &Head) -> bool {
        self.is_lost(head.at.size) && head.ts < self.ts
    }

    pub fn is_lost(&self, entry: u64) -> bool {
        self.kept.size < entry && entry <= self.lost.size
    }
}

impl Canonical for Restoration {
    fn encode(&self) -> Vec<u8> {
        let mut w = Writer::new(TAG);
        self.kept.write(&mut w);
        self.lost.write(&mut w);
        w.time(self.ts);
        w.text(&self.reason);
        w.finish()
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut r = Reader::open(bytes, TAG)?;
        let (kept, lost) = (Position::read(&mut r)?, Position::read(&mut r)?);
        let note = Self { kept, lost, ts: r.time()?, reason: r.text()? };
        r.end()?;
        Ok(note)
    }
}

impl Statement for Restoration {
    fn place(&self) -> Place {
        Place { entries: None, ts: Some(self.ts) }
    }
}
