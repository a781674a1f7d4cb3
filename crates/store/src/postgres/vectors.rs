//! Embeddings: a cache beside the facts, sealed like them. Losing a row costs a request to the embedder, no more.

use super::Postgres;
use super::lane::{Ground, Work};
use super::tx::Tx;
use crate::StoreError;
use domain::{Caller, FactId, Space};

struct VectorsPut {
    tenant: String,
    space: Space,
    embedder: String,
    vectors: Vec<(FactId, Vec<f32>)>,
}

impl Work for VectorsPut {
    type Output = ();

    fn ground(&self) -> Ground<'_> {
        Ground::new(&self.tenant, Some(&self.space))
    }

    async fn run(&self, tx: &mut Tx) -> Result<(), StoreError> {
        let (tenant, secrets) = (self.tenant.as_str(), tx.secrets());
        // Locked, so that the vector of a fact that is erased at this moment does not outlive it.
        let Some(row) = tx.space_lock(tenant, &self.space).await? else { return Ok(()) };
        let index = secrets.embedder_index(&self.embedder);
        let facts: Vec<FactId> = self.vectors.iter().map(|(fact, _)| *fact).collect();
        let sealed = self.vectors.iter().map(|(fact, vector)| secrets.vector_seal(tenant, *fact, vector));
        let bodies: Vec<Vec<u8>> = sealed.collect::<Result<_, _>>()?;
        tx.db()
            .run(
                "INSERT INTO vector (tenant, fact, space, embedder_ix, body)
                 SELECT f.tenant, f.id, f.space, $4, given.body FROM unnest($2::BIGINT[], $5::BYTEA[])
                 AS given (fact, body) JOIN fact f ON f.tenant = $1 AND f.id = given.fact
                 WHERE f.tenant = $1 AND f.space = $3 AND f.status = 0
                 ON CONFLICT (tenant, fact) DO UPDATE SET space = excluded.space,
                 embedder_ix = excluded.embedder_ix, body = excluded.body",
                &[&tenant, &facts, &row.id, &index.as_slice(), &bodies],
            )
            .await?;
        Ok(())
    }
}

impl Postgres {
    pub async fn vectors_of_space(
        &self,
        caller: &Caller,
        space: &Space,
        embedder: &str,
    ) -> Result<Vec<(FactId, Vec<f32>)>, StoreError> {
        let Some((snapshot, row)) = self.shared.space_snapshot(caller, space).await? else {
            return Ok(Vec::new());
        };
        let (db, tenant) = (snapshot.db()?, caller.tenant.as_str());
        let index = db.secrets.embedder_index(embedder);
        let rows: Vec<(FactId, Vec<u8>)> = db
            .all(
                "SELECT fact, body FROM vector WHERE tenant = $1 AND space = $2 AND embedder_ix = $3",
                &[&tenant, &row.id, &index.as_slice()],
                |row| Ok((row.try_get(0)?, row.try_get(1)?)),
            )
            .await?;
        let open = |(fact, body): (FactId, Vec<u8>)| Ok((fact, db.secrets.vector_open(tenant, fact, &body)?));
        rows.into_iter().map(open).collect()
    }

    pub async fn vectors_put(
        &self,
        caller: &Caller,
        space: &Space,
        embedder: &str,
        vectors: Vec<(FactId, Vec<f32>)>,
    ) -> Result<(), StoreError> {
        let tenant = caller.tenant.as_str().to_owned();
        let work = VectorsPut { tenant, space: space.clone(), embedder: embedder.to_owned(), vectors };
        self.lane.run(work).await
    }
}
