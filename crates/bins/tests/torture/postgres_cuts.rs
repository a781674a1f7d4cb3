//! Connections to PostgreSQL that break at chosen moments of the protocol.

use crate::campaign::{Campaign, Row, Verdict, thousands};
use crate::postgres_proxy::{Moment, Proxy};
use crate::store_check::{Export, intact};
use crate::support::http::{Client, request, text};
use crate::support::{Deployment, Model, PATIENCE, Server, says};
use samples::postgres::{self, Database, Role};
use serde_json::json;
use std::net::ToSocketAddrs;
use std::time::{Duration, Instant};

pub const ROW: Row = Row {
    name: "postgres-cuts",
    title: "a proxy that cuts PostgreSQL connections at chosen moments of the protocol",
    does_not_show: "a network that delivers what was sent twice or much later, which TCP rules out",
    run,
};

const USER: &str = "patient";
const ERASED: &str = "erased";
/// Of each type, in a call; beyond the last one nothing is cut.
const MESSAGES: usize = 16;

fn run(campaign: &Campaign) -> Verdict {
    let Some(server) = postgres::shared() else {
        return Verdict::not_run("this machine has no PostgreSQL");
    };
    let rounds = campaign.amount(1, 20);
    let model = Model::start();
    let database = Database::create(server);
    let direct = url::Url::parse(&database.url(Role::Owner)).unwrap();
    let place = (direct.host_str().unwrap(), direct.port().unwrap_or(5432));
    let proxy = Proxy::start(place.to_socket_addrs().unwrap().next().unwrap());
    let mut through = direct.clone();
    through.set_host(Some("127.0.0.1")).unwrap();
    through.set_port(Some(proxy.address().port())).unwrap();
    let deployment = Deployment::bare()
        .with("OPENAI_BASE_URL", &model.base_url())
        .with("SVC_DATABASE_URL", through.as_str())
        .with("SVC_RATE_PER_MIN", "0");
    let (_, key) = deployment.principal("admin", &[]);
    let service = deployment.serve();
    let mut cuts = Cuts {
        proxy: &proxy,
        client: service.client(&key),
        server: &service,
        key: &key,
        told: Told::default(),
    };
    for round in 0..rounds {
        for (n, moment) in Moment::ALL.into_iter().enumerate() {
            campaign.progress("cuts", round * Moment::ALL.len() + n, rounds * Moment::ALL.len());
            // Some messages into the call: its key is looked up first, and it reads before it writes.
            let others = if moment.is_of_commit() { 0 } else { campaign.seed_for(round).below(MESSAGES) };
            cuts.write(round, moment, others);
            cuts.erase(round, moment, others);
        }
    }
    let unknown = if campaign.percent.is_some() { cuts.unknown_outcome() } else { 0 };
    cuts.finish(unknown)
}

#[derive(Default)]
struct Told {
    acknowledged: Vec<String>,
    cuts: usize,
    failed: usize,
}

struct Cuts<'a> {
    proxy: &'a Proxy,
    client: Client,
    server: &'a Server,
    key: &'a str,
    told: Told,
}

impl Cuts<'_> {
    /// One call over fresh connections, of which the first that comes to the moment breaks.
    fn call(&mut self, moment: Moment, others: usize, tool: &str, arguments: &serde_json::Value) -> String {
        self.proxy.cut_all();
        self.proxy.arm(moment, others);
        let answer = self.client.ask(tool, arguments).unwrap();
        self.told.cuts += usize::from(self.proxy.disarm());
        // Where the lookup of the key was cut, the call was not begun, and the status says so.
        let said = text(&answer).unwrap_or_else(|| answer.status.to_string());
        self.client = self.server.client(self.key);
        said
    }

    fn write(&mut self, round: usize, moment: Moment, others: usize) {
        let subject = format!("{moment:?} {round}").to_lowercase();
        let said = self.call(
            moment,
            others,
            "remember",
            &json!({ "text": says(&subject, "kept"), "user_id": USER }),
        );
        if said.starts_with("Stored: [ADD]") {
            self.told.acknowledged.push(subject);
        } else {
            self.told.failed += 1;
            let stored = Export::of(&mut self.client, USER);
            let happened = stored.subjects().contains(&subject.as_str());
            let denied = said.to_lowercase().contains("nothing was changed");
            assert!(!(happened && denied), "{moment:?}: it has happened, and the reply was {said}");
        }
    }

    fn erase(&mut self, round: usize, moment: Moment, others: usize) {
        let user = format!("{ERASED} {round} {moment:?}");
        for n in 0..3 {
            self.client
                .call("remember", &json!({ "text": says(&format!("item {n}"), "x"), "user_id": user }));
        }
        let said = self.call(moment, others, "delete_all", &json!({ "user_id": user }));
        let left = Export::of(&mut self.client, &user).subjects().len();
        assert!(left == 0 || left == 3, "{moment:?}: {left} facts are left");
        assert!(left == 0 || !said.starts_with("Deleted "), "{moment:?}: {said}");
        self.told.failed += usize::from(!said.starts_with("Deleted "));
    }

    /// The commit is sent, and then nobody can be asked what became of it. Returns how many such calls there were.
    fn unknown_outcome(&mut self) -> usize {
        self.proxy.cut_all();
        self.proxy.arm(Moment::ForGood, 0);
        let arguments = json!({ "text": says("unknown", "kept"), "user_id": USER });
        let said = self.client.call("remember", &arguments);
        assert!(self.proxy.is_idle(), "no commit was sent");
        self.proxy.open();
        self.wait_until_ready();
        assert!(!said.starts_with("Stored:"), "{said}");
        let words = said.to_lowercase();
        assert!(!words.contains("nothing was changed"), "{said}");
        assert!(
            words.contains("not known") || words.contains("unknown") || words.contains("may have"),
            "{said}"
        );
        1
    }

    fn wait_until_ready(&self) {
        let deadline = Instant::now() + PATIENCE;
        while self.server.connect().ask(&request("GET", "/readyz", &[], b"")).unwrap().status != 200 {
            assert!(Instant::now() < deadline, "the server does not find its database again");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn finish(mut self, unknown: usize) -> Verdict {
        Export::of(&mut self.client, USER).check_added(&self.told.acknowledged);
        intact(&mut self.client);
        Verdict::held(
            format!(
                "{} connections cut at {} moments of the protocol, under `remember` and `delete_all`; {unknown} with \
                 nobody to ask afterwards",
                thousands(self.told.cuts),
                Moment::ALL.len()
            ),
            format!(
                "all {} acknowledged writes there once, each with its audit entry; {} calls failed, each as a whole or not \
                 at all, and none that had happened said otherwise; log INTACT",
                thousands(self.told.acknowledged.len()),
                thousands(self.told.failed)
            ),
        )
    }
}
