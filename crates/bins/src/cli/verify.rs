//! Checking files of evidence.

use super::CliError;
use clap::Args;
use evidence::{Fault, Finding, Keyring, LogCheck, PublicKey, check_artefact, read_key_history};
use serde_json::json;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// Check files of evidence: exports, receipts, decisions and the audit log.
///
/// Nothing but the files and the public key is needed: no database, no network, no account. Take the key from the
/// deployment you trust (the tool export_public_key shows it), at a time you trust it, never from the file that is to be
/// checked. The exit status is 0 only if everything holds.
#[derive(Debug, Args)]
pub struct Command {
    /// What `svc export`, export_memory or `svc audit export` wrote, or a receipt or a decision out of it.
    #[arg(required_unless_present = "since")]
    files: Vec<PathBuf>,
    /// Check instead that the audit log of this deployment continues the one whose head was kept in this file, as svc head
    /// printed it.
    #[arg(long, value_name = "HEAD", conflicts_with_all = ["files", "keys", "history", "json"])]
    since: Option<PathBuf>,
    /// The deployment's public key: 64 hexadecimal digits, or a file with one such key on each line. Where the key was
    /// rotated, any one of the deployment's keys will do, with the history of them.
    #[arg(long = "key", value_name = "HEX OR FILE", required_unless_present = "since")]
    keys: Vec<String>,
    /// The history of the keys, as svc keys history printed it. An export has it already.
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// Print what was found as JSON, one object for each file.
    #[arg(long)]
    json: bool,
}

impl Command {
    /// The head that the log is to be held against.
    pub fn since(&self) -> Option<&Path> {
        self.since.as_deref()
    }

    fn keyring(&self) -> Result<Keyring, CliError> {
        let keys = keyring(&self.keys)?;
        let Some(file) = &self.history else { return Ok(keys) };
        let refused = |why: String| CliError::Refused(format!("--history {}: {why}", file.display()));
        let bytes = std::fs::read(file).map_err(|e| refused(e.to_string()))?;
        let history = read_key_history(&bytes).map_err(|fault| refused(fault.why))?;
        Ok(keys.following(&history))
    }

    pub fn run(self, out: &mut impl Write) -> Result<(), CliError> {
        let keys = self.keyring()?;
        let mut faults = 0;
        for file in &self.files {
            let found = check(file, &keys)?;
            faults += found.iter().filter(|finding| finding.is_err()).count();
            if self.json {
                writeln!(out, "{}", as_json(file, &found))?;
            } else {
                show(file, &found, out)?;
            }
        }
        if faults > 0 {
            return Err(CliError::Refused(format!(
                "{} did not hold.",
                domain::counted(faults as u64, "thing", "things")
            )));
        }
        Ok(())
    }
}

fn keyring(given: &[String]) -> Result<Keyring, CliError> {
    let mut keys = Vec::new();
    for key in given {
        let text = if key.len() == 64 && key.bytes().all(|b| b.is_ascii_hexdigit()) {
            key.clone()
        } else {
            std::fs::read_to_string(key).map_err(|e| {
                CliError::Refused(format!("--key {key}: neither 64 hexadecimal digits nor a file: {e}"))
            })?
        };
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let key =
                PublicKey::from_hex(line).map_err(|e| CliError::Refused(format!("--key {line}: {e}")))?;
            keys.push(key);
        }
    }
    let mut keys = keys.into_iter();
    let first =
        keys.next().ok_or_else(|| CliError::Refused("--key names a file without a key in it".to_owned()))?;
    Ok(Keyring::new(first, keys.collect()))
}

fn check(path: &Path, keys: &Keyring) -> Result<Vec<Finding>, CliError> {
    let named = |e| CliError::Refused(format!("{}: {e}", path.display()));
    let mut file = BufReader::new(File::open(path).map_err(named)?);
    let mut first = String::new();
    if file.read_line(&mut first).is_err() || !LogCheck::begins(&first) {
        let mut bytes = Vec::new();
        File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).map_err(named)?;
        return Ok(check_artefact(&bytes, keys));
    }
    let mut log = LogCheck::new(keys.clone());
    let mut lines = std::iter::once(Ok(first)).chain(file.lines());
    let read = lines.try_for_each(|line| {
        let line = line.map_err(|e| Fault { at: path.display().to_string(), why: e.to_string() })?;
        log.line(line.trim_end())
    });
    Ok(vec![read.and_then(|()| log.finish())])
}

fn show(file: &Path, found: &[Finding], out: &mut impl Write) -> Result<(), CliError> {
    writeln!(out, "{}", file.display())?;
    for finding in found {
        match finding {
            Ok(proven) => writeln!(out, "  ✓ {proven}")?,
            Err(Fault { at, why }) if at.is_empty() => writeln!(out, "  ✗ {why}")?,
            Err(Fault { at, why }) => writeln!(out, "  ✗ {at}: {why}")?,
        }
    }
    Ok(())
}

fn as_json(file: &Path, found: &[Finding]) -> serde_json::Value {
    let proven: Vec<&String> = found.iter().filter_map(|finding| finding.as_ref().ok()).collect();
    let faults = found.iter().filter_map(|finding| finding.as_ref().err());
    let faults: Vec<_> = faults.map(|fault| json!({ "at": fault.at, "why": fault.why })).collect();
    json!({ "file": file.display().to_string(), "holds": faults.is_empty(), "proven": proven, "faults": faults })
}
