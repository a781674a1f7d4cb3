//! What the audit log says of the rows, and the entry by which an older log begins to say it.

use crate::StoreError;
use crate::call::{Call, Record};
use crate::script::{Db, Ground, Query, Reach, Rows, Script, StoreResult, Touches};
use crate::sql::params;
use crate::state::{Change, Changes, Ledger, covered};
use crate::store::Store;
use domain::{Caller, Identity, Tenant, Timestamp};
use std::time::Instant;

/// The action of the entry that lists every row.
const ACTION: &str = "rows_listed";

/// The last list of every row among these entries, newest first.
fn last_list(entries: impl Iterator<Item = Vec<u8>>) -> StoreResult<Option<(u64, Vec<Change>)>> {
    for list in entries {
        if let Some(all) = Changes::decode(&list)?.all {
            return Ok(Some(all));
        }
    }
    Ok(None)
}

/// What the log says of every row up to this entry; `None` where it does not say it of all of them.
pub(super) async fn ledger<D: Db>(db: &mut D, until: i64) -> StoreResult<Option<Ledger>> {
    let sql = "SELECT seq, changes FROM audit_entry WHERE seq <= $1 AND changes IS NOT NULL ORDER BY seq";
    let entries: Vec<(i64, Vec<u8>)> = db.all(sql, &params![until]).await?;
    let all = last_list(entries.iter().rev().map(|(_, list)| list.clone()))?;
    if all.is_none() && entries.first().is_none_or(|(seq, _)| *seq != 1) {
        return Ok(None);
    }
    let mut ledger = Ledger::new(all);
    for (seq, list) in entries {
        ledger.take(u64::try_from(seq).unwrap_or_default(), &Changes::decode(&list)?.own);
    }
    Ok(Some(ledger))
}

/// Whether the log tells of every row: from its first entry on, or because it has listed them.
struct Told;

impl Query for Told {
    type Output = bool;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<bool> {
        told(db).await
    }
}

pub(super) async fn told<D: Db>(db: &mut D) -> StoreResult<bool> {
    let sql = "SELECT seq, changes FROM audit_entry ORDER BY seq LIMIT 1";
    match db.one::<(i64, Option<Vec<u8>>)>(sql, &[]).await? {
        None | Some((1, Some(_))) => return Ok(true),
        Some(_) => {}
    }
    // Such entries are few: those of an upgrade, and of purges of the log.
    let sql = "SELECT changes FROM audit_entry WHERE tenant = $1 AND action IN ($2, 'purge_expired')
        AND changes IS NOT NULL ORDER BY seq DESC";
    let lists: Vec<(Vec<u8>,)> = db.all(sql, &params![&Tenant::default(), ACTION]).await?;
    Ok(last_list(lists.into_iter().map(|(list,)| list))?.is_some())
}

/// Lists every row in an entry of its own, unless another process has done so.
struct ListRows {
    call: Call,
}

impl Script for ListRows {
    type Output = ();

    fn ground(&self) -> Ground<'_> {
        Ground::of(&self.call)
    }

    fn touches(&self) -> Touches {
        Touches::RowsApart
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<()> {
        rows.reach(Reach::Deployment).await?;
        if told(rows.db()).await? {
            return Ok(());
        }
        let at = rows.log_end().await?.at().size;
        let listed = self.every_row(rows).await?;
        let detail = format!("the log commits to every row from here on: {}", listed.len());
        rows.list_rows(at, listed);
        rows.note(&self.call, &Record::done(detail)).await
    }
}

impl ListRows {
    async fn every_row<R: Rows>(&self, rows: &mut R) -> StoreResult<Vec<Change>> {
        let sql =
            "SELECT tenant FROM sequence UNION SELECT tenant FROM principal UNION SELECT tenant FROM erasure";
        let tenants: Vec<(String,)> = rows.db().all(sql, &[]).await?;
        let mut listed = Vec::new();
        for (tenant,) in tenants {
            let tenant = Tenant::new(tenant);
            rows.reach(Reach::Tenant(&tenant)).await?;
            for table in covered() {
                let mut after = None;
                loop {
                    let batch = rows.db().table_page(table, Some(&tenant), after.as_ref()).await?;
                    if batch.rows == 0 {
                        break;
                    }
                    let Some(key) = &rows.db().secrets().state else { break };
                    listed.extend((0..batch.rows).map(|row| Change {
                        row: key.key_of(&batch, row),
                        mac: Some(key.mac_of(&batch, row)),
                    }));
                    after = batch.last();
                }
            }
        }
        rows.reach(Reach::Tenant(&self.call.caller.tenant)).await?;
        Ok(listed)
    }
}

impl Store {
    /// Has a log of an earlier version commit to the rows that are there.
    pub(super) async fn rows_list(&self, now: Timestamp) -> Result<(), StoreError> {
        if self.secrets().state.is_none() || self.read_now(Told).await? {
            return Ok(());
        }
        let caller = Caller::new(Identity::Service, ACTION.to_owned(), now, Instant::now());
        self.write_now(ListRows { call: Call::new(caller, ACTION, None) }).await
    }
}
