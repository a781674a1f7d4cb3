//! What is true of the database as a whole: the head and anchor of its audit log, and whether the keys at hand are the
//! ones that it was made with.

use crate::StoreError;
use crate::apart::Apart;
use crate::keys::{Keys, Switch};
use crate::secrets::{Binding, Secrets};
use crate::unreadable::Unreadable;
use evidence::{Canonical, Keyring, Origin, Position, PublicKey, Signed, SignedHead, Signer};
use std::collections::BTreeMap;

pub(crate) const HEAD: &str = "audit_head";
pub(crate) const ANCHOR: &str = "audit_anchor";
/// The tree over the audit log where it ends, for appending to it.
pub(crate) const PEAKS: &str = "audit_peaks";
/// Its presence says that the database has been claimed.
pub(crate) const ENCRYPTION: &str = "encryption";
pub(crate) const SIGNING: &str = "signing";
pub(crate) const KEY_CHECK: &str = "key_check";
pub(crate) const PUBLIC_KEY: &str = "public_key";
/// Whether sources are bound to principals where nothing else is set. Databases from before this was known lack it.
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
/// When somebody last tried whether the database takes writes.
pub(crate) const HEARTBEAT: &str = "heartbeat";
/// What is true of one database and not of a copy of it.
pub(crate) const LOCAL: [&str; 5] = [CHAIN, COPYING, HEARTBEAT, Apart::UserKeys.row(), Apart::Revoked.row()];
/// What the key check holds, sealed. Its content does not matter, only that it opens.
const CHECKED: &[u8] = b"these are the keys";

pub(crate) const SET: &str = "INSERT INTO deployment (name, value) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value";

pub(crate) fn signed<T: Canonical>(bytes: Option<&[u8]>) -> Result<Option<Signed<T>>, StoreError> {
    bytes.map(Signed::decode).transpose().map_err(|e| StoreError::corrupt("a signed head", e))
}

impl Secrets {
    pub fn from_keys(keys: Keys) -> Result<Self, StoreError> {
        let (signer, keyring) = match keys.signing {
            None => (None, None),
            Some(signing) => {
                let signer = Signer::from_seed(*signing.current);
                let retired = signing.retired.iter().map(|key| PublicKey::from_hex(&hex::encode(key)));
                let retired = retired
                    .collect::<Result<Vec<_>, _>>()
                    .map_err(|e| StoreError::Startup(format!("a retired signing key is no key: {e}")))?;
                let keyring = Keyring::new(signer.public_key(), retired);
                (Some(signer), Some(keyring))
            }
        };
        let unreadable = Unreadable::default();
        let Keys { sealer, blind, state, .. } = keys;
        Ok(Self { sealer, users: None, blind, state, signer, keyring, unreadable })
    }

    /// Where the log ends. A head that is not ours is not built upon: the next head would vouch for it.
    pub fn head_position(&self, head: Option<SignedHead>) -> Result<Position, StoreError> {
        if let (Some(head), Some(keys)) = (&head, &self.keyring)
            && !head.is_signed_by(keys)
        {
            return Err(StoreError::corrupt(
                "the head of the audit log",
                "it has no valid signature; run verify_audit",
            ));
        }
        Ok(head.map_or(Position::GENESIS, |head| head.statement.at))
    }

    /// The name of the audit log.
    pub fn origin(&self) -> Origin {
        self.keyring.as_ref().map_or(Origin::UNSIGNED, |keys| Origin(keys.first().key_id()))
    }
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

    /// What a new database is to hold.
    pub fn rows(&self) -> Result<Vec<(&'static str, Vec<u8>)>, StoreError> {
        let mut rows = vec![
            (ENCRYPTION, word(self.encrypt).as_bytes().to_vec()),
            (SIGNING, word(self.sign).as_bytes().to_vec()),
            (KEY_CHECK, self.secrets.seal(Self::binding(), CHECKED)?),
            (SOURCES, BOUND.to_vec()),
        ];
        if let Some(signer) = &self.secrets.signer {
            rows.push((PUBLIC_KEY, signer.public_key().to_hex().into_bytes()));
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
                 with"
                    .to_owned(),
            ));
        }
        self.signed_by_us(held(PUBLIC_KEY))
    }

    /// The signing key must be the one that the database was made with, or have it among its predecessors.
    fn signed_by_us(&self, first: &[u8]) -> Result<(), StoreError> {
        let Some(keyring) = &self.secrets.keyring else { return Ok(()) };
        let known = std::iter::once(keyring.current()).chain(keyring.retired());
        if known.into_iter().any(|key| key.to_hex().as_bytes() == first) {
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
