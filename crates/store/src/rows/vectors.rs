//! Embeddings as bytes.

use crate::StoreError;
use crate::seal::UserKeyId;
use crate::secrets::{Binding, Secrets};
use domain::{FactId, Tenant};

/// Only a fact that is there and has the given status gets one.
pub(crate) const PUT: &str = "INSERT INTO vector (tenant, fact, space, embedder_ix, body)
    SELECT tenant, id, space, $4, $5 FROM fact WHERE tenant = $1 AND id = $2 AND space = $3 AND status = $6
    ON CONFLICT (tenant, fact) DO UPDATE SET space = excluded.space,
    embedder_ix = excluded.embedder_ix, body = excluded.body";

pub(crate) fn binding(tenant: &Tenant, fact: FactId) -> Binding<'_> {
    Binding::new("a vector", tenant.as_str(), fact.0)
}

impl Secrets {
    pub fn embedder_index(&self, embedder: &str) -> [u8; 16] {
        self.blind.blind("embedder", &[embedder])
    }

    pub fn vector_seal(
        &self,
        key: Option<UserKeyId>,
        tenant: &Tenant,
        fact: FactId,
        vector: &[f32],
    ) -> Result<Vec<u8>, StoreError> {
        let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.seal_for(key, binding(tenant, fact), &bytes)
    }

    pub fn vector_open(&self, tenant: &Tenant, fact: FactId, body: &[u8]) -> Result<Vec<f32>, StoreError> {
        let bytes = self.open(binding(tenant, fact), body)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|x| f32::from_le_bytes(*x)).collect())
    }
}
