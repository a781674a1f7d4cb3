//! What is missing of a log that was restored, and the operator's note that says so.

use super::deployment;
use super::log::{HeadInside, log_start, notes, standing};
use super::marks::Against;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::head_file::{Kept, Outside};
use crate::rows::graph::{ASK_REBUILD, Rebuild, written};
use crate::rows::restorations::{self, Missing};
use crate::script::{Db, Ground, Query, Reach, Rows, Script, StoreResult};
use crate::sql::params;
use crate::store::Store;
use crate::verification::Audience;
use crate::witness::{Testimony, Witnessed};
use domain::EntryNumber;
use evidence::{Hash, Position, SignedHead, SignedRestoration};

/// What the heads kept outside know of the log and it does not hold, unless the operator has confirmed that.
struct Lost {
    outside: Vec<SignedHead>,
}

impl Query for Lost {
    type Output = Option<Missing>;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Option<Missing>> {
        let standing = standing(db, self.outside.clone()).await?;
        let Some(lost) = standing.lost(db.secrets())? else { return Ok(None) };
        let size = i64::try_from(lost.at.size).map_err(|e| StoreError::corrupt("a signed head", e))?;
        // What was restored is not younger than the lost head, and what was written since then is.
        let sql = "SELECT seq, hash FROM audit_entry WHERE ts <= $1 AND seq < $2 ORDER BY seq DESC LIMIT 1";
        let kept: Option<(i64, Option<Vec<u8>>)> = db.one(sql, &params![lost.ts, size]).await?;
        let kept = match kept {
            Some((seq, hash)) => restorations::position(EntryNumber(seq), hash)?,
            None => log_start(db).await?,
        };
        Ok(Some(Missing { kept, lost: lost.at, signed: Some(lost.ts) }))
    }
}

/// What is missing, once a witness says that it has seen so many entries of another log, or of this one when it was
/// longer. It shows no head, so where the two logs part is not known: the one entry is what is certain.
struct Widened {
    missing: Option<Missing>,
    entries: u64,
}

impl Query for Widened {
    type Output = Missing;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Missing> {
        let end = HeadInside.run(db).await?.map_or(Position::GENESIS, |head| head.statement.at);
        let none = Missing { kept: end, lost: end, signed: None };
        let Missing { kept, lost, signed } = self.missing.unwrap_or(none);
        let kept = if kept.size < self.entries { kept } else { self.before(db).await? };
        let lost =
            if lost.size < self.entries { Position { size: self.entries, hash: Hash::ZERO } } else { lost };
        Ok(Missing { kept, lost, signed })
    }
}

impl Widened {
    async fn before<D: Db>(&self, db: &mut D) -> StoreResult<Position> {
        let seq = i64::try_from(self.entries).unwrap_or(i64::MAX).saturating_sub(1);
        let sql = "SELECT seq, hash FROM audit_entry WHERE seq = $1";
        match db.one::<(i64, Option<Vec<u8>>)>(sql, &params![seq]).await? {
            Some((seq, hash)) => restorations::position(EntryNumber(seq), hash),
            None => log_start(db).await,
        }
    }
}

/// The note, and the entry that tells of it.
struct Confirmation {
    call: Call,
    note: SignedRestoration,
}

impl Script for Confirmation {
    type Output = ();

    fn ground(&self) -> Ground<'_> {
        Ground::of(&self.call)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<()> {
        let name = restorations::name(notes(rows.db()).await?.len());
        deployment::set(rows, &name, &self.note.encode()).await?;
        // The entity graph knows of facts that this database has lost.
        rows.db().all::<()>(ASK_REBUILD, &params![written(Some(&Rebuild::Wiping))?]).await?;
        rows.note(&self.call, &Record::done(restorations::detail(&self.note.statement))).await
    }
}

impl Store {
    /// What the heads kept outside and the witnesses know of the log and it does not hold, unless the operator has
    /// confirmed that.
    pub async fn restoration_missing(&self) -> Result<Option<Missing>, StoreError> {
        let outside = self.outside_heads().await?;
        self.missing(outside.as_deref()).await
    }

    /// Signs the operator's word that the database was restored, for this reason, and begins the head outside anew.
    /// `None` when nothing is missing; an error when more is wrong with the log than that.
    pub async fn restoration_confirm(
        &self,
        call: Call,
        reason: String,
    ) -> Result<Option<Missing>, StoreError> {
        let outside = self.outside_heads().await?;
        let Some(missing) = self.missing(outside.as_deref()).await? else { return Ok(None) };
        let note = self.secrets().restoration_sign(missing, call.caller.now, &reason)?;
        let outside = Outside { kept: Kept::Heads(outside.unwrap_or_default()), is_locked: false };
        let against = Against { outside, proposed: Some(note.clone()) };
        restorations::refuse_broken(self.audit_check(against, Audience::default()).await?)?;
        self.write(Confirmation { call, note }).await?;
        if let Some(head) = self.read(HeadInside).await? {
            self.head_file().apart(move |file| file.reset(&head)).await?;
        }
        Ok(Some(missing))
    }

    /// The heads kept outside; `None` where they were lost.
    async fn outside_heads(&self) -> StoreResult<Option<Vec<SignedHead>>> {
        match self.outside().await?.kept {
            Kept::Heads(heads) => Ok(Some(heads)),
            Kept::Nothing => Ok(None),
            Kept::NotOurs => Err(restorations::not_ours()),
        }
    }

    /// Without any head outside, that is what is missing where nothing else is.
    async fn missing(&self, outside: Option<&[SignedHead]>) -> StoreResult<Option<Missing>> {
        let mut heads = outside.unwrap_or_default().to_vec();
        heads.extend(self.witnesses_heads().await);
        // The head of a log without entries says nothing.
        heads.retain(|head| head.statement.at.size > 0);
        let mut missing = self.read(Lost { outside: heads }).await?;
        for Witnessed { said, .. } in self.witnesses_ask().await {
            if let Testimony::Longer { entries, .. } | Testimony::Forked { entries } = said {
                missing = Some(self.read(Widened { missing, entries }).await?);
            }
        }
        if missing.is_some() || outside.is_some() {
            return Ok(missing);
        }
        let head = self.read(HeadInside).await?;
        let end = head.as_ref().map_or(Position::GENESIS, |head| head.statement.at);
        Ok(Some(Missing { kept: end, lost: end, signed: head.map(|head| head.statement.ts) }))
    }
}
