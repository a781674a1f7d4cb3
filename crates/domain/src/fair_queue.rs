//! Who is served next. Between tenants, and then between the callers of one tenant, it is whoever has had the least so
//! far, so a caller who asks for much waits for itself and not the others for it.
//!
//! Of a caller that neither waits nor is at work it is remembered what it has had beyond the one served last, so one
//! that comes back at once does not go before those who waited meanwhile. Later it is forgotten: it begins with as much
//! as the one served last had had, which neither repays an idle day nor punishes a busy one.

use crate::Tenant;
use std::collections::{BTreeMap, VecDeque};

/// Whom work is done for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Account {
    pub tenant: Tenant,
    /// The caller's id in the audit log.
    pub caller: String,
}

impl Account {
    /// What the service does by itself.
    pub fn of_deployment() -> Self {
        Self { tenant: Tenant::default(), caller: String::new() }
    }
}

/// How much may be at work at once: altogether, for one tenant, and for one caller. Where a tenant may not have
/// everything, there is always a place for another one.
#[derive(Debug, Clone, Copy)]
pub struct Capacity {
    pub all: usize,
    pub tenant: usize,
    pub caller: usize,
}

impl Capacity {
    /// So many for anyone.
    pub const fn of(all: usize) -> Self {
        Self { all, tenant: all, caller: all }
    }
}

#[derive(Debug)]
pub struct FairQueue<T> {
    capacity: Capacity,
    at_work: usize,
    /// What the tenant served last had had by then.
    clock: u64,
    tenants: BTreeMap<Tenant, TenantLane<T>>,
}

#[derive(Debug)]
struct TenantLane<T> {
    had: u64,
    at_work: usize,
    /// What its caller served last had had by then.
    clock: u64,
    callers: BTreeMap<String, CallerLane<T>>,
}

#[derive(Debug)]
struct CallerLane<T> {
    had: u64,
    at_work: usize,
    waiting: VecDeque<T>,
}

impl<T> TenantLane<T> {
    const fn new(had: u64) -> Self {
        Self { had, at_work: 0, clock: 0, callers: BTreeMap::new() }
    }

    fn is_waiting(&self) -> bool {
        self.callers.values().any(|caller| !caller.waiting.is_empty())
    }

    /// Its caller that is served next.
    fn next(&mut self, capacity: Capacity) -> Option<(&String, &mut CallerLane<T>)> {
        let may = |caller: &CallerLane<T>| !caller.waiting.is_empty() && caller.at_work < capacity.caller;
        let callers = self.callers.iter_mut().filter(|(_, caller)| may(caller));
        callers.min_by_key(|(_, caller)| (caller.had, caller.at_work))
    }

    fn has_next(&self, capacity: Capacity) -> bool {
        let may = |caller: &CallerLane<T>| !caller.waiting.is_empty() && caller.at_work < capacity.caller;
        self.at_work < capacity.tenant && self.callers.values().any(may)
    }
}

impl<T> FairQueue<T> {
    pub const fn new(capacity: Capacity) -> Self {
        Self { capacity, at_work: 0, clock: 0, tenants: BTreeMap::new() }
    }

    pub const fn at_work(&self) -> usize {
        self.at_work
    }

    /// Adds to the end of what the account waits for.
    pub fn push(&mut self, account: &Account, item: T) {
        self.lane(account).waiting.push_back(item);
    }

    /// Puts what was taken by [`Self::serve`] back before everything else of the account.
    pub fn put_back(&mut self, account: &Account, item: T) {
        let caller = self.lane(account);
        caller.waiting.push_front(item);
        caller.had = caller.had.saturating_sub(1);
        if let Some(tenant) = self.tenants.get_mut(&account.tenant) {
            tenant.had = tenant.had.saturating_sub(1);
        }
        self.done(account, 0);
    }

    /// One that has come back to waiting begins with what others have had meanwhile.
    fn lane(&mut self, account: &Account) -> &mut CallerLane<T> {
        let clock = self.clock;
        let tenant = self.tenants.entry(account.tenant.clone()).or_insert_with(|| TenantLane::new(clock));
        if !tenant.is_waiting() {
            tenant.had = tenant.had.max(clock);
        }
        let clock = tenant.clock;
        let caller = tenant.callers.entry(account.caller.clone()).or_insert_with(|| CallerLane {
            had: clock,
            at_work: 0,
            waiting: VecDeque::new(),
        });
        if caller.waiting.is_empty() {
            caller.had = caller.had.max(clock);
        }
        caller
    }

    /// Takes what is served next, which is at work from now until [`Self::done`]. `None` where nothing waits, or where
    /// nobody who waits may have more at work.
    pub fn serve(&mut self) -> Option<(Account, T)> {
        if self.at_work >= self.capacity.all {
            return None;
        }
        let capacity = self.capacity;
        let tenants = self.tenants.iter_mut().filter(|(_, tenant)| tenant.has_next(capacity));
        let (name, tenant) = tenants.min_by_key(|(_, tenant)| (tenant.had, tenant.at_work))?;
        let (had, at_work) = (tenant.had, tenant.at_work);
        let (caller_name, caller) = tenant.next(capacity)?;
        let item = caller.waiting.pop_front()?;
        let account = Account { tenant: name.clone(), caller: caller_name.clone() };
        let caller_had = caller.had;
        // Some of the cost at once: of those who begin together, each has its turn before one has two.
        caller.had += 1;
        caller.at_work += 1;
        tenant.clock = tenant.clock.max(caller_had);
        tenant.had = had + 1;
        tenant.at_work = at_work + 1;
        self.clock = self.clock.max(had);
        self.at_work += 1;
        Some((account, item))
    }

