//! What would become of records that are only tried. It is worked out on a copy of the space, by the same rules.

use super::record::{Held, RecordArgs, brought, fit};
use crate::outcome::Stop;
use crate::spaces::OpenSpace;
use crate::tool::Context;
use crate::tools::remember::FactsBefore;
use domain::keys::{subject_keys, value_key};
use domain::{Fact, FactId, Proposer, SourcePolicy, Status};
use parking_lot::RwLock;
use reconcile::{HeldFacts, Needs, Plan, Statement, Trust, Write};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use store::{Arrival, Bringing, Brought, CameTo, Notes};

pub(super) struct Rehearsal {
    facts: BTreeMap<FactId, Fact>,
    by_subject: HashMap<String, BTreeSet<FactId>>,
    /// The same facts, as the model is shown them.
    open: Arc<RwLock<OpenSpace>>,
    policy: SourcePolicy,
    /// What was brought before, or in this rehearsal.
    notes: Notes,
    /// What the records came to, by their ids.
    here: BTreeMap<String, FactId>,
}

impl Rehearsal {
    pub async fn open(
        cx: &Context<'_>,
        records: &[RecordArgs],
        here: BTreeMap<String, FactId>,
    ) -> Result<Self, Stop> {
        let (store, caller) = (&cx.service.store, &cx.call.caller);
        let named = |record: &RecordArgs| {
            [(record.key.clone(), record.name.clone()), (record.last_key.clone(), record.last_name.clone())]
        };
        let known: BTreeSet<(String, String)> = records.iter().flat_map(named).collect();
        let known = known.into_iter().collect();
        let mut rehearsal = Self {
            facts: BTreeMap::new(),
            by_subject: HashMap::new(),
            open: Arc::default(),
            policy: store.policy_get(caller, &cx.space).await?,
            notes: store.imports_noted(caller, &cx.space, known).await?,
            here,
        };
        for fact in store.space_history(caller, &cx.space).await?.facts {
            rehearsal.put(fact);
        }
        Ok(rehearsal)
    }

    pub async fn bring(&mut self, cx: &Context<'_>, from: &str, record: RecordArgs) -> Result<Arrival, Stop> {
        let last = (record.last_key.clone(), record.last_name.clone());
        if let Some(ids) = self.notes.known(&record.key, &record.name, &last) {
            let ids = ids.to_vec();
            self.here.extend(ids.first().map(|id| (record.id, *id)));
            return Ok(Arrival::Known(ids));
        }
        let held = Held::Rehearsed(FactsBefore::of(cx, self.open.clone()));
        let record = match fit(brought(cx, from, record, &held).await)? {
            Ok(record) => record,
            Err(unfit) => return Ok(unfit),
        };
        let (plan, came_to) = self.plan(cx, &record);
        for write in &plan.writes {
            let (Write::Insert(fact) | Write::Update(fact)) = write;
            self.put(fact.clone());
        }
        let first = plan.outcomes.iter().find_map(|outcome| outcome.id);
        self.here.extend(first.map(|id| (record.id.clone(), id)));
        self.notes.add(&record, came_to);
        Ok(Arrival::New(plan))
    }

    fn plan(&self, cx: &Context<'_>, record: &Brought) -> (Plan, CameTo) {
        let slots = &cx.service.options.slots;
        let next = FactId(self.facts.keys().next_back().map_or(1, |last| last.0 + 1));
        let before = self.notes.before(record);
        match &record.how {
            Bringing::Told(words) => {
                let proposer = if words.by_model { Proposer::Model } else { Proposer::Caller };
                let proposals = reconcile::repair(&words.facts, proposer, slots);
                let statement = Statement {
                    text: &words.text,
                    source: words.source.as_deref(),
                    trust: Trust::Ordinary,
                    metadata: &words.metadata,
                    proposer: Proposer::Model,
                    said: None,
                    now: words.at,
                };
                let held = self.held(&reconcile::needs_told(&proposals, &statement, before));
                let telling = words.telling(before, cx.call.caller.now);
                let plan =
                    reconcile::plan_told(&held, &proposals, &statement, &telling, &self.policy, slots, next);
                let came_to = CameTo::of(record, &plan, &held, before);
                (plan, came_to)
            }
            Bringing::AsIs(brought) => match brought.linked(|id| self.here.get(id).copied()) {
                Ok(fact) => {
                    let held = self.held(&reconcile::needs_as_is(&fact, before));
                    let putting = brought.putting(before, &self.policy, slots, cx.call.caller.now);
                    let plan = reconcile::plan_as_is(&held, &fact, &putting, next);
                    let came_to = CameTo::of(record, &plan, &held, before);
                    (plan, came_to)
                }
                Err(skipped) => {
                    let plan = Plan { outcomes: vec![skipped], ..Plan::default() };
                    (plan, CameTo { facts: Vec::new(), is_put_down: false })
                }
            },
        }
    }

    fn held(&self, needs: &Needs) -> HeldFacts {
        let of = |subject: &String| {
            let ids = self.by_subject.get(subject).into_iter().flatten();
            ids.filter_map(|id| self.facts.get(id))
        };
        let standing = needs.subjects.iter().flat_map(of).filter(|f| Status::STANDING.contains(&f.status));
        let named = needs.ids.iter().filter_map(|id| self.facts.get(id));
        let past = needs.past.iter().flat_map(|(subject, value)| {
            of(subject).filter(move |f| Status::RETIRED.contains(&f.status) && value_key(&f.value) == *value)
        });
        let superseded = needs.superseded.iter().flat_map(of).filter(|f| f.status == Status::Superseded);
        let was_held = |(subject, value): &&(String, String)| {
            of(subject).any(|f| Status::RETIRED.contains(&f.status) && value_key(&f.value) == *value)
        };
        let found = standing.chain(named).chain(past).chain(superseded).map(|fact| (fact.id, fact));
        let facts: BTreeMap<FactId, &Fact> = found.collect();
        HeldFacts {
            facts: facts.into_values().cloned().collect(),
            retired: needs.retired.iter().filter(was_held).cloned().collect(),
        }
    }

    fn put(&mut self, fact: Fact) {
        for key in subject_keys(&fact.subject) {
            self.by_subject.entry(key).or_default().insert(fact.id);
        }
        self.open.write().index.upsert(Arc::new(fact.clone()));
        self.facts.insert(fact.id, fact);
    }
}
