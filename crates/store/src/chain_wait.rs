//! What several processes on one database cost each other.

use std::time::Duration;

/// How often and how long a process has waited for the end of the audit log to be free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainWait {
    pub groups: u64,
    pub waited: Duration,
}
