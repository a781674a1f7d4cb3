//! What is true of the database as a whole: the head and anchor of its audit log, and whether the keys at hand are the
//! ones that it was made with.

use crate::StoreError;
use crate::apart::Apart;
use crate::keys::{Keys, SigningKeys, Switch, sealed_anew, sign_keys};
use crate::seal::{KeyId, Sealer};
use crate::secrets::{Binding, Secrets};
use crate::signing::{Signing, SigningNow};
use evidence::{Canonical, KeyHistory, Origin, Position, PublicKey, Signed, SignedHead};
use std::collections::BTreeMap;
use zeroize::Zeroizing;

pub(crate) const HEAD: &str = "audit_head";
pub(crate) const ANCHOR: &str = "audit_anchor";
/// The tree over the audit log where it ends, for appending to it.
pub(crate) const PEAKS: &str = "audit_peaks";
/// Its presence says that the database has been claimed.
pub(crate) const ENCRYPTION: &str = "encryption";
pub(crate) const SIGNING: &str = "signing";
pub(crate) const KEY_CHECK: &str = "key_check";
pub(crate) const PUBLIC_KEY: &str = "public_key";
/// Whether sources are bound to principals where nothing else is set, as an earlier version kept it: the key check says so
/// by now, which nobody can take away without the keys.
pub(crate) const SOURCES: &str = "sources";
/// Another value after each change to any principal.
pub(crate) const PRINCIPALS: &str = "principals";
pub(crate) const BOUND: &[u8] = b"bound";
/// The row that whoever appends to the log of a PostgreSQL database holds locked.
const CHAIN: &str = "chain";
/// Its presence says that the database is being copied to, and holds the head of the log that the rows come from.
pub(crate) const COPYING: &str = "copying";
/// Tells whose users' keys the database needs. A database that never had any lacks it.
pub(crate) const USER_KEYS_ID: &str = "user_keys_id";
/// Another value after each change of keys, by which the other processes learn of it.
pub(crate) const KEYS_AT: &str = "keys_at";
/// The signed history of the signing keys. A database whose signing key was never rotated lacks it.
pub(crate) const KEY_HISTORY: &str = "key_history";
/// Its presence says that values are being sealed anew under newer keys.
pub(crate) const RESEALING: &str = "resealing";
/// When somebody last tried whether the database takes writes.
pub(crate) const HEARTBEAT: &str = "heartbeat";
/// What is true of one database and not of a copy of it.
pub(crate) const LOCAL: [&str; 6] =
    [CHAIN, COPYING, HEARTBEAT, Apart::UserKeys.row(), Apart::Revoked.row(), Apart::SigningKeys.row()];
/// What the key check holds, sealed. It must open, and says besides how the deployment was made.
const CHECKED: &[u8] = b"these are the keys";
const CHECKED_BOUND: &[u8] = b"these are the keys, and sources are bound";

/// Whether sources are bound to principals where nothing else is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sources {
    Bound,
    /// As databases have it that were made before this was known.
    Free,
}

pub(crate) const SET: &str = "INSERT INTO deployment (name, value) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value";

pub(crate) fn signed<T: Canonical>(bytes: Option<&[u8]>) -> Result<Option<Signed<T>>, StoreError> {
    bytes.map(Signed::decode).transpose().map_err(|e| StoreError::corrupt("a signed head", e))
}

impl Secrets {
    /// The keys at work on a database with these rows; a new one has none.
    pub fn from_keys(keys: Keys, held: &BTreeMap<String, Vec<u8>>) -> Result<Self, StoreError> {
        let Keys { sealer, blind, state, signing, kept } = keys;
        // The newest key may wait to be used, or be newer than a database that was put back.
        held.get(KEY_CHECK).and_then(|check| KeyId::of_sealed(check)).map(|id| sealer.turn_to(id));
        let signing = signing.map(|kept| signing_of(kept, held, &sealer)).transpose()?;
        let signing = signing.map(SigningNow::new);
        Ok(Self::new(sealer, blind, state, signing, kept))
    }

    /// Where the log ends. A head that is not ours is not built upon: the next head would vouch for it.
    pub fn head_position(&self, head: Option<SignedHead>) -> Result<Position, StoreError> {
        if let (Some(head), Some(signing)) = (&head, self.signing())
            && !head.is_signed_by(&signing.keyring)
        {
            return Err(StoreError::corrupt(
                "the head of the audit log",
                "it has no valid signature; run verify_audit",
            ));
        }
        Ok(head.map_or(Position::GENESIS, |head| head.statement.at))
    }

    /// What the key check says of sources.
    pub fn sources(&self, check: Option<&[u8]>) -> Result<Sources, StoreError> {
        let opened = self.open(Claim::binding(), check.unwrap_or_default())?;
        Ok(if opened.as_slice() == CHECKED_BOUND { Sources::Bound } else { Sources::Free })
    }

    /// The name of the audit log.
    pub fn origin(&self) -> Origin {
        self.signing().map_or(Origin::UNSIGNED, |signing| Origin(signing.keyring.first().key_id()))
    }
}

