//! The keys of a deployment: which there are, and replacing them.

use super::CliError;
use crate::settings::Settings;
use crate::startup::StartupError;
use clap::{Args, Subcommand, ValueEnum};
use domain::{Caller, Identity, Timestamp, counted};
use serde_json::json;
use service::key_history_json;
use std::io::Write;
use std::time::{Duration, Instant};
use store::keys::{Kept, KeySource, move_keys};
use store::{KeysInUse, Store, StoreError, StoreSettings};

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
    /// Hand the keys in the key files over to Vault, or take them back. The keys stay what they are.
    ///
    /// Either way SVC_KMS=vault must be set, with VAULT_ADDR and VAULT_TOKEN. After a move to files, unset it. On
    /// PostgreSQL, run it on each host, or copy the key files.
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
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Rotated {
    /// The key that signs. What it signed still verifies, and it signs nothing more.
    Signing,
    /// The keys of what users stored. All of it is sealed anew, in pieces; after an interruption run it again.
    Users,
}

impl Command {
    pub async fn run(self, settings: Settings, out: &mut impl Write) -> Result<(), CliError> {
        let storage = settings.storage.clone();
        let open = || async { Store::open(settings.storage, Timestamp::now()).await.map_err(failed) };
        match self.action {
            None => show(&open().await?.keys_in_use(storage.keys()), &storage, out)?,
            // Nothing is opened: the key files are not yet as the settings say.
            Some(Action::Move { to }) => moved(&storage, to, out).await?,
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

async fn moved(storage: &StoreSettings, to: Place, out: &mut impl Write) -> Result<(), CliError> {
    let kept = match to {
        Place::Vault => Kept::ByVault,
        Place::Files => Kept::InFiles,
    };
    let files = move_keys(&storage.keys(), kept).await.map_err(|e| CliError::Refused(e.to_string()))?;
    if files.is_empty() {
        writeln!(out, "Nothing to do: the keys are there already.")?;
    }
    for file in files {
        writeln!(out, "Wrote {} anew.", file.display())?;
    }
    if kept == Kept::InFiles {
        writeln!(out, "Unset SVC_KMS before the next start.")?;
    }
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
    match keys.master {
        Some(id) => writeln!(out, "master   {id}, {}", kept(".key", &from_passphrase))?,
        None => writeln!(out, "master   none: SVC_ENCRYPT is off")?,
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
