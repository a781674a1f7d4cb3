//! The open connections: how many there are, from where, and which one is closed when there are too many.

use super::network::Network;
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// How long the first request may take to arrive. Clients that mean to ask something do so at once.
pub(super) const FIRST_HEAD_TIME: Duration = Duration::from_secs(10);
/// Of all connections, those whose first request has not arrived yet. They give way only to each other, so that
/// opening connections without a word closes nobody else's.
const UNHEARD_SHARE: usize = 4;
/// Connections besides, for as long as it takes to see whether they bring a probe.
const RESERVE: usize = 128;

/// What a connection is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    Everything,
    /// All places are taken by requests under way.
    ProbesOnly,
}

#[derive(Debug)]
pub(super) struct Connections {
    most: usize,
    /// Of one network; 0 is as many as there are.
    most_of_one: usize,
    open: Mutex<Open>,
}

/// A connection that waits for a request is under a number that grows: the first one has waited longest.
#[derive(Debug, Default)]
struct Open {
    numbers: u64,
    unheard: BTreeMap<u64, Waiting>,
    idle: BTreeMap<u64, Waiting>,
    of_network: HashMap<Network, usize>,
    count: usize,
}

#[derive(Debug)]
struct Waiting {
    network: Network,
    told_to_end: Arc<Notify>,
}

/// One open connection.
#[derive(Debug)]
pub(super) struct Place {
    admission: Admission,
    connections: Arc<Connections>,
    network: Network,
    told_to_end: Arc<Notify>,
    phase: Mutex<Phase>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Under this number.
    Waiting(u64),
    Busy,
}

/// Held while a request is under way.
#[derive(Debug)]
pub(super) struct UnderWay(Arc<Place>);

impl Connections {
    pub fn new(most: usize, most_of_one: usize) -> Self {
        Self { most, most_of_one, open: Mutex::default() }
    }

    /// Takes a new connection in. Where there is no place for it, one that waits for a request is closed: the longest
    /// waiting one of the same network if that has its share, or of all. `None`: the reserve is used up as well.
    pub fn enter(self: &Arc<Self>, peer: IpAddr) -> Option<Arc<Place>> {
        let network = Network::of(peer);
        let mut open = self.open.lock();
        if open.unheard.len() >= self.most / UNHEARD_SHARE {
            open.end(Kind::Unheard, None);
        }
        let of_network = open.of_network.get(&network).copied().unwrap_or(0);
        let mut has_place = true;
        if self.most_of_one > 0 && of_network >= self.most_of_one {
            has_place &= open.end_longest_waiting(Some(network));
        }
        if open.count >= self.most {
            has_place &= open.end_longest_waiting(None);
        }
        if open.count >= self.most + RESERVE {
            return None;
        }
        let told_to_end = Arc::new(Notify::new());
        open.count += 1;
        *open.of_network.entry(network).or_default() += 1;
        let number = open.wait(Kind::Unheard, Waiting { network, told_to_end: told_to_end.clone() });
        drop(open);
        Some(Arc::new(Place {
            admission: if has_place { Admission::Everything } else { Admission::ProbesOnly },
            connections: self.clone(),
            network,
            told_to_end,
            phase: Mutex::new(Phase::Waiting(number)),
        }))
    }
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Unheard,
    Idle,
}

impl Open {
    fn waiting(&mut self, kind: Kind) -> &mut BTreeMap<u64, Waiting> {
        match kind {
            Kind::Unheard => &mut self.unheard,
            Kind::Idle => &mut self.idle,
        }
    }

    fn wait(&mut self, kind: Kind, waiting: Waiting) -> u64 {
        self.numbers += 1;
        let number = self.numbers;
        self.waiting(kind).insert(number, waiting);
        number
    }

    fn end_longest_waiting(&mut self, network: Option<Network>) -> bool {
        self.end(Kind::Unheard, network) || self.end(Kind::Idle, network)
    }

    /// Whether there was one to end. It has left from here on, whenever its task gets to it.
    fn end(&mut self, kind: Kind, network: Option<Network>) -> bool {
        let waiting = self.waiting(kind);
        let mut found =
            waiting.iter().filter(|(_, waiting)| network.is_none_or(|own| own == waiting.network));
        let number = found.next().map(|(number, _)| *number);
        let Some(ended) = number.and_then(|number| waiting.remove(&number)) else { return false };
        ended.told_to_end.notify_one();
        self.leave(ended.network);
        true
    }

