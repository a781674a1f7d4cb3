//! How long this process has waited for the log, over all its groups.

use crate::ChainWait;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

#[derive(Debug, Default)]
pub(crate) struct Waited {
    groups: AtomicU64,
    micros: AtomicU64,
}

impl Waited {
    pub fn add(&self, waited: Duration) {
        self.groups.fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(waited.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    pub fn so_far(&self) -> ChainWait {
        ChainWait {
            groups: self.groups.load(Ordering::Relaxed),
            waited: Duration::from_micros(self.micros.load(Ordering::Relaxed)),
        }
    }
}
