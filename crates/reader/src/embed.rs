//! Texts as vectors, from the network.

pub(crate) fn embed(texts: &[&str]) -> Vec<Vec<f32>> {
    encoder::embed(texts)
}
