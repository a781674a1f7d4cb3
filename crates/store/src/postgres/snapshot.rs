//! Reading: one consistent view of the database, however many queries it takes.

use super::Shared;
use super::db::Db;
use super::walls::Reach;
use crate::StoreError;
use crate::rows::spaces::SpaceRow;
use crate::secrets::Secrets;
use deadpool_postgres::Client;
use domain::{Caller, Space};
use futures_util::future::try_join;
use std::sync::Arc;

pub(crate) struct Snapshot {
    client: Option<Client>,
    secrets: Arc<Secrets>,
}

impl Snapshot {
    pub fn db(&self) -> Result<Db<'_>, StoreError> {
        let client = self.client.as_ref().ok_or(StoreError::Closed)?;
        Ok(Db { client, secrets: &self.secrets })
    }
}

/// The connection goes back to the pool only once its transaction has ended; nobody waits for that.
impl Drop for Snapshot {
    fn drop(&mut self) {
        if let (Some(client), Ok(runtime)) = (self.client.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(async move {
                if client.batch_execute("ROLLBACK").await.is_err() {
                    // It is of no more use, and the pool must not hand it out again.
                    drop(deadpool_postgres::Object::take(client));
                }
            });
        }
    }
}

impl Shared {
    /// A view for reading within one space, with the space's row; `None` where it does not exist yet.
    pub async fn space_snapshot(
        &self,
        caller: &Caller,
        space: &Space,
    ) -> Result<Option<(Snapshot, SpaceRow)>, StoreError> {
        let tenant = caller.tenant.as_str();
        let snapshot = Snapshot { client: Some(self.pool.get().await?), secrets: self.secrets.clone() };
        let db = snapshot.db()?;
        // Sent together, and carried out one after the other.
        let (_, row) =
            try_join(db.begin_reading(Reach::Tenant(tenant)), db.space_find(tenant, space)).await?;
        Ok(row.map(|row| (snapshot, row)))
    }

    pub async fn snapshot(&self, reach: Reach<'_>) -> Result<Snapshot, StoreError> {
        let snapshot = Snapshot { client: Some(self.pool.get().await?), secrets: self.secrets.clone() };
        snapshot.db()?.begin_reading(reach).await?;
        Ok(snapshot)
    }
}

impl Db<'_> {
    async fn begin_reading(&self, reach: Reach<'_>) -> Result<(), StoreError> {
        let begin = format!("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {}", reach.sql());
        Ok(self.client.batch_execute(&begin).await?)
    }
}
