//! What is missing of a log that was restored, and the operator's note that says so.

use super::db::{Db, only};
use super::lane::{Ground, Work};
use super::tx::Tx;
use super::{Postgres, Reach, Shared};
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::deployment::{ANCHOR, HEAD};
use crate::rows::restorations::{self, Missing, Standing};
use evidence::{Anchor, Head, Position, SignedHead, SignedRestoration};

impl Db<'_> {
    pub async fn restorations(&self) -> Result<Vec<SignedRestoration>, StoreError> {
        let sql = "SELECT value FROM deployment WHERE name LIKE 'restoration:%'";
        let values: Vec<Vec<u8>> = self.all(sql, &[], only).await?;
        restorations::read(values.iter().map(Vec::as_slice))
    }

    async fn standing(&self, outside: Vec<SignedHead>) -> Result<Standing, StoreError> {
        let notes = self.restorations().await?;
        let start = self.log_start().await?;
        let mut passed = Vec::new();
        for at in Standing::asks(&outside, &notes) {
            if at.size <= start.size || self.log_holds(at).await? {
                passed.push(at);
            }
        }
        Ok(Standing { outside, notes, passed })
    }

    async fn log_start(&self) -> Result<Position, StoreError> {
        Ok(self.signed_row::<Anchor>(ANCHOR).await?.map_or(Position::GENESIS, |anchor| anchor.statement.at))
    }

    async fn missing(&self, outside: Vec<SignedHead>) -> Result<Option<Missing>, StoreError> {
        let Some(lost) = self.standing(outside).await?.lost(self.secrets)? else { return Ok(None) };
        let size = i64::try_from(lost.at.size).map_err(|e| StoreError::corrupt("a signed head", e))?;
        // What was restored is not younger than the lost head, and what was written since then is.
        let sql = "SELECT seq, hash FROM audit_entry WHERE ts <= $1 AND seq < $2 ORDER BY seq DESC LIMIT 1";
        let kept: Option<(i64, Option<Vec<u8>>)> = self
            .one(sql, &[&lost.ts.as_microsecond(), &size], |row| Ok((row.try_get(0)?, row.try_get(1)?)))
            .await?;
        let kept = match kept {
            Some((seq, hash)) => restorations::position(seq, hash)?,
            None => self.log_start().await?,
        };
        Ok(Some(Missing { kept, lost }))
    }
}

/// The note, and the entry that tells of it.
struct Confirmation {
    call: Call,
    note: SignedRestoration,
}

impl Work for Confirmation {
    type Output = ();

    fn ground(&self) -> Ground<'_> {
        Ground::of(&self.call)
    }

    async fn run(&self, tx: &mut Tx) -> Result<(), StoreError> {
        let name = restorations::name(tx.db().restorations().await?.len());
        let sql = "INSERT INTO deployment (name, value) VALUES ($1, $2)";
        tx.db().run(sql, &[&name, &self.note.encode()]).await?;
        tx.note(&self.call, &Record::done(restorations::detail(&self.note.statement)));
        Ok(())
    }
}

impl Shared {
    fn outside(&self) -> Result<Vec<SignedHead>, StoreError> {
        let outside = self.head_file.read();
        let outside = outside.map_err(|e| StoreError::corrupt("the head kept on this host", e))?;
        // The head of a log without entries says nothing.
        Ok(outside.unwrap_or_default().into_iter().filter(|head| head.statement.at.size > 0).collect())
    }

    async fn head_begin_anew(&self) -> Result<(), StoreError> {
        let head = self.snapshot(Reach::Deployment).await?.db()?.signed_row::<Head>(HEAD).await?;
        let reset = head.map_or(Ok(()), |head| self.head_file.reset(&head));
        reset.map_err(|e| StoreError::corrupt("the head kept on this host", e))
    }

    /// Begins the head on this host anew where the operator, on whichever host, has signed for what it knows and the
    /// log does not; whether that was so.
    pub async fn settle(&self) -> Result<bool, StoreError> {
        let snapshot = self.snapshot(Reach::Deployment).await?;
        if !snapshot.db()?.standing(self.outside()?).await?.is_settled(&self.secrets) {
            return Ok(false);
        }
        self.head_begin_anew().await.map(|()| true)
    }
}

impl Postgres {
    pub async fn restoration_missing(&self) -> Result<Option<Missing>, StoreError> {
        let outside = self.shared.outside()?;
        self.shared.snapshot(Reach::Deployment).await?.db()?.missing(outside).await
    }

    pub async fn restoration_confirm(
        &self,
        call: Call,
        reason: String,
    ) -> Result<Option<Missing>, StoreError> {
        let Some(missing) = self.restoration_missing().await? else { return Ok(None) };
        let note = self.shared.secrets.restoration_sign(missing, call.caller.now, &reason)?;
        let report = self.audit_check(Some(self.shared.outside()?), Some(note.clone())).await?;
        restorations::refuse_broken(report)?;
        self.lane.run(Confirmation { call, note }).await?;
        self.shared.head_begin_anew().await?;
        Ok(Some(missing))
    }
}
