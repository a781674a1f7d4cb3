//! What is true of the database as a whole: single values by their names.

use crate::rows::deployment;
use crate::script::{Db, Rows, StoreResult};
use crate::sql::params;
use evidence::{Canonical, Signed};

pub(crate) async fn get<D: Db>(db: &mut D, name: &str) -> StoreResult<Option<Vec<u8>>> {
    let sql = "SELECT value FROM deployment WHERE name = $1";
    Ok(db.one::<(Vec<u8>,)>(sql, &params![name]).await?.map(|(value,)| value))
}

pub(crate) async fn set<R: Rows>(rows: &mut R, name: &str, value: &[u8]) -> StoreResult<()> {
    rows.run(deployment::SET, &params![name, value]).await?;
    Ok(())
}

pub(crate) async fn signed<D: Db, T: Canonical>(db: &mut D, name: &str) -> StoreResult<Option<Signed<T>>> {
    deployment::signed(get(db, name).await?.as_deref())
}
