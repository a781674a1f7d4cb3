//! What the audit log is held against when it is checked.

use super::signing_view::learn;
use super::{deployment, log};
use crate::StoreError;
use crate::head_file::{Kept, Outside};
use crate::rows::audit::Said;
use crate::rows::deployment::{ANCHOR, HEAD};
use crate::script::{Db, StoreResult};
use evidence::{
    Anchor, Broken, ChainVerifier, Keyring, LogEnd, Position, Signed, SignedHead, SignedRestoration,
};

/// What a check is given besides the database.
pub(crate) struct Against {
    /// The heads kept outside. They must have been read before the entries: read later, they could be newer.
    pub outside: Outside,
    /// A note of a restoration, to be taken as if the database held it.
    pub proposed: Option<SignedRestoration>,
}

pub(crate) struct Marks {
    anchor: Option<Signed<Anchor>>,
    pub head: Option<SignedHead>,
    outside: Vec<SignedHead>,
    /// The number of the last entry.
    last: u64,
    pub said: Said,
}

impl Marks {
    /// Reads the marks in the database, to which what the check is given is added. `kept` says where
    /// outside is.
    pub async fn read<D: Db>(db: &mut D, against: Against, kept: &str) -> StoreResult<Result<Self, Broken>> {
        learn(db).await?;
        let last: Option<(Option<i64>,)> = db.one("SELECT max(seq) FROM audit_entry", &[]).await?;
        let last = last.and_then(|(seq,)| seq).and_then(|seq| u64::try_from(seq).ok()).unwrap_or(0);
        let broken = |reason: String| Ok(Err(Broken { seq: last, reason }));
        let malformed = |what: &str| broken(format!("{what} is malformed"));
        let Some(anchor) = readable(deployment::signed(db, ANCHOR).await)? else {
            return malformed("the anchor in the database");
        };
        let Some(head) = readable(deployment::signed(db, HEAD).await)? else {
            return malformed("the head in the database");
        };
        let Some(mut notes) = readable(log::notes(db).await)? else {
            return malformed("a note of a restoration");
        };
        notes.extend(against.proposed);
        let outside = match against.outside.kept {
            Kept::Heads(outside) => outside,
            Kept::NotOurs => {
                return broken(format!(
                    "the head kept {kept} has no valid signature of this deployment; put the file back that belongs to it"
                ));
            }
            Kept::Nothing => {
                return broken(format!(
                    "the head kept {kept} is missing or unreadable; if the file was lost, confirm that with svc restore \
                     --confirm REASON"
                ));
            }
        };
        let newest = outside.iter().map(|head| head.statement.at.size).max().unwrap_or(0);
        let vouched = against.outside.is_locked.then_some(newest);
        Ok(Ok(Self { anchor, head, outside, last, said: Said { notes, vouched } }))
    }

    pub fn verifier<'k>(&self, keys: Option<&'k Keyring>) -> Result<ChainVerifier<'k>, Broken> {
        ChainVerifier::new(keys, self.anchor.as_ref(), self.outside.clone())?.restored(&self.said.notes)
    }

    /// How many entries are to be walked by this verifier, which has walked none yet. Entries of an intact log are
    /// numbered without a gap.
    pub fn ahead_of(&self, verifier: &ChainVerifier<'_>) -> u64 {
        self.last.saturating_sub(verifier.end().at().size)
    }

    /// Goes on after what was found intact before, where that is all the marks there were.
    pub fn verifier_after<'k>(
        &self,
        keys: Option<&'k Keyring>,
        before: &Intact,
    ) -> Option<Result<ChainVerifier<'k>, Broken>> {
        let size = before.end.at().size;
        let is_met = |head: &SignedHead| head.statement.at.size >= size || before.outside.contains(head);
        if self.anchor != before.anchor || self.said.notes != before.notes || !self.outside.iter().all(is_met)
        {
            return None;
        }
        let verifier = ChainVerifier::after(keys, before.start, before.end.clone(), self.outside.clone());
        Some(verifier.and_then(|verifier| verifier.restored(&self.said.notes)))
    }

    /// What is known once the log was found intact up to this end.
    pub fn intact(&self, start: Position, end: LogEnd) -> Intact {
        let Self { anchor, outside, said, .. } = self;
        Intact { start, end, anchor: anchor.clone(), notes: said.notes.clone(), outside: outside.clone() }
    }
}

/// A log that was found intact, and what it was held against.
#[derive(Clone)]
pub(crate) struct Intact {
    start: Position,
    pub end: LogEnd,
    anchor: Option<Signed<Anchor>>,
    notes: Vec<SignedRestoration>,
    outside: Vec<SignedHead>,
}

/// `None` where the row holds something else than we wrote.
fn readable<T>(read: StoreResult<T>) -> StoreResult<Option<T>> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(StoreError::Corrupt { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
