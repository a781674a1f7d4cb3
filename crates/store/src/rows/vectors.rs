//! Embeddings as bytes.

use crate::StoreError;
use crate::secrets::{Place, Secrets};
use domain::FactId;

fn place(tenant: &str, fact: FactId) -> Place<'_> {
    Place::new("a vector", tenant, fact)
}

impl Secrets {
    pub fn embedder_index(&self, embedder: &str) -> [u8; 16] {
        self.blind.blind("embedder", &[embedder])
    }

    pub fn vector_seal(&self, tenant: &str, fact: FactId, vector: &[f32]) -> Result<Vec<u8>, StoreError> {
        let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.seal(place(tenant, fact), &bytes)
    }

    pub fn vector_open(&self, tenant: &str, fact: FactId, body: &[u8]) -> Result<Vec<f32>, StoreError> {
        let bytes = self.open(place(tenant, fact), body)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|x| f32::from_le_bytes(*x)).collect())
    }
}
