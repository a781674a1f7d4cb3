//! Public keys with the name that they sign under, in the text form of C2SP signed notes: `name+id+key`.

use crate::{Hash, KeyId, Malformed, Origin, PublicKey};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use std::fmt;

/// What a key signs: the first byte of its text form, and part of its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyKind {
    /// Plain Ed25519 over the text of a note.
    Note = 1,
    /// Cosignatures with a time.
    Cosignature = 4,
}

/// The first bytes of SHA-256 of the name, a line feed, the kind of signature and the key.
pub(crate) fn note_key_id(name: &str, kind: KeyKind, key: &PublicKey) -> [u8; 4] {
    let named = [name.as_bytes(), &[b'\n', kind as u8], key.as_bytes().as_slice()].concat();
    let [a, b, c, d, ..] = Hash::of(&named).0;
    [a, b, c, d]
}

fn written(name: &str, kind: KeyKind, key: &PublicKey) -> String {
    let id = hex::encode(note_key_id(name, kind, key));
    let key = BASE64_STANDARD.encode([&[kind as u8], key.as_bytes().as_slice()].concat());
    format!("{name}+{id}+{key}")
}

fn read(text: &str, kind: KeyKind) -> Result<(&str, PublicKey), Malformed> {
    let malformed = |why: &str| Malformed::new(format!("a key is written name+id+key: {why}"));
    // The key itself may have a plus sign in it; a name has none.
    let mut parts = text.splitn(3, '+');
    let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(malformed("a part is missing"));
    };
    if name.is_empty() || name.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(malformed("the name is empty, or has a space in it"));
    }
    let bytes = BASE64_STANDARD.decode(key).map_err(|_| malformed("the key is not base64"))?;
    let bytes = match bytes.split_first() {
        Some((first, rest)) if *first == kind as u8 => rest,
        _ => return Err(malformed(&format!("a key of this kind begins with the byte {}", kind as u8))),
    };
    let key = PublicKey::from_hex(&hex::encode(bytes))?;
    if hex::encode(note_key_id(name, kind, &key)) != id {
        return Err(malformed("the id is not that of this name and key; copy all of it"));
    }
    Ok((name, key))
}

/// A key that an audit log is signed with, and which log that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogKey {
    pub origin: Origin,
    pub key: PublicKey,
}

impl LogKey {
    /// The text form, or the 64 hexadecimal digits of the key that the log began with.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        if !text.contains('+') {
            let key = PublicKey::from_hex(text)?;
            return Ok(Self { origin: Origin(key.key_id()), key });
        }
        let (name, key) = read(text, KeyKind::Note)?;
        let origin =
            Origin::parse(name).ok_or_else(|| Malformed::new(format!("{name} is no log of this service")))?;
        Ok(Self { origin, key })
    }
}

impl fmt::Display for LogKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&written(&self.origin.to_string(), KeyKind::Note, &self.key))
    }
}

/// The name and the public key of a witness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WitnessKey {
    pub(crate) name: String,
    pub(crate) key: PublicKey,
}

impl WitnessKey {
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let (name, key) = read(text, KeyKind::Cosignature)?;
        Ok(Self { name: name.to_owned(), key })
    }

    /// Of a witness that has no other name than its key.
    pub(crate) fn named_by(id: KeyId, key: PublicKey) -> Self {
        Self { name: format!("svc/witness/{id}"), key }
    }

    pub(crate) fn id(&self) -> [u8; 4] {
        note_key_id(&self.name, KeyKind::Cosignature, &self.key)
    }
}

impl fmt::Display for WitnessKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&written(&self.name, KeyKind::Cosignature, &self.key))
    }
}