    /// What was at work has ended, and has cost so much.
    pub fn done(&mut self, account: &Account, cost: u64) {
        self.charge(account, cost);
        self.at_work = self.at_work.saturating_sub(1);
        let Some(tenant) = self.tenants.get_mut(&account.tenant) else { return };
        tenant.at_work = tenant.at_work.saturating_sub(1);
        if let Some(caller) = tenant.callers.get_mut(&account.caller) {
            caller.at_work = caller.at_work.saturating_sub(1);
        }
        self.forget_idle();
    }

    /// What is at work has cost so much more.
    pub fn charge(&mut self, account: &Account, cost: u64) {
        let Some(tenant) = self.tenants.get_mut(&account.tenant) else { return };
        tenant.had = tenant.had.saturating_add(cost);
        if let Some(caller) = tenant.callers.get_mut(&account.caller) {
            caller.had = caller.had.saturating_add(cost);
        }
    }

    /// Takes something that waits out of the queue.
    pub fn remove(&mut self, account: &Account, is_it: impl Fn(&T) -> bool) -> Option<T> {
        let tenant = self.tenants.get_mut(&account.tenant)?;
        let caller = tenant.callers.get_mut(&account.caller)?;
        let at = caller.waiting.iter().position(is_it)?;
        let item = caller.waiting.remove(at);
        self.forget_idle();
        item
    }

    /// What idle callers and tenants have had no longer matters once those who are served have had as much, or nobody
    /// is. It is looked at between two rounds of work, and not for each.
    fn forget_idle(&mut self) {
        if self.at_work > 0 {
            return;
        }
        if !self.tenants.values().any(TenantLane::is_waiting) {
            self.tenants.clear();
            return;
        }
        let clock = self.clock;
        self.tenants.retain(|_, tenant| {
            let served = tenant.clock;
            tenant.callers.retain(|_, caller| !caller.waiting.is_empty() || caller.had > served);
            tenant.is_waiting() || tenant.had > clock
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{Account, Capacity, FairQueue};
    use crate::Tenant;

    fn account(name: &str) -> Account {
        let (tenant, caller) = name.split_once('/').unwrap_or((name, ""));
        Account { tenant: Tenant::new(tenant), caller: caller.to_owned() }
    }

    /// Takes everything, each at this cost.
    fn order(queue: &mut FairQueue<&'static str>, cost: impl Fn(&str) -> u64) -> Vec<&'static str> {
        std::iter::from_fn(|| {
            let (account, item) = queue.serve()?;
            queue.done(&account, cost(item));
            Some(item)
        })
        .collect()
    }

    #[test]
    fn tenants_take_turns_and_so_do_their_callers() {
        let mut queue = FairQueue::new(Capacity::of(1));
        for _ in 0..3 {
            queue.push(&account("a/1"), "a1");
        }
        queue.push(&account("a/2"), "a2");
        queue.push(&account("b/1"), "b1");
        queue.push(&account("b/1"), "b1");
        assert_eq!(order(&mut queue, |_| 10), ["a1", "b1", "a2", "b1", "a1", "a1"]);
    }

    #[test]
    fn what_costs_ten_times_as_much_is_served_a_tenth_as_often() {
        let mut queue = FairQueue::new(Capacity::of(1));
        for _ in 0..30 {
            queue.push(&account("heavy"), "heavy");
            queue.push(&account("light"), "light");
        }
        let order = order(&mut queue, |item| if item == "heavy" { 1000 } else { 99 });
        let heavy = order.iter().take(33).filter(|item| **item == "heavy").count();
        assert!((3..=4).contains(&heavy), "{order:?}");
    }

    #[test]
    fn a_newcomer_neither_catches_up_nor_waits_for_a_backlog() {
        let mut queue = FairQueue::new(Capacity::of(1));
        for _ in 0..4 {
            queue.push(&account("old"), "old");
        }
        for _ in 0..2 {
            let (account, _) = queue.serve().unwrap();
            queue.done(&account, 1_000_000);
        }
        for _ in 0..3 {
            queue.push(&account("new"), "new");
        }
        assert_eq!(order(&mut queue, |_| 1_000_000), ["new", "new", "old", "new", "old"]);
    }

    /// As the writer does it: what takes the whole time of a group leaves the others for the next one.
    #[test]
    fn one_that_comes_back_at_once_does_not_go_before_who_waited() {
        for other in ["a/bob", "z/bob"] {
            let mut queue = FairQueue::new(Capacity::of(usize::MAX));
            queue.push(&account(other), "other");
            let mut turns = Vec::new();
            for _ in 0..3 {
                queue.push(&account("a/"), "piece");
                let mut group: Vec<_> = std::iter::from_fn(|| queue.serve()).collect();
                for (account, item) in group.split_off(1).into_iter().rev() {
                    queue.put_back(&account, item);
                }
                for (account, item) in group {
                    queue.done(&account, 1000);
                    turns.push(item);
                }
            }
            assert_eq!(turns[..2], ["piece", "other"], "{other}");
        }
    }

    #[test]
    fn what_is_put_back_comes_first_and_what_is_removed_not_at_all() {
        let mut queue = FairQueue::new(Capacity::of(2));
        for item in ["one", "two", "three"] {
            queue.push(&account("a"), item);
        }
        let (account, first) = queue.serve().unwrap();
        queue.put_back(&account, first);
        assert_eq!(queue.remove(&account, |item| *item == "two"), Some("two"));
        assert_eq!(order(&mut queue, |_| 1), ["one", "three"]);
        assert_eq!(queue.at_work(), 0);
        assert!(queue.tenants.is_empty());
    }
}
