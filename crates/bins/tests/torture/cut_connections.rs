//! Clients whose connections break at any byte, and who then try again.

use crate::campaign::{Campaign, Row, Verdict, name_of, thousands};
use crate::store_check::{Export, intact};
use crate::support::http::{Connection, call, text};
use crate::support::{Deployment, Engine, Model, Seed, Server, says};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};

pub const ROW: Row = Row {
    name: "cut-connections",
    title: "retried requests over cut connections",
    does_not_show: "clients that say something else when they try again",
    run,
};

const CLIENTS: usize = 8;
/// One in four comes through, so that many in a row never fail by chance.
const ATTEMPTS: usize = 300;

fn run(campaign: &Campaign) -> Verdict {
    let writes = campaign.amount(10, 1000);
    let model = Model::start();
    let (cuts, mut engines) = (AtomicUsize::new(0), Vec::new());
    for (engine, deployment) in Deployment::on_each_engine(&model) {
        let (_, key) = deployment.principal("admin", &[]);
        let server = deployment.serve();
        std::thread::scope(|scope| {
            for client in 0..CLIENTS {
                let (server, key, cuts) = (&server, key.as_str(), &cuts);
                scope.spawn(move || write(campaign, engine, server, key, client, writes, cuts));
            }
        });
        let mut client = server.client(&key);
        for n in 0..CLIENTS {
            check(&Export::of(&mut client, &user(n)), writes);
        }
        intact(&mut client);
        engines.push(name_of(engine));
    }
    Verdict::held(
        format!(
            "{CLIENTS} clients × {} statements and erasures, on each of {}",
            thousands(writes),
            engines.join(" and ")
        ),
        format!(
            "{} connections cut; every statement took effect once however often it was sent; log INTACT",
            thousands(cuts.into_inner())
        ),
    )
}

fn user(client: usize) -> String {
    format!("client {client}")
}

fn write(
    campaign: &Campaign,
    engine: Engine,
    server: &Server,
    key: &str,
    client: usize,
    writes: usize,
    cuts: &AtomicUsize,
) {
    let mut seed = campaign.seed_for(client);
    for n in 0..writes {
        campaign.progress(name_of(engine), n, writes);
        let subject = format!("item {n}");
        let remember =
            call(key, "remember", &json!({ "text": says(&subject, "kept"), "user_id": user(client) }));
        let said = until_answered(server, &remember, &mut seed, cuts);
        let took = said.starts_with("Stored: [ADD]") || said.starts_with("Stored: [DEDUP]");
        assert!(took, "{said}");
        if is_erased(n) {
            let delete = call(key, "delete", &json!({ "subject": subject, "user_id": user(client) }));
            until_answered(server, &delete, &mut seed, cuts);
        }
    }
}

const fn is_erased(n: usize) -> bool {
    n % 5 == 4
}

/// Sends the request until an answer comes whole. Most times the connection is cut before that.
fn until_answered(server: &Server, request: &[u8], seed: &mut Seed, cuts: &AtomicUsize) -> String {
    for _ in 0..ATTEMPTS {
        let mut connection = Connection::open(server.address());
        let cut = match seed.below(4) {
            // In the middle of the request, between it and its answer, or in the middle of the answer.
            0 => connection.send(&request[..seed.below(request.len())]),
            1 => connection.send(request),
            2 => connection.send(request).and_then(|()| connection.line().map(drop)),
            _ => {
                let answer = connection.ask(request).unwrap();
                return text(&answer).unwrap_or_else(|| panic!("{answer:?}"));
            }
        };
        cut.unwrap();
        drop(connection);
        cuts.fetch_add(1, Ordering::Relaxed);
    }
    panic!("{ATTEMPTS} attempts in a row were cut");
}

/// What was said is there once, and what was erased is gone.
fn check(export: &Export, writes: usize) {
    let mut expected: Vec<String> =
        (0..writes).filter(|n| !is_erased(*n)).map(|n| format!("item {n}")).collect();
    let mut found: Vec<String> = export.subjects().iter().map(|subject| (*subject).to_owned()).collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}
