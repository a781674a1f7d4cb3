//! Clients that send a byte a second hold up nobody but themselves.

use crate::support::http::{Client, call};
use crate::support::{Deployment, Model, allow_open_files, says};
use serde_json::json;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const SLOW: usize = 1000;
const CALLS: usize = 300;
/// Less than the server gives a client for its headers.
const HEADERS: Duration = Duration::from_secs(8);
/// Below this the other tests on the machine make more of a difference than any client.
const NOISE: Duration = Duration::from_millis(25);

#[test]
fn a_thousand_slow_clients_slow_nobody_else() {
    allow_open_files();
    let model = Model::start();
    let deployment =
        Deployment::new(&model).with("SVC_RATE_PER_MIN", "0").with("SVC_CONNECTIONS_PER_ADDRESS", "0");
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    client.remember(&says("city", "Oslo"));
    let alone = p95(&mut client);

    let (address, done) = (server.address(), AtomicBool::new(false));
    let crowded = std::thread::scope(|scope| {
        let began = Instant::now();
        let trickling = Trickle::start(address, &key);
        let crowd = scope.spawn(|| trickling.until(&done));
        let crowded = p95(&mut client);
        // The crowd goes on for at least two rounds: it must be there during the calls.
        std::thread::sleep(Duration::from_millis(1500));
        let again = p95(&mut client);
        done.store(true, Ordering::Relaxed);
        let left = crowd.join().unwrap();
        // On a machine that took longer, the server was right to drop those that were still at their headers.
        if began.elapsed() < HEADERS {
            assert_eq!(left, SLOW, "the server dropped slow clients within seconds");
        }
        crowded.max(again)
    });
    let bound = (alone * 10).max(NOISE).min(Duration::from_millis(250));
    assert!(crowded < bound, "p95 alone {alone:?}, with slow clients {crowded:?}");
}

fn p95(client: &mut Client) -> Duration {
    let mut times: Vec<Duration> = (0..CALLS)
        .map(|_| {
            let began = Instant::now();
            client.call("list_memories", &json!({}));
            began.elapsed()
        })
        .collect();
    times.sort();
    times[CALLS * 95 / 100]
}

/// Half of the clients are still at their headers, the other half at their body.
struct Trickle {
    clients: Vec<TcpStream>,
    request: Vec<u8>,
    sent: usize,
}

impl Trickle {
    fn start(address: SocketAddr, key: &str) -> Self {
        let request = call(key, "list_memories", &json!({}));
        let body = request.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 4;
        let clients = (0..SLOW).map(|n| {
            let mut client = TcpStream::connect(address).unwrap();
            if n.is_multiple_of(2) {
                client.write_all(&request[..body]).unwrap();
            }
            client
        });
        Self { clients: clients.collect(), request: request.clone(), sent: body }
    }

    /// A byte a second for each; returns how many could still send at the end.
    fn until(mut self, done: &AtomicBool) -> usize {
        let mut alive = 0;
        for second in 0.. {
            let began = Instant::now();
            let (header, body) = (self.request[second], self.request[self.sent + second]);
            let bytes = |n: usize| if n.is_multiple_of(2) { [body] } else { [header] };
            let sent = self.clients.iter_mut().enumerate().map(|(n, client)| client.write_all(&bytes(n)));
            alive = sent.filter(Result::is_ok).count();
            if done.load(Ordering::Relaxed) {
                break;
            }
            std::thread::sleep(Duration::from_secs(1).saturating_sub(began.elapsed()));
        }
        alive
    }
}
