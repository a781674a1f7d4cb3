//! Entries of calls that changed nothing. They need no transaction of their own: the group that is at work takes them along
//! at the moment when it has the log for itself.

use super::job::{Group, Job, taken};
use domain::{Capacity, FairQueue};
use parking_lot::Mutex;
use tokio::sync::Notify;

pub(super) struct Riders {
    waiting: Mutex<FairQueue<Box<dyn Job>>>,
    came: Notify,
}

impl Default for Riders {
    fn default() -> Self {
        Self { waiting: Mutex::new(FairQueue::new(Capacity::of(usize::MAX))), came: Notify::new() }
    }
}

impl Riders {
    pub fn add(&self, job: Box<dyn Job>) {
        self.waiting.lock().push(&job.account(), job);
        self.came.notify_one();
    }

    pub fn take(&self, most: usize) -> Group {
        let mut waiting = self.waiting.lock();
        std::iter::from_fn(|| taken(&mut waiting)).take(most).collect()
    }

    /// Waits until there may be entries.
    pub async fn came(&self) {
        self.came.notified().await;
    }
}
