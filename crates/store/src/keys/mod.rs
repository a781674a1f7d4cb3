//! Where the keys of a database come from: files beside it, a passphrase, or Vault. What cannot be loaded is an
//! error; nothing here ever goes on without a key that should be there.

mod custody;
mod error;
mod file;
mod lines;
mod passphrase;
mod ring;
mod vault;

use std::fmt;
use std::path::PathBuf;

use secrecy::SecretString;
use zeroize::Zeroizing;

pub use error::{KeyError, VaultError};

use crate::blind::BlindKey;
use crate::seal::Sealer;
use custody::Custody;
pub(crate) use file::KeyFile;
use ring::Ring;

/// 32 random bytes, or as good as random.
pub(crate) type Secret = Zeroizing<[u8; 32]>;

#[derive(Debug, Clone)]
pub struct KeySettings {
    /// The database. Its keys stand beside it as `<db>.key`, `<db>.sign.key` and `<db>.salt`.
    pub beside: PathBuf,
    pub source: KeySource,
    pub encrypt: Switch,
    pub sign: Switch,
}

#[derive(Debug, Clone)]
pub enum KeySource {
    File,
    Passphrase(SecretString),
    Vault(VaultSettings),
}

/// A Transit secrets engine of HashiCorp Vault or OpenBao.
#[derive(Debug, Clone)]
pub struct VaultSettings {
    pub address: String,
    pub token: SecretString,
    pub mount: String,
    pub key: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    On,
    Off,
}

/// Whether the database was already there. Keys are made only for a new one: a new key beside an existing database
/// would hide that the old one, and everything sealed with it, is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Database {
    New,
    Existing,
}

#[derive(Debug)]
pub struct Keys {
    pub sealer: Sealer,
    pub blind: BlindKey,
    /// Absent where signing is off.
    pub signing: Option<SigningKeys>,
}

pub struct SigningKeys {
    /// The Ed25519 seed that signs.
    pub current: Secret,
    /// The Ed25519 public keys that signed before, oldest first: what they signed still verifies.
    pub retired: Vec<[u8; 32]>,
}

impl fmt::Debug for SigningKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKeys").field("retired", &self.retired.len()).finish_non_exhaustive()
    }
}

/// What a source yields, each part only where its switch is on.
struct Secrets {
    ring: Option<Ring>,
    signing: Option<SigningKeys>,
}

/// Loads the keys, and makes them first where the database is new. Several processes may do so at once: all of them
/// get the same keys.
pub async fn load(settings: &KeySettings, database: Database) -> Result<Keys, KeyError> {
    let secrets = match &settings.source {
        KeySource::File => stored(settings, &Custody::Plain, database).await?,
        KeySource::Vault(vault) => {
            let transit = Custody::Transit(vault::Transit::new(vault)?);
            stored(settings, &transit, database).await?
        }
        KeySource::Passphrase(passphrase) => derived(settings, passphrase, database).await?,
    };
    let (sealer, blind) = match &secrets.ring {
        Some(ring) => (ring.sealer()?, ring.blind()?),
        None => (Sealer::plain(), BlindKey::public()),
    };
    Ok(Keys { sealer, blind, signing: secrets.signing })
}

/// The key files that open nothing by themselves, each with the name under which a database keeps a copy for other
/// hosts: the salt of a passphrase, and keys that Vault has wrapped.
pub(crate) fn shareable(settings: &KeySettings) -> Vec<(&'static str, KeyFile)> {
    let beside = &settings.beside;
    match settings.source {
        KeySource::File => Vec::new(),
        KeySource::Passphrase(_) => vec![("key_salt", KeyFile::salt(beside))],
        KeySource::Vault(_) => {
            vec![("wrapped_key", KeyFile::master(beside)), ("wrapped_signing_key", KeyFile::signing(beside))]
        }
    }
}

/// The key files that a copy of the database is of no use without, and that no copy holds.
pub(crate) fn files(settings: &KeySettings) -> Vec<PathBuf> {
    let KeySource::File = settings.source else { return Vec::new() };
    let sealing = (settings.encrypt == Switch::On).then(|| KeyFile::master(&settings.beside).path);
    let signing = (settings.sign == Switch::On).then(|| KeyFile::signing(&settings.beside).path);
    sealing.into_iter().chain(signing).collect()
}

async fn stored(settings: &KeySettings, custody: &Custody, database: Database) -> Result<Secrets, KeyError> {
    let ring = match settings.encrypt {
        Switch::On => Some(custody.ring(&KeyFile::master(&settings.beside), database).await?),
        Switch::Off => None,
    };
    let signing = match settings.sign {
        Switch::On => Some(custody.signing(&KeyFile::signing(&settings.beside), database).await?),
        Switch::Off => None,
    };
    Ok(Secrets { ring, signing })
}

async fn derived(
    settings: &KeySettings,
    passphrase: &SecretString,
    database: Database,
) -> Result<Secrets, KeyError> {
    if settings.encrypt == Switch::Off && settings.sign == Switch::Off {
        return Ok(Secrets { ring: None, signing: None });
    }
    let root = passphrase::stretch(passphrase, &KeyFile::salt(&settings.beside), database).await?;
    let ring = match settings.encrypt {
        Switch::On => Some(passphrase::ring(&root)?),
        Switch::Off => None,
    };
    let signing = match settings.sign {
        Switch::On => Some(passphrase::signing(&root)?),
        Switch::Off => None,
    };
    Ok(Secrets { ring, signing })
}

fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>, KeyError> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(bytes.as_mut_slice()).map_err(|_| KeyError::NoRandomness)?;
    Ok(bytes)
}
