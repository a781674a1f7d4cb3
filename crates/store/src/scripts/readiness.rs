//! Whether the service can do its work, which is to read and to write.

use super::deployment;
use crate::StoreError;
use crate::error::Part;
use crate::rows::deployment::HEARTBEAT;
use crate::script::{Ground, Reach, Rows, Script, StoreResult, Touches};
use crate::sql::params;
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
    kind: &'static str,
}

impl NotReady {
    /// One word for `health`.
    pub const fn kind(&self) -> &'static str {
        match self.part {
            Part::Database => self.kind,
            Part::Disk => "DiskError",
            Part::Lock => "DatabaseLocked",
            Part::AuditLog => "AuditLogError",
        }
    }
}

impl From<StoreError> for NotReady {
    fn from(error: StoreError) -> Self {
        Self { part: error.part(), why: error.to_string(), kind: error.kind() }
    }
}

/// The number of an entry that is taken out again before anybody sees it.
const TRIED: i64 = -1;
/// As much as the detail of a long entry: room that is left in a page does not hold it.
const TRIED_BYTES: usize = 8 * 1024;
const TRY_ENTRY: &str =
    "INSERT INTO audit_entry (seq, tenant, ts, action, user_id, agent_id, run_id, caller, request,
    committed, detail, prev) VALUES ($1, '', 0, '', '', '', '', '', '', $2, $3, $2)";

/// A write that says nothing, and an entry that the log takes and gives back. What is rolled back would not notice that
/// the disk is full.
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
        deployment::set(rows, HEARTBEAT, &now.to_be_bytes()).await?;
        rows.reach(Reach::Deployment).await?;
        try_log(rows).await.map_err(|error| match error.part() {
            Part::Database if !error.is_lost() => StoreError::corrupt("the audit log", error),
            _ => error,
        })
    }
}

async fn try_log<R: Rows>(rows: &mut R) -> StoreResult<()> {
    let mut detail = vec![0; TRIED_BYTES];
    // As a sealed one, it does not become smaller.
    getrandom::fill(&mut detail).map_err(|error| StoreError::Startup(error.to_string()))?;
    rows.log_end().await?;
    rows.run(TRY_ENTRY, &params![TRIED, Vec::new(), detail]).await?;
    rows.run("DELETE FROM audit_entry WHERE seq = $1", &params![TRIED]).await?;
    Ok(())
}

impl Store {
    /// Whether the database answers and takes writes, found out within this time. Where something was committed a moment
    /// ago, nothing is written for it.
    pub async fn readiness(&self, within: Duration) -> Result<(), NotReady> {
        match timeout(within, self.try_out()).await {
            Ok(tried) => tried.map_err(NotReady::from),
            Err(_) => {
                let why = "no answer in time".to_owned();
                Err(NotReady { part: self.health().waits_for(), why, kind: StoreError::TooLate.kind() })
            }
        }
    }

    async fn try_out(&self) -> StoreResult<()> {
        self.check_room()?;
        self.ready().await?;
        let _turn = self.health().turn.lock().await;
        if self.health().is_recent() {
            return Ok(());
        }
        self.write(Heartbeat(Tenant::default())).await
    }
}
