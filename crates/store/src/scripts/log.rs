//! Where the audit log begins and ends, and what it is known to pass through.

use super::{deployment, tree};
use crate::StoreError;
use crate::rows::deployment::{ANCHOR, HEAD, PEAKS};
use crate::rows::log_end::KnownEnd;
use crate::rows::restorations::{self, Standing};
use crate::script::{Db, Query, Reach, StoreResult};
use crate::sql::params;
use evidence::{Anchor, Appender, Head, Position, SignedHead, SignedRestoration};

/// What goes on from where the log ends by what is committed.
pub(crate) async fn log_appender<D: Db>(db: &mut D, known: Option<&KnownEnd>) -> StoreResult<Appender> {
    // In one statement: on PostgreSQL another process may commit between two.
    let sql = "SELECT name, value FROM deployment WHERE name IN ($1, $2)";
    let (mut head, mut peaks) = (None, None);
    for (name, value) in db.all::<(String, Vec<u8>)>(sql, &params![HEAD, PEAKS]).await? {
        if name == HEAD { head = Some(value) } else { peaks = Some(value) }
    }
    if head.is_none() {
        refuse_headless(db).await?;
    }
    let read = db.secrets().end_read(head.as_deref(), peaks.as_deref(), known)?;
    tree::appender(db, read).await
}

/// An error where there are entries, though no head says so. The next one would begin the log anew.
pub(crate) async fn refuse_headless<D: Db>(db: &mut D) -> StoreResult<()> {
    let sql = "SELECT seq FROM audit_entry WHERE seq > 0 AND hash IS NOT NULL LIMIT 1";
    match db.one::<(i64,)>(sql, &[]).await? {
        Some(_) => Err(StoreError::corrupt("the audit log", "it has entries and no head; run verify_audit")),
        None => Ok(()),
    }
}

/// Where the log begins: after whatever was purged.
pub(crate) async fn log_start<D: Db>(db: &mut D) -> StoreResult<Position> {
    Ok(deployment::signed::<D, Anchor>(db, ANCHOR)
        .await?
        .map_or(Position::GENESIS, |anchor| anchor.statement.at))
}

/// The hash of the entry that ends at this position; the outer `None` where there is no such entry.
async fn hash_at<D: Db>(db: &mut D, at: Position) -> StoreResult<Option<Option<Vec<u8>>>> {
    let seq = i64::try_from(at.size).map_err(|e| StoreError::corrupt("a signed head", e))?;
    let sql = "SELECT hash FROM audit_entry WHERE seq = $1";
    Ok(db.one::<(Option<Vec<u8>>,)>(sql, &params![seq]).await?.map(|(hash,)| hash))
}

/// Whether the very entry that ends at this position is in the log.
pub(crate) async fn log_holds<D: Db>(db: &mut D, at: Position) -> StoreResult<bool> {
    Ok(hash_at(db, at).await?.flatten().as_deref() == Some(at.hash.0.as_slice()))
}

/// Whether the log passes through the position, or was purged beyond it. A position ahead of the log is another
/// process's commit that is newer than what was read here, or a rollback: only a longer log can tell.
pub(crate) async fn log_passes<D: Db>(db: &mut D, at: Position) -> StoreResult<bool> {
    match hash_at(db, at).await? {
        Some(hash) => Ok(hash.as_deref() == Some(at.hash.0.as_slice())),
        None => {
            let last =
                deployment::signed::<D, Head>(db, HEAD).await?.map_or(0, |head| head.statement.at.size);
            Ok(at.size <= log_start(db).await?.size || at.size > last)
        }
    }
}

pub(crate) async fn notes<D: Db>(db: &mut D) -> StoreResult<Vec<SignedRestoration>> {
    let sql = "SELECT value FROM deployment WHERE name LIKE 'restoration:%'";
    let values: Vec<(Vec<u8>,)> = db.all(sql, &[]).await?;
    restorations::read(values.iter().map(|(value,)| value.as_slice()))
}

pub(crate) async fn standing<D: Db>(db: &mut D, outside: Vec<SignedHead>) -> StoreResult<Standing> {
    let notes = notes(db).await?;
    let start = log_start(db).await?;
    let mut passed = Vec::new();
    for at in Standing::asks(&outside, &notes) {
        if at.size <= start.size || log_holds(db, at).await? {
            passed.push(at);
        }
    }
    Ok(Standing { outside, notes, passed })
}

/// Where the log ends, as it is signed in the database.
pub(crate) struct HeadInside;

impl Query for HeadInside {
    type Output = Option<SignedHead>;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Option<SignedHead>> {
        deployment::signed::<D, Head>(db, HEAD).await
    }
}
