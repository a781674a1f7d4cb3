//! The audit log from its beginning to its head, page by page, for a file that is checked elsewhere.

use super::deployment;
use crate::StoreError;
use crate::rows::audit::{COLUMNS, RawEntry};
use crate::rows::deployment::{ANCHOR, HEAD};
use crate::rows::restorations::position;
use crate::script::{Db, Query, Reach, StoreResult};
use crate::sql::params;
use crate::store::Store;
use domain::{EntryNumber, Tenant};
use evidence::{Anchor, Head, Position, SignedAnchor, SignedHead, StoredEntry};

/// Entries that are read at once.
const PAGE: i64 = 2048;

/// One entry of an extract.
#[derive(Debug)]
pub enum ExtractedEntry {
    Shown(Box<StoredEntry>),
    /// Of another tenant: where it is, and its hash.
    Passed(Position),
}

/// Between which marks the log is to be read.
#[derive(Debug)]
pub struct ExtractEnds {
    /// Where entries were purged.
    pub anchor: Option<SignedAnchor>,
    pub head: SignedHead,
}

struct Ends;

impl Query for Ends {
    type Output = (Option<SignedAnchor>, Option<SignedHead>);

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Self::Output> {
        let anchor = deployment::signed::<D, Anchor>(db, ANCHOR).await?;
        Ok((anchor, deployment::signed::<D, Head>(db, HEAD).await?))
    }
}

/// The entries that come after this number, up to that one; only those of the tenant are opened, where one is named.
struct Page {
    after: u64,
    last: u64,
    tenant: Option<Tenant>,
}

impl Query for Page {
    type Output = Vec<ExtractedEntry>;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    fn is_large(&self) -> bool {
        true
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Self::Output> {
        let number = |n: u64| i64::try_from(n).map_err(|e| StoreError::corrupt("the audit log", e));
        let sql =
            format!("SELECT {COLUMNS} FROM audit_entry WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3");
        let values = params![number(self.after)?, number(self.last)?, PAGE];
        let rows: Vec<RawEntry> = db.all(&sql, &values).await?;
        rows.into_iter().map(|raw| self.extracted(db, raw)).collect()
    }
}

impl Page {
    fn extracted<D: Db>(&self, db: &D, raw: RawEntry) -> StoreResult<ExtractedEntry> {
        if self.tenant.as_ref().is_some_and(|tenant| tenant.as_str() != raw.tenant) {
            return position(EntryNumber(raw.seq.0), raw.hash).map(ExtractedEntry::Passed);
        }
        match db.secrets().entry_open(raw) {
            Ok(entry) => Ok(ExtractedEntry::Shown(Box::new(entry))),
            Err(broken) => {
                let why = format!("entry {}: {}; run verify_audit", broken.seq, broken.reason);
                Err(StoreError::corrupt("the audit log", why))
            }
        }
    }
}

impl Store {
    /// `None` where the log has no entry yet.
    pub async fn extract_ends(&self) -> Result<Option<ExtractEnds>, StoreError> {
        let (anchor, head) = self.read(Ends).await?;
        Ok(head.map(|head| ExtractEnds { anchor, head }))
    }

    /// A page of the entries after this number, up to that one; empty at the end.
    pub async fn extract_page(
        &self,
        after: u64,
        last: u64,
        tenant: Option<Tenant>,
    ) -> Result<Vec<ExtractedEntry>, StoreError> {
        self.read(Page { after, last, tenant }).await
    }
}
