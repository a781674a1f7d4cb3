//! A server that is killed in the middle of its work, again and again.

use crate::campaign::{Campaign, Row, Verdict, name_of, thousands};
use crate::store_check::{Export, intact};
use crate::support::http::{Client, text};
use crate::support::{Deployment, Engine, Model, PATIENCE, Server, says};
use serde_json::json;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub const ROW: Row = Row {
    name: "kills",
    title: "kills under 8 writers",
    does_not_show: "a machine that loses power: what the process had handed to the system is kept (`power-loss` has that)",
    run,
};

const WRITERS: usize = 8;
/// Writes that are acknowledged before the end, at most.
const ACKNOWLEDGED: usize = 40;

fn run(campaign: &Campaign) -> Verdict {
    let kills = campaign.amount(5, 500);
    let (mut acknowledged, mut unanswered, mut engines) = (0, 0, Vec::new());
    let model = Model::start();
    for (engine, deployment) in Deployment::on_each_engine(&model) {
        let (kept, cut_off) = kill(campaign, engine, &deployment, kills);
        acknowledged += kept;
        unanswered += cut_off;
        engines.push(name_of(engine));
    }
    Verdict::held(
        format!("{kills} kills of a server with {WRITERS} writers, on each of {}", engines.join(" and ")),
        format!(
            "all {} acknowledged writes there, each with its audit entry; {} calls cut off; log INTACT after each kill",
            thousands(acknowledged),
            thousands(unanswered)
        ),
    )
}

/// Returns how many writes were acknowledged, and how many got no answer.
fn kill(campaign: &Campaign, engine: Engine, deployment: &Deployment, kills: usize) -> (usize, usize) {
    let (_, key) = deployment.principal("admin", &[]);
    let mut server = deployment.serve();
    let (mut kept, mut cut_off) = (0, 0);
    for round in 0..kills {
        campaign.progress(name_of(engine), round, kills);
        let user = format!("round {round}");
        let enough = campaign.seed_for(round).below(ACKNOWLEDGED);
        let writers = write_until_killed(&mut server, &key, &user, enough);
        server = deployment.serve();
        let mut client = server.client(&key);
        let acknowledged: Vec<String> = writers.into_iter().flatten().collect();
        Export::of(&mut client, &user).check_added(&acknowledged);
        intact(&mut client);
        kept += acknowledged.len();
        // Each writer has one call under way when its server dies.
        cut_off += WRITERS;
    }
    (kept, cut_off)
}

/// Returns the subjects of the acknowledged writes of each writer.
fn write_until_killed(server: &mut Server, key: &str, user: &str, enough: usize) -> Vec<Vec<String>> {
    let (address, acknowledged) = (server.address(), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let acknowledged = &acknowledged;
        let writer = |n| scope.spawn(move || write(address, key, user, n, acknowledged));
        let writers: Vec<_> = (0..WRITERS).map(writer).collect();
        let deadline = Instant::now() + PATIENCE;
        while acknowledged.load(Ordering::Relaxed) < enough {
            assert!(Instant::now() < deadline, "writes are no longer acknowledged");
            std::thread::sleep(Duration::from_millis(1));
        }
        server.kill();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    })
}

fn write(address: SocketAddr, key: &str, user: &str, writer: usize, count: &AtomicUsize) -> Vec<String> {
    let (mut kept, mut client) = (Vec::new(), Client::new(address, key));
    for n in 0.. {
        let subject = format!("item {writer}-{n}");
        let arguments = json!({ "text": says(&subject, "kept"), "user_id": user });
        let Ok(answer) = client.ask("remember", &arguments) else { break };
        let said = text(&answer).unwrap_or_else(|| panic!("{answer:?}"));
        assert!(said.starts_with("Stored: [ADD]"), "{said}");
        kept.push(subject);
        count.fetch_add(1, Ordering::Relaxed);
    }
    kept
}
