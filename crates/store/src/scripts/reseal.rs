//! Sealing everything anew under the newest keys, in pieces between which other calls are served. Nothing is kept of how
//! far it came: a value says itself which key it is under, so after an interruption it is simply done again.

use super::{deployment, signing_keys, user_keys};
use crate::StoreError;
use crate::call::{Call, Record};
use crate::copy::{Divided, Key, Table, TableRow};
use crate::rows::deployment::RESEALING;
use crate::rows::sealed::{SealedAnew, sealed_columns, sealed_tables};
use crate::script::{Alone, Db, Ground, Query, Reach, Rows, Script, StoreResult, Touches};
use crate::sql::{Param, params};
use crate::store::Store;
use domain::Tenant;
use rusqlite::types::ValueRef;
use std::borrow::Cow;

/// The next rows of a table.
struct Piece {
    call: Call,
    table: &'static Table,
    tenant: Tenant,
    after: Option<Key>,
}

/// How a piece went.
struct Sealed {
    values: u64,
    /// The last row that was looked at; `None` at the end of the table.
    last: Option<Key>,
}

impl Piece {
    fn reach(&self) -> Reach<'_> {
        match self.table.divided {
            Divided::ByTenant => Reach::Tenant(&self.tenant),
            Divided::Not => Reach::Deployment,
        }
    }

    fn part(&self) -> Option<&Tenant> {
        (self.table.divided == Divided::ByTenant).then_some(&self.tenant)
    }
}

impl Script for Piece {
    type Output = Sealed;

    fn ground(&self) -> Ground<'_> {
        Ground::tenant(&self.tenant)
    }

    fn touches(&self) -> Touches {
        Touches::RowsApart
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<Sealed> {
        rows.reach(self.reach()).await?;
        let batch = rows.db().table_page(self.table, self.part(), self.after.as_ref()).await?;
        let mut values = 0;
        for at in 0..batch.rows {
            let row = TableRow { batch: &batch, at };
            for column in sealed_columns(self.table) {
                let anew = rows.db().secrets().sealed_anew(&self.tenant, row, column)?;
                if let Some(anew) = anew {
                    values += put(rows, row, column, anew).await?;
                }
            }
        }
        if values > 0 {
            let detail = format!("sealed {values} value(s) of {} anew", self.table.name);
            rows.note(&self.call, &Record::done(detail)).await?;
        }
        Ok(Sealed { values, last: batch.last() })
    }
}

/// Writes the value, unless somebody else has changed it since it was read.
async fn put<R: Rows>(
    rows: &mut R,
    row: TableRow<'_>,
    column: &str,
    SealedAnew { held, anew }: SealedAnew,
) -> StoreResult<u64> {
    let table = row.batch.table;
    let mut values: Vec<Param<'_>> = params![anew, held].to_vec();
    let mut conditions = vec![format!("{column} = $2")];
    for (place, (name, _)) in table.columns.iter().take(table.key).enumerate() {
        conditions.push(format!("{name} = ${}", place + 3));
        values.push(match row.batch.value(place, row.at) {
            ValueRef::Integer(number) => Param::Number(Some(number)),
            ValueRef::Text(text) => Param::Text(Some(String::from_utf8_lossy(text))),
            ValueRef::Blob(bytes) => Param::Bytes(Some(Cow::Borrowed(bytes))),
            ValueRef::Null | ValueRef::Real(_) => {
                return Err(StoreError::corrupt("a row", "its key is malformed"));
            }
        });
    }
    let sql = format!("UPDATE {} SET {column} = $1 WHERE {}", table.name, conditions.join(" AND "));
    rows.run(&sql, &values).await
}

struct Tenants;

impl Query for Tenants {
    type Output = Vec<Tenant>;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Vec<Tenant>> {
        let sql = "SELECT tenant FROM sequence UNION SELECT tenant FROM principal ORDER BY tenant";
        let tenants: Vec<(String,)> = db.all(sql, &[]).await?;
        Ok(tenants.into_iter().map(|(tenant,)| Tenant::new(tenant)).collect())
    }
}

/// Has everything be sealed anew, which may be done in pieces. `by` tells which keys it is for.
pub(super) async fn begin<R: Rows>(rows: &mut R, by: &[u8]) -> StoreResult<()> {
    deployment::set(rows, RESEALING, by).await
}

/// Whether that was begun and has not ended.
struct UnderWay;

impl Query for UnderWay {
    type Output = bool;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<bool> {
        Ok(deployment::get(db, RESEALING).await?.is_some())
    }
}

/// All rows are under the newest keys; now what is kept apart from them.
struct End;

impl Script for End {
    type Output = ();

    fn ground(&self) -> Ground<'_> {
        Ground::of_deployment()
    }

    fn touches(&self) -> Touches {
        Touches::RowsApart
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<()> {
        rows.reach(Reach::Deployment).await?;
        rows.alone(Alone::KeepingApart).await?;
        let trees = user_keys::trees(rows.db()).await?;
        user_keys::keep(rows, &trees).await?;
        signing_keys::seal_anew(rows).await?;
        rows.run("DELETE FROM deployment WHERE name = $1", &params![RESEALING]).await?;
        rows.keys_changed().await
    }
}

impl Store {
    pub(super) async fn reseal_is_under_way(&self) -> Result<bool, StoreError> {
        self.read_now(UnderWay).await
    }

    /// Seals everything anew that is not under the newest keys; returns how many values that were.
    pub(super) async fn reseal_to_the_end(&self, call: &Call) -> Result<u64, StoreError> {
        let mut values = 0;
        loop {
            let sealed = self.reseal(call).await?;
            values += sealed;
            // What another process was writing meanwhile under the keys before.
            if sealed == 0 {
                break;
            }
        }
        self.write_now(End).await?;
        if let Some(typed) = self.typed_lines() {
            typed.seal_anew()?;
        }
        Ok(values)
    }

    async fn reseal(&self, call: &Call) -> Result<u64, StoreError> {
        let tenants = self.read_now(Tenants).await?;
        let mut values = 0;
        for table in sealed_tables() {
            let parts = match table.divided {
                Divided::ByTenant => tenants.clone(),
                Divided::Not => vec![Tenant::default()],
            };
            for tenant in parts {
                let mut after = None;
                loop {
                    let piece = Piece { call: call.clone(), table, tenant: tenant.clone(), after };
                    let sealed = self.write_now(piece).await?;
                    values += sealed.values;
                    if sealed.last.is_none() {
                        break;
                    }
                    after = sealed.last;
                }
            }
        }
        Ok(values)
    }
}
