//! The keys of a deployment: which there are, and replacing them.

use super::CliError;
use crate::settings::Settings;
use crate::startup::StartupError;
use clap::{Args, Subcommand, ValueEnum};
use domain::{Caller, Identity, Timestamp, counted};
use secrecy::SecretString;
use serde_json::json;
use service::key_history_json;
use std::io::Write;
use std::time::{Duration, Instant};
use store::keys::{Kept, KeyError, KeySource, move_keys};
use store::{KeysInUse, MasterRotated, Store, StoreError, StoreSettings};

/// A person waits for it, behind whatever the service is doing.
const PATIENCE: Duration = Duration::from_secs(60);

/// Show the keys of the deployment, without any secret.
#[derive(Debug, Args)]
pub struct Command {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Put a new key in the place of one. The service may keep running.
    Rotate {
        #[arg(value_enum)]
        key: Rotated,
    },
    /// Change what protects the keys in the key files: Vault, a passphrase, or nothing. The keys stay what they are.
    ///
    /// Into Vault and out of it, SVC_KMS=vault must be set, with VAULT_ADDR and VAULT_TOKEN. To a passphrase, SVC_NEW_KEY
    /// gives it; so a passphrase is changed with SVC_KEY and SVC_NEW_KEY set. What to set afterwards is printed. On
    /// PostgreSQL, copy the key files to the other hosts.
    Move {
        #[arg(long, value_enum)]
        to: Place,
    },
    /// Print which signing key followed which, signed by both, as JSON.
    ///
    /// svc verify --history takes it: with it, any one key of the deployment is enough to check what the others signed.
    History,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Place {
    /// Wrapped by Vault: the files alone open nothing.
    Vault,
    /// In the files as they are.
    Files,
    /// Locked by the passphrase in SVC_NEW_KEY: the files alone open nothing.
    Passphrase,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Rotated {
    /// The key that signs. What it signed still verifies, and it signs nothing more.
    Signing,
    /// The keys of what users stored. All of it is sealed anew, in pieces; after an interruption run it again.
    Users,
    /// The key that everything else is sealed under. All of it is sealed anew, in pieces; after an interruption run it
    /// again. Keep the new key file: no backup from now on opens without it.
    Master,
}

impl Command {
    pub async fn run(self, settings: Settings, out: &mut impl Write) -> Result<(), CliError> {
        let storage = settings.storage.clone();
        let open = || async { Store::open(settings.storage, Timestamp::now()).await.map_err(failed) };
        match self.action {
            None => {
                let keys = open().await?.keys_in_use(storage.keys()).map_err(failed)?;
                show(&keys, &storage, out)?;
            }
            Some(Action::Move { to }) => {
                // Any passphrase yields keys, and only the database tells whether they are its own. With other settings
                // nothing is opened: the key files may not yet be as those say.
                if matches!(storage.keys().source, KeySource::Passphrase(_)) {
                    open().await?;
                }
                moved(&storage, to, settings.new_passphrase, out).await?;
            }
            Some(Action::Rotate { key: Rotated::Signing }) => {
                let handover = open().await?.signing_rotate(caller()).await.map_err(failed)?;
                let said = &handover.statement;
                writeln!(
                    out,
                    "Signing key {} signs from entry {} on. Its public half: {}\nKeep a copy of the new {}.",
                    said.successor.key_id(),
                    said.at.size + 1,
                    said.successor.to_hex(),
                    beside(&storage, ".sign.key")
                )?;
            }
            Some(Action::Rotate { key: Rotated::Users }) => {
                let done = open().await?.users_rotate(caller()).await.map_err(failed)?;
                let values = counted(done.values, "value", "values");
                let what =
                    if done.is_resumed { "The rotation that was interrupted is finished" } else { "Rotated" };
                writeln!(
                    out,
                    "{what}: the users' keys are of generation {}, and {values} sealed anew.\nKeep a copy of the new {}.",
                    done.generation,
                    beside(&storage, ".users.key")
                )?;
            }
            Some(Action::Rotate { key: Rotated::Master }) => {
                let done = open().await?.master_rotate(caller()).await.map_err(failed)?;
                master_rotated(&done, &storage, out)?;
            }
            Some(Action::History) => {
                let history = open().await?.key_history().ok_or_else(|| {
                    CliError::Refused(
                        "this deployment was made with SVC_SIGN=off, and has no signing key".to_owned(),
                    )
                })?;
                let history = key_history_json(&history).unwrap_or_else(|| json!([]));
                writeln!(out, "{}", json!({ "key_history": history }))?;
            }
        }
        Ok(())
    }
}

fn master_rotated(
    done: &MasterRotated,
    storage: &StoreSettings,
    out: &mut impl Write,
) -> Result<(), CliError> {
    let file = beside(storage, ".key");
    match done {
        MasterRotated::ToBeCopied => writeln!(
            out,
            "A new master key is in {file}, and seals nothing yet.\nCopy that file to the other hosts of this deployment, \
             then run svc keys rotate master again."
        )?,
        MasterRotated::Rotated { key, values, is_resumed } => {
            let what = if *is_resumed { "The rotation that was interrupted is finished" } else { "Rotated" };
            writeln!(
                out,
                "{what}: master key {key} seals, and {} sealed anew.\nKeep a copy of the new {file} and {}.",
                counted(*values, "value", "values"),
                beside(storage, ".users.key")
            )?;
        }
    }
    Ok(())
}

async fn moved(
    storage: &StoreSettings,
    to: Place,
    new_passphrase: Option<SecretString>,
    out: &mut impl Write,
) -> Result<(), CliError> {
    let refused = |e: KeyError| CliError::Refused(e.to_string());
    let (kept, next) = match to {
        Place::Vault => (Kept::ByVault, "Start with SVC_KMS=vault from now on."),
        Place::Files => (Kept::InFiles, "Unset SVC_KMS and SVC_KEY before the next start."),
        Place::Passphrase => (
            Kept::ByPassphrase(new_passphrase.ok_or(KeyError::NoNewPassphrase).map_err(refused)?),
            "Start with the new passphrase in SVC_KEY from now on, and without SVC_KMS. Keep a copy of it.",
        ),
    };
    let files = move_keys(&storage.keys(), &kept).await.map_err(refused)?;
    if files.is_empty() {
        writeln!(out, "Nothing to do: the keys are kept so already.")?;
    }
    for file in files {
        writeln!(out, "Wrote {}.", file.display())?;
    }
    writeln!(out, "{next}")?;
    Ok(())
}

fn caller() -> Caller {
    Caller::new(Identity::Local, "svc".to_owned(), Timestamp::now(), Instant::now() + PATIENCE)
}

fn beside(storage: &StoreSettings, suffix: &str) -> String {
    format!("{}{suffix}", storage.keys().beside.display())
}

fn show(keys: &KeysInUse, storage: &StoreSettings, out: &mut impl Write) -> Result<(), CliError> {
    let kept = |file: &str, derived: &str| match &keys.kept.source {
        KeySource::File => format!("in {}", beside(storage, file)),
        KeySource::Passphrase(_) => derived.to_owned(),
        KeySource::Vault(vault) => {
            format!("in {}, wrapped by Vault with {}/{}", beside(storage, file), vault.mount, vault.key)
        }
    };
    let from_passphrase = format!("derived from SVC_KEY and {}", beside(storage, ".salt"));
    let locked = format!("in {}, locked by SVC_KEY", beside(storage, ".key"));
    match keys.master {
        Some(id) => {
            let of_passphrase = if keys.master_is_derived { &from_passphrase } else { &locked };
            writeln!(out, "master   {id}, {}", kept(".key", of_passphrase))?;
        }
        None => writeln!(out, "master   none: SVC_ENCRYPT is off")?,
    }
    if let Some(id) = keys.waiting {
        writeln!(out, "         {id} is newer and seals nothing yet: svc keys rotate master has it seal")?;
    }
    match (keys.users, storage) {
        (Some(generation), StoreSettings::Sqlite(_)) => {
            writeln!(out, "users    generation {generation}, in {}", beside(storage, ".users.key"))?;
        }
        (Some(generation), StoreSettings::Postgres(_)) => {
            writeln!(out, "users    generation {generation}, in the database")?;
        }
        (None, _) => writeln!(out, "users    none: SVC_ENCRYPT is off")?,
    }
    match &keys.signing {
        Some(signing) => {
            let id = signing.key.key_id();
            let place = match signing.since {
                Some(since) => {
                    let retired = counted(signing.retired as u64, "key", "keys");
                    format!(
                        "since {since} after {retired}, in {}, sealed under the master key",
                        beside(storage, ".sign.key")
                    )
                }
                None => format!("from the beginning, {}", kept(".sign.key", &from_passphrase)),
            };
            writeln!(out, "signing  {id}, {place}\n         public: {}", signing.key.to_hex())?;
        }
        None => writeln!(out, "signing  none: SVC_SIGN is off")?,
    }
    Ok(())
}

fn failed(error: StoreError) -> CliError {
    StartupError::from(error).into()
}
