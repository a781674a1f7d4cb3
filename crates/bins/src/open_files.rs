//! How many files the process may have open, which bounds how many connections it can take.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Connections at once; more than one process serves well.
const CONNECTIONS: usize = 4096;
/// For the database, the model, the log, and the connections beyond the bound that may bring a probe.
const OTHERS: u64 = 512;

/// Raises the limit to what the system allows this process, which is often far above what a shell gives it. Returns
/// how many connections there may be at once.
pub fn connections() -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    let files = if raised.is_ok() { maximum } else { current };
    let most = files
        .map_or(CONNECTIONS, |files| usize::try_from(files.saturating_sub(OTHERS)).unwrap_or(CONNECTIONS));
    if most < CONNECTIONS {
        tracing::warn!(
            connections = most.max(1),
            "few connections at once are possible: raise the limit of open files (LimitNOFILE, ulimit -n) to 5000"
        );
    }
    most.clamp(1, CONNECTIONS)
}
