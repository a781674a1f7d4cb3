//! Embeddings: a cache beside the facts, sealed like them. Losing a row costs a request to the embedder, no more.

use super::spaces::{self, SpaceQuery};
use crate::StoreError;
use crate::rows::spaces::SpaceVersion;
use crate::rows::vectors::PUT;
use crate::script::{Db, Durability, Ground, Rows, Script, StoreResult};
use crate::sql::{RowWrite, params};
use crate::store::Store;
use domain::{Caller, FactId, Space, SpaceKey, Status, Tenant};

struct VectorsPut {
    tenant: Tenant,
    space: Space,
    embedder: String,
    vectors: Vec<(FactId, Vec<f32>)>,
}

impl Script for VectorsPut {
    type Output = ();

    fn ground(&self) -> Ground<'_> {
        Ground::new(&self.tenant, &self.space)
    }

    fn durability(&self) -> Durability {
        Durability::Soon
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<()> {
        let tenant = &self.tenant;
        // Locked, so that the vector of a fact that is erased at this moment does not outlive it.
        let Some(row) = spaces::lock(rows, tenant, &self.space).await? else { return Ok(()) };
        let secrets = rows.db().secrets();
        let index = secrets.embedder_index(&self.embedder);
        let step = |(fact, vector): &(FactId, Vec<f32>)| {
            let body = secrets.vector_seal(row.key, tenant, *fact, vector)?;
            Ok(RowWrite::new(PUT, params![tenant, *fact, row.id, index, body, Status::Active]))
        };
        let steps: Vec<RowWrite<'_>> = self.vectors.iter().map(step).collect::<StoreResult<_>>()?;
        rows.run_all(steps).await
    }
}

struct VectorsOfSpace {
    embedder: String,
}

impl SpaceQuery for VectorsOfSpace {
    type Output = Vec<(FactId, Vec<f32>)>;

    fn is_large(&self) -> bool {
        true
    }

    async fn run<D: Db>(
        &self,
        db: &mut D,
        space: SpaceKey<'_>,
        _: SpaceVersion,
    ) -> StoreResult<Self::Output> {
        let index = db.secrets().embedder_index(&self.embedder);
        let sql = "SELECT fact, body FROM vector WHERE tenant = $1 AND space = $2 AND embedder_ix = $3";
        let rows: Vec<(i64, Vec<u8>)> = db.all(sql, &params![space.tenant, space.id, index]).await?;
        let secrets = db.secrets();
        // A vector that does not open counts as missing, and is made anew.
        let open = |(id, body): (i64, Vec<u8>)| {
            let fact = FactId(id);
            Some((fact, secrets.vector_open(space.tenant, fact, &body).ok()?))
        };
        Ok(rows.into_iter().filter_map(open).collect())
    }
}

impl Store {
    /// The vectors that this embedder made of the space's active facts.
    pub async fn vectors_of_space(
        &self,
        caller: &Caller,
        space: &Space,
        embedder: &str,
    ) -> Result<Vec<(FactId, Vec<f32>)>, StoreError> {
        let asked = VectorsOfSpace { embedder: embedder.to_owned() };
        Ok(self.read_in(caller, space, asked).await?.unwrap_or_default())
    }

    /// Keeps vectors of facts that are still there.
    pub async fn vectors_put(
        &self,
        caller: &Caller,
        space: &Space,
        embedder: &str,
        vectors: Vec<(FactId, Vec<f32>)>,
    ) -> Result<(), StoreError> {
        let (tenant, space) = (caller.tenant.clone(), space.clone());
        self.write(VectorsPut { tenant, space, embedder: embedder.to_owned(), vectors }).await
    }
}
