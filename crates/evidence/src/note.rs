//! A head as a C2SP signed note, and the proof of one entry as a C2SP tlog-proof: texts that tools of others read too.

use crate::vkey::{KeyKind, note_key_id};
use crate::{
    Canonical, Entry, Hash, Head, Invalid, Keyring, Malformed, Origin, PublicKey, Signature, Signed,
    SignedHead, is_included, is_plain,
};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

impl SignedHead {
    /// How such a text begins.
    pub const KIND: &str = Origin::PREFIX;

    /// The text with its signature. `None` where there is no tree, no signature, or none of our keys.
    pub fn note(&self, keys: &Keyring) -> Option<String> {
        let (tree, signature) = (self.statement.tree?, self.signature?);
        let key = keys.find(signature.key_id)?;
        let signed = [note_key(tree.origin, key).as_slice(), &signature.bytes].concat();
        let text = String::from_utf8(self.body()).ok()?;
        Some(format!("{text}\n— {} {}\n", tree.origin, BASE64_STANDARD.encode(signed)))
    }

    /// Reads what [`Self::note`] writes, once one of the keys is found to have signed it. Lines of other signers, such as
    /// witnesses, are passed over.
    pub fn from_note(note: &str, keys: &Keyring) -> Result<Self, Invalid> {
        let malformed = |why: &str| Invalid::new(format!("this is no signed checkpoint: {why}"));
        let (text, signatures) = note
            .split_once("\n\n")
            .ok_or_else(|| malformed("no empty line parts the text from its signatures"))?;
        let statement =
            Head::decode(format!("{text}\n").as_bytes()).map_err(|e| malformed(&e.to_string()))?;
        let tree = statement.tree.ok_or_else(|| malformed("it has no root"))?;
        for line in signatures.lines() {
            let signed = line.strip_prefix(&format!("— {} ", tree.origin));
            let Some(bytes) = signed.and_then(|signed| BASE64_STANDARD.decode(signed).ok()) else { continue };
            let Some((id, rest)) = bytes.split_first_chunk::<4>() else { continue };
            let Ok(bytes) = <[u8; 64]>::try_from(rest) else { continue };
            for key in keys.keys().filter(|key| note_key(tree.origin, key) == *id) {
                let head = Signed { statement, signature: Some(Signature { key_id: key.key_id(), bytes }) };
                if head.is_signed_by(keys) {
                    return Ok(head);
                }
            }
        }
        Err(Invalid::new("the checkpoint has no valid signature of this deployment"))
    }
}

fn note_key(origin: Origin, key: &PublicKey) -> [u8; 4] {
    note_key_id(&origin.to_string(), KeyKind::Note, key)
}

/// An entry that is in the log of a signed head, with what shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryProof {
    pub entry: Entry,
    pub hashes: Vec<Hash>,
    pub head: SignedHead,
}

impl EntryProof {
    /// The first line of such a text.
    pub const KIND: &str = "c2sp.org/tlog-proof@v1";

    /// The entry's record is the proof's `extra`, and the hash of it the data of the leaf.
    pub fn encode(&self, keys: &Keyring) -> Option<String> {
        let entry = BASE64_STANDARD.encode(self.entry.encode());
        let hashes: String =
            self.hashes.iter().map(|hash| format!("{}\n", BASE64_STANDARD.encode(hash.0))).collect();
        let index = self.entry.seq.checked_sub(1)?;
        let kind = Self::KIND;
        Some(format!("{kind}\nextra {entry}\nindex {index}\n{hashes}\n{}", self.head.note(keys)?))
    }

    /// Reads a proof, and finds that it holds. Nothing but the keys is needed.
    pub fn check(text: &str, keys: &Keyring) -> Result<Self, Invalid> {
        let malformed = |why: &str| Invalid::new(format!("this is no proof of an entry: {why}"));
        let (proof, note) =
            text.split_once("\n\n").ok_or_else(|| malformed("no empty line parts it from its checkpoint"))?;
        let mut lines = proof.lines();
        if lines.next() != Some(Self::KIND) {
            return Err(malformed(&format!("it does not begin with {}", Self::KIND)));
        }
        let entry = lines.next().and_then(|line| BASE64_STANDARD.decode(line.strip_prefix("extra ")?).ok());
        let entry = entry.ok_or_else(|| malformed("it does not hold the entry"))?;
        let entry = Entry::decode(&entry).map_err(|e: Malformed| malformed(&e.to_string()))?;
        let index = lines.next().and_then(|line| line.strip_prefix("index ")).filter(|index| is_plain(index));
        let index: Option<u64> = index.and_then(|index| index.parse().ok());
        let index = index.filter(|index| index.checked_add(1) == Some(entry.seq));
        let index = index.ok_or_else(|| malformed("its index is not that of the entry"))?;
        let hash = |line: &str| Some(Hash(BASE64_STANDARD.decode(line).ok()?.try_into().ok()?));
        let hashes = lines.map(hash).collect::<Option<Vec<_>>>();
        let hashes = hashes.ok_or_else(|| malformed("a line of it is no hash"))?;
        let head = SignedHead::from_note(note, keys)?;
        let root = head.statement.tree.map(|tree| tree.root);
        let size = head.statement.at.size;
        if root.is_some_and(|root| is_included(entry.hash(), index, size, &hashes, root)) {
            return Ok(Self { entry, hashes, head });
        }
        Err(Invalid::new("the proof does not lead from the entry to the root of the checkpoint"))
    }
}
