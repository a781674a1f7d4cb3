//! Checking the whole audit log. One thread reads while others check, and what is held in memory does not grow with
//! the log.

use super::Sqlite;
use super::audit::raw_entry;
use super::db::Db;
use crate::StoreError;
use crate::head_file::HeadFile;
use crate::rows::audit::{AuditReport, CHUNK, COLUMNS};
use crate::rows::deployment::{ANCHOR, HEAD};
use evidence::{Anchor, Broken, ChainVerifier, Head, SignedHead, SignedRestoration, StoredEntry};
use rusqlite::Row;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

impl Sqlite {
    /// Recomputes every hash and signature of the log, and compares it with the heads in and beside the database.
    pub async fn audit_verify(&self) -> Result<AuditReport, StoreError> {
        let head_file = HeadFile::beside(&self.path);
        self.read(move |db| {
            // The head outside is read before the first query takes its snapshot: read later, it could be newer than
            // the entries.
            let outside =
                head_file.read().map_err(|e| StoreError::corrupt("the head beside the database", e))?;
            db.audit_check(outside, None)
        })
        .await
    }
}

impl Db<'_> {
    /// Checks the log against the heads kept outside, as if the database held the proposed note of a restoration too.
    pub fn audit_check(
        &self,
        outside: Option<Vec<SignedHead>>,
        proposed: Option<SignedRestoration>,
    ) -> Result<AuditReport, StoreError> {
        let last: i64 =
            self.one("SELECT coalesce(max(seq), 0) FROM audit_entry", (), |row| row.get(0))?.unwrap_or(0);
        let unreadable = |what: &str| {
            AuditReport::Broken(Broken { seq: u64::try_from(last).unwrap_or(0), reason: what.to_owned() })
        };
        let Ok(anchor) = self.signed_row::<Anchor>(ANCHOR) else {
            return Ok(unreadable("the anchor in the database is malformed"));
        };
        let Ok(head) = self.signed_row::<Head>(HEAD) else {
            return Ok(unreadable("the head in the database is malformed"));
        };
        let Ok(mut notes) = self.restorations() else {
            return Ok(unreadable("a note of a restoration is malformed"));
        };
        notes.extend(proposed);
        let outside = match outside {
            Some(outside) => outside,
            None if last == 0 && head.is_none() => Vec::new(),
            None => return Ok(unreadable("the head kept beside the database is missing or unreadable")),
        };
        // The head of a log without entries is made before there is a key to sign it with, and says nothing.
        let outside = outside.into_iter().filter(|head| head.statement.at.size > 0).collect();
        let verifier = ChainVerifier::new(self.secrets.keyring.as_ref(), anchor.as_ref(), outside);
        let checked = match verifier.and_then(|verifier| verifier.restored(&notes)) {
            Ok(verifier) => self.entries_check(verifier, head.as_ref())?,
            Err(broken) => Err(broken),
        };
        Ok(AuditReport::of(checked, notes))
    }

    fn entries_check(
        &self,
        verifier: ChainVerifier<'_>,
        head: Option<&SignedHead>,
    ) -> Result<Result<u64, Broken>, StoreError> {
        let (chunks, received) = sync_channel(1);
        std::thread::scope(|scope| {
            let checker = scope.spawn(move || check(verifier, &received));
            let read = self.entries_read(&chunks);
            drop(chunks);
            let checked = checker.join().map_err(|_| StoreError::Panicked)?;
            // What was read before a row that cannot be read comes first in the log, and so in the report.
            Ok(checked.and_then(|verifier| {
                read?;
                verifier.finish(head)
            }))
        })
    }

    /// Sends the log in chunks, until the other side has seen enough.
    fn entries_read(&self, chunks: &SyncSender<Vec<StoredEntry>>) -> Result<(), Broken> {
        let mut last = 0;
        let failed = |seq: u64, e: &dyn std::fmt::Display| Broken {
            seq,
            reason: format!("the log cannot be read: {e}"),
        };
        let sql = format!("SELECT {COLUMNS} FROM audit_entry ORDER BY seq");
        let mut statement = self.sql.prepare_cached(&sql).map_err(|e| failed(last, &e))?;
        let mut rows = statement.query(()).map_err(|e| failed(last, &e))?;
        let mut chunk = Vec::with_capacity(CHUNK);
        loop {
            let row = rows.next().map_err(|e| failed(last, &e))?;
            let read = row.map(|row| self.entry_read(row)).transpose();
            let ends = !matches!(read, Ok(Some(_)));
            if let Ok(Some(entry)) = &read {
                last = entry.entry.seq;
            }
            let outcome = read.map(|entry| chunk.extend(entry));
            if (ends || chunk.len() == CHUNK) && chunks.send(std::mem::take(&mut chunk)).is_err() {
                return Ok(());
            }
            outcome?;
            if ends {
                return Ok(());
            }
        }
    }

    fn entry_read(&self, row: &Row<'_>) -> Result<StoredEntry, Broken> {
        let raw = raw_entry(row).map_err(|_| {
            let seq = row.get::<_, i64>(0).ok().and_then(|seq| u64::try_from(seq).ok()).unwrap_or(0);
            Broken { seq, reason: "a column is of the wrong type".to_owned() }
        })?;
        self.secrets.entry_open(raw)
    }
}

/// Checks what arrives, and gives the verifier back.
fn check<'a>(
    mut verifier: ChainVerifier<'a>,
    chunks: &Receiver<Vec<StoredEntry>>,
) -> Result<ChainVerifier<'a>, Broken> {
    for chunk in chunks {
        verifier.push(&chunk)?;
    }
    Ok(verifier)
}
