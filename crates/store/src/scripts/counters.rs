//! Counts of calls and actions, in tables that every process on the database shares.

use super::principals;
use crate::StoreError;
use crate::rows::counters::Counts;
use crate::script::{Db, Query, Reach, StoreResult};
use crate::store::Store;

struct Count;

impl Query for Count {
    type Output = Counts;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Counts> {
        let tools = "SELECT tool, calls, errors, micros FROM tool_counter ORDER BY tool";
        let actions = "SELECT action, total FROM action_counter ORDER BY action";
        Ok(Counts {
            tools: db.all(tools, &[]).await?,
            actions: db.all(actions, &[]).await?,
            active_principals: principals::active(db).await?,
        })
    }
}

struct Ready;

impl Query for Ready {
    type Output = ();

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    fn is_lookup(&self) -> bool {
        true
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<()> {
        db.one::<()>("SELECT 1", &[]).await?;
        Ok(())
    }
}

impl Store {
    /// Whether the database answers.
    pub async fn ready(&self) -> Result<(), StoreError> {
        self.read(Ready).await
    }

    pub async fn counts(&self) -> Result<Counts, StoreError> {
        self.read(Count).await
    }
}
