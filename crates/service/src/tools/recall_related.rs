//! Answers a question about how things hang together, along paths in the entity graph. Without the graph it is `recall`.

use super::as_of::gone;
use super::recall::{Answered, Ground, detail, grounds};
use crate::answering::{self, Basis, History, Recalled};
use crate::outcome::{Done, Stop};
use crate::paths::{self, Asked, Path, WEIGHED};
use crate::projection::Projection;
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Fact, FactId, Space, SpaceKey};
use graph::GraphError;
use model::Order;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A question waits so long for what this process wrote before it.
const READ_YOUR_WRITES: Duration = Duration::from_millis(500);

pub(crate) struct RecallRelated;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    question: String,
    /// Show the paths and the facts behind the answer.
    #[serde(default)]
    explain: bool,
    /// Answer from what held then, such as 2023-05-07.
    #[serde(default)]
    as_of: String,
}

impl Tool for RecallRelated {
    const NAME: &'static str = "recall_related";
    const TITLE: &'static str = "Answer across related facts";
    const DESCRIPTION: &'static str = "Ask how things are connected, such as who owns the service that uses \
        a database; like recall.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Open;
    type Place = Space;
    type Args = Args;
    type Reply = Related;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<Related>, Stop> {
        let categories = answering::categories(&cx, "");
        let mut basis =
            answering::basis_at(&cx, &args.question, &categories, History::Leave, &args.as_of).await?;
        let looked = match &cx.service.projection {
            // The graph knows the present alone.
            None => Looked::No,
            Some(_) if !args.as_of.trim().is_empty() => Looked::No,
            Some(projection) => look(&cx, projection, &args.question, &mut basis).await?,
        };
        let numbers: Vec<Vec<FactId>> =
            looked.paths().iter().map(|path| path.iter().map(|fact| fact.id).collect()).collect();
        put_first(&mut basis, looked.paths());
        let answer = answering::answer_along(&cx, &args.question, &basis, &numbers).await?;
        let (detail, erasures) = (detail(&args.question, &args.as_of), basis.erasures.clone());
        let grounds = args.explain.then(|| grounds(basis));
        Ok(Done::read(Related { answered: Answered { answer, grounds, erasures }, looked }, detail))
    }
}

async fn look(
    cx: &Context<'_>,
    projection: &Projection,
    question: &str,
    basis: &mut Basis,
) -> Result<Looked, Stop> {
    let (store, caller) = (&cx.service.store, &cx.call.caller);
    let Some(id) = store.space_id(caller, &cx.space).await? else { return Ok(Looked::Nothing) };
    let is_current = projection.catch_up(READ_YOUR_WRITES).await;
    let nearest: Vec<Arc<Fact>> = basis.active().cloned().collect();
    let asked = Asked { question, vector: basis.vector.as_deref(), open: &basis.open, nearest: &nearest };
    let space = SpaceKey { tenant: &caller.tenant, id };
    let found = paths::find(&projection.graph, store, space, &asked).await;
    // Neo4j may have taken seconds. What was erased or replaced meanwhile is not shown.
    let open = cx.service.spaces.current(store, caller, &cx.space).await?;
    let is_held = |fact: &Arc<Fact>| open.read().index.get(fact.id).is_some_and(|held| held == fact);
    basis.facts.retain(|recalled| is_held(&recalled.fact));
    let found = found.map(|mut found| {
        found.retain(|found| found.path.iter().all(is_held));
        found
    });
    Ok(match found {
        Ok(found) if found.is_empty() && !is_current => Looked::Behind,
        Ok(found) if found.is_empty() => Looked::Nothing,
        Ok(found) => {
            let texts = found.iter().take(WEIGHED).map(|found| told(&found.path)).collect();
            let weighed = cx.service.models.weigh(question, texts, &Order::from(caller)).await?;
            Looked::Found(paths::chosen(found, weighed.as_deref()))
        }
        Err(error) => {
            tracing::warn!(kind = error.kind(), "the entity graph did not answer; answering as recall does");
            Looked::Away(error)
        }
    })
}

/// A path in words, for a model.
fn told(path: &Path) -> String {
    let sentences = path.iter().map(|fact| format!("{} is {}.", fact.subject, fact.value));
    sentences.collect::<Vec<_>>().join(" ")
}

/// The facts on the paths come before those that were found by themselves.
fn put_first(basis: &mut Basis, paths: &[Path]) {
    let mut seen = HashSet::new();
    let on_paths = paths.iter().flatten().filter(|fact| seen.insert(fact.id));
    let on_paths = on_paths.map(|fact| Recalled { fact: fact.clone(), score: 0.0, is_retired: false });
    let on_paths: Vec<Recalled> = on_paths.collect();
    basis.facts.retain(|recalled| !seen.contains(&recalled.fact.id));
    basis.facts.splice(0..0, on_paths);
}

/// What looking into the graph came to.
#[derive(Debug)]
pub enum Looked {
    /// There is no graph in this deployment.
    No,
    Found(Vec<Path>),
    /// It knows nothing of what the question is about.
    Nothing,
    /// It has still to take in what was told last.
    Behind,
    Away(GraphError),
}

impl Looked {
    fn paths(&self) -> &[Path] {
        match self {
            Self::Found(paths) => paths,
            Self::No | Self::Nothing | Self::Behind | Self::Away(_) => &[],
        }
    }

    /// Why the answer is that of `recall`, where there is a graph.
    fn note(&self) -> Option<String> {
        match self {
            Self::No | Self::Found(_) => None,
            Self::Nothing => {
                Some("(The entity graph has no path for this, so this is recall's answer.)".to_owned())
            }
            Self::Behind => {
                Some("(The entity graph has not caught up yet, so this is recall's answer.)".to_owned())
            }
            Self::Away(error) => Some(format!(
                "(The entity graph does not answer, {}, so this is recall's answer.)",
                error.kind()
            )),
        }
    }
}

/// An answer, and the paths that it was found along.
#[derive(Debug)]
pub struct Related {
    pub answered: Answered,
    pub looked: Looked,
}

impl fmt::Display for Related {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.answered.answer)?;
        if let Some(note) = self.looked.note() {
            write!(f, "\n\n{note}")?;
        }
        let Some(grounds) = &self.answered.grounds else { return gone(&self.answered.erasures, f) };
        if !self.looked.paths().is_empty() {
            f.write_str("\n\nAlong these paths:")?;
            self.looked.paths().iter().try_for_each(|path| write!(f, "\n  • {}", Steps(path)))?;
        }
        Ground::write_all(grounds, f)?;
        gone(&self.answered.erasures, f)
    }
}

/// `#2 payments database = ledger-pg → #9 ledger-pg region = Frankfurt`
struct Steps<'a>(&'a [Arc<Fact>]);

impl fmt::Display for Steps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fact) in self.0.iter().enumerate() {
            let arrow = if at == 0 { "" } else { " → " };
            write!(f, "{arrow}#{} {}", fact.id, render::pair(&fact.subject, &fact.value))?;
        }
        Ok(())
    }
}
