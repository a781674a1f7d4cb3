//! Checking the whole audit log. One thread reads while others check, and what is held in memory does not grow with
//! the log.

use super::db::{SqliteDb, at_once};
use super::migrations;
use crate::StoreError;
use crate::rows::audit::{AuditReport, CHUNK, COLUMNS, RawEntry};
use crate::script::StoreResult;
use crate::scripts::marks::{Against, Intact, Marks};
use crate::sql::FromRow;
use crate::verification::Audience;
use evidence::{Broken, ChainVerifier, StoredEntry};
use rusqlite::Row;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// The first version of the schema whose entries say what their calls changed.
const WITH_CHANGES: i64 = 6;

impl SqliteDb<'_> {
    pub fn audit_check(&mut self, against: Against, audience: &Audience) -> StoreResult<AuditReport> {
        Ok(self.audit_check_after(against, audience, None)?.0)
    }

    /// Walks what came after a log that was found intact before and has not changed since, or all of it. Also returns what
    /// is known to be intact now.
    pub fn audit_check_after(
        &mut self,
        against: Against,
        audience: &Audience,
        before: Option<Intact>,
    ) -> StoreResult<(AuditReport, Option<Intact>)> {
        let marks = match at_once(Marks::read(self, against, "beside the database"))? {
            Ok(marks) => marks,
            Err(broken) => return Ok((AuditReport::Broken(broken), None)),
        };
        let signing = self.secrets.signing();
        let keys = signing.as_ref().map(|signing| &signing.keyring);
        let short = before.and_then(|before| marks.verifier_after(keys, &before));
        let after = short.as_ref().and_then(|verifier| verifier.as_ref().ok()).map(|v| v.end().at().size);
        let checked = match short.unwrap_or_else(|| marks.verifier(keys)) {
            Ok(verifier) => self.entries_check(verifier, &marks, after, audience)?,
            Err(broken) => Err(broken),
        };
        let (entries, intact) = match checked {
            Ok((entries, intact)) => (Ok(entries), Some(intact)),
            Err(broken) => (Err(broken), None),
        };
        Ok((AuditReport::of(entries, marks.said), intact))
    }

    fn entries_check(
        &self,
        verifier: ChainVerifier<'_>,
        marks: &Marks,
        after: Option<u64>,
        audience: &Audience,
    ) -> Result<Result<(u64, Intact), Broken>, StoreError> {
        audience.begin(marks.ahead_of(&verifier));
        let (chunks, received) = sync_channel(1);
        std::thread::scope(|scope| {
            let checker = scope.spawn(move || check(verifier, &received, audience));
            let read = self.entries_read(&chunks, after, audience);
            drop(chunks);
            let checked = checker.join().map_err(|_| StoreError::Panicked)?;
            if !audience.is_waiting() {
                return Err(StoreError::TooLate);
            }
            // What was read before a row that cannot be read comes first in the log, and so in the report.
            Ok(checked.and_then(|verifier| {
                read?;
                let intact = marks.intact(verifier.start(), verifier.end().clone());
                Ok((verifier.finish(marks.head.as_ref())?, intact))
            }))
        })
    }

    /// Sends the log in chunks, until the other side has seen enough or nobody waits for it.
    fn entries_read(
        &self,
        chunks: &SyncSender<Vec<StoredEntry>>,
        after: Option<u64>,
        audience: &Audience,
    ) -> Result<(), Broken> {
        let mut last = after.unwrap_or(0);
        let failed = |seq: u64, e: &dyn std::fmt::Display| Broken {
            seq,
            reason: format!("the log cannot be read: {e}"),
        };
        let version = migrations::version(self.sql).map_err(|e| failed(last, &e))?;
        // Without a bound where all of it is walked: an entry may have been given any number.
        let bound = after.map_or_else(String::new, |after| format!("WHERE seq > {after}"));
        let sql = format!("SELECT {COLUMNS} FROM {} {bound} ORDER BY seq", entries_of(version));
        let mut statement = self.sql.prepare(&sql).map_err(|e| failed(last, &e))?;
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
            if ends || chunk.len() == CHUNK {
                let sent = chunks.send(std::mem::take(&mut chunk));
                if sent.is_err() || !audience.is_waiting() {
                    return Ok(());
                }
            }
            outcome?;
            if ends {
                return Ok(());
            }
        }
    }

    fn entry_read(&self, row: &Row<'_>) -> Result<StoredEntry, Broken> {
        let raw = RawEntry::from_row(row).map_err(|_| {
            let seq = row.get::<_, i64>(0).ok().and_then(|seq| u64::try_from(seq).ok()).unwrap_or(0);
            Broken { seq, reason: "a column is of the wrong type".to_owned() }
        })?;
        self.secrets.entry_open(raw)
    }
}

/// The entries as this version has them. The schema may be older: a backup is made before an upgrade.
const fn entries_of(version: i64) -> &'static str {
    if version < WITH_CHANGES { "(SELECT *, NULL AS changes FROM audit_entry)" } else { "audit_entry" }
}

/// Checks what arrives, and gives the verifier back.
fn check<'a>(
    mut verifier: ChainVerifier<'a>,
    chunks: &Receiver<Vec<StoredEntry>>,
    audience: &Audience,
) -> Result<ChainVerifier<'a>, Broken> {
    let from = verifier.end().at().size;
    for chunk in chunks {
        verifier.push(&chunk)?;
        audience.reach(verifier.end().at().size.saturating_sub(from));
    }
    Ok(verifier)
}
