//! The smallest database that a plan can be applied to. It refuses a plan that breaks a promise.

use crate::{
    Approver, Decision, Edit, Editor, HeldFacts, Needs, Outcome, Plan, Refusal, SlotSchema, Statement, Trust,
    Write, needs, needs_of, plan, plan_confirm, plan_reject, plan_removal, plan_update, repair, slot_key,
};
use domain::keys::{subject_key, value_key};
use domain::{
    Action, Doubt, Fact, FactId, Metadata, Named, Proposed, Proposer, RawFact, SourcePolicy, Status,
    Timestamp, Wording,
};
use std::collections::BTreeSet;
use std::sync::Arc;

pub struct Database {
    pub facts: Vec<Fact>,
    pub slots: SlotSchema,
    pub policy: SourcePolicy,
    pub metadata: Metadata,
    ever_active: BTreeSet<(String, String)>,
    /// The time of the last call, in seconds; a call is dated by its start, so a slow one is dated in the past.
    pub clock: i64,
}

/// Who speaks.
#[derive(Debug, Clone, Copy)]
pub struct Speaker<'a>(pub Option<&'a str>, pub Trust);

pub const SOMEONE: Speaker<'static> = Speaker(None, Trust::Ordinary);

pub fn by(source: &str) -> Speaker<'_> {
    Speaker(Some(source), Trust::Ordinary)
}

pub fn raw(subject: &str, value: &str, action: &str) -> RawFact {
    RawFact {
        subject: Some(subject.to_owned()),
        value: Some(value.to_owned()),
        action: Some(action.to_owned()),
        confidence: Some(0.95),
        scope: Some("global".to_owned()),
        kind: Some("state".to_owned()),
        time_ref: Some("current".to_owned()),
        ..RawFact::default()
    }
}

pub fn unsure(fact: RawFact) -> RawFact {
    RawFact { confidence: Some(0.4), ..fact }
}

pub fn at(time_ref: &str, fact: RawFact) -> RawFact {
    RawFact { time_ref: Some(time_ref.to_owned()), ..fact }
}

pub fn within(scope: &str, fact: RawFact) -> RawFact {
    RawFact { scope: Some(scope.to_owned()), ..fact }
}

pub fn event(fact: RawFact) -> RawFact {
    RawFact { kind: Some("event".to_owned()), ..fact }
}

pub fn aimed(target: FactId, fact: RawFact) -> RawFact {
    RawFact { target_id: Some(target.0), ..fact }
}

pub fn with_wording(wording: Wording, fact: RawFact) -> Proposed {
    Proposed { fact, wording }
}

pub fn gone() -> Wording {
    Wording { removal: true, ..Wording::default() }
}

pub fn doubted() -> Wording {
    Wording { doubt: Some(Doubt::Hedged), ..Wording::default() }
}

/// The words hold the value of the fact aimed at, whose subject this is.
pub fn by_value(subject: &str) -> Wording {
    let named = Named { subject: subject.to_owned(), by_value: true, by_subject: false };
    Wording { target: Some(named), ..Wording::default() }
}

pub fn by_subject(subject: &str) -> Wording {
    let named = Named { subject: subject.to_owned(), by_value: false, by_subject: true };
    Wording { target: Some(named), ..Wording::default() }
}

impl Database {
    pub fn new(slots: SlotSchema) -> Self {
        Self {
            facts: Vec::new(),
            slots,
            policy: SourcePolicy::default(),
            metadata: Metadata::new(),
            ever_active: BTreeSet::new(),
            clock: 0,
        }
    }

    pub fn clinical() -> Self {
        Self::new(SlotSchema::preset("clinical").unwrap())
    }

    /// One fact, said by nobody in particular, in words without any meaning.
    pub fn say(&mut self, fact: RawFact) -> Action {
        self.remember("said", &[fact], SOMEONE)[0].action
    }

