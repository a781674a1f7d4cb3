//! Paths from what a question names to what it asks for: the graph says which facts speak of the same things, the
//! opened space says what those facts are and how well they fit the question.

use crate::spaces::OpenSpace;
use domain::{EntityKey, Fact, FactId, SpaceKey};
use graph::{Graph, GraphError, Names, names_of, spans_of};
use parking_lot::RwLock;
use recall::Relevance;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use store::Store;

/// Facts on one path.
const STEPS: usize = 3;
/// Paths that are followed further after each step.
const FOLLOWED: usize = 30;
/// Facts of one name that are looked at. What speaks of more than that tells little apart.
const FACTS_OF_A_NAME: u32 = 64;
/// One look into the graph takes a few milliseconds; the first after Neo4j has started takes longer.
const LOOK: Duration = Duration::from_secs(2);
/// Names that are asked for at once, and facts that one step may weigh.
const NAMES_AT_ONCE: usize = 600;
const FACTS_OF_A_STEP: usize = 1500;
/// No more paths are taken once there are so many facts on them. Where the model only shows them, fewer are better.
const FACTS_TO_READ: usize = 8;
const FACTS_TO_SHOW: usize = 5;
/// So many of the best paths a model may weigh, and what its word counts beside the score.
pub(crate) const WEIGHED: usize = 12;
const WEIGHT: f32 = 0.4;
/// Facts near to the question that a path may begin with, though the question names nothing in them.
const NEAREST: usize = 6;

/// What a path gains from beginning with something that the question names, by its whole name and by a short one.
const NAMED: f32 = 0.3;
const NAMED_IN_SHORT: f32 = 0.15;
const NEAR: f32 = 0.05;
/// A path that begins with nothing that the question names must fit at least so well.
const FITS: f32 = 0.5;
/// What each further step costs, and one over a name that one of the facts has in short form only.
const STEP: f32 = 0.02;
const LOOSE_STEP: f32 = 0.05;

/// What is asked, and where.
pub(crate) struct Asked<'a> {
    pub question: &'a str,
    pub vector: Option<&'a [f32]>,
    pub open: &'a RwLock<OpenSpace>,
    /// The facts nearest to the question, best first.
    pub nearest: &'a [Arc<Fact>],
}

/// Facts each of which names a thing that the next one speaks of.
pub type Path = Vec<Arc<Fact>>;

/// A path, and how well it fits.
pub(crate) struct Found {
    pub path: Path,
    score: f32,
}

/// The best paths, best first; none where the graph knows nothing of what the question names.
pub(crate) async fn find(
    graph: &Graph,
    store: &Store,
    space: SpaceKey<'_>,
    asked: &Asked<'_>,
) -> Result<Vec<Found>, GraphError> {
    let mut search = Search { graph, store, space, names: HashMap::new() };
    let mut ways = search.beginnings(asked).await?;
    let mut found = ways.clone();
    for _ in 1..STEPS {
        ways = search.next_step(asked, &ways).await?;
        found.extend(ways.iter().cloned());
    }
    // A fact that is near to the question by itself is nothing that the graph has found.
    found.retain(|way| way.is_named || way.score - way.bonus >= FITS);
    if found.iter().all(|way| way.facts.len() == 1 && !way.is_named) {
        return Ok(Vec::new());
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let open = asked.open.read();
    let path = |way: &Way| way.facts.iter().map(|id| open.index.get(*id).cloned()).collect::<Option<Path>>();
    let found = found.iter().filter_map(|way| Some(Found { path: path(way)?, score: way.score }));
    Ok(found.take(FOLLOWED).collect())
}

/// A path under way.
#[derive(Debug, Clone)]
struct Way {
    facts: Vec<FactId>,
    /// Whether the question names a thing that its first fact speaks of.
    is_named: bool,
    /// What it gained and lost apart from how well its facts fit.
    bonus: f32,
    score: f32,
}

struct Search<'a> {
    graph: &'a Graph,
    store: &'a Store,
    space: SpaceKey<'a>,
    names: HashMap<FactId, Names>,
}

