//! The rate limit: a sliding window of 60 seconds for each client, and for each credential that proved good there.

use super::network::Network;
use super::reply::{self, Reply};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

const WINDOW: Duration = Duration::from_secs(60);
/// A client's window is in the bucket that its hash names, and gives way only to others of that bucket. The hash is
/// seeded anew for each process: nobody can choose whose window they push out.
const BUCKETS: usize = 4096;
/// Windows in one bucket. All together there are 32,768, which take up 16 bytes for each request of the last minute.
const WAYS: usize = 8;

/// Whose requests a window counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Who {
    Client(Network),
    /// A credential that proved good in the last minute. It has a window of its own, or strangers who use the same
    /// address could lock it out.
    Credential(Network, [u8; 32]),
}

/// Whether the credential of a request is known to be good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Known,
    Stranger,
}

/// A window without room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full {
    pub standing: Standing,
    /// How long it takes until the window has room.
    pub wait: Duration,
}

#[derive(Debug)]
pub(super) struct RateLimiter {
    /// Requests of one window.
    most: usize,
    hashes: RandomState,
    buckets: Mutex<Vec<Bucket>>,
}

#[derive(Debug, Clone, Default)]
struct Bucket(Vec<Window>);

#[derive(Debug, Clone)]
struct Window {
    who: Who,
    /// When the admitted requests came, oldest first.
    admitted: VecDeque<Instant>,
}

impl RateLimiter {
    /// `most` of 0 is no limit.
    pub fn new(most: usize) -> Self {
        Self::with_buckets(most, BUCKETS)
    }

    fn with_buckets(most: usize, buckets: usize) -> Self {
        let buckets = Mutex::new(vec![Bucket::default(); buckets]);
        Self { most, hashes: RandomState::new(), buckets }
    }

    /// Counts a request. One with a credential that is known counts against that credential's window, all others
    /// against the client's. A request that is refused does not count: a client that waits is served again.
    pub fn admit(
        &self,
        client: Network,
        credential: Option<[u8; 32]>,
        now: Instant,
    ) -> Result<Standing, Full> {
        if self.most == 0 {
            return Ok(Standing::Known);
        }
        let everybody = self.count(Who::Client(client), now);
        let known = credential.map(|hash| Who::Credential(client, hash)).filter(|who| self.holds(who, now));
        let (standing, counted) = match known {
            Some(who) => (Standing::Known, self.count(who, now)),
            None => (Standing::Stranger, everybody),
        };
        counted.map(|()| standing).map_err(|wait| Full { standing, wait })
    }

    /// The stranger's credential is good: this request and those that follow count against a window of its own.
    pub fn prove(&self, client: Network, credential: [u8; 32], now: Instant) -> Result<(), Full> {
        if self.most == 0 {
            return Ok(());
        }
        let counted = self.count(Who::Credential(client, credential), now);
        counted.map_err(|wait| Full { standing: Standing::Known, wait })
    }

    /// The credential is no longer good.
    pub fn forget(&self, client: Network, credential: [u8; 32]) {
        let who = Who::Credential(client, credential);
        self.in_bucket(&who, |bucket| bucket.0.retain(|window| window.who != who));
    }

    fn holds(&self, who: &Who, now: Instant) -> bool {
        let is_live = |window: &Window| window.who == *who && !window.has_lapsed(now);
        self.in_bucket(who, |bucket| bucket.0.iter().any(is_live)).unwrap_or(false)
    }

    /// Says how long to wait where the window has no room.
    fn count(&self, who: Who, now: Instant) -> Result<(), Duration> {
        self.in_bucket(&who, |bucket| bucket.count(who, self.most, now)).unwrap_or(Ok(()))
    }

    fn in_bucket<T>(&self, who: &Who, work: impl FnOnce(&mut Bucket) -> T) -> Option<T> {
        let mut buckets = self.buckets.lock();
        let index = self.hashes.hash_one(who) as usize % buckets.len().max(1);
        buckets.get_mut(index).map(work)
    }
}

impl Bucket {
    /// Counts a request in its window, made where there is none. In a full bucket the window with the fewest requests
    /// makes room: to lose it costs its client nothing, and a client that has used its window up does not get a new one
    /// by coming with many addresses.
    fn count(&mut self, who: Who, most: usize, now: Instant) -> Result<(), Duration> {
        self.0.retain(|window| !window.has_lapsed(now));
        let place = self.0.iter().position(|window| window.who == who);
        let mut window = match place {
            Some(place) => self.0.swap_remove(place),
            None => Window { who, admitted: VecDeque::new() },
        };
        let counted = window.count(most, now);
        let fewest = self.0.iter().enumerate().min_by_key(|(_, window)| window.admitted.len());
        if self.0.len() >= WAYS
            && let Some((fewest, _)) = fewest
        {
            self.0.swap_remove(fewest);
        }
        self.0.push(window);
        counted
    }
}

