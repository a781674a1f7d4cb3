//! Evidence that can be checked without the service: canonical bytes, signatures, the audit chain, decision snapshots,
//! receipts and licences. Bytes in, bytes out; the page `docs/evidence-format.md` describes every layout.

mod add_checkpoint;
mod append;
mod artefact;
mod audit;
mod checkpoint;
mod cosignature;
mod decision;
mod disclosure;
mod error;
mod hash;
mod key;
mod keyring;
mod licence;
mod merkle;
mod note;
mod place;
mod receipt;
mod record;
mod restoration;
mod revocations;
mod seqset;
mod signed;
mod succession;
#[cfg(test)]
mod tests;
mod verify;
mod vkey;

pub use add_checkpoint::{AddCheckpoint, NotCosigned, is_plain};
pub use append::{AppendError, Appender, Draft, LogEnd};
pub use artefact::{Fault, Finding, LogCheck, Made, check_artefact, read_key_history};
pub use audit::{Entry, KEY_ROTATED, Position, SeqRange, StoredDetail, StoredEntry};
pub use checkpoint::{Anchor, Head, Origin, OutsideHead, SignedAnchor, SignedHead, TreeHead};
pub use cosignature::Cosigner;
pub use decision::{Belief, Disclosed, Explained, Owner, Recorded, Snapshot, explain, record};
pub use disclosure::{Disclosure, NoRandomness, Salt};
pub use error::{Invalid, Malformed};
pub use hash::{Commitment, Hash};
pub use key::{KeyId, PublicKey, Signature, Signer};
pub use keyring::Keyring;
pub use licence::{Claims, LicenceError, mint_licence, read_licence};
pub use merkle::{Frontier, KEPT_LEVELS, Node, Plan, Subtrees, is_consistent, is_included, peaks_of};
pub use note::EntryProof;
pub use place::{Place, Statement};
pub use receipt::{Attestation, Erased, Erasure, Receipt, ReceiptKind};
pub use record::Canonical;
pub use restoration::{Restoration, SignedRestoration};
pub use revocations::{Revocations, SignedRevocations};
pub use signed::Signed;
pub use succession::{Handover, KeyHistory, Succession};
pub use verify::{Broken, ChainVerifier, RESTORED};
pub use vkey::{LogKey, WitnessKey};
