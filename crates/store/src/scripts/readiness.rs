//! Whether the service can do its work, which is to read and to write.

use super::deployment;
use crate::error::Part;
use crate::rows::deployment::HEARTBEAT;
use crate::script::{Ground, Rows, Script, StoreResult, Touches};
use crate::store::Store;
use domain::{Tenant, Timestamp};
use std::time::Duration;
use tokio::time::timeout;

/// Why nothing can be stored now.
#[derive(Debug)]
pub struct NotReady {
    pub part: Part,
    /// For the log.
    pub why: String,
}

/// A write that says nothing. What is rolled back would not notice that the disk is full.
struct Heartbeat(Tenant);

impl Script for Heartbeat {
    type Output = ();

    fn ground(&self) -> Ground<'_> {
        Ground::tenant(&self.0)
    }

    /// The row is one for all processes; whoever holds it waits for nothing else.
    fn touches(&self) -> Touches {
        Touches::RowsApart
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<()> {
        let now = Timestamp::now().as_microsecond();
        deployment::set(rows, HEARTBEAT, &now.to_be_bytes()).await
    }
}

impl Store {
    /// Whether the database answers and takes writes, found out within this time. Where something was committed a moment
    /// ago, nothing is written for it.
    pub async fn readiness(&self, within: Duration) -> Result<(), NotReady> {
        match timeout(within, self.try_out()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(NotReady { part: error.part(), why: error.to_string() }),
            Err(_) => {
                let why = "no answer in time".to_owned();
                Err(NotReady { part: self.health().waits_for(), why })
            }
        }
    }

    async fn try_out(&self) -> StoreResult<()> {
        self.ready().await?;
        let _turn = self.health().turn.lock().await;
        if self.health().is_recent() {
            return Ok(());
        }
        self.write(Heartbeat(Tenant::default())).await
    }
}