    fn leave(&mut self, network: Network) {
        self.count = self.count.saturating_sub(1);
        if let Some(count) = self.of_network.get_mut(&network) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.of_network.remove(&network);
            }
        }
    }
}

impl Place {
    /// Completes when the connection has to make room.
    pub async fn told_to_end(&self) {
        self.told_to_end.notified().await;
    }

    pub fn is_unheard(&self) -> bool {
        match *self.phase.lock() {
            Phase::Waiting(number) => self.connections.open.lock().unheard.contains_key(&number),
            Phase::Busy => false,
        }
    }

    /// A request has arrived. `None` where the connection was told to end just before.
    pub fn begin(self: &Arc<Self>) -> Option<UnderWay> {
        let mut phase = self.phase.lock();
        let Phase::Waiting(number) = *phase else { return None };
        let mut open = self.connections.open.lock();
        open.unheard.remove(&number).or_else(|| open.idle.remove(&number))?;
        *phase = Phase::Busy;
        Some(UnderWay(self.clone()))
    }
}

impl UnderWay {
    pub fn admission(&self) -> Admission {
        self.0.admission
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let Self(place) = self;
        let mut phase = place.phase.lock();
        let waiting = Waiting { network: place.network, told_to_end: place.told_to_end.clone() };
        *phase = Phase::Waiting(place.connections.open.lock().wait(Kind::Idle, waiting));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Phase::Waiting(number) = *self.phase.lock() else { return };
        let mut open = self.connections.open.lock();
        // One that was told to end has left already.
        if open.unheard.remove(&number).or_else(|| open.idle.remove(&number)).is_some() {
            open.leave(self.network);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Admission, Connections, Place, RESERVE};
    use futures_util::FutureExt;
    use std::net::IpAddr;
    use std::sync::Arc;

    fn enter(connections: &Arc<Connections>, last: u8) -> Arc<Place> {
        connections.enter(IpAddr::from([10, 0, 0, last])).expect("a place")
    }

    fn is_told_to_end(place: &Place) -> bool {
        place.told_to_end().now_or_never().is_some()
    }

    #[test]
    fn silent_connections_give_way_to_each_other_alone() {
        let connections = Arc::new(Connections::new(8, 0));
        let kept = enter(&connections, 1);
        drop(kept.begin());
        let silent: Vec<_> = (2..6).map(|n| enter(&connections, n)).collect();
        let ended: Vec<bool> = silent.iter().map(|place| is_told_to_end(place)).collect();
        assert_eq!(ended, [true, true, false, false]);
        assert!(!is_told_to_end(&kept));
        assert!(silent[0].begin().is_none());
    }

    #[test]
    fn an_address_with_its_share_closes_its_own_longest_waiting_one() {
        let connections = Arc::new(Connections::new(100, 2));
        let (first, second, other) = (enter(&connections, 1), enter(&connections, 1), enter(&connections, 2));
        let busy = second.begin();
        let third = enter(&connections, 1);
        assert!(is_told_to_end(&first) && !is_told_to_end(&other));
        assert_eq!(third.admission, Admission::Everything);
        let also_busy = third.begin();
        assert_eq!(enter(&connections, 1).admission, Admission::ProbesOnly);
        assert_eq!(enter(&connections, 3).admission, Admission::Everything);
        drop((busy, also_busy));
        assert_eq!(enter(&connections, 1).admission, Admission::Everything);
    }

    #[test]
    fn when_all_are_busy_probes_have_a_reserve() {
        let connections = Arc::new(Connections::new(4, 0));
        let busy: Vec<_> = (0..4).filter_map(|n| enter(&connections, n).begin()).collect();
        assert_eq!(busy.len(), 4);
        let beyond: Vec<_> = (0..RESERVE).filter_map(|_| enter(&connections, 9).begin()).collect();
        assert_eq!(beyond.len(), RESERVE);
        assert!(beyond.iter().all(|under_way| under_way.admission() == Admission::ProbesOnly));
        assert!(connections.enter(IpAddr::from([10, 0, 0, 10])).is_none());
        drop((busy, beyond));
        assert_eq!(connections.open.lock().count, 0);
        assert!(connections.open.lock().of_network.is_empty());
    }
}
