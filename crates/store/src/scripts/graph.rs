//! The entity graph as the store knows it: whether it is on, which process brings it up to date, and how far a rebuild
//! has come. Its nodes are in Neo4j, under keys that only the store can make.

use super::deployment;
use crate::StoreError;
use crate::rows::deployment::PUBLIC_KEY;
use crate::rows::graph::{ASK_REBUILD, COLUMNS, GraphState, Lease, ProjectionRow, Rebuild, written};
use crate::rows::time;
use crate::script::{Alone, Db, Durability, Ground, Query, Reach, Rows, Script, StoreResult, Touches};
use crate::sql::params;
use crate::store::Store;
use domain::{EntityKey, ProjectionId, SpaceKey, Tenant, Timestamp};

struct ProjectionName;

impl Query for ProjectionName {
    type Output = ProjectionId;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    fn is_lookup(&self) -> bool {
        true
    }

    /// The key of the indexes is the same for all deployments that do not encrypt, so the first public key is in it too.
    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<ProjectionId> {
        let key = deployment::get(db, PUBLIC_KEY).await?.unwrap_or_default();
        let key = String::from_utf8_lossy(&key);
        Ok(ProjectionId(db.secrets().blind.blind("graph projection", &[&key])))
    }
}

struct State;

impl Query for State {
    type Output = Option<GraphState>;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Option<GraphState>> {
        let row: Option<ProjectionRow> =
            db.one(&format!("SELECT {COLUMNS} FROM graph_projection"), &[]).await?;
        let Some(ProjectionRow { lease, rebuild }) = row else { return Ok(None) };
        let waiting: Option<(i64, Option<i64>)> =
            db.one("SELECT count(*), min(created) FROM graph_outbox", &[]).await?;
        let (waiting, oldest) = waiting.unwrap_or_default();
        let oldest = oldest.map(time).transpose()?;
        Ok(Some(GraphState { waiting: u64::try_from(waiting).unwrap_or(0), oldest, rebuild, lease }))
    }
}

/// What is done to the one row of the graph.
enum Change {
    TurnOn,
    TurnOff,
    AskRebuild,
    Take { holder: String, now: Timestamp, until: Timestamp },
    Release(Lease),
    Progress(Lease, Option<Rebuild>),
}

/// The fence of the lease as it is now; `None` where there is nothing to change, or it is not for us to.
struct GraphChange {
    tenant: Tenant,
    change: Change,
}

impl Script for GraphChange {
    type Output = Option<i64>;

    fn ground(&self) -> Ground<'_> {
        Ground::tenant(&self.tenant)
    }

    fn touches(&self) -> Touches {
        Touches::RowsApart
    }

    /// Should a power cut undo it, nobody is left who relied on it.
    fn durability(&self) -> Durability {
        Durability::Soon
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<Option<i64>> {
        let wiping = written(Some(&Rebuild::Wiping))?;
        let (sql, values) = match &self.change {
            Change::TurnOn => {
                if rows.db().one::<(i64,)>("SELECT fence FROM graph_projection", &[]).await?.is_some() {
                    return Ok(None);
                }
                rows.alone(Alone::TurningOnGraph).await?;
                let sql = "INSERT INTO graph_projection (id, fence, rebuild) VALUES (1, 0, $1)
                    ON CONFLICT (id) DO NOTHING RETURNING fence";
                (sql, params![wiping].to_vec())
            }
            Change::TurnOff => {
                rows.reach(Reach::Deployment).await?;
                // A receipt that was promised is still to be had when the graph is on again.
                rows.run("DELETE FROM graph_outbox WHERE receipt IS NULL", &[]).await?;
                ("DELETE FROM graph_projection RETURNING fence", Vec::new())
            }
            Change::AskRebuild => (ASK_REBUILD, params![wiping].to_vec()),
            // A fence of the clock is higher than any that an earlier copy of this database gave out.
            Change::Take { holder, now, until } => {
                let sql = "UPDATE graph_projection SET holder = $1, until = $3, fence = CASE
                    WHEN holder = $1 THEN fence WHEN fence < $2 THEN $2 ELSE fence + 1 END
                    WHERE holder IS NULL OR holder = $1 OR until <= $2 RETURNING fence";
                (sql, params![holder, *now, *until].to_vec())
            }
            Change::Release(lease) => {
                let sql = "UPDATE graph_projection SET holder = NULL, until = NULL
                    WHERE holder = $1 AND fence = $2 RETURNING fence";
                (sql, params![&lease.holder, lease.fence].to_vec())
            }
            Change::Progress(lease, rebuild) => {
                let sql = "UPDATE graph_projection SET rebuild = $3 WHERE holder = $1 AND fence = $2 RETURNING fence";
                let progress = written(rebuild.as_ref())?;
                (sql, params![&lease.holder, lease.fence, progress].to_vec())
            }
        };
        Ok(rows.db().one::<(i64,)>(sql, &values).await?.map(|(fence,)| fence))
    }
}

impl Store {
    async fn graph_change(&self, change: Change) -> StoreResult<Option<i64>> {
        self.write(GraphChange { tenant: Tenant::default(), change }).await
    }

    /// By which Neo4j tells this deployment from others that share it.
    pub async fn graph_projection(&self) -> Result<ProjectionId, StoreError> {
        self.read(ProjectionName).await
    }

    /// Under which the graph knows the thing of this name in this space.
    pub fn entity_key(&self, space: SpaceKey<'_>, name: &str) -> EntityKey {
        EntityKey(self.secrets().index("entity", space, name))
    }

    /// From now on every change of a fact is put into the outbox. A graph that was off is rebuilt.
    pub async fn graph_turn_on(&self) -> Result<(), StoreError> {
        self.graph_change(Change::TurnOn).await.map(|_| ())
    }

    /// From now on no change of a fact is put into the outbox.
    pub async fn graph_turn_off(&self) -> Result<(), StoreError> {
        self.graph_change(Change::TurnOff).await.map(|_| ())
    }

    /// `None` while the graph is off.
    pub async fn graph_state(&self) -> Result<Option<GraphState>, StoreError> {
        self.read(State).await
    }

    /// Takes the lease, or prolongs it where the holder has it already. `None` while another holds it, or the graph is
    /// off.
    pub async fn graph_lease(
        &self,
        holder: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<Lease>, StoreError> {
        let taken = self.graph_change(Change::Take { holder: holder.to_owned(), now, until }).await?;
        Ok(taken.map(|fence| Lease { holder: holder.to_owned(), fence, until }))
    }

    pub async fn graph_release(&self, lease: Lease) -> Result<(), StoreError> {
        self.graph_change(Change::Release(lease)).await.map(|_| ())
    }

    /// Has the graph wiped and filled anew by whoever takes the lease next. Whoever has it loses it.
    pub async fn graph_rebuild_ask(&self) -> Result<(), StoreError> {
        self.graph_change(Change::AskRebuild).await.map(|_| ())
    }

    /// Notes how far the rebuild has come, or with `None` that it has ended. `false`, and nothing noted, where the lease
    /// is lost.
    pub async fn graph_rebuild_at(
        &self,
        lease: &Lease,
        progress: Option<Rebuild>,
    ) -> Result<bool, StoreError> {
        Ok(self.graph_change(Change::Progress(lease.clone(), progress)).await?.is_some())
    }
}
