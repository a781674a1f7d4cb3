//! Texts as vectors, from the network.

use model::Work;

/// Many texts take less time when they are read together, but each takes memory while it is read. After each batch the
/// reader checks whether anybody still waits.
const AT_ONCE: usize = 8;

pub(crate) fn embed(texts: &[&str], work: &Work) -> Vec<Vec<f32>> {
    texts.chunks(AT_ONCE).take_while(|_| work.goes_on()).flat_map(encoder::embed).collect()
}
