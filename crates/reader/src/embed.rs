//! Texts as vectors, from the network.

/// Read together, many texts take less time; but each takes memory while it is read.
const AT_ONCE: usize = 8;

pub(crate) fn embed(texts: &[&str]) -> Vec<Vec<f32>> {
    texts.chunks(AT_ONCE).flat_map(encoder::embed).collect()
}