impl Window {
    fn has_lapsed(&self, now: Instant) -> bool {
        self.admitted.back().is_none_or(|last| left(*last, now).is_zero())
    }

    fn count(&mut self, most: usize, now: Instant) -> Result<(), Duration> {
        while self.admitted.front().is_some_and(|time| left(*time, now).is_zero()) {
            self.admitted.pop_front();
        }
        match self.admitted.front() {
            Some(oldest) if self.admitted.len() >= most => Err(left(*oldest, now)),
            _ => {
                self.admitted.push_back(now);
                Ok(())
            }
        }
    }
}

pub(super) fn rate_limited(full: Full) -> Reply {
    let whose = match full.standing {
        Standing::Known => "this key",
        Standing::Stranger => "this address",
    };
    reply::too_many(full.wait, &format!("{whose} has made SVC_RATE_PER_MIN requests within 60 seconds"))
}

/// How long a request that came at `time` still counts.
fn left(time: Instant, now: Instant) -> Duration {
    WINDOW.saturating_sub(now.saturating_duration_since(time))
}

#[cfg(test)]
mod tests {
    use super::{Full, Network, RateLimiter, Standing, WAYS, WINDOW};
    use proptest::prelude::*;
    use std::net::{Ipv4Addr, Ipv6Addr};
    use std::time::{Duration, Instant};

    const KEY: [u8; 32] = [7; 32];

    fn client(n: u8) -> Network {
        Network::of(Ipv4Addr::new(10, 0, 0, n).into())
    }

    fn admits(limiter: &RateLimiter, client: Network, now: Instant) -> bool {
        limiter.admit(client, None, now).is_ok()
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
                let admits = admits(&limiter, client(who), now);
                prop_assert_eq!(admits, recent < most);
                if admits {
                    admitted.push((who, now));
                }
            }
        }
    }

    #[test]
    fn a_refused_client_is_told_when_its_window_has_room() {
        let limiter = RateLimiter::new(2);
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        assert!(admits(&limiter, client(1), at(0)));
        assert!(admits(&limiter, client(1), at(30)));
        let full = Full { standing: Standing::Stranger, wait: Duration::from_secs(1) };
        assert_eq!(limiter.admit(client(1), None, at(59)), Err(full));
        assert!(admits(&limiter, client(1), at(60)));
        assert!(!admits(&limiter, client(1), at(61)));
    }

    #[test]
    fn zero_is_no_limit() {
        let limiter = RateLimiter::new(0);
        let now = Instant::now();
        assert!((0..1000).all(|_| admits(&limiter, client(1), now)));
    }

    #[test]
    fn a_proven_credential_has_a_window_of_its_own() {
        let limiter = RateLimiter::new(2);
        let now = Instant::now();
        let with_key = || limiter.admit(client(1), Some(KEY), now);
        assert!(admits(&limiter, client(1), now));
        assert!(admits(&limiter, client(1), now));
        assert_eq!(with_key().map_err(|full| full.standing), Err(Standing::Stranger));
        assert_eq!(limiter.prove(client(1), KEY, now), Ok(()));
        assert_eq!(with_key(), Ok(Standing::Known));
        assert_eq!(with_key(), Err(Full { standing: Standing::Known, wait: WINDOW }));
        // Elsewhere it has to prove itself again, and so it does once it is forgotten.
        assert_eq!(limiter.admit(client(2), Some(KEY), now), Ok(Standing::Stranger));
        limiter.forget(client(1), KEY);
        assert_eq!(with_key().map_err(|full| full.standing), Err(Standing::Stranger));
    }

    #[test]
    fn what_a_known_credential_asks_counts_for_its_address_too() {
        let limiter = RateLimiter::new(2);
        let now = Instant::now();
        assert!(limiter.admit(client(1), Some(KEY), now).is_ok());
        assert!(limiter.prove(client(1), KEY, now).is_ok());
        assert!(limiter.admit(client(1), Some(KEY), now).is_ok());
        assert!(!admits(&limiter, client(1), now));
    }

    #[test]
    fn newcomers_are_served_however_many_clients_there_are() {
        let limiter = RateLimiter::with_buckets(2, 1);
        let now = Instant::now();
        let net =
            |n: u32| Network::of(Ipv6Addr::new(0x2001, 0xdb8, (n >> 16) as u16, n as u16, 0, 0, 0, 1).into());
        assert!((0..10_000).all(|n| admits(&limiter, net(n), now)));
        assert_eq!(limiter.buckets.lock()[0].0.len(), WAYS);
    }

    #[test]
    fn a_flood_of_addresses_does_not_renew_a_window_that_is_used_up() {
        let limiter = RateLimiter::with_buckets(2, 1);
        let now = Instant::now();
        assert!(admits(&limiter, client(1), now));
        assert!(admits(&limiter, client(1), now));
        assert!((2..=255).all(|n| admits(&limiter, client(n), now)));
        assert!(!admits(&limiter, client(1), now));
    }
}
