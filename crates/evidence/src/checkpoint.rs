//! Statements about the log as a whole: where it ended at a time, and from where on it is kept.

use crate::record::{Reader, Writer};
use crate::{Canonical, Malformed, Position, Signed};
use domain::Timestamp;

const HEAD_TAG: &str = "svc/audit-head/1";
const ANCHOR_TAG: &str = "svc/audit-anchor/1";

/// The log ended here at this time. A later log that is shorter, or differs here, was rolled back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub at: Position,
    pub ts: Timestamp,
}

/// The entries up to here were purged on purpose; the chain goes on after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    pub at: Position,
    pub ts: Timestamp,
}

pub type SignedHead = Signed<Head>;
pub type SignedAnchor = Signed<Anchor>;

impl Canonical for Head {
    fn encode(&self) -> Vec<u8> {
        write(HEAD_TAG, self.at, self.ts)
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        read(HEAD_TAG, bytes).map(|(at, ts)| Self { at, ts })
    }
}

impl Canonical for Anchor {
    fn encode(&self) -> Vec<u8> {
        write(ANCHOR_TAG, self.at, self.ts)
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        read(ANCHOR_TAG, bytes).map(|(at, ts)| Self { at, ts })
    }
}

fn write(tag: &str, at: Position, ts: Timestamp) -> Vec<u8> {
    let mut w = Writer::new(tag);
    at.write(&mut w);
    w.time(ts);
    w.finish()
}

fn read(tag: &str, bytes: &[u8]) -> Result<(Position, Timestamp), Malformed> {
    let mut r = Reader::open(bytes, tag)?;
    let read = (Position::read(&mut r)?, r.time()?);
    r.end()?;
    Ok(read)
}