    /// Facts in words that say nothing beside them.
    pub fn remember(&mut self, text: &str, facts: &[RawFact], voice: Speaker) -> Vec<Outcome> {
        let plain: Vec<Proposed> =
            facts.iter().map(|f| with_wording(Wording::default(), f.clone())).collect();
        self.reconcile(text, &plain, voice)
    }

    /// One fact with this wording.
    pub fn seen(&mut self, wording: Wording, fact: RawFact) -> Vec<Outcome> {
        self.reconcile("said", &[with_wording(wording, fact)], SOMEONE)
    }

    pub fn reconcile(&mut self, text: &str, facts: &[Proposed], voice: Speaker) -> Vec<Outcome> {
        let (metadata, text) = (self.metadata.clone(), Arc::from(text));
        let statement = self.statement(&text, voice, &metadata);
        self.plan(facts, &statement).unwrap()
    }

    /// Facts that a caller brings, said then where a time is given.
    pub fn bring(&mut self, said: Option<&str>, facts: &[RawFact]) -> Result<Vec<Outcome>, Refusal> {
        self.bring_as(SOMEONE, said, facts)
    }

    pub fn bring_as(
        &mut self,
        voice: Speaker,
        said: Option<&str>,
        facts: &[RawFact],
    ) -> Result<Vec<Outcome>, Refusal> {
        let plain =
            facts.iter().map(|fact| with_wording(Wording::default(), fact.clone())).collect::<Vec<_>>();
        self.bring_worded(voice, said, &plain)
    }

    pub fn bring_worded(
        &mut self,
        voice: Speaker,
        said: Option<&str>,
        facts: &[Proposed],
    ) -> Result<Vec<Outcome>, Refusal> {
        let (metadata, text) = (self.metadata.clone(), Arc::from("brought"));
        let statement = self.statement(&text, voice, &metadata);
        let said = said.map(|date| date.parse().unwrap());
        self.plan(facts, &Statement { proposer: Proposer::Caller, said, ..statement })
    }

    fn plan(&mut self, facts: &[Proposed], statement: &Statement) -> Result<Vec<Outcome>, Refusal> {
        let proposals = repair(facts, statement.proposer, &self.slots);
        let held = self.fetch(&needs(&proposals, statement, &[]));
        let plan = plan(&held, &proposals, statement, &self.policy, &self.slots, self.next_id())?;
        Ok(self.commit(plan))
    }

    /// The values that were current then.
    pub fn as_of(&self, then: i64) -> Vec<String> {
        let then = Timestamp::from_second(then).unwrap();
        let held = self.facts.iter().filter_map(|fact| fact.at(then));
        held.filter(|fact| fact.status == Status::Active).map(|fact| fact.value).collect()
    }

    pub fn forget(&mut self, fact: RawFact) -> Outcome {
        let proposals = repair(&[with_wording(Wording::default(), fact)], Proposer::Model, &self.slots);
        let metadata = self.metadata.clone();
        let text = Arc::from("forget it");
        let statement = self.statement(&text, SOMEONE, &metadata);
        let held = self.fetch(&needs(&proposals, &statement, &[]));
        let plan = plan_removal(&held, &proposals, &statement, &self.policy, self.next_id());
        self.commit(plan).remove(0)
    }

    pub fn update(&mut self, id: FactId, value: &str, editor: Editor) -> Result<Outcome, Refusal> {
        let held = self.fetch_of(id);
        let edit = Edit { editor, source: None, by: "prin_2", now: self.tick() };
        let plan = plan_update(id, value, &held, &edit, &self.policy, &self.slots, self.next_id())?;
        Ok(self.commit(plan).remove(0))
    }

    pub fn confirm(&mut self, id: FactId) -> Result<Outcome, Refusal> {
        let decision = Decision { by: "prin_1", note: Some("the chief"), now: self.tick(), shown: None };
        let plan = plan_confirm(id, &self.fetch_of(id), &decision, Approver::Anyone)?;
        Ok(self.commit(plan).remove(0))
    }

