//! A revoked key is dead at once, in every process on the database.

use crate::support::http::Client;
use crate::support::{Deployment, Model, Server, created};
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const ROUNDS: usize = 6;
/// Of each server.
const CLIENTS: usize = 3;
/// Requests that each server must have answered before the key is revoked, and as many after it.
const ENOUGH: usize = 30;

/// One request: when it began, and whether it was served.
type Attempt = (Instant, bool);

#[test]
fn a_revoked_key_works_on_no_server() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_RATE_PER_MIN", "0");
    let (_, admin) = deployment.principal("admin", &[]);
    let servers = [deployment.serve(), deployment.serve()];
    for round in 0..ROUNDS {
        let revoker = &servers[round % 2];
        let mut admin = revoker.client(&admin);
        let (id, key) =
            created(&admin.call("create_principal", &json!({ "name": format!("agent {round}") })));
        let (acknowledged, attempts) = hammer(&servers, &key, || {
            let reply = admin.call("revoke_principal", &json!({ "principal_id": id }));
            assert!(reply.starts_with("Revoked principal"), "{reply}");
        });
        for (server, attempts) in attempts.iter().enumerate() {
            let count = |served: bool, after: bool| {
                attempts
                    .iter()
                    .filter(|(began, was)| *was == served && (*began > acknowledged) == after)
                    .count()
            };
            assert_eq!(count(true, true), 0, "round {round}, server {server}: a dead key was served");
            assert!(count(true, false) > 0, "round {round}, server {server}: the key never worked");
            assert!(count(false, true) > 0, "round {round}, server {server}: the dead key was not tried");
        }
    }
}

/// Has clients of both servers use the key without a pause, before and after `revoke`. Returns when that was
/// acknowledged, and the attempts at each server.
fn hammer(servers: &[Server; 2], key: &str, revoke: impl FnOnce()) -> (Instant, [Vec<Attempt>; 2]) {
    let (done, tried) = (AtomicBool::new(false), [AtomicUsize::new(0), AtomicUsize::new(0)]);
    let (done, [first, second]) = (&done, &tried);
    let [one, other] = servers;
    std::thread::scope(|scope| {
        let hammering = [(one, first), (other, second)].map(|(server, tried)| {
            [(); CLIENTS].map(|()| scope.spawn(move || attempts(server.client(key), done, tried)))
        });
        wait_for(&tried, ENOUGH);
        revoke();
        let acknowledged = Instant::now();
        wait_for(&tried, ENOUGH);
        done.store(true, Ordering::Relaxed);
        let attempts = hammering.map(|clients| clients.into_iter().flat_map(|c| c.join().unwrap()).collect());
        (acknowledged, attempts)
    })
}

/// Until each server has answered so many more.
fn wait_for(tried: &[AtomicUsize; 2], more: usize) {
    let until = tried.each_ref().map(|tried| tried.load(Ordering::Relaxed) + more);
    while tried.iter().zip(until).any(|(tried, until)| tried.load(Ordering::Relaxed) < until) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn attempts(mut client: Client, done: &AtomicBool, tried: &AtomicUsize) -> Vec<Attempt> {
    let mut attempts = Vec::new();
    while !done.load(Ordering::Relaxed) {
        let began = Instant::now();
        let answer = client.ask("list_memories", &json!({})).unwrap();
        assert!([200, 401].contains(&answer.status), "{answer:?}");
        attempts.push((began, answer.status == 200));
        tried.fetch_add(1, Ordering::Relaxed);
    }
    attempts
}
