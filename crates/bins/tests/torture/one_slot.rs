//! Many writers who want one slot at the same moment.

use crate::campaign::{Campaign, Row, Verdict, name_of, thousands};
use crate::store_check::{Export, intact};
use crate::support::http::Client;
use crate::support::{Deployment, Engine, Model, says};
use serde_json::json;
use std::collections::BTreeSet;

pub const ROW: Row = Row {
    name: "one-slot",
    title: "64 writers on one slot",
    does_not_show: "writers on several machines: both servers run on one",
    run,
};

const WRITERS: usize = 64;
const USER: &str = "shared";

fn run(campaign: &Campaign) -> Verdict {
    let rounds = campaign.amount(2, 200);
    let model = Model::start();
    let mut engines = Vec::new();
    for (engine, deployment) in Deployment::on_each_engine(&model) {
        contend(campaign, engine, &deployment, rounds);
        engines.push(name_of(engine));
    }
    let writes = WRITERS * rounds * engines.len();
    Verdict::held(
        format!("{WRITERS} writers over 2 servers × {rounds} rounds, on each of {}", engines.join(" and ")),
        format!(
            "all {} writes acknowledged and in the history once; one current value after each round; log INTACT",
            thousands(writes)
        ),
    )
}

fn contend(campaign: &Campaign, engine: Engine, deployment: &Deployment, rounds: usize) {
    let (_, key) = deployment.principal("admin", &[]);
    let servers = [deployment.serve(), deployment.serve()];
    let mut clients: Vec<Client> = (0..WRITERS).map(|n| servers[n % servers.len()].client(&key)).collect();
    for round in 0..rounds {
        campaign.progress(name_of(engine), round, rounds);
        let slot = format!("slot {round}");
        std::thread::scope(|scope| {
            for (writer, client) in clients.iter_mut().enumerate() {
                let arguments = json!({ "text": says(&slot, &format!("value {writer}")), "user_id": USER });
                scope.spawn(move || {
                    let said = client.call("remember", &arguments);
                    let took = said.starts_with("Stored: [ADD]") || said.starts_with("Stored: [SUPERSEDE]");
                    assert!(took, "{said}");
                });
            }
        });
        check(&mut clients[round % 2], &slot);
    }
    let mut client = servers[0].client(&key);
    assert_eq!(Export::of(&mut client, USER).entries("remember"), WRITERS * rounds);
    intact(&mut client);
}

/// Each value was current once, one after the other, and the last one still is.
fn check(client: &mut Client, slot: &str) {
    let history = client.call("history", &json!({ "subject": slot, "user_id": USER }));
    let values: BTreeSet<&str> =
        history.lines().skip(1).filter_map(|line| line.split_once(". ")?.1.split("  [").next()).collect();
    assert_eq!(values.len(), WRITERS, "{history}");
    assert_eq!(history.matches("[ACTIVE]").count(), 1, "{history}");
    assert_eq!(history.matches("[SUPERSEDED]").count(), WRITERS - 1, "{history}");
    assert!(history.trim_end().ends_with("[ACTIVE]"), "{history}");
}
