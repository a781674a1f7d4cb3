//! Looking after the entity graph.

use super::CliError;
use super::progress::Progress;
use crate::settings::Settings;
use crate::startup::{self, StartupError};
use clap::Subcommand;
use domain::{FactId, Tenant, Timestamp, counted};
use graph::Graph;
use service::projection_work::{self, Step};
use service::{Comparison, compare};
use std::io::Write;
use store::{GraphState, Rebuild, Store};

/// So many differing facts are named.
const NAMED: usize = 10;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show whether Neo4j answers, and how far the graph is behind.
    Status,
    /// Make the whole graph again from the database. The service may keep running.
    Rebuild,
    /// Apply what waits, then compare the graph with the database, fact by fact.
    Check,
    /// Remove the graph from Neo4j, and keep none from now on. Set SVC_GRAPH=off everywhere first.
    Drop {
        /// Leave what is in Neo4j as it is, for a Neo4j that is gone for good. Erasures whose second receipt is still to
        /// come never get one.
        #[arg(long)]
        without_neo4j: bool,
    },
}

impl Command {
    pub async fn run(self, settings: Settings, out: &mut impl Write) -> Result<(), CliError> {
        let Some(graph) = settings.graph else {
            return Err(CliError::Refused(
                "the entity graph is off; set SVC_GRAPH=on, and NEO4J_URI, NEO4J_USER and NEO4J_PASSWORD"
                    .to_owned(),
            ));
        };
        settings.database_file.make_folder().map_err(StartupError::from)?;
        let store = Store::open(settings.storage, Timestamp::now()).await.map_err(StartupError::from)?;
        let shown = graph.uri.clone();
        let graph = startup::graph(&store, &graph).await?;
        match self {
            Self::Status => status(&store, &graph, &shown, out).await,
            Self::Rebuild => rebuild(&store, &graph, out).await,
            Self::Check => check(&store, &graph, out).await,
            Self::Drop { without_neo4j: false } => drop_graph(&store, &graph, out).await,
            Self::Drop { without_neo4j: true } => {
                store.graph_turn_off().await.map_err(StartupError::from)?;
                Ok(writeln!(out, "No graph is kept from now on. What Neo4j holds of it stays there.")?)
            }
        }
    }
}

async fn status(store: &Store, graph: &Graph, uri: &str, out: &mut impl Write) -> Result<(), CliError> {
    let ready = graph.ready().await;
    match &ready {
        Ok(()) => writeln!(out, "Neo4j: {uri} answers.")?,
        Err(error) => writeln!(out, "Neo4j: {uri}: {error}.")?,
    }
    match store.graph_state().await.map_err(StartupError::from)? {
        None => writeln!(out, "Graph: none; it is made when the service starts, or by `svc graph rebuild`.")?,
        Some(state) => writeln!(out, "Graph: {}", told(&state, Timestamp::now()))?,
    }
    ready.map_err(|error| StartupError::from(error).into())
}

fn told(state: &GraphState, now: Timestamp) -> String {
    let waiting = match (state.waiting, state.oldest) {
        (0, _) | (_, None) => "no change waits".to_owned(),
        (waiting, Some(oldest)) => {
            let seconds = now.duration_since(oldest).as_secs().max(0).unsigned_abs();
            let (changes, seconds) =
                (counted(waiting, "change", "changes"), counted(seconds, "second", "seconds"));
            format!("{changes} waiting, the oldest for {seconds}")
        }
    };
    match &state.rebuild {
        None => format!("{waiting}."),
        Some(Rebuild::Wiping) => format!("about to be rebuilt; {waiting}."),
        Some(Rebuild::Walking { done, total, .. }) => {
            format!("rebuilt up to fact {done} of {total}; {waiting}.")
        }
    }
}

async fn rebuild(store: &Store, graph: &Graph, out: &mut impl Write) -> Result<(), CliError> {
    let mut progress = Progress::on_stderr();
    let facts = projection_work::rebuild(store, graph, &mut |step| show(&mut progress, step)).await?;
    progress.end();
    Ok(writeln!(out, "Rebuilt: {} in the graph.", counted(facts, "fact", "facts"))?)
}

async fn check(store: &Store, graph: &Graph, out: &mut impl Write) -> Result<(), CliError> {
    let mut progress = Progress::on_stderr();
    projection_work::drain(store, graph, &mut |step| show(&mut progress, step)).await?;
    let mut watch = |done: u64| progress.count("compared", done, None);
    let compared = compare(store, graph, &mut watch).await?;
    progress.end();
    if compared.is_equal() {
        let facts = counted(compared.equal, "active fact", "active facts");
        return Ok(writeln!(out, "Equal: {facts} on both sides.")?);
    }
    Err(CliError::Refused(differences(&compared)))
}

fn differences(compared: &Comparison) -> String {
    let Comparison { equal, missing, surplus, different } = compared;
    let mut text = format!("the graph and the database differ; {equal} fact(s) are equal");
    for (what, facts) in [
        ("missing in the graph", missing),
        ("in the graph though no longer active", surplus),
        ("in the graph with other names", different),
    ] {
        if !facts.is_empty() {
            text.push_str(&format!("; {} {what}: {}", facts.len(), named(facts)));
        }
    }
    text + ". Run `svc graph rebuild`; if changes were being made meanwhile, check again first"
}

fn named(facts: &[(Tenant, FactId)]) -> String {
    let mut names: Vec<String> =
        facts.iter().take(NAMED).map(|(tenant, fact)| format!("#{fact} of {tenant}")).collect();
    if facts.len() > NAMED {
        names.push("…".to_owned());
    }
    names.join(", ")
}

async fn drop_graph(store: &Store, graph: &Graph, out: &mut impl Write) -> Result<(), CliError> {
    let mut progress = Progress::on_stderr();
    let removed = projection_work::drop_all(store, graph, &mut |step| show(&mut progress, step)).await?;
    progress.end();
    let nodes = counted(removed, "node", "nodes");
    Ok(writeln!(
        out,
        "Removed {nodes} from Neo4j. No graph is kept until the service starts with SVC_GRAPH=on."
    )?)
}

fn show(progress: &mut Progress<impl Write>, step: Step) {
    match step {
        Step::Wiped(nodes) => progress.count("nodes removed", nodes, None),
        Step::Rebuilt { done, of } => progress.count("facts", done, Some(of)),
        Step::Applied(changes) => progress.count("changes applied", changes, None),
    }
}
