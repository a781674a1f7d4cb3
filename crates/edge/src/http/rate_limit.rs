//! The rate limit: a sliding window of 60 seconds for each client.

use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::time::{Duration, Instant};

const WINDOW: Duration = Duration::from_secs(60);
/// How many clients are counted separately. Some megabytes at the default rate, and far more than one process serves in
/// a minute.
const CLIENTS: usize = 32 * 1024;

#[derive(Debug)]
pub(super) struct RateLimiter {
    /// Requests of one client within the window.
    most: usize,
    clients: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// When each client's admitted requests came, oldest first. Clients beyond the bound share the window of `None`:
    /// a flood of addresses must not buy a flood of requests, nor all of the memory.
    admitted: HashMap<Option<IpAddr>, VecDeque<Instant>>,
    swept: Instant,
}

impl RateLimiter {
    /// `most` of 0 is no limit.
    pub fn new(most: usize) -> Self {
        Self::with_clients(most, CLIENTS)
    }

    fn with_clients(most: usize, clients: usize) -> Self {
        let state = State { admitted: HashMap::new(), swept: Instant::now() };
        Self { most, clients, state: Mutex::new(state) }
    }

    /// Whether the client may be served now. A request that is refused does not count: a client that waits is served
    /// again.
    pub fn admit(&self, client: IpAddr, now: Instant) -> bool {
        if self.most == 0 {
            return true;
        }
        let mut state = self.state.lock();
        state.sweep(now);
        let own = Some(client);
        let told_apart = state.admitted.contains_key(&own) || state.admitted.len() < self.clients;
        let times = state.admitted.entry(if told_apart { own } else { None }).or_default();
        while times.front().is_some_and(|time| is_past(*time, now)) {
            times.pop_front();
        }
        let room = times.len() < self.most;
        if room {
            times.push_back(now);
        }
        room
    }
}

impl State {
    /// Forgets clients that have been silent for a whole window; once a window, which costs next to nothing.
    fn sweep(&mut self, now: Instant) {
        if is_past(self.swept, now) {
            self.admitted.retain(|_, times| times.back().is_some_and(|last| !is_past(*last, now)));
            self.swept = now;
        }
    }
}

fn is_past(time: Instant, now: Instant) -> bool {
    now.saturating_duration_since(time) >= WINDOW
}

#[cfg(test)]
mod tests {
    use super::{RateLimiter, WINDOW};
    use proptest::prelude::*;
    use std::net::{IpAddr, Ipv4Addr};
    use std::time::{Duration, Instant};

    fn client(n: u8) -> IpAddr {
        Ipv4Addr::new(10, 0, 0, n).into()
    }

    proptest! {
        #[test]
        fn a_window_admits_exactly_its_limit(
            most in 1_usize..6,
            steps in prop::collection::vec((0_u64..30_000, 0_u8..3), 1..200),
        ) {
            let limiter = RateLimiter::new(most);
            let mut now = Instant::now();
            let mut admitted: Vec<(u8, Instant)> = Vec::new();
            for (wait, who) in steps {
                now += Duration::from_millis(wait);
                let recent = admitted.iter().filter(|(w, t)| *w == who && now - *t < WINDOW).count();
                let admits = limiter.admit(client(who), now);
                prop_assert_eq!(admits, recent < most);
                if admits {
                    admitted.push((who, now));
                }
            }
        }
    }

    #[test]
    fn a_refused_client_is_served_when_its_window_has_room() {
        let limiter = RateLimiter::new(2);
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        assert!(limiter.admit(client(1), at(0)));
        assert!(limiter.admit(client(1), at(30)));
        assert!(!limiter.admit(client(1), at(59)));
        assert!(limiter.admit(client(1), at(60)));
        assert!(!limiter.admit(client(1), at(61)));
    }

    #[test]
    fn zero_is_no_limit() {
        let limiter = RateLimiter::new(0);
        let now = Instant::now();
        assert!((0..1000).all(|_| limiter.admit(client(1), now)));
    }

    #[test]
    fn clients_beyond_the_bound_share_one_window() {
        let limiter = RateLimiter::with_clients(1, 2);
        let start = Instant::now();
        assert!(limiter.admit(client(1), start));
        assert!(limiter.admit(client(2), start));
        assert!(limiter.admit(client(3), start));
        assert!(!limiter.admit(client(4), start));
        assert_eq!(limiter.state.lock().admitted.len(), 3);
        let later = start + WINDOW;
        assert!(limiter.admit(client(3), later));
        assert!(limiter.admit(client(4), later));
        assert_eq!(limiter.state.lock().admitted.len(), 2);
    }
}
