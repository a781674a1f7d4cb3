//! Places for work that can only be done so much at once, given out fairly. What work costs is the time that it holds
//! its place.

use crate::fair_queue::{Account, Capacity, FairQueue};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// Clones share the places.
#[derive(Debug, Clone)]
pub struct Places(Arc<Mutex<Queue>>);

#[derive(Debug)]
struct Queue {
    fair: FairQueue<Arc<Mutex<Ticket>>>,
    waiting: usize,
}

#[derive(Debug, Default)]
struct Ticket {
    is_called: bool,
    waker: Option<Waker>,
}

/// Nothing that is held under these locks is left half done by a panic.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Queue {
    fn push(&mut self, account: &Account) -> Arc<Mutex<Ticket>> {
        let ticket = Arc::<Mutex<Ticket>>::default();
        self.fair.push(account, ticket.clone());
        self.waiting += 1;
        ticket
    }

    /// Calls as many as there are places for.
    fn call(&mut self) {
        while let Some((_, ticket)) = self.fair.serve() {
            self.waiting -= 1;
            let mut ticket = locked(&ticket);
            ticket.is_called = true;
            if let Some(waker) = ticket.waker.take() {
                waker.wake();
            }
        }
    }
}

impl Places {
    pub fn new(capacity: Capacity) -> Self {
        Self(Arc::new(Mutex::new(Queue { fair: FairQueue::new(capacity), waiting: 0 })))
    }

    /// How many places are taken.
    pub fn taken(&self) -> usize {
        locked(&self.0).fair.at_work()
    }

    pub fn waiting(&self) -> usize {
        locked(&self.0).waiting
    }

    /// Waits for a place. Who gives the waiting up leaves the queue.
    pub async fn take(&self, account: &Account) -> Place {
        let ticket = {
            let mut queue = locked(&self.0);
            let ticket = queue.push(account);
            queue.call();
            ticket
        };
        Turn { places: self, account, ticket, is_over: false }.await;
        Place { places: self.clone(), account: account.clone(), since: Instant::now(), is_held: true }
    }
}

/// Waiting to be called.
struct Turn<'a> {
    places: &'a Places,
    account: &'a Account,
    ticket: Arc<Mutex<Ticket>>,
    is_over: bool,
}

impl Future for Turn<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let is_called = {
            let mut ticket = locked(&self.ticket);
            ticket.waker = Some(cx.waker().clone());
            ticket.is_called
        };
        self.is_over = is_called;
        if is_called { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let mut queue = locked(&self.places.0);
        if queue.fair.remove(self.account, |ticket| Arc::ptr_eq(ticket, &self.ticket)).is_some() {
            queue.waiting -= 1;
        } else {
            // Called, but no longer there to hear it.
            queue.fair.done(self.account, 0);
            queue.call();
        }
    }
}

/// A place, until this is dropped.
#[derive(Debug)]
pub struct Place {
    places: Places,
    account: Account,
    since: Instant,
    is_held: bool,
}

fn cost(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl Place {
    /// Lets those go first who have had less so far. For work in pieces, between two of them.
    pub async fn pause(&mut self) {
        let ticket = {
            let mut queue = locked(&self.places.0);
            queue.fair.charge(&self.account, cost(self.since.elapsed()));
            let ticket = Arc::<Mutex<Ticket>>::default();
            queue.fair.put_back(&self.account, ticket.clone());
            queue.waiting += 1;
            queue.call();
            ticket
        };
        self.is_held = false;
        Turn { places: &self.places, account: &self.account, ticket, is_over: false }.await;
        self.is_held = true;
        self.since = Instant::now();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.is_held {
            return;
        }
        let mut queue = locked(&self.places.0);
        queue.fair.done(&self.account, cost(self.since.elapsed()));
        queue.call();
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, Places};
    use crate::{Account, Capacity, Tenant};
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    fn account(tenant: &str, caller: &str) -> Account {
        Account { tenant: Tenant::new(tenant), caller: caller.to_owned() }
    }

    fn poll<F: Future>(future: &mut Pin<&mut F>) -> Poll<F::Output> {
        future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
    }

    fn at_once(places: &Places, account: &Account) -> Place {
        match poll(&mut pin!(places.take(account))) {
            Poll::Ready(place) => place,
            Poll::Pending => panic!("no place"),
        }
    }

    #[test]
    fn a_place_goes_to_whoever_has_had_less() {
        let places = Places::new(Capacity::of(1));
        let (greedy, modest) = (account("a", "greedy"), account("b", "modest"));
        let held = at_once(&places, &greedy);
        let mut more = pin!(places.take(&greedy));
        let mut other = pin!(places.take(&modest));
        assert!(poll(&mut more).is_pending() && poll(&mut other).is_pending());
        std::thread::sleep(std::time::Duration::from_millis(1));
        drop(held);
        assert!(poll(&mut more).is_pending());
        assert!(poll(&mut other).is_ready());
        assert!(poll(&mut more).is_ready());
    }

    #[test]
    fn work_in_pieces_lets_others_between() {
        let places = Places::new(Capacity::of(1));
        let (long, short) = (account("a", "long"), account("a", "short"));
        let mut place = at_once(&places, &long);
        let mut next = pin!(places.take(&long));
        assert!(poll(&mut next).is_pending());
        assert!(poll(&mut pin!(place.pause())).is_ready(), "its own next work does not overtake it");
        let mut other = pin!(places.take(&short));
        assert!(poll(&mut other).is_pending());
        std::thread::sleep(std::time::Duration::from_millis(1));
        let mut pause = pin!(place.pause());
        assert!(poll(&mut pause).is_pending());
        let Poll::Ready(between) = poll(&mut other) else { panic!("not called") };
        drop(between);
        assert!(poll(&mut pause).is_ready() && poll(&mut next).is_pending());
    }

    #[test]
    fn who_gives_up_leaves_no_trace() {
        let places = Places::new(Capacity::of(1));
        let one = account("a", "one");
        let held = at_once(&places, &one);
        {
            let (mut gone, mut called) = (pin!(places.take(&one)), pin!(places.take(&one)));
            assert!(poll(&mut gone).is_pending() && poll(&mut called).is_pending());
            drop(held);
        }
        assert_eq!((places.taken(), places.waiting()), (0, 0));
        let mut place = at_once(&places, &one);
        let other = account("b", "other");
        let mut waits = Box::pin(places.take(&other));
        assert!(poll(&mut waits.as_mut()).is_pending());
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert!(poll(&mut pin!(place.pause())).is_pending());
        drop((place, waits));
        assert_eq!((places.taken(), places.waiting()), (0, 0));
    }

    #[test]
    fn one_tenant_never_has_every_place() {
        let places = Places::new(Capacity { all: 4, tenant: 3, caller: 2 });
        let (one, two) = (account("a", "one"), account("a", "two"));
        let _held = (at_once(&places, &one), at_once(&places, &one), at_once(&places, &two));
        assert!(poll(&mut pin!(places.take(&one))).is_pending());
        assert!(poll(&mut pin!(places.take(&two))).is_pending());
        let _other = at_once(&places, &account("b", "one"));
    }
}
