//! Statements about the log as a whole: where it ended at a time, and from where on it is kept.

use crate::record::{Reader, Writer};
use crate::{Canonical, Frontier, Hash, KeyId, Malformed, Place, Position, Signed, Statement};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::Timestamp;
use std::fmt;

const HEAD_TAG: &str = "svc/audit-head/1";
const ANCHOR_TAG: &str = "svc/audit-anchor/1";
const ANCHOR_WITH_TREE_TAG: &str = "svc/audit-anchor/2";
const OUTSIDE_TAG: &str = "svc/outside-head/1";

/// The log ended here at this time. A later log that is shorter, or differs here, was rolled back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub at: Position,
    pub ts: Timestamp,
    /// `None` in heads from before the log was a tree.
    pub tree: Option<TreeHead>,
}

/// Which log it is, and the root of the tree over its entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeHead {
    pub origin: Origin,
    pub root: Hash,
}

/// The name of a log: the first key that it was signed with, or zeros where signing is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin(pub KeyId);

impl Origin {
    /// What every name begins with.
    pub(crate) const PREFIX: &str = "svc/audit/";
    pub const UNSIGNED: Self = Self(KeyId([0; 8]));

    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut id = [0; 8];
        hex::decode_to_slice(line.strip_prefix(Self::PREFIX)?, &mut id).ok()?;
        Some(Self(KeyId(id)))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Self::PREFIX, self.0)
    }
}

/// The entries up to here were purged on purpose; the chain and its tree go on after them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    pub at: Position,
    pub ts: Timestamp,
    /// `None` in anchors from before the log was a tree.
    pub tree: Option<Frontier>,
}

/// A head as it is kept outside the database. It is signed once more for that, so that the head in an old copy of the
/// database cannot be put in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct OutsideHead(pub SignedHead);

pub type SignedHead = Signed<Head>;
pub type SignedAnchor = Signed<Anchor>;

/// A head is the text of a C2SP checkpoint, so that one signature makes it both.
impl Canonical for Head {
    fn encode(&self) -> Vec<u8> {
        let Some(TreeHead { origin, root }) = self.tree else {
            return write(HEAD_TAG, self.at, self.ts).finish();
        };
        let (root, chain) = (BASE64_STANDARD.encode(root.0), BASE64_STANDARD.encode(self.at.hash.0));
        format!("{origin}\n{}\n{root}\nchain {chain}\ntime {}\n", self.at.size, self.ts).into_bytes()
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        if !bytes.starts_with(Origin::PREFIX.as_bytes()) {
            let (r, at, ts) = read(HEAD_TAG, bytes)?;
            r.end()?;
            return Ok(Self { at, ts, tree: None });
        }
        // Only what we would write is accepted, down to the spelling of each number.
        let head = std::str::from_utf8(bytes).ok().and_then(parse).filter(|head| head.encode() == bytes);
        head.ok_or_else(|| Malformed::new("a checkpoint is not written as this service writes it"))
    }
}

fn parse(text: &str) -> Option<Head> {
    let hash = |text: &str| Some(Hash(BASE64_STANDARD.decode(text).ok()?.try_into().ok()?));
    let mut lines = text.lines();
    let origin = Origin::parse(lines.next()?)?;
    let size = lines.next()?.parse().ok()?;
    let root = hash(lines.next()?)?;
    let chain = hash(lines.next()?.strip_prefix("chain ")?)?;
    let ts = lines.next()?.strip_prefix("time ")?.parse().ok()?;
    Some(Head { at: Position { size, hash: chain }, ts, tree: Some(TreeHead { origin, root }) })
}

impl Statement for Head {
    fn place(&self) -> Place {
        Place { entries: Some(self.at.size), ts: Some(self.ts) }
    }
}

impl Statement for OutsideHead {
    fn place(&self) -> Place {
        self.0.statement.place()
    }
}

/// The entries that it stands for are older than the purge.
impl Statement for Anchor {
    fn place(&self) -> Place {
        Place { entries: None, ts: Some(self.ts) }
    }
}

impl Canonical for OutsideHead {
    fn encode(&self) -> Vec<u8> {
        let mut w = Writer::new(OUTSIDE_TAG);
        w.bytes(&self.0.encode());
        w.finish()
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut r = Reader::open(bytes, OUTSIDE_TAG)?;
        let head = Signed::decode(r.bytes()?)?;
        r.end()?;
        Ok(Self(head))
    }
}

impl Canonical for Anchor {
    fn encode(&self) -> Vec<u8> {
        let Some(tree) = &self.tree else { return write(ANCHOR_TAG, self.at, self.ts).finish() };
        let mut w = write(ANCHOR_WITH_TREE_TAG, self.at, self.ts);
        w.list(tree.peaks().iter(), |w, peak| w.bytes(&peak.0));
        w.finish()
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        if let Ok((r, at, ts)) = read(ANCHOR_TAG, bytes) {
            r.end()?;
            return Ok(Self { at, ts, tree: None });
        }
        let (mut r, at, ts) = read(ANCHOR_WITH_TREE_TAG, bytes)?;
        let tree = Some(Frontier::of(at.size, r.list(Reader::hash)?)?);
        r.end()?;
        Ok(Self { at, ts, tree })
    }
}

impl Anchor {
    /// The tree over the purged entries. Those that were purged before there was a tree count in it with the hash of the
    /// last of them, since no other is known.
    pub fn tree(&self) -> Frontier {
        self.tree.clone().unwrap_or_else(|| Frontier::repeated(self.at.size, self.at.hash))
    }
}

fn write(tag: &str, at: Position, ts: Timestamp) -> Writer {
    let mut w = Writer::new(tag);
    at.write(&mut w);
    w.time(ts);
    w
}

fn read<'a>(tag: &str, bytes: &'a [u8]) -> Result<(Reader<'a>, Position, Timestamp), Malformed> {
    let mut r = Reader::open(bytes, tag)?;
    let (at, ts) = (Position::read(&mut r)?, r.time()?);
    Ok((r, at, ts))
}
