//! Making API keys, and saying how long one works.

use crate::outcome::Stop;
use domain::{Fault, Timestamp};
use jiff::{SignedDuration, Span, SpanRelativeTo};
use sha2::{Digest, Sha256};
use store::KeyHash;

/// A key that works for longer than this is one that does not expire, and should be made as one.
const LONGEST: SignedDuration = SignedDuration::from_hours(10 * 366 * 24);

/// A key of 256 random bits, and the only thing of it that is kept.
pub(crate) fn new_key() -> Result<(String, KeyHash), Stop> {
    let key = format!("svc_sk_{}", random_hex::<32>()?);
    let hash = KeyHash(Sha256::digest(key.as_bytes()).into());
    Ok((key, hash))
}

pub(crate) fn random_hex<const BYTES: usize>() -> Result<String, Stop> {
    let mut bytes = [0_u8; BYTES];
    getrandom::fill(&mut bytes).map_err(|e| Stop::Fault(Fault::new("NoRandomness", e.to_string())))?;
    Ok(hex::encode(bytes))
}

/// So long from now, such as `90d` or `12h`. A day is 24 hours.
pub(crate) fn from_now(argument: &str, text: &str, now: Timestamp) -> Result<Timestamp, Stop> {
    let lasting = text.trim().parse::<Span>().ok();
    let lasting = lasting.and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()).ok());
    lasting
        .filter(|lasting| !lasting.is_negative() && *lasting <= LONGEST)
        .and_then(|lasting| now.checked_add(lasting).ok())
        .ok_or_else(|| {
            Stop::refused(format!(
                "Argument '{argument}': '{text}' is no length of time up to ten years. Give one such as 90d, 12h or 30m."
            ))
        })
}

/// When a new key ends. One that ends at once would be of no use.
pub(crate) fn expiry(argument: &str, text: &str, now: Timestamp) -> Result<Timestamp, Stop> {
    let at = from_now(argument, text, now)?;
    if at <= now {
        return Err(Stop::refused(format!(
            "Argument '{argument}': a key that works for '{text}' never works. Give a time such as 90d."
        )));
    }
    Ok(at)
}
