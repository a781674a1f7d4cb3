//! Reading the audit log, page by page.

use super::Store;
use super::chain::{detail_place, unpack};
use super::db::{Db, time};
use crate::StoreError;
use domain::{Caller, Timestamp};
use evidence::{Broken, Commitment, Disclosure, Entry, Hash, Signature, StoredDetail, StoredEntry};
use rusqlite::Row;

/// Looking at the log does not change what it shows: these calls are in the chain, but neither listed nor counted.
pub(crate) const UNLISTED: [&str; 2] = ["audit_log", "verify_audit"];

#[derive(Debug, Clone)]
pub struct AuditLine {
    pub seq: i64,
    pub tenant: String,
    pub ts: Timestamp,
    pub action: String,
    pub user: String,
    pub caller: String,
    /// `None` once it was blanked.
    pub detail: Option<String>,
}

/// Whose entries a listing shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditReach {
    Deployment,
    Tenant,
    /// The entries of one user's spaces in the caller's tenant.
    User(String),
}

pub(crate) const COLUMNS: &str =
    "seq, tenant, ts, action, user_id, agent_id, run_id, caller, request, committed, detail, blanks,
    prev, hash, signature";

/// A row in which nothing has been believed yet.
pub(crate) struct RawEntry {
    seq: i64,
    pub tenant: String,
    ts: i64,
    texts: [String; 6],
    committed: Vec<u8>,
    detail: Option<Vec<u8>>,
    blanks: Option<Vec<u8>>,
    prev: Vec<u8>,
    hash: Option<Vec<u8>>,
    signature: Option<Vec<u8>>,
}

pub(crate) fn raw_entry(row: &Row<'_>) -> rusqlite::Result<RawEntry> {
    Ok(RawEntry {
        seq: row.get(0)?,
        tenant: row.get(1)?,
        ts: row.get(2)?,
        texts: [row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?, row.get(8)?],
        committed: row.get(9)?,
        detail: row.get(10)?,
        blanks: row.get(11)?,
        prev: row.get(12)?,
        hash: row.get(13)?,
        signature: row.get(14)?,
    })
}

impl Db<'_> {
    fn detail_open(&self, raw: &RawEntry) -> StoredDetail {
        let Some(sealed) = &raw.detail else { return StoredDetail::Blanked };
        let opened = self.secrets.open(detail_place(&raw.tenant, raw.seq), sealed);
        match opened.ok().and_then(|bytes| Disclosure::decode(&bytes).ok()) {
            Some(detail) => StoredDetail::Present(detail),
            None => StoredDetail::Unreadable,
        }
    }

    /// The entry as stored, whatever state it is in; an error names what cannot even be read.
    pub fn entry_open(&self, raw: RawEntry) -> Result<StoredEntry, Broken> {
        let seq = u64::try_from(raw.seq).unwrap_or(0);
        let broken = |reason: &str| Broken { seq, reason: reason.to_owned() };
        let hash =
            |bytes: &[u8]| <[u8; 32]>::try_from(bytes).map(Hash).map_err(|_| broken("a hash is malformed"));
        let detail = self.detail_open(&raw);
        let signature = raw.signature.as_deref().map(Signature::decode).transpose();
        let stored_hash = raw.hash.as_deref().map(hash).transpose()?;
        let [action, user, agent, run, caller, request_id] = raw.texts;
        let entry = Entry {
            seq,
            ts: time(raw.ts).map_err(|_| broken("the time is malformed"))?,
            action,
            user,
            agent,
            run,
            caller,
            request_id,
            detail: Commitment(hash(&raw.committed)?),
            blanks: unpack(raw.blanks.as_deref()),
            prev: hash(&raw.prev)?,
        };
        Ok(StoredEntry {
            entry,
            hash: stored_hash,
            signature: signature.map_err(|_| broken("the signature is malformed"))?,
            detail,
        })
    }

    pub fn entries_of_space(
        &self,
        tenant: &str,
        space: &domain::Space,
    ) -> Result<Vec<Result<StoredEntry, Broken>>, StoreError> {
        let rows = self.all(
            &format!(
                "SELECT {COLUMNS} FROM audit_entry
                 WHERE tenant = ?1 AND user_id = ?2 AND agent_id = ?3 AND run_id = ?4 ORDER BY seq"
            ),
            (tenant, &space.user_id, &space.agent_id, &space.run_id),
            raw_entry,
        )?;
        Ok(rows.into_iter().map(|raw| self.entry_open(raw)).collect())
    }
}

impl Store {
    /// Entries newest first.
    pub async fn audit_list(
        &self,
        caller: &Caller,
        reach: AuditReach,
        most: i64,
    ) -> Result<Vec<AuditLine>, StoreError> {
        let tenant = caller.tenant.as_str().to_owned();
        self.read(move |db| {
            let [first, second] = UNLISTED;
            let only = |condition: &str| {
                format!(
                    "SELECT {COLUMNS} FROM audit_entry
                     WHERE {condition} AND action NOT IN ('{first}', '{second}') ORDER BY seq DESC LIMIT ?3"
                )
            };
            let rows = match reach {
                AuditReach::Deployment => {
                    db.all(&only("?1 IS NOT NULL AND ?2 = ''"), (&tenant, "", most), raw_entry)?
                }
                AuditReach::Tenant => {
                    db.all(&only("tenant = ?1 AND ?2 = ''"), (&tenant, "", most), raw_entry)?
                }
                AuditReach::User(user) => {
                    db.all(&only("tenant = ?1 AND user_id = ?2"), (&tenant, &user, most), raw_entry)?
                }
            };
            rows.into_iter().map(|raw| audit_line(db, raw)).collect()
        })
        .await
    }
}

fn audit_line(db: &Db<'_>, raw: RawEntry) -> Result<AuditLine, StoreError> {
    let detail = match db.detail_open(&raw) {
        StoredDetail::Present(detail) => Some(String::from_utf8_lossy(&detail.content).into_owned()),
        StoredDetail::Blanked => None,
        StoredDetail::Unreadable => Some("(unreadable: run verify_audit)".to_owned()),
    };
    let [action, user, _, _, caller, _] = raw.texts;
    Ok(AuditLine { seq: raw.seq, tenant: raw.tenant, ts: time(raw.ts)?, action, user, caller, detail })
}
