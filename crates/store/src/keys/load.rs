//! Loading the keys from wherever they are.

use super::custody::Custody;
use super::error::KeyError;
use super::file::KeyFile;
use super::lock::Lock;
use super::ring::Ring;
use super::secret::{Secret, SigningKeys};
use super::settings::{Database, KeySettings, KeySource, Switch};
use super::{passphrase, vault};
use crate::apart::Apart;
use crate::blind::BlindKey;
use crate::seal::Sealer;
use crate::state::StateKey;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct Keys {
    pub sealer: Sealer,
    pub blind: BlindKey,
    /// For the macs of rows; absent where encryption is off.
    pub state: Option<StateKey>,
    /// Absent where signing is off.
    pub signing: Option<SigningKeys>,
    /// Where they come from, for keys that are made later.
    pub(crate) kept: KeySettings,
}

/// Loads the keys, and makes them first where the database is new. Several processes may do so at once: all of them
/// get the same keys.
pub async fn load(settings: &KeySettings, database: Database) -> Result<Keys, KeyError> {
    let (mut ring, mut signing) = (None, None);
    if settings.encrypt == Switch::On || settings.sign == Switch::On {
        let source = Source::of(settings, database).await?;
        if settings.encrypt == Switch::On {
            ring = Some(source.ring(&settings.beside, database).await?);
        }
        if settings.sign == Switch::On {
            signing = Some(source.signing(&settings.beside, &sealer(ring.as_ref())?, database).await?);
        }
    }
    let blind = ring.as_ref().map_or_else(|| Ok(BlindKey::public()), Ring::blind)?;
    let state = ring.as_ref().map(Ring::state).transpose()?;
    Ok(Keys { sealer: sealer(ring.as_ref())?, blind, state, signing, kept: settings.clone() })
}

/// The master keys as they are by now.
pub(crate) async fn ring(settings: &KeySettings) -> Result<Ring, KeyError> {
    Source::of(settings, Database::Existing).await?.ring(&settings.beside, Database::Existing).await
}

fn sealer(ring: Option<&Ring>) -> Result<Sealer, KeyError> {
    ring.map_or_else(|| Ok(Sealer::plain()), Ring::sealer)
}

/// The key files that open nothing by themselves, each with the name under which a database keeps a copy for other
/// hosts: the salt of a passphrase, and keys that a passphrase locks or that Vault has wrapped.
pub(crate) fn shareable(settings: &KeySettings) -> Vec<(&'static str, KeyFile)> {
    let beside = &settings.beside;
    match settings.source {
        KeySource::File => Vec::new(),
        KeySource::Passphrase(_) => {
            vec![("key_salt", KeyFile::salt(beside)), ("locked_key", KeyFile::master(beside))]
        }
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

/// Where keys come from, ready to be asked.
pub(super) struct Source {
    pub custody: Custody,
    /// What a passphrase comes to. Keys are derived from it, until they are rotated or moved: from then on there is a file.
    pub root: Option<Secret>,
}

impl Source {
    pub async fn of(settings: &KeySettings, database: Database) -> Result<Self, KeyError> {
        let (custody, root) = match &settings.source {
            KeySource::File => (Custody::Plain, None),
            KeySource::Vault(vault) => (Custody::Transit(vault::Transit::new(vault)?), None),
            KeySource::Passphrase(passphrase) => {
                passphrase::check(passphrase, database)?;
                let salt = KeyFile::salt(&settings.beside);
                let root = passphrase::stretch(passphrase, &salt, database).await?;
                (Custody::Locked(Lock::new(&root)?), Some(root))
            }
        };
        Ok(Self { custody, root })
    }

    /// The passphrase's own, where there is no file.
    fn derives_for(&self, file: &KeyFile) -> Result<Option<&Secret>, KeyError> {
        let Some(root) = &self.root else { return Ok(None) };
        Ok(file.text()?.is_none().then_some(root))
    }

    pub async fn ring(&self, beside: &Path, database: Database) -> Result<Ring, KeyError> {
        let file = KeyFile::master(beside);
        match self.derives_for(&file)? {
            Some(root) => passphrase::ring(root),
            None => self.custody.ring(&file, database).await,
        }
    }

    pub async fn signing(
        &self,
        beside: &Path,
        sealer: &Sealer,
        database: Database,
    ) -> Result<SigningKeys, KeyError> {
        let file = KeyFile::signing(beside);
        match self.derives_for(&file)? {
            Some(root) => passphrase::signing(root),
            None => self.custody.signing(&file, sealer, database).await,
        }
    }
}