impl Search<'_> {
    /// Which facts go by each of these names.
    async fn facts_naming(
        &self,
        names: BTreeSet<String>,
    ) -> Result<BTreeMap<String, Vec<FactId>>, GraphError> {
        let names = names.into_iter().take(NAMES_AT_ONCE);
        let keys: HashMap<EntityKey, String> =
            names.map(|name| (self.store.entity_key(self.space, &name), name)).collect();
        let wanted: Vec<EntityKey> = keys.keys().copied().collect();
        let (tenant, space) = (self.space.tenant, self.space.id);
        let found = self.graph.facts_naming(tenant, space, &wanted, FACTS_OF_A_NAME, LOOK).await?;
        Ok(found.into_iter().filter_map(|(key, facts)| Some((keys.get(&key)?.clone(), facts))).collect())
    }

    fn names(&mut self, fact: &Fact) -> &Names {
        self.names.entry(fact.id).or_insert_with(|| names_of(fact))
    }

    /// Facts that the question names, and those nearest to it.
    async fn beginnings(&mut self, asked: &Asked<'_>) -> Result<Vec<Way>, GraphError> {
        let spans = spans_of(asked.question);
        let naming = self.facts_naming(spans.iter().map(|span| span.name.clone()).collect()).await?;
        let known: Vec<_> = spans.iter().filter(|span| naming.contains_key(&span.name)).collect();
        let mut bonuses: HashMap<FactId, f32> = HashMap::new();
        let open = asked.open.read();
        for span in known.iter().filter(|span| !known.iter().any(|other| other.covers(span))) {
            let facts = naming.get(&span.name).map(Vec::as_slice).unwrap_or_default();
            // What many facts speak of says less about any of them.
            let rarity = (4.0 / facts.len().max(4) as f32).sqrt();
            for fact in facts.iter().filter_map(|id| open.index.get(*id)) {
                let whole = self.names(fact).whole.contains(&span.name);
                let bonus = if whole { NAMED } else { NAMED_IN_SHORT } * rarity;
                let best = bonuses.entry(fact.id).or_default();
                *best = best.max(bonus);
            }
        }
        let relevance = open.index.relevance(asked.question, asked.vector);
        let near = asked.nearest.iter().take(NEAREST).filter(|fact| !bonuses.contains_key(&fact.id));
        let near = near.map(|fact| scored(&relevance, vec![fact.id], NEAR, false));
        let named = bonuses.iter().map(|(id, bonus)| scored(&relevance, vec![*id], *bonus, true));
        Ok(best(named.chain(near).collect()))
    }

    /// The followed ways, each with one fact more.
    async fn next_step(&mut self, asked: &Asked<'_>, ways: &[Way]) -> Result<Vec<Way>, GraphError> {
        let mut wanted = BTreeSet::new();
        {
            let open = asked.open.read();
            for last in ways.iter().filter_map(|way| open.index.get(*way.facts.last()?)) {
                wanted.extend(self.names(last).all().map(str::to_owned));
            }
        }
        let naming = self.facts_naming(wanted).await?;
        let open = asked.open.read();
        let relevance = open.index.relevance(asked.question, asked.vector);
        let mut longer: HashMap<Vec<FactId>, Way> = HashMap::new();
        for way in ways {
            let Some(last) = way.facts.last().and_then(|id| open.index.get(*id)) else { continue };
            let from = self.names(last).clone();
            for name in from.all() {
                for next in naming.get(name).into_iter().flatten().filter_map(|id| open.index.get(*id)) {
                    if way.facts.contains(&next.id) || longer.len() >= FACTS_OF_A_STEP {
                        continue;
                    }
                    let (here, there) = (from.whole.contains(name), self.names(next).whole.contains(name));
                    // Two facts that have one word of longer names in common need not speak of the same thing.
                    let Some(loose) = (here || there).then_some(!(here && there)) else { continue };
                    let bonus = way.bonus - STEP - if loose { LOOSE_STEP } else { 0.0 };
                    let mut facts = way.facts.clone();
                    facts.push(next.id);
                    let mut key = facts.clone();
                    key.sort_unstable();
                    let way = scored(&relevance, facts, bonus, way.is_named);
                    longer
                        .entry(key)
                        .and_modify(|known| {
                            if known.score < way.score {
                                *known = way.clone();
                            }
                        })
                        .or_insert(way);
                }
            }
        }
        Ok(best(longer.into_values().collect()))
    }
}

fn scored(relevance: &Relevance<'_>, facts: Vec<FactId>, bonus: f32, is_named: bool) -> Way {
    let score = relevance.of(&facts) + bonus;
    Way { facts, is_named, bonus, score }
}

fn best(mut ways: Vec<Way>) -> Vec<Way> {
    ways.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.facts.cmp(&b.facts)));
    ways.truncate(FOLLOWED);
    ways
}

/// The best paths that bring a fact that those before have not. `weighed` is how likely a model takes each of the first
/// ones to answer the question, where it was asked.
pub(crate) fn chosen(mut found: Vec<Found>, weighed: Option<&[f32]>) -> Vec<Path> {
    let most = if weighed.is_some() { FACTS_TO_SHOW } else { FACTS_TO_READ };
    for (found, likely) in found.iter_mut().zip(weighed.unwrap_or_default()) {
        // Above all that were not weighed, which fit less.
        found.score += 1.0 + WEIGHT * likely;
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut taken: HashSet<FactId> = HashSet::new();
    let mut paths = Vec::new();
    for Found { path, .. } in found {
        if taken.len() >= most {
            break;
        }
        if path.iter().any(|fact| !taken.contains(&fact.id)) {
            taken.extend(path.iter().map(|fact| fact.id));
            paths.push(path);
        }
    }
    paths
}
