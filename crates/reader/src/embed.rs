//! Texts as vectors, from the network.

/// Many texts take less time when they are read together, but each takes memory while it is read.
const AT_ONCE: usize = 8;

pub(crate) fn embed(texts: &[&str]) -> Vec<Vec<f32>> {
    texts.chunks(AT_ONCE).flat_map(encoder::embed).collect()
}
