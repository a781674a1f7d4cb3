//! Checking the whole audit log. It is read page by page from one snapshot while another thread checks, and what is
//! held in memory does not grow with the log.

use super::Postgres;
use super::audit::raw_entry;
use super::db::{Db, only};
use super::walls::Reach;
use crate::StoreError;
use crate::rows::audit::{AuditReport, CHUNK, COLUMNS};
use crate::rows::deployment::{ANCHOR, HEAD};
use crate::secrets::Secrets;
use evidence::{Anchor, Broken, ChainVerifier, Head, Signed, SignedHead, SignedRestoration, StoredEntry};
use std::sync::Arc;
use tokio::sync::mpsc;

/// What the log is held against.
struct Marks {
    anchor: Option<Signed<Anchor>>,
    head: Option<SignedHead>,
    outside: Vec<SignedHead>,
    notes: Vec<SignedRestoration>,
}

impl Postgres {
    pub async fn audit_verify(&self) -> Result<AuditReport, StoreError> {
        // The head outside is read before the snapshot is taken: read later, it could be newer than the entries.
        let outside = self.shared.head_file.read();
        let outside = outside.map_err(|e| StoreError::corrupt("the head kept on this host", e))?;
        self.audit_check(outside, None).await
    }

    /// Checks the log against the heads kept outside, as if the database held this note of a restoration too.
    pub async fn audit_check(
        &self,
        outside: Option<Vec<SignedHead>>,
        proposed: Option<SignedRestoration>,
    ) -> Result<AuditReport, StoreError> {
        let snapshot = self.shared.snapshot(Reach::Deployment).await?;
        let db = snapshot.db()?;
        let mut marks = match db.marks(outside).await? {
            Ok(marks) => marks,
            Err(broken) => return Ok(AuditReport::Broken(broken)),
        };
        marks.notes.extend(proposed);
        let notes = marks.notes.clone();
        let (chunks, received) = mpsc::channel(1);
        let secrets = self.shared.secrets.clone();
        let checker = tokio::task::spawn_blocking(move || check(&secrets, &marks, received));
        let read = db.entries_read(&chunks).await?;
        drop(chunks);
        let checked = checker.await.map_err(|_| StoreError::Panicked)?;
        // What was read before a row that cannot be read comes first in the log, and so in the report.
        Ok(AuditReport::of(checked.and_then(|finish| read.and(finish)), notes))
    }
}

impl Db<'_> {
    async fn marks(&self, outside: Option<Vec<SignedHead>>) -> Result<Result<Marks, Broken>, StoreError> {
        let last: Option<Option<i64>> = self.one("SELECT max(seq) FROM audit_entry", &[], only).await?;
        let last = last.flatten().unwrap_or(0);
        let unreadable =
            |what: &str| Broken { seq: u64::try_from(last).unwrap_or(0), reason: what.to_owned() };
        let anchor = match self.signed_row::<Anchor>(ANCHOR).await {
            Err(StoreError::Corrupt { .. }) => {
                return Ok(Err(unreadable("the anchor in the database is malformed")));
            }
            read => read?,
        };
        let head = match self.signed_row::<Head>(HEAD).await {
            Err(StoreError::Corrupt { .. }) => {
                return Ok(Err(unreadable("the head in the database is malformed")));
            }
            read => read?,
        };
        let notes = match self.restorations().await {
            Err(StoreError::Corrupt { .. }) => {
                return Ok(Err(unreadable("a note of a restoration is malformed")));
            }
            read => read?,
        };
        let outside = match outside {
            Some(outside) => outside,
            None if last == 0 && head.is_none() => Vec::new(),
            None => return Ok(Err(unreadable("the head kept on this host is missing or unreadable"))),
        };
        // The head of a log without entries is made before there is a key to sign it with, and says nothing.
        let outside = outside.into_iter().filter(|head| head.statement.at.size > 0).collect();
        Ok(Ok(Marks { anchor, head, outside, notes }))
    }

    /// Sends the log in chunks, until the other side has seen enough. The inner error is a row that cannot be read.
    async fn entries_read(
        &self,
        chunks: &mpsc::Sender<Vec<StoredEntry>>,
    ) -> Result<Result<(), Broken>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM audit_entry WHERE seq > $1 ORDER BY seq LIMIT $2");
        let mut last = i64::MIN;
        loop {
            let rows = self.all(&sql, &[&last, &(CHUNK as i64)], raw_entry).await?;
            let Some(end) = rows.last().map(|row| row.seq) else { return Ok(Ok(())) };
            last = end;
            let mut chunk = Vec::with_capacity(rows.len());
            let mut outcome = Ok(());
            for row in rows {
                match self.secrets.entry_open(row) {
                    Ok(entry) => chunk.push(entry),
                    Err(broken) => {
                        outcome = Err(broken);
                        break;
                    }
                }
            }
            if chunks.send(chunk).await.is_err() || outcome.is_err() {
                return Ok(outcome);
            }
        }
    }
}

/// Checks what arrives. The outer error is the first entry that does not hold; the inner result is what the end of the
/// log says, once all of it has been read.
fn check(
    secrets: &Arc<Secrets>,
    marks: &Marks,
    mut chunks: mpsc::Receiver<Vec<StoredEntry>>,
) -> Result<Result<u64, Broken>, Broken> {
    let keys = secrets.keyring.as_ref();
    let verifier = ChainVerifier::new(keys, marks.anchor.as_ref(), marks.outside.clone())?;
    let mut verifier = verifier.restored(&marks.notes)?;
    while let Some(chunk) = chunks.blocking_recv() {
        verifier.push(&chunk)?;
    }
    Ok(verifier.finish(marks.head.as_ref()))
}
