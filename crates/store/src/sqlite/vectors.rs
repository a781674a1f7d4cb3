//! Embeddings: a cache beside the facts, sealed like them. Losing a row costs a request to the embedder, no more.

use super::Sqlite;
use super::writer::Durability;
use crate::StoreError;
use domain::{Caller, FactId, Space};

impl Sqlite {
    /// The vectors that this embedder made of the space's active facts.
    pub async fn vectors_of_space(
        &self,
        caller: &Caller,
        space: &Space,
        embedder: &str,
    ) -> Result<Vec<(FactId, Vec<f32>)>, StoreError> {
        let (tenant, space, embedder) = (caller.tenant.clone(), space.clone(), embedder.to_owned());
        self.read(move |db| {
            let tenant = tenant.as_str();
            let Some(row) = db.space_find(tenant, &space)? else { return Ok(Vec::new()) };
            let rows = db.all(
                "SELECT fact, body FROM vector WHERE tenant = ?1 AND space = ?2 AND embedder_ix = ?3",
                (tenant, row.id, db.secrets.embedder_index(&embedder)),
                |row| Ok((row.get::<_, FactId>(0)?, row.get::<_, Vec<u8>>(1)?)),
            )?;
            rows.into_iter()
                .map(|(fact, body)| Ok((fact, db.secrets.vector_open(tenant, fact, &body)?)))
                .collect()
        })
        .await
    }

    /// Keeps vectors of facts that are still there.
    pub async fn vectors_put(
        &self,
        caller: &Caller,
        space: &Space,
        embedder: &str,
        vectors: Vec<(FactId, Vec<f32>)>,
    ) -> Result<(), StoreError> {
        let (tenant, space, embedder) = (caller.tenant.clone(), space.clone(), embedder.to_owned());
        self.writer
            .run(Durability::Soon, move |tx| {
                let tenant = tenant.as_str();
                let db = tx.db();
                let Some(row) = db.space_find(tenant, &space)? else { return Ok(()) };
                let index = db.secrets.embedder_index(&embedder);
                for (fact, vector) in vectors {
                    let body = db.secrets.vector_seal(tenant, fact, &vector)?;
                    db.run(
                        "INSERT OR REPLACE INTO vector (tenant, fact, space, embedder_ix, body)
                         SELECT tenant, id, space, ?4, ?5 FROM fact
                         WHERE tenant = ?1 AND id = ?2 AND space = ?3 AND status = 0",
                        (tenant, fact, row.id, index, body),
                    )?;
                }
                Ok(())
            })
            .await
    }
}
