//! Keys from a passphrase. Only the salt is stored; who has it without the passphrase has to guess, slowly.

use argon2::{Algorithm, Argon2, Params, Version};
use evidence::KeyHistory;
use secrecy::{ExposeSecret, SecretString};
use zeroize::Zeroizing;

use super::file::KeyFile;
use super::ring::{Master, Ring, derive};
use super::secret::{Secret, random};
use super::{Database, KeyError, SigningKeys, lines, strength};

/// 64 MiB a guess, three times over, as RFC 9106 recommends where memory is scarce: a machine that guesses runs out
/// of memory before it runs out of cores. Part of the format `svc-salt-v1`: other costs would give other keys.
const MEMORY_KIB: u32 = 64 * 1024;
const PASSES: u32 = 3;
/// One lane, so that the time at startup does not depend on how many cores a machine has.
const LANES: u32 = 1;

/// Refuses a passphrase that is too easy to guess where it is chosen. A database that has one already still opens.
pub(super) fn check(passphrase: &SecretString, database: Database) -> Result<(), KeyError> {
    match (chosen(passphrase, "SVC_KEY"), database) {
        (Err(_), Database::Existing) => {
            tracing::warn!(
                "SVC_KEY is easy to guess, and so is everything that it protects: docs/security.md#keys"
            );
            Ok(())
        }
        (checked, _) => checked,
    }
}

/// `setting` is where it comes from.
pub(super) fn chosen(passphrase: &SecretString, setting: &'static str) -> Result<(), KeyError> {
    let is_strong = strength::bits(passphrase.expose_secret()) >= strength::ENOUGH_BITS;
    if is_strong { Ok(()) } else { Err(KeyError::WeakPassphrase { setting }) }
}

/// The secret that a passphrase and the salt in the file stand for.
pub(super) async fn stretch(
    passphrase: &SecretString,
    file: &KeyFile,
    database: Database,
) -> Result<Secret, KeyError> {
    let make = async { Ok(Zeroizing::new(lines::salt_line(&*random()?))) };
    let text = file.read_or_make(database, make).await?;
    let salt = lines::salt_file(&text).map_err(|problem| file.damaged(problem))?;
    let passphrase = passphrase.clone();
    // A tenth of a second of pure computing has no place on a thread that serves others.
    tokio::task::spawn_blocking(move || argon2id(&passphrase, salt))
        .await
        .map_err(|e| KeyError::Derivation(e.to_string()))?
}

fn argon2id(passphrase: &SecretString, salt: [u8; 16]) -> Result<Secret, KeyError> {
    let refused = |e: argon2::Error| KeyError::Derivation(e.to_string());
    let mut root = Secret::default();
    let params = Params::new(MEMORY_KIB, PASSES, LANES, Some(root.len())).map_err(refused)?;
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(passphrase.expose_secret().as_bytes(), &salt, root.as_mut_slice())
        .map_err(refused)?;
    Ok(root)
}

pub(super) fn ring(root: &Secret) -> Result<Ring, KeyError> {
    Ok(Ring::new(Master::new(derive(root, "svc passphrase master v1")?)?, Vec::new()))
}

pub(super) fn signing(root: &Secret) -> Result<SigningKeys, KeyError> {
    let secrets = vec![derive(root, "svc passphrase signing v1")?];
    Ok(SigningKeys { history: KeyHistory::default(), secrets })
}
