//! Which key signs after which. Both keys sign each succession, so whoever trusts one key of the history can trust the
//! others.

use crate::record::{Reader, Writer};
use crate::{Canonical, Malformed, Position, PublicKey, Signature, Signer};
use domain::Timestamp;

const TAG: &str = "svc/key-succession/1";
const HISTORY_TAG: &str = "svc/key-history/1";

/// From here on the successor signs, and the retired key no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Succession {
    pub retired: PublicKey,
    pub successor: PublicKey,
    /// The end of the log when the key was retired.
    pub at: Position,
    /// Not before anything that the retired key signed.
    pub ts: Timestamp,
}

/// A succession with the signatures of both keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handover {
    pub statement: Succession,
    pub by_retired: Signature,
    pub by_successor: Signature,
}

impl Handover {
    pub fn new(retired: &Signer, successor: &Signer, at: Position, ts: Timestamp) -> Self {
        let statement =
            Succession { retired: retired.public_key(), successor: successor.public_key(), at, ts };
        let body = statement.encode();
        Self { by_retired: retired.sign(&body), by_successor: successor.sign(&body), statement }
    }

    fn holds(&self) -> bool {
        let body = self.statement.encode();
        let signed = |key: &PublicKey, signature: &Signature| {
            signature.key_id == key.key_id() && key.verifies(&body, &signature.bytes)
        };
        signed(&self.statement.retired, &self.by_retired)
            && signed(&self.statement.successor, &self.by_successor)
    }
}

/// Every succession of a deployment, the oldest first. Each of them holds, and begins with the key that the one before it
/// ends with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyHistory(Vec<Handover>);

impl KeyHistory {
    pub fn of(handovers: Vec<Handover>) -> Result<Self, Malformed> {
        if let Some(n) = handovers.iter().position(|handover| !handover.holds()) {
            return Err(Malformed::new(format!(
                "succession {} lacks a valid signature of one of its keys",
                n + 1
            )));
        }
        let follow = |pair: &[Handover]| match pair {
            [before, after] => {
                let (before, after) = (&before.statement, &after.statement);
                before.successor == after.retired && before.at.size <= after.at.size && before.ts <= after.ts
            }
            _ => true,
        };
        if !handovers.windows(2).all(follow) {
            return Err(Malformed::new("a succession does not follow the one before it"));
        }
        Ok(Self(handovers))
    }

    pub fn handovers(&self) -> &[Handover] {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The key that signs now, where there was a succession at all.
    pub fn newest(&self) -> Option<&PublicKey> {
        self.0.last().map(|handover| &handover.statement.successor)
    }

    /// Whether it is the other one, with or without more after it.
    pub fn continues(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0)
    }

    pub fn with(&self, handover: Handover) -> Result<Self, Malformed> {
        Self::of(self.0.iter().cloned().chain([handover]).collect())
    }
}

impl Canonical for Succession {
    fn encode(&self) -> Vec<u8> {
        let mut w = Writer::new(TAG);
        w.bytes(self.retired.as_bytes());
        w.bytes(self.successor.as_bytes());
        self.at.write(&mut w);
        w.time(self.ts);
        w.finish()
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut r = Reader::open(bytes, TAG)?;
        let key = |r: &mut Reader<'_>| PublicKey::from_bytes(&r.hash()?.0);
        let (retired, successor) = (key(&mut r)?, key(&mut r)?);
        let succession = Self { retired, successor, at: Position::read(&mut r)?, ts: r.time()? };
        r.end()?;
        Ok(succession)
    }
}

impl Canonical for KeyHistory {
    fn encode(&self) -> Vec<u8> {
        let mut w = Writer::new(HISTORY_TAG);
        w.list(self.0.iter(), |w, handover| {
            w.bytes(&handover.statement.encode());
            w.bytes(&handover.by_retired.encode());
            w.bytes(&handover.by_successor.encode());
        });
        w.finish()
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut r = Reader::open(bytes, HISTORY_TAG)?;
        let handovers = r.list(|r| {
            Ok(Handover {
                statement: Succession::decode(r.bytes()?)?,
                by_retired: Signature::decode(r.bytes()?)?,
                by_successor: Signature::decode(r.bytes()?)?,
            })
        })?;
        r.end()?;
        Self::of(handovers)
    }
}
