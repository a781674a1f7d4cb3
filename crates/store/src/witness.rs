//! Witnesses: what remembers the head of the audit log where whoever can write the database cannot write.

mod endpoint;
mod setting;
mod testimony;

pub use setting::Witness;
pub use testimony::{Testimony, Witnessed};

pub(crate) use endpoint::{Answer, Endpoint};

use crate::head_file::HeadFile;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// One witness, as this process knows it.
pub(crate) struct Known {
    pub name: String,
    pub way: Way,
    /// One question at a time.
    pub turn: Arc<tokio::sync::Mutex<()>>,
    /// What it said last, for the log to tell only what is new.
    pub heard: Mutex<Option<Testimony>>,
}

/// How a witness is reached.
pub(crate) enum Way {
    File(HeadFile),
    Http {
        endpoint: Box<Endpoint>,
        /// How many entries it has cosigned, when it last said so.
        entries: AtomicU64,
    },
}
