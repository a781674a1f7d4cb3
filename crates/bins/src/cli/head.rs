//! The signed head of the audit log, and what it proves.

use super::CliError;
use crate::settings::Settings;
use crate::startup::{self, StartupError};
use clap::Args;
use domain::{EntryNumber, Timestamp, counted};
use evidence::{EntryProof, Keyring, LogKey, Origin, SignedHead, is_consistent};
use std::io::Write;
use std::path::Path;
use store::{LogProof, Store, StoreError};

/// Print the signed head of the audit log, a C2SP checkpoint.
///
/// Keep it elsewhere: svc verify --since shows later that the log was neither cut back nor rewritten.
#[derive(Debug, Args)]
pub struct Command {
    /// Print the proof that this entry is in the log instead: a C2SP tlog-proof, which needs nothing but the public key
    /// to be checked.
    #[arg(long, value_name = "NUMBER")]
    entry: Option<i64>,
    /// Print the keys of the log instead, one on each line, as svc witness --log takes them.
    #[arg(long, conflicts_with = "entry")]
    key: bool,
}

impl Command {
    pub async fn run(self, settings: Settings, out: &mut impl Write) -> Result<(), CliError> {
        let store = Store::open(settings.storage, Timestamp::now()).await.map_err(failed)?;
        let keys = keys(&store)?;
        if self.key {
            let origin = Origin(keys.first().key_id());
            for key in keys.keys() {
                writeln!(out, "{}", LogKey { origin, key: *key })?;
            }
            return Ok(());
        }
        let text = match self.entry {
            Some(number) => proof(&store, &keys, EntryNumber(number)).await?,
            None => current(&store, 0).await?.head.note(&keys),
        };
        let text = text.ok_or_else(|| {
            CliError::Refused("the head is of an earlier version; make any call, and try again".to_owned())
        })?;
        write!(out, "{text}")?;
        Ok(())
    }
}

async fn proof(store: &Store, keys: &Keyring, entry: EntryNumber) -> Result<Option<String>, CliError> {
    let proof = store.log_includes(entry).await.map_err(failed)?;
    let Some(proof) = proof else {
        return Err(CliError::Refused(format!(
            "the audit log has no entry {entry}; it may have been purged"
        )));
    };
    let Some(text) = proof.encode(keys) else { return Ok(None) };
    match EntryProof::check(&text, keys) {
        Ok(_) => Ok(Some(text)),
        Err(wrong) => Err(CliError::Refused(format!("{wrong}; run verify_audit"))),
    }
}

fn keys(store: &Store) -> Result<Keyring, CliError> {
    store.keyring().ok_or_else(|| {
        CliError::Refused(
            "this deployment was made with SVC_SIGN=off, and a head that nobody signed proves nothing"
                .to_owned(),
        )
    })
}

/// Checks that the log continues the one whose head the file holds.
pub async fn since(settings: Settings, file: &Path, out: &mut impl Write) -> Result<(), CliError> {
    let store = startup::store(settings.storage, settings.witnesses).await?;
    let keys = &keys(&store)?;
    let shown = file.display();
    let note = std::fs::read_to_string(file).map_err(|e| {
        CliError::Refused(format!("cannot read {shown}: {e}; give a file that svc head wrote"))
    })?;
    let old = SignedHead::from_note(&note, keys).map_err(|e| CliError::Refused(format!("{shown}: {e}")))?;
    let (before, signed) = (old.statement.at.size, old.statement.ts);
    let LogProof { head, hashes } = current(&store, before).await?;
    let now = head.statement.at.size;
    if !head.is_signed_by(keys) {
        return Err(CliError::Refused(
            "the head in the database has no valid signature; run verify_audit".to_owned(),
        ));
    }
    if now < before {
        return Err(CliError::Refused(format!(
            "the log was rolled back: it has {now} entries, and had {before} when the head in {shown} was signed at \
             {signed}"
        )));
    }
    let (Some(tree), Some(old_tree)) = (head.statement.tree, old.statement.tree) else {
        return Err(CliError::Refused(
            "the head is of an earlier version; make any call, and try again".to_owned(),
        ));
    };
    let Some(hashes) = hashes else {
        return Err(CliError::Refused(format!(
            "whether the log continues that of {shown} cannot be shown any more: entries of that time were purged"
        )));
    };
    if !is_consistent((before, old_tree.root), (now, tree.root), &hashes) {
        return Err(CliError::Refused(format!(
            "the log was rewritten: it does not continue the one whose head in {shown} was signed at {signed}"
        )));
    }
    let heard = store.witnesses_ask().await;
    if let Some(against) = heard.iter().find(|witnessed| witnessed.said.is_against()) {
        return Err(CliError::Refused(against.to_string()));
    }
    let added = counted(now - before, "entry", "entries");
    writeln!(
        out,
        "✓ The log of {now} entries continues the one of {before}, signed at {signed}: {added} more."
    )?;
    for witnessed in heard {
        writeln!(out, "{witnessed}.")?;
    }
    Ok(())
}

async fn current(store: &Store, since: u64) -> Result<LogProof, CliError> {
    let none = || CliError::Refused("the audit log has no entries yet, and so no head".to_owned());
    store.log_continues(since).await.map_err(failed)?.ok_or_else(none)
}

fn failed(error: StoreError) -> CliError {
    CliError::Startup(StartupError::from(error))
}
