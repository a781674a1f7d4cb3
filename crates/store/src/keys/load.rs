//! Loading the keys from wherever they are.

use super::custody::Custody;
use super::error::KeyError;
use super::file::KeyFile;
use super::ring::Ring;
use super::secret::{Secret, SigningKeys};
use super::settings::{Database, KeySettings, KeySource, Switch};
use super::sign_file::sign_keys;
use super::{passphrase, vault};
use crate::apart::Apart;
use crate::blind::BlindKey;
use crate::seal::Sealer;
use crate::state::StateKey;
use secrecy::SecretString;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct Keys {
    pub sealer: Sealer,
    pub blind: BlindKey,
    /// For the macs of rows; absent where encryption is off.
    pub state: Option<StateKey>,
    /// Absent where signing is off.
    pub signing: Option<SigningKeys>,
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
    let blind = secrets.ring.as_ref().map_or_else(|| Ok(BlindKey::public()), Ring::blind)?;
    let sealer = sealer(secrets.ring.as_ref())?;
    let state = secrets.ring.as_ref().map(Ring::state).transpose()?;
    Ok(Keys { sealer, blind, state, signing: secrets.signing })
}

fn sealer(ring: Option<&Ring>) -> Result<Sealer, KeyError> {
    ring.map_or_else(|| Ok(Sealer::plain()), Ring::sealer)
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

/// A key file beside a database that is not there.
pub(crate) fn left_beside(database: &Path) -> Option<PathBuf> {
    let files = [KeyFile::master(database), KeyFile::signing(database), KeyFile::salt(database)];
    files.into_iter().map(|file| file.path).find(|path| path.exists())
}

/// The key files that a copy of the database is of no use without, and that no copy holds.
pub(crate) fn files(settings: &KeySettings) -> Vec<PathBuf> {
    let in_files = matches!(settings.source, KeySource::File);
    let (encrypts, signs) = (settings.encrypt == Switch::On, settings.sign == Switch::On);
    let sealing = (in_files && encrypts).then(|| KeyFile::master(&settings.beside).path);
    let signing = KeyFile::signing(&settings.beside).path;
    let rotated = matches!(settings.source, KeySource::Passphrase(_)) && signing.exists();
    let signing = (signs && (in_files || rotated)).then_some(signing);
    let users = encrypts.then(|| Apart::UserKeys.file(&settings.beside));
    sealing.into_iter().chain(signing).chain(users).collect()
}

async fn stored(settings: &KeySettings, custody: &Custody, database: Database) -> Result<Secrets, KeyError> {
    let ring = match settings.encrypt {
        Switch::On => Some(custody.ring(&KeyFile::master(&settings.beside), database).await?),
        Switch::Off => None,
    };
    let signing = match settings.sign {
        Switch::On => {
            let sealer = sealer(ring.as_ref())?;
            Some(custody.signing(&KeyFile::signing(&settings.beside), &sealer, database).await?)
        }
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
    passphrase::check(passphrase, database)?;
    let root = passphrase::stretch(passphrase, &KeyFile::salt(&settings.beside), database).await?;
    let ring = match settings.encrypt {
        Switch::On => Some(passphrase::ring(&root)?),
        Switch::Off => None,
    };
    let signing = match settings.sign {
        Switch::On => Some(passphrase_signing(settings, &root, ring.as_ref())?),
        Switch::Off => None,
    };
    Ok(Secrets { ring, signing })
}

/// The key that is derived from the passphrase, until it is rotated: from then on there is a file.
fn passphrase_signing(
    settings: &KeySettings,
    root: &Secret,
    ring: Option<&Ring>,
) -> Result<SigningKeys, KeyError> {
    let file = KeyFile::signing(&settings.beside);
    match file.text()? {
        Some(text) => sign_keys(&text, &sealer(ring)?).map_err(|problem| file.damaged(problem)),
        None => passphrase::signing(root),
    }
}
