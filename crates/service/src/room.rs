//! Room in memory for opened spaces, whether they are kept for the next call, in use by one, or just being read.

use domain::Tenant;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Notify;

/// Clones share the room.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    bytes: usize,
    used: Arc<Mutex<Used>>,
    freed: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Used {
    bytes: usize,
    by_tenant: HashMap<Tenant, usize>,
}

impl Used {
    fn add(&mut self, tenant: &Tenant, bytes: usize) {
        self.bytes += bytes;
        *self.by_tenant.entry(tenant.clone()).or_default() += bytes;
    }

    fn remove(&mut self, tenant: &Tenant, bytes: usize) {
        self.bytes -= bytes;
        if let Some(used) = self.by_tenant.get_mut(tenant) {
            *used -= bytes;
            if *used == 0 {
                self.by_tenant.remove(tenant);
            }
        }
    }
}

impl Budget {
    pub fn of(bytes: usize) -> Self {
        Self { bytes, used: Arc::default(), freed: Arc::default() }
    }

    /// Waits for room, having others make it: `close_idle` is told how many bytes are missing. A tenant that has nothing
    /// open does not wait, because others may have their spaces in use for as long as a model thinks.
    pub async fn take(&self, tenant: &Tenant, bytes: usize, close_idle: impl Fn(usize)) -> Room {
        loop {
            let freed = self.freed.notified();
            tokio::pin!(freed);
            freed.as_mut().enable();
            if let Some(room) = self.try_take(tenant, bytes) {
                return room;
            }
            let wanted = self.used.lock().bytes + bytes;
            close_idle(wanted.saturating_sub(self.bytes));
            if let Some(room) = self.try_take(tenant, bytes) {
                return room;
            }
            freed.await;
        }
    }

    fn try_take(&self, tenant: &Tenant, bytes: usize) -> Option<Room> {
        let mut used = self.used.lock();
        let fits = used.bytes + bytes <= self.bytes || !used.by_tenant.contains_key(tenant);
        fits.then(|| {
            used.add(tenant, bytes);
            Room { budget: self.clone(), tenant: tenant.clone(), bytes }
        })
    }

    /// Room that is so small that nobody waits for it.
    pub fn take_small(&self, tenant: &Tenant, bytes: usize) -> Room {
        self.used.lock().add(tenant, bytes);
        Room { budget: self.clone(), tenant: tenant.clone(), bytes }
    }
}

/// What one space takes, until this is dropped.
#[derive(Debug)]
pub(crate) struct Room {
    budget: Budget,
    tenant: Tenant,
    bytes: usize,
}

impl Room {
    /// What it has turned out to be.
    pub fn set(&mut self, bytes: usize) {
        let mut used = self.budget.used.lock();
        used.remove(&self.tenant, self.bytes);
        used.add(&self.tenant, bytes);
        drop(used);
        if bytes < self.bytes {
            self.budget.freed.notify_waiters();
        }
        self.bytes = bytes;
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.budget.used.lock().remove(&self.tenant, self.bytes);
        self.budget.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;
    use domain::Tenant;
    use futures_util::FutureExt;
    use parking_lot::Mutex;

    #[tokio::test]
    async fn a_space_waits_until_others_leave_room_for_it() {
        let (budget, one) = (Budget::of(100), Tenant::new("one"));
        let first = budget.take(&one, 80, |_| {}).await;
        assert!(budget.take(&one, 30, |missing| assert_eq!(missing, 10)).now_or_never().is_none());
        assert!(budget.take(&one, 20, |_| {}).now_or_never().is_some());
        let waiting = budget.take(&one, 500, |_| {});
        tokio::pin!(waiting);
        assert!((&mut waiting).now_or_never().is_none());
        drop(first);
        assert!((&mut waiting).now_or_never().is_some(), "the largest is open alone");
    }

    #[tokio::test]
    async fn what_is_kept_and_not_in_use_makes_room() {
        let (budget, one) = (Budget::of(100), Tenant::new("one"));
        let kept = Mutex::new(Some(budget.take(&one, 80, |_| {}).await));
        assert!(budget.take(&one, 30, |_| *kept.lock() = None).now_or_never().is_some());
    }

    #[tokio::test]
    async fn a_tenant_with_nothing_open_does_not_wait_for_the_others() {
        let budget = Budget::of(100);
        let mut held = budget.take(&Tenant::new("one"), 100, |_| {}).await;
        assert!(budget.take(&Tenant::new("two"), 50, |_| {}).now_or_never().is_some());
        held.set(10);
        assert!(budget.take(&Tenant::new("one"), 50, |_| {}).now_or_never().is_some());
    }
}
