//! Licences: making the vendor's key, signing claims with it, and reading what is in force.

use super::CliError;
use crate::settings::Settings;
use clap::Subcommand;
use domain::Timestamp;
use evidence::{Claims, Signer, mint_licence};
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a vendor key: the secret half goes into FILE, the public half is printed for SVC_VENDOR_PUBKEY.
    Keygen {
        /// Where the secret key goes; the file must not exist yet.
        file: PathBuf,
    },
    /// Sign a licence and print it for SVC_LICENSE.
    Mint {
        /// The secret key that keygen wrote.
        #[arg(long)]
        key: PathBuf,
        #[arg(long)]
        customer: String,
        #[arg(long, default_value = "team")]
        edition: String,
        /// Active principals that the deployment may have.
        #[arg(long)]
        seats: u32,
        /// Comma-separated, such as sso.
        #[arg(long, default_value = "")]
        features: String,
        /// For how many days from now it is valid.
        #[arg(long, default_value_t = 365)]
        days: u32,
    },
    /// Show the licence that is in force through SVC_LICENSE and SVC_VENDOR_PUBKEY.
    Show,
}

impl Command {
    pub fn run(self, now: Timestamp, out: &mut impl Write) -> Result<(), CliError> {
        match self {
            Self::Keygen { file } => keygen(&file, out),
            Self::Mint { key, customer, edition, seats, features, days } => {
                let hours = i64::from(days) * 24;
                let expires = now
                    .checked_add(std::time::Duration::from_secs(hours.unsigned_abs() * 3600))
                    .map_err(|_| CliError::Refused("--days goes beyond the calendar".to_owned()))?;
                let features =
                    features.split(',').map(str::trim).filter(|f| !f.is_empty()).map(str::to_owned);
                let claims = Claims {
                    customer,
                    edition,
                    seats,
                    features: features.collect(),
                    issued: Some(now),
                    expires,
                };
                let licence =
                    mint_licence(&claims, &signer(&key)?).map_err(|e| CliError::Refused(e.to_string()))?;
                writeln!(out, "{licence}")?;
                Ok(())
            }
            Self::Show => show(now, out),
        }
    }
}

fn keygen(file: &Path, out: &mut impl Write) -> Result<(), CliError> {
    let mut seed = [0_u8; 32];
    getrandom::fill(&mut seed)
        .map_err(|e| CliError::Refused(format!("no randomness to make a key from: {e}")))?;
    let mut secret = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).map_err(|e| {
        CliError::Refused(format!("cannot make {}: {e}; name a file that does not exist yet", file.display()))
    })?;
    writeln!(secret, "{}", hex::encode(seed))?;
    secret.sync_all()?;
    writeln!(out, "SVC_VENDOR_PUBKEY={}", Signer::from_seed(seed).public_key().to_hex())?;
    Ok(())
}

fn signer(file: &Path) -> Result<Signer, CliError> {
    let refused = |why: String| CliError::Refused(format!("--key {}: {why}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|e| refused(e.to_string()))?;
    let mut seed = [0_u8; 32];
    hex::decode_to_slice(text.trim(), &mut seed)
        .map_err(|_| refused("it does not hold 64 hexadecimal digits, as keygen writes them".to_owned()))?;
    Ok(Signer::from_seed(seed))
}

fn show(now: Timestamp, out: &mut impl Write) -> Result<(), CliError> {
    let settings = Settings::from_environment().map_err(crate::startup::StartupError::from)?;
    let edition = settings.options.licence.edition(now);
    writeln!(out, "edition: {}", edition.name)?;
    writeln!(out, "seats: {}", edition.seats)?;
    if let Some(claims) = &edition.claims {
        writeln!(out, "customer: {}", claims.customer)?;
        writeln!(out, "features: {}", claims.features.join(", "))?;
        writeln!(out, "valid: {}", claims.term())?;
    }
    if let Some(problem) = &edition.problem {
        writeln!(out, "licence not in force: {problem}")?;
    }
    Ok(())
}
