//! How fast a space of 100,000 facts with 384-dimensional embeddings opens and is searched, and what it weighs.
//! Run it with `cargo run --release -p svc-recall --example rank_rate`.
#![expect(clippy::print_stdout, reason = "a measurement is there to be read")]

use domain::{Fact, FactId, FactKind, Metadata, Status, Timestamp, Triple};
use recall::{ContextRule, SpaceIndex, VectorError, VectorIndex};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

const FACTS: i64 = 100_000;
const DIMENSIONS: NonZeroUsize = NonZeroUsize::new(384).unwrap();
const ROUNDS: u32 = 200;

const NOUNS: [&str; 16] = [
    "budget",
    "deployment",
    "database",
    "region",
    "meeting",
    "allergy",
    "manager",
    "release",
    "invoice",
    "contract",
    "language",
    "framework",
    "address",
    "preference",
    "schedule",
    "password",
];

fn main() -> Result<(), VectorError> {
    let mut random = Random(42);
    let facts: Vec<Arc<Fact>> = (0..FACTS).map(|id| Arc::new(fact(id, &mut random))).collect();
    let vectors: Vec<Vec<f32>> = facts.iter().map(|_| random.vector()).collect();

    let mut space = SpaceIndex::new();
    let start = Instant::now();
    facts.iter().for_each(|fact| space.upsert(Arc::clone(fact)));
    println!("open {FACTS} facts: {:.0} ms", millis(start));
    let start = Instant::now();
    for (fact, vector) in facts.iter().zip(&vectors) {
        space.set_vector(fact, vector)?;
    }
    println!("take {FACTS} vectors: {:.0} ms", millis(start));
    println!("memory by its own account: {} MB", space.approx_bytes() / 1_000_000);

    let mut nearest = VectorIndex::new(DIMENSIONS);
    for (fact, vector) in facts.iter().zip(&vectors) {
        nearest.insert(fact.id, vector)?;
    }
    let rare = "which region does project 4711 of team 99 use?";
    let common = "the current budget, deployment, database and region of the project and its team";
    let question = random.vector();
    let categories = ["allergy".to_owned()];
    let rule = ContextRule { limit: 40, critical_categories: &categories, critical_budget: 200 };
    measure("words, a rare term", || space.holding(rare, 80).len());
    measure("words, common terms alone", || space.holding(common, 80).len());
    measure("vectors", || nearest.search(&question, 80).len());
    measure("choose", || space.choose(rare, Some(&question), &rule).map_or(0, |facts| facts.len()));
    measure("replace one fact", || {
        let fact = fact(random.below(FACTS as u64) as i64, &mut random);
        space.upsert(Arc::new(fact));
        space.len()
    });
    Ok(())
}

fn measure(name: &str, mut work: impl FnMut() -> usize) {
    let mut times: Vec<f64> = Vec::new();
    let mut found = 0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        found = work();
        times.push(millis(start));
    }
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    println!("{name}: least {:.3} ms, p50 {:.3} ms, p99 {:.3} ms ({found})", at(0), at(50), at(99));
}

fn millis(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1000.0
}

fn fact(id: i64, random: &mut Random) -> Fact {
    let noun = random.noun();
    let (project, team) = (random.below(20_000), random.below(500));
    let value = format!("the current {noun} of project {project} is {} number {id}", random.noun());
    Fact {
        id: FactId(id),
        subject: format!("project{project}_{noun}"),
        text: format!("Team {team} says: {value}").into(),
        value: format!("{value}, says team {team}"),
        scope: "global".to_owned(),
        kind: FactKind::State,
        status: Status::Active,
        confidence: 0.95,
        source: Some(format!("team{team}")),
        list_item: false,
        supersedes: None,
        metadata: Metadata::new(),
        triple: Triple { head: "project".to_owned(), relation: noun.to_owned(), tail: id.to_string() },
        pending: None,
        earlier: Vec::new(),
        times: domain::Times::default(),
        created: Timestamp::UNIX_EPOCH,
        changed: Timestamp::UNIX_EPOCH,
    }
}

/// A linear congruential generator: the same facts in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }

    fn noun(&mut self) -> &'static str {
        NOUNS.get(self.below(NOUNS.len() as u64) as usize).copied().unwrap_or_default()
    }

    fn vector(&mut self) -> Vec<f32> {
        (0..DIMENSIONS.get()).map(|_| self.below(2001) as f32 / 1000.0 - 1.0).collect()
    }
}
