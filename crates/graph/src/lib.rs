//! The entity graph: which facts speak of which things, projected into Neo4j. The database is the truth; what is here
//! can be thrown away and made again from it.

mod address;
mod connection;
mod error;
mod names;
mod projection;
mod reads;

pub use connection::{Graph, GraphSettings};
pub use error::GraphError;
pub use names::{Names, Span, names_of, spans_of};
pub use projection::{Change, FactNode};