fn signing_of(
    beside: SigningKeys,
    held: &BTreeMap<String, Vec<u8>>,
    sealer: &Sealer,
) -> Result<Signing, StoreError> {
    let first = held.get(PUBLIC_KEY).and_then(|key| PublicKey::from_hex(&String::from_utf8_lossy(key)).ok());
    let row = held.get(Apart::SigningKeys.row()).map(|row| signing_kept(row, sealer)).transpose()?;
    let kept: Vec<SigningKeys> = std::iter::once(beside).chain(row).collect();
    Signing::of(&kept, &history(held.get(KEY_HISTORY).map(Vec::as_slice))?, first, None)
}

/// What is kept apart of the signing keys.
pub(crate) fn signing_kept(written: &[u8], sealer: &Sealer) -> Result<SigningKeys, StoreError> {
    signing_text(written, |text| sign_keys(text, sealer))
}

/// The same under the current master key; `None` where it is under that already, or under none.
pub(crate) fn signing_sealed_anew(
    written: &[u8],
    sealer: &Sealer,
) -> Result<Option<Zeroizing<String>>, StoreError> {
    signing_text(written, |text| sealed_anew(text, sealer))
}

fn signing_text<T>(written: &[u8], read: impl FnOnce(&str) -> Result<T, String>) -> Result<T, StoreError> {
    let text = std::str::from_utf8(written).map_err(|e| e.to_string());
    text.and_then(read).map_err(|problem| {
        StoreError::Startup(format!("what is kept of the signing keys is damaged: {problem}"))
    })
}

/// The history that the database keeps.
pub(crate) fn history(row: Option<&[u8]>) -> Result<KeyHistory, StoreError> {
    let history = row.map_or_else(|| Ok(KeyHistory::default()), KeyHistory::decode);
    history.map_err(|e| StoreError::corrupt("the key history", e))
}

/// How a database is sealed and signed, from its first day on: a mixture could not tell a value that was written in
/// clear from one that was slipped in.
pub(crate) struct Claim<'a> {
    pub secrets: &'a Secrets,
    pub encrypt: Switch,
    pub sign: Switch,
}

impl Claim<'_> {
    fn binding() -> Binding<'static> {
        Binding::new("the key check", "", 0)
    }

    /// What opens only with the keys of the database. The key that sealed it is the one that seals.
    pub fn key_check(sealer: &Sealer, sources: Sources) -> Result<Vec<u8>, StoreError> {
        let checked = match sources {
            Sources::Bound => CHECKED_BOUND,
            Sources::Free => CHECKED,
        };
        let sealed = sealer.seal(&Self::binding().bytes(), checked);
        sealed.map_err(|e| StoreError::Sealed { what: "the key check", why: e.to_string() })
    }

    /// What a new database is to hold.
    pub fn rows(&self) -> Result<Vec<(&'static str, Vec<u8>)>, StoreError> {
        let mut rows = vec![
            (ENCRYPTION, word(self.encrypt).as_bytes().to_vec()),
            (SIGNING, word(self.sign).as_bytes().to_vec()),
            (KEY_CHECK, Self::key_check(&self.secrets.sealer, Sources::Bound)?),
        ];
        if let Some(signing) = self.secrets.signing() {
            rows.push((PUBLIC_KEY, signing.signer.public_key().to_hex().into_bytes()));
        }
        Ok(rows)
    }

    /// Whether the keys and switches fit what the database was made with.
    pub fn check(&self, rows: &BTreeMap<String, Vec<u8>>) -> Result<(), StoreError> {
        let held = |name: &str| rows.get(name).map(Vec::as_slice).unwrap_or_default();
        agree("SVC_ENCRYPT", self.encrypt, held(ENCRYPTION))?;
        agree("SVC_SIGN", self.sign, held(SIGNING))?;
        if self.secrets.open(Self::binding(), held(KEY_CHECK)).is_err() {
            return Err(StoreError::Startup(
                "this database was sealed with another key; give the key file, SVC_KEY or Vault key that it was made \
                 with, or the newest copy of the key file if the master key was rotated since"
                    .to_owned(),
            ));
        }
        self.signed_by_us(held(PUBLIC_KEY))
    }

    /// The signing key must be the one that the database was made with, or go back to it.
    fn signed_by_us(&self, first: &[u8]) -> Result<(), StoreError> {
        let Some(signing) = self.secrets.signing() else { return Ok(()) };
        if signing.keyring.first().to_hex().as_bytes() == first {
            return Ok(());
        }
        Err(StoreError::Startup(
            "this database was signed with another key; give the signing key file, SVC_KEY or Vault key that it was \
             made with"
                .to_owned(),
        ))
    }
}

fn agree(variable: &str, asked: Switch, made: &[u8]) -> Result<(), StoreError> {
    if made == word(asked).as_bytes() {
        return Ok(());
    }
    Err(StoreError::Startup(format!(
        "{variable}={} does not fit this database, which was made with {variable}={}; set it so, or use a new database",
        word(asked),
        String::from_utf8_lossy(made)
    )))
}

const fn word(switch: Switch) -> &'static str {
    match switch {
        Switch::On => "on",
        Switch::Off => "off",
    }
}
