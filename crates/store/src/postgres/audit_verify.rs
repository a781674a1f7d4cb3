//! Checking the whole audit log. It is read page by page from one snapshot while another thread checks, and what is
//! held in memory does not grow with the log.

use super::db::PostgresDb;
use super::shared::Shared;
use super::view::{View, begin};
use crate::StoreError;
use crate::rows::audit::{AuditReport, CHUNK, COLUMNS, RawEntry};
use crate::script::{Db, Reach, StoreResult};
use crate::scripts::marks::{Against, Marks};
use crate::secrets::Secrets;
use crate::sql::params;
use crate::verification::Audience;
use evidence::{Broken, StoredEntry};
use tokio::sync::mpsc;

impl Shared {
    pub async fn audit_check(
        &self,
        against: Against,
        audience: &Audience,
    ) -> Result<AuditReport, StoreError> {
        let view = View::take(&self.verification, None).await?;
        let client = view.client()?;
        begin(client, Reach::Deployment).await?;
        let mut db = PostgresDb { client, secrets: &self.secrets };
        let marks = match Marks::read(&mut db, against, "on this host").await? {
            Ok(marks) => marks,
            Err(broken) => return Ok(AuditReport::Broken(broken)),
        };
        let said = marks.said.clone();
        let (chunks, received) = mpsc::channel(1);
        let (secrets, told) = (self.secrets.clone(), audience.clone());
        let checker = tokio::task::spawn_blocking(move || check(&secrets, &marks, received, &told));
        let read = entries_read(&mut db, &chunks, audience).await?;
        drop(chunks);
        let checked = checker.await.map_err(|_| StoreError::Panicked)?;
        // What was read before a row that cannot be read comes first in the log, and so in the report.
        Ok(AuditReport::of(checked.and_then(|finish| read.and(finish)), said))
    }
}

/// Sends the log in chunks, until the other side has seen enough. The inner error is a row that cannot be read.
async fn entries_read(
    db: &mut PostgresDb<'_>,
    chunks: &mpsc::Sender<Vec<StoredEntry>>,
    audience: &Audience,
) -> StoreResult<Result<(), Broken>> {
    let sql = format!("SELECT {COLUMNS} FROM audit_entry WHERE seq > $1 ORDER BY seq LIMIT $2");
    let mut last = i64::MIN;
    loop {
        let rows: Vec<RawEntry> = db.all(&sql, &params![last, CHUNK as i64]).await?;
        let Some(end) = rows.last().map(|row| row.seq.0) else { return Ok(Ok(())) };
        if !audience.is_waiting() {
            return Err(StoreError::TooLate);
        }
        last = end;
        let mut chunk = Vec::with_capacity(rows.len());
        let mut outcome = Ok(());
        for row in rows {
            match db.secrets.entry_open(row) {
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

/// Checks what arrives. The outer error is the first entry that does not hold; the inner result is what the end of the
/// log says, once all of it has been read.
fn check(
    secrets: &Secrets,
    marks: &Marks,
    mut chunks: mpsc::Receiver<Vec<StoredEntry>>,
    audience: &Audience,
) -> Result<Result<u64, Broken>, Broken> {
    let signing = secrets.signing();
    let mut verifier = marks.verifier(signing.as_ref().map(|signing| &signing.keyring))?;
    audience.begin(marks.ahead_of(&verifier));
    let from = verifier.end().at().size;
    while let Some(chunk) = chunks.blocking_recv() {
        verifier.push(&chunk)?;
        audience.reach(verifier.end().at().size.saturating_sub(from));
    }
    Ok(verifier.finish(marks.head.as_ref()))
}
