//! What one entry shows by itself: its hash, its detail and its signature. Entries are independent in this, so every
//! core takes a share.

use super::batch::{Claim, all_hold};
use super::broken::Broken;
use crate::{Canonical, Hash, Keyring, Statement, StoredDetail, StoredEntry};

/// Signatures checked at once. Larger batches save little more, and hold more memory.
const BATCH: usize = 2048;

/// Below this, starting a thread costs more than it saves.
const SHARE: usize = 64;

/// The first entry of the chunk that is at fault, with its index.
pub(super) fn check(
    chunk: &[StoredEntry],
    keys: Option<&Keyring>,
    workers: usize,
) -> Option<(usize, Broken)> {
    let share = chunk.len().div_ceil(workers).max(SHARE);
    if chunk.len() <= share {
        return check_share(chunk, keys);
    }
    std::thread::scope(|scope| {
        let shares: Vec<_> =
            chunk.chunks(share).map(|entries| scope.spawn(move || check_share(entries, keys))).collect();
        let found: Vec<_> = shares
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect();
        found.into_iter().enumerate().find_map(|(n, found)| found.map(|(index, b)| (n * share + index, b)))
    })
}

fn check_share(entries: &[StoredEntry], keys: Option<&Keyring>) -> Option<(usize, Broken)> {
    entries
        .chunks(BATCH)
        .enumerate()
        .find_map(|(n, batch)| check_batch(batch, keys).map(|(index, broken)| (n * BATCH + index, broken)))
}

fn check_batch(entries: &[StoredEntry], keys: Option<&Keyring>) -> Option<(usize, Broken)> {
    let at = |index: usize, reason: &str| {
        entries.get(index).map(|stored| (index, Broken::at(stored.entry.seq, reason)))
    };
    let (mut claims, mut places) = (Vec::new(), Vec::new());
    let mut fault = None;
    for (index, stored) in entries.iter().enumerate() {
        match check_one(stored, keys) {
            Ok(None) => {}
            Ok(Some(claim)) => {
                claims.push(claim);
                places.push(index);
            }
            Err(reason) => {
                fault = at(index, reason);
                break;
            }
        }
    }
    // A false signature before the fault is reported first.
    let wrong = first_false(&claims).and_then(|claim| places.get(claim));
    wrong.and_then(|index| at(*index, "the signature does not match the entry")).or(fault)
}

/// Checks all but the signature, and returns the signature that remains to be checked, if there is one.
fn check_one<'a>(stored: &StoredEntry, keys: Option<&'a Keyring>) -> Result<Option<Claim<'a>>, &'static str> {
    let message = stored.entry.encode();
    match stored.hash {
        None => return Err("the entry has no hash"),
        Some(hash) if hash != Hash::of(&message) => {
            return Err("the entry was edited: its hash does not match");
        }
        Some(_) => {}
    }
    match &stored.detail {
        StoredDetail::Present(detail) if detail.commitment() != stored.entry.detail => {
            return Err("the detail is not the one that the entry was written with");
        }
        StoredDetail::Unreadable => return Err("the detail cannot be read"),
        StoredDetail::Present(_) | StoredDetail::Blanked => {}
    }
    // The head vouches for an entry that commits to its changes; those before it were signed one by one.
    if stored.entry.changes.is_some() {
        return match stored.signature {
            None => Ok(None),
            Some(_) => Err("the entry has a signature, and entries of its form have none"),
        };
    }
    let Some(keys) = keys else { return Ok(None) };
    let signature = stored.signature.ok_or("the entry has no signature")?;
    if keys.find(signature.key_id).is_none() {
        return Err("the entry is signed by a key that is not this deployment's");
    }
    let key = keys
        .signing_at(signature.key_id, stored.entry.place())
        .ok_or("the entry is signed by a key that had been retired")?;
    Ok(Some(Claim { message, signature, key }))
}

/// When the batch does not hold, each signature is checked alone to name the one that is false.
fn first_false(claims: &[Claim<'_>]) -> Option<usize> {
    if all_hold(claims) {
        return None;
    }
    claims.iter().position(|claim| !claim.key.verifies(&claim.message, &claim.signature.bytes))
}
