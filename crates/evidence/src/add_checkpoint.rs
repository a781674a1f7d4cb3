//! What a log sends to a witness, and what the witness makes of it: `add-checkpoint` of the C2SP witness protocol.

use crate::vkey::LogKey;
use crate::{Hash, Head, Keyring, Malformed, SignedHead, is_consistent};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// The most hashes that a proof between two trees of any size can have.
const MOST_HASHES: usize = 63;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddCheckpoint {
    /// How many entries the witness has cosigned, by what the log knows.
    pub old: u64,
    /// That the log of the checkpoint continues that one.
    pub proof: Vec<Hash>,
    /// The signed checkpoint.
    pub note: String,
}

/// Why a witness does not cosign.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotCosigned {
    #[error("{0}")]
    Malformed(String),
    #[error("this witness does not know the log")]
    UnknownLog,
    #[error("none of the keys that this witness knows for the log has signed the checkpoint")]
    NotSigned,
    /// The witness has cosigned so many entries, and this does not go on from there.
    #[error("{0}")]
    Conflict(u64),
    #[error("the log of the checkpoint does not continue the one that was cosigned before")]
    NotConsistent,
}

impl AddCheckpoint {
    pub fn encode(&self) -> String {
        let hashes: String =
            self.proof.iter().map(|hash| format!("{}\n", BASE64_STANDARD.encode(hash.0))).collect();
        format!("old {}\n{hashes}\n{}", self.old, self.note)
    }

    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let malformed = |why: &str| Malformed::new(format!("this is no request to a witness: {why}"));
        let (proof, note) =
            text.split_once("\n\n").ok_or_else(|| malformed("no empty line comes before the checkpoint"))?;
        let mut lines = proof.lines();
        let old = lines.next().and_then(|line| line.strip_prefix("old ")).filter(|old| is_plain(old));
        let old = old.and_then(|old| old.parse().ok());
        let old = old.ok_or_else(|| malformed("it does not begin with the old size"))?;
        let hash = |line: &str| Some(Hash(BASE64_STANDARD.decode(line).ok()?.try_into().ok()?));
        let proof = lines.map(hash).collect::<Option<Vec<_>>>();
        let proof = proof.filter(|proof| proof.len() <= MOST_HASHES);
        let proof = proof.ok_or_else(|| malformed("the proof has a line that is no hash, or too many"))?;
        Ok(Self { old, proof, note: note.to_owned() })
    }

    /// The checkpoint, once a key that is known for its log is found to have signed it.
    pub fn head(&self, known: &[LogKey]) -> Result<SignedHead, NotCosigned> {
        let origin = self.note.lines().next().unwrap_or_default();
        let mut keys = known.iter().filter(|log| log.origin.to_string() == origin).map(|log| log.key);
        let first = keys.next().ok_or(NotCosigned::UnknownLog)?;
        let text = self.note.split_once("\n\n").map(|(text, _)| format!("{text}\n")).unwrap_or_default();
        if let Err(error) = <Head as crate::Canonical>::decode(text.as_bytes()) {
            return Err(NotCosigned::Malformed(error.to_string()));
        }
        SignedHead::from_note(&self.note, &Keyring::new(first, keys.collect()))
            .map_err(|_| NotCosigned::NotSigned)
    }

    /// Whether the checkpoint goes on from the one that was cosigned last for its log.
    pub fn follows(&self, head: &Head, last: Option<&Head>) -> Result<(), NotCosigned> {
        let size = head.at.size;
        if self.old > size {
            return Err(NotCosigned::Malformed(format!(
                "the old size, {}, is larger than that of the checkpoint, {size}",
                self.old
            )));
        }
        let root = |head: &Head| head.tree.map_or(Hash::ZERO, |tree| tree.root);
        let had = last.map_or((0, Hash::ZERO), |last| (last.at.size, root(last)));
        if self.old != had.0 || (self.old == size && size > 0 && had.1 != root(head)) {
            return Err(NotCosigned::Conflict(had.0));
        }
        if !is_consistent(had, (size, root(head)), &self.proof) {
            return Err(NotCosigned::NotConsistent);
        }
        Ok(())
    }
}

/// Decimal digits without zeros before them.
pub fn is_plain(number: &str) -> bool {
    let digits = number.bytes().all(|byte| byte.is_ascii_digit());
    digits && !number.is_empty() && (number == "0" || !number.starts_with('0'))
}
