//! Entries of calls that changed nothing. They need no transaction of their own: the group that is at work takes them along
//! at the moment when it has the log for itself.

use super::job::{Group, Job};
use parking_lot::Mutex;
use std::collections::VecDeque;
use tokio::sync::Notify;

#[derive(Default)]
pub(super) struct Riders {
    waiting: Mutex<VecDeque<Box<dyn Job>>>,
    came: Notify,
}

impl Riders {
    pub fn add(&self, job: Box<dyn Job>) {
        self.waiting.lock().push_back(job);
        self.came.notify_one();
    }

    pub fn take(&self, most: usize) -> Group {
        let mut waiting = self.waiting.lock();
        let count = waiting.len().min(most);
        waiting.drain(..count).collect()
    }

    /// Waits until there may be entries.
    pub async fn came(&self) {
        self.came.notified().await;
    }
}
