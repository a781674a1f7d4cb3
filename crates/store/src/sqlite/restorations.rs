//! What is missing of a log that was restored, and the operator's note that says so.

use super::Sqlite;
use super::db::Db;
use super::writer::Durability;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::head_file::HeadFile;
use crate::rows::deployment::{ANCHOR, HEAD};
use crate::rows::restorations::{self, Missing, Standing};
use evidence::{Anchor, Head, Position, SignedHead, SignedRestoration};

impl Db<'_> {
    pub fn restorations(&self) -> Result<Vec<SignedRestoration>, StoreError> {
        let sql = "SELECT value FROM deployment WHERE name LIKE 'restoration:%'";
        let values: Vec<Vec<u8>> = self.all(sql, (), |row| row.get(0))?;
        restorations::read(values.iter().map(Vec::as_slice))
    }

    pub fn standing(&self, outside: Vec<SignedHead>) -> Result<Standing, StoreError> {
        let notes = self.restorations()?;
        let mut passed = Vec::new();
        for at in Standing::asks(&outside, &notes) {
            if self.log_reaches(at)? {
                passed.push(at);
            }
        }
        Ok(Standing { outside, notes, passed })
    }

    /// Whether the log holds the very entry that ends at this position, or was purged beyond it.
    fn log_reaches(&self, at: Position) -> Result<bool, StoreError> {
        let seq = i64::try_from(at.size).map_err(|e| StoreError::corrupt("a signed head", e))?;
        let hash: Option<Option<Vec<u8>>> =
            self.one("SELECT hash FROM audit_entry WHERE seq = ?1", [seq], |row| row.get(0))?;
        Ok(hash.flatten().as_deref() == Some(at.hash.0.as_slice()) || at.size <= self.log_start()?.size)
    }

    fn log_start(&self) -> Result<Position, StoreError> {
        Ok(self.signed_row::<Anchor>(ANCHOR)?.map_or(Position::GENESIS, |anchor| anchor.statement.at))
    }

    pub fn missing(&self, outside: Vec<SignedHead>) -> Result<Option<Missing>, StoreError> {
        let Some(lost) = self.standing(outside)?.lost(self.secrets)? else { return Ok(None) };
        let size = i64::try_from(lost.at.size).map_err(|e| StoreError::corrupt("a signed head", e))?;
        // What was restored is not younger than the lost head, and what was written since then is.
        let sql = "SELECT seq, hash FROM audit_entry WHERE ts <= ?1 AND seq < ?2 ORDER BY seq DESC LIMIT 1";
        let kept: Option<(i64, Option<Vec<u8>>)> =
            self.one(sql, (lost.ts.as_microsecond(), size), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let kept = match kept {
            Some((seq, hash)) => restorations::position(seq, hash)?,
            None => self.log_start()?,
        };
        Ok(Some(Missing { kept, lost }))
    }
}

impl Db<'_> {
    /// Begins the head outside anew where the operator has signed for what it knows and the log does not; whether that
    /// was so.
    pub fn settle(&self, head_file: &HeadFile) -> Result<bool, StoreError> {
        let written = |e: std::io::Error| StoreError::corrupt("the head beside the database", e);
        let Some(outside) = head_file.read().map_err(written)? else { return Ok(false) };
        let settled = self.standing(outside)?.is_settled(self.secrets);
        let head = self.signed_row::<Head>(HEAD)?.filter(|_| settled);
        head.map_or(Ok(false), |head| head_file.reset(&head).map(|()| true).map_err(written))
    }
}

impl Sqlite {
    fn outside(&self) -> Result<Vec<SignedHead>, StoreError> {
        let outside = HeadFile::beside(&self.path).read();
        let outside = outside.map_err(|e| StoreError::corrupt("the head beside the database", e))?;
        // The head of a log without entries says nothing.
        Ok(outside.unwrap_or_default().into_iter().filter(|head| head.statement.at.size > 0).collect())
    }

    pub async fn restoration_missing(&self) -> Result<Option<Missing>, StoreError> {
        let outside = self.outside()?;
        self.read(move |db| db.missing(outside)).await
    }

    pub async fn restoration_confirm(
        &self,
        call: Call,
        reason: String,
    ) -> Result<Option<Missing>, StoreError> {
        let outside = self.outside()?;
        let now = call.caller.now;
        let proposed = self
            .read(move |db| {
                let Some(missing) = db.missing(outside.clone())? else { return Ok(None) };
                let note = db.secrets.restoration_sign(missing, now, &reason)?;
                let report = db.audit_check(Some(outside), Some(note.clone()))?;
                restorations::refuse_broken(report)?;
                Ok(Some((missing, note)))
            })
            .await?;
        let Some((missing, note)) = proposed else { return Ok(None) };
        self.restoration_write(call, note).await?;
        Ok(Some(missing))
    }

    async fn restoration_write(&self, call: Call, note: SignedRestoration) -> Result<(), StoreError> {
        self.writer
            .run(Durability::Now, move |tx| {
                let name = restorations::name(tx.db().restorations()?.len());
                tx.db().deployment_set(&name, &note.encode())?;
                tx.audit_append(&call, &Record::done(restorations::detail(&note.statement)), &[])
            })
            .await?;
        let head = self.read(|db| db.signed_row::<Head>(HEAD)).await?;
        if let Some(head) = head {
            let reset = HeadFile::beside(&self.path).reset(&head);
            reset.map_err(|e| StoreError::corrupt("the head beside the database", e))?;
        }
        Ok(())
    }
}
