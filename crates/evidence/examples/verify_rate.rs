//! How many audit entries a second are verified here: `cargo run --release --example verify_rate`.

use domain::Timestamp;
use evidence::{Appender, ChainVerifier, Draft, Keyring, LogEnd, Origin, Signed, Signer};
use std::error::Error;
use std::io::Write;
use std::time::{Duration, Instant};

const ENTRIES: usize = 200_000;
const CHUNK: usize = 8192;

fn main() -> Result<(), Box<dyn Error>> {
    let signer = Signer::from_seed([7; 32]);
    let keys = Keyring::new(signer.public_key(), vec![]);
    let mut appender = Appender::new(LogEnd::genesis());
    let mut verifier = ChainVerifier::new(Some(&keys), None, vec![]).map_err(|b| b.reason)?;
    let (mut appending, mut verifying) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..ENTRIES.div_ceil(CHUNK) {
        let start = Instant::now();
        let chunk = (0..CHUNK).map(|_| appender.append(draft())).collect::<Result<Vec<_>, _>>()?;
        appending += start.elapsed();
        let start = Instant::now();
        verifier.push(&chunk).map_err(|b| b.reason)?;
        verifying += start.elapsed();
    }
    let head = appender.end().head(Origin(signer.key_id()), Timestamp::UNIX_EPOCH);
    let head = Signed::new(head, Some(&signer));
    let verified = verifier.finish(Some(&head)).map_err(|b| b.reason)?;
    let rate = |time: Duration| verified as f64 / time.as_secs_f64();
    let mut out = std::io::stdout();
    writeln!(out, "appended {:.0} entries a second, on one core", rate(appending))?;
    writeln!(out, "verified {:.0} entries a second, on every core", rate(verifying))?;
    Ok(())
}

fn draft() -> Draft {
    Draft {
        ts: Timestamp::UNIX_EPOCH,
        action: "remember".to_owned(),
        user: "default".to_owned(),
        agent: "assistant".to_owned(),
        run: String::new(),
        caller: "prin_0123456789abcdef".to_owned(),
        request_id: "0123456789abcdef".to_owned(),
        detail: "SUPERSEDE the database of the billing service".to_owned(),
        blanks: vec![],
        changes: vec![],
    }
}
