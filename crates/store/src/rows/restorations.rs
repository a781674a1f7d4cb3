//! The operator's notes of restorations, which the database keeps for good.

use super::audit::AuditReport;
use super::deployment;
use crate::StoreError;
use crate::secrets::Secrets;
use domain::{EntryNumber, Timestamp};
use evidence::{Hash, Head, Position, Restoration, SignedHead, SignedRestoration};

/// The rows of `deployment` with a note each are named so, and then by number.
const PREFIX: &str = "restoration:";

/// The note after so many others.
pub(crate) fn name(held: usize) -> String {
    format!("{PREFIX}{}", held + 1)
}

/// The notes among the rows of `deployment`, in the order in which they were made.
pub(crate) fn read<'a>(values: impl Iterator<Item = &'a [u8]>) -> Result<Vec<SignedRestoration>, StoreError> {
    let notes = values.map(|value| Ok(deployment::signed(Some(value))?.into_iter()));
    let mut notes: Vec<SignedRestoration> =
        notes.collect::<Result<Vec<_>, StoreError>>()?.into_iter().flatten().collect();
    notes.sort_by_key(|note: &SignedRestoration| note.statement.ts);
    Ok(notes)
}

/// What is missing of a log that was restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// Where the log still is what it was.
    pub kept: Position,
    /// Up to where it was known, outside the database.
    pub lost: Position,
    /// When that head was signed. A witness that shows no head does not say.
    pub signed: Option<Timestamp>,
}

impl Missing {
    pub const fn first(&self) -> u64 {
        self.kept.size + 1
    }

    pub const fn last(&self) -> u64 {
        self.lost.size
    }

    /// The log lacks nothing; what was lost is the head file.
    pub const fn is_head_file_alone(&self) -> bool {
        self.kept.size == self.lost.size
    }
}

/// What an engine knows of its log, for comparing it with the heads outside.
pub(crate) struct Standing {
    pub outside: Vec<SignedHead>,
    pub notes: Vec<SignedRestoration>,
    /// Those of the positions asked for that the log passes through, or that were purged.
    pub passed: Vec<Position>,
}

impl Standing {
    /// The positions that must be looked up in the log.
    pub fn asks(outside: &[SignedHead], notes: &[SignedRestoration]) -> Vec<Position> {
        let heads = outside.iter().map(|head| head.statement.at);
        heads.chain(notes.iter().map(|note| note.statement.kept)).collect()
    }

    /// The heads that the log does not pass through, and that no note excuses.
    pub fn against(&self, secrets: &Secrets) -> Vec<&SignedHead> {
        let notes = self.notes_of_log(secrets);
        let excused = |head: &Head| notes.iter().any(|note| note.statement.covers(head));
        self.not_passed().into_iter().filter(|head| !excused(&head.statement)).collect()
    }

    /// Whether a note says that the entry of this number is lost, for a witness that shows no head.
    pub fn excuses(&self, entry: u64, secrets: &Secrets) -> bool {
        self.notes_of_log(secrets).iter().any(|note| note.statement.is_lost(entry))
    }

    /// The notes that are ours, and of this log.
    fn notes_of_log(&self, secrets: &Secrets) -> Vec<&SignedRestoration> {
        let signing = secrets.signing();
        let known = |note: &&SignedRestoration| {
            signing.as_ref().is_none_or(|signing| note.is_signed_by(&signing.keyring))
                && self.passed.contains(&note.statement.kept)
        };
        self.notes.iter().filter(known).collect()
    }

    fn not_passed(&self) -> Vec<&SignedHead> {
        self.outside.iter().filter(|head| !self.passed.contains(&head.statement.at)).collect()
    }

    /// Whether the head file is to be begun anew: it holds heads that were lost, and all of them are excused.
    pub fn is_settled(&self, secrets: &Secrets) -> bool {
        !self.not_passed().is_empty() && self.against(secrets).is_empty()
    }

    /// The newest head that is held against the log, once it is known to be ours.
    pub fn lost(&self, secrets: &Secrets) -> Result<Option<Head>, StoreError> {
        let against = self.against(secrets);
        let signing = secrets.signing();
        let keys = signing.as_ref().map(|signing| &signing.keyring);
        if against.iter().any(|head| keys.is_some_and(|keys| !head.is_signed_by(keys))) {
            return Err(not_ours());
        }
        Ok(against.into_iter().map(|head| head.statement).max_by_key(|head| head.at.size))
    }
}

pub(crate) fn not_ours() -> StoreError {
    StoreError::Startup(
        "the head kept outside the database was not signed with the keys at hand, so it says nothing of this log; put the \
         head file of this deployment in its place"
            .to_owned(),
    )
}

impl Secrets {
    pub fn restoration_sign(
        &self,
        missing: Missing,
        ts: Timestamp,
        reason: &str,
    ) -> Result<SignedRestoration, StoreError> {
        if let Some(signed) = missing.signed.filter(|signed| *signed >= ts) {
            return Err(StoreError::Startup(format!(
                "the head kept outside the database was signed at {signed}, which is later than now; set the clock"
            )));
        }
        let (kept, lost) = (missing.kept, missing.lost);
        let note = Restoration { kept, lost, ts, reason: reason.to_owned() };
        Ok(self.sign(note))
    }
}

/// What the audit entry of a restoration says.
pub(crate) fn detail(note: &Restoration) -> String {
    let (first, last) = (note.kept.size + 1, note.lost.size);
    if note.is_of_head_file() {
        return format!("the head file was lost at entry {last}: {}", note.reason);
    }
    format!("entries {first} to {last} are missing: {}", note.reason)
}

pub(crate) fn position(seq: EntryNumber, hash: Option<Vec<u8>>) -> Result<Position, StoreError> {
    let malformed =
        || StoreError::corrupt("an audit entry", format!("entry {seq} has no hash; run verify_audit"));
    let size = u64::try_from(seq.0).map_err(|_| malformed())?;
    let hash = hash.and_then(|hash| hash.try_into().ok()).ok_or_else(malformed)?;
    Ok(Position { size, hash: Hash(hash) })
}

/// A log with more wrong than the part that is missing is not vouched for.
pub(crate) fn refuse_broken(report: AuditReport) -> Result<(), StoreError> {
    match report {
        AuditReport::Intact { .. } => Ok(()),
        AuditReport::Broken(broken) => Err(StoreError::Startup(format!(
            "that this database was restored does not explain all that is wrong with its audit log, so nothing was \
             confirmed: it is broken at seq {}: {}",
            broken.seq, broken.reason
        ))),
    }
}