    pub fn reject(&mut self, id: FactId) -> Result<Outcome, Refusal> {
        let decision = Decision { by: "prin_1", note: None, now: self.tick(), shown: None };
        let plan = plan_reject(id, &self.fetch_of(id), &decision)?;
        Ok(self.commit(plan).remove(0))
    }

    pub fn fact(&self, id: FactId) -> &Fact {
        self.facts.iter().find(|f| f.id == id).unwrap()
    }

    pub fn active(&self) -> impl Iterator<Item = &Fact> {
        self.facts.iter().filter(|f| f.status == Status::Active)
    }

    /// `#id value` of every active fact, in the order of the ids.
    pub fn shown(&self) -> Vec<String> {
        self.active().map(|f| format!("#{} {}", f.id, f.value)).collect()
    }

    fn next_id(&self) -> FactId {
        FactId(self.facts.len() as i64 + 1)
    }

    fn tick(&mut self) -> Timestamp {
        self.clock += 1;
        Timestamp::from_second(self.clock).unwrap()
    }

    fn statement<'a>(
        &mut self,
        text: &'a Arc<str>,
        voice: Speaker<'a>,
        metadata: &'a Metadata,
    ) -> Statement<'a> {
        let (proposer, now) = (Proposer::Model, self.tick());
        Statement { text, source: voice.0, trust: voice.1, metadata, proposer, said: None, now }
    }

    fn fetch_of(&self, id: FactId) -> HeldFacts {
        self.facts.iter().find(|f| f.id == id).map_or_else(HeldFacts::default, |f| self.fetch(&needs_of(f)))
    }

    fn fetch(&self, needs: &Needs) -> HeldFacts {
        let open = |f: &Fact| matches!(f.status, Status::Active | Status::FlaggedConflict);
        let wanted = |f: &&Fact| {
            let subject = subject_key(&f.subject);
            needs.ids.contains(&f.id)
                || (open(f) && needs.subjects.contains(&subject))
                || (f.status == Status::Superseded && needs.superseded.contains(&subject))
                || (!open(f) && needs.past.contains(&(subject, value_key(&f.value))))
        };
        let pairs =
            self.facts.iter().filter(|f| !open(f)).map(|f| (subject_key(&f.subject), value_key(&f.value)));
        HeldFacts {
            facts: self.facts.iter().filter(wanted).cloned().collect(),
            retired: pairs.filter(|pair| needs.retired.contains(pair)).collect(),
        }
    }

    fn commit(&mut self, plan: Plan) -> Vec<Outcome> {
        let first = self.next_id();
        let taken = plan.ids_taken() as i64;
        for write in plan.writes {
            match write {
                Write::Insert(fact) => {
                    assert_eq!(fact.id, self.next_id(), "ids follow each other");
                    self.facts.push(fact);
                }
                Write::Update(fact) => {
                    let row = self.facts.iter_mut().find(|f| f.id == fact.id).expect("only held rows change");
                    assert_ne!(*row, fact, "an update changes something");
                    *row = fact;
                }
            }
            self.check_places();
        }
        assert_eq!(self.next_id(), FactId(first.0 + taken));
        self.check_history();
        plan.outcomes
    }

    fn check_places(&self) {
        let mut places = BTreeSet::new();
        for key in self.facts.iter().filter_map(slot_key) {
            assert!(places.insert(key.clone()), "two current facts stand at {key:?}");
        }
    }

    fn check_history(&mut self) {
        self.ever_active.extend(
            self.facts
                .iter()
                .filter(|f| f.status == Status::Active)
                .map(|f| (subject_key(&f.subject), f.value.clone())),
        );
        for (subject, value) in &self.ever_active {
            let kept = self.facts.iter().filter(|f| subject_key(&f.subject) == *subject).any(|f| {
                (f.status != Status::FlaggedConflict && f.value == *value)
                    || f.earlier.iter().any(|e| e.value == *value)
            });
            assert!(kept, "{subject} = {value} was current once and is gone from history");
        }
    }
}
