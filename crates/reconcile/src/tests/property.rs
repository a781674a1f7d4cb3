//! Ten thousand random lives of a memory, each held against the independent model after every step.

use super::database::{Database, Speaker, with_wording};
use super::model::{Model, Policy, SCHEMA, SCOPES, SOURCES, SUBJECTS, Said, Time, VALUES, Voice, Words};
use crate::{Editor, SlotSchema, Trust};
use domain::{Action, Doubt, FactId, Named, PolicyMode, Proposed, RawFact, SourcePolicy, Status, Wording};
use proptest::prelude::*;
use std::collections::BTreeSet;

#[derive(Debug, Clone)]
enum Step {
    Remember { said: Said, voice: Voice },
    Forget(Said),
    Update { id: FactId, value: &'static str, editor: Editor },
    Confirm(FactId),
    Reject(FactId),
}

fn any_said() -> impl Strategy<Value = Said> {
    let time = prop_oneof![6 => Just(Time::Now), 1 => Just(Time::Past), 1 => Just(Time::Future)];
    let action = prop_oneof![2 => Just(Action::Add), 2 => Just(Action::Supersede), 5 => prop::sample::select(&Action::ALL)];
    (
        0..SUBJECTS.len(),
        prop::sample::select(&VALUES),
        prop_oneof![3 => Just(SCOPES[0]), 1 => Just(SCOPES[1])],
        prop::bool::weighted(0.15),
        time,
        action,
        prop::bool::weighted(0.8),
        prop::option::weighted(0.3, 1..8_i64),
    )
        .prop_map(|(subject, value, scope, event, time, action, sure, target)| Said {
            subject,
            value,
            scope,
            event,
            time,
            action,
            sure,
            target,
        })
}

fn any_voice() -> impl Strategy<Value = Voice> {
    (
        prop::sample::select(&SOURCES),
        prop::bool::weighted(0.25),
        prop_oneof![6 => Just(Words::Plain), 1 => Just(Words::Gone), 1 => Just(Words::Doubted)],
        prop::bool::ANY,
    )
        .prop_map(|(source, trusted, words, names)| Voice { source, trusted, words, names })
}

fn any_step() -> impl Strategy<Value = Step> {
    let remember = (any_said(), any_voice()).prop_map(|(said, voice)| Step::Remember { said, voice });
    let editor = prop_oneof![Just(Editor::Approver), Just(Editor::Writer)];
    prop_oneof![
        8 => remember,
        1 => any_said().prop_map(Step::Forget),
        1 => (1..8_i64, prop::sample::select(&VALUES), editor)
            .prop_map(|(id, value, editor)| Step::Update { id: FactId(id), value, editor }),
        2 => (1..8_i64).prop_map(|id| Step::Confirm(FactId(id))),
        1 => (1..8_i64).prop_map(|id| Step::Reject(FactId(id))),
    ]
}

fn to_raw(said: &Said) -> RawFact {
    let words = |w: &str| Some(w.to_owned());
    RawFact {
        subject: words(SUBJECTS[said.subject].0),
        value: words(said.value),
        scope: words(said.scope),
        kind: words(if said.event { "event" } else { "state" }),
        time_ref: words(match said.time {
            Time::Now => "current",
            Time::Past => "past",
            Time::Future => "future",
        }),
        action: words(said.action.word()),
        confidence: Some(if said.sure { 0.7 } else { 0.69 }),
        target_id: said.target,
        ..RawFact::default()
    }
}

fn to_proposed(said: &Said, voice: &Voice, database: &Database) -> Proposed {
    let aimed = said.target.and_then(|id| database.active().find(|f| f.id == FactId(id)));
    let named = aimed.map(|f| Named { subject: f.subject.clone(), by_value: voice.names, by_subject: false });
    let wording = Wording {
        doubt: (voice.words == Words::Doubted).then_some(Doubt::Supposed),
        removal: voice.words == Words::Gone,
        target: named,
        ..Wording::default()
    };
    with_wording(wording, to_raw(said))
}

fn told(said: &[Said], voice: &Voice, database: &mut Database) -> Vec<Action> {
    let facts: Vec<Proposed> = said.iter().map(|s| to_proposed(s, voice, database)).collect();
    let trust = if voice.trusted { Trust::Trusted } else { Trust::Ordinary };
    database.reconcile("said", &facts, Speaker(voice.source, trust)).iter().map(|o| o.action).collect()
}

fn take(step: &Step, database: &mut Database, model: &mut Model) -> (Vec<Action>, Vec<Action>) {
    let one = |action: Option<Action>| action.into_iter().collect::<Vec<_>>();
    let taken = match step {
        Step::Remember { said, voice } => (told(&[*said], voice, database), model.remember(said, *voice)),
        Step::Forget(said) => (vec![database.forget(to_raw(said)).action], vec![model.forget(said)]),
        Step::Update { id, value, editor } => (
            one(database.update(*id, value, *editor).ok().map(|o| o.action)),
            one(model.update(id.0, value, *editor == Editor::Approver)),
        ),
        Step::Confirm(id) => (one(database.confirm(*id).ok().map(|o| o.action)), one(model.confirm(id.0))),
        Step::Reject(id) => (one(database.reject(*id).ok().map(|o| o.action)), one(model.reject(id.0))),
    };
    model.settle();
    taken
}

/// A statement that may surface something, but must not touch what is current.
fn is_harmless(step: &Step) -> bool {
    let Step::Remember { said: s, voice } = step else { return false };
    let gated = matches!(SUBJECTS[s.subject].1, "tier" | "meds") && !voice.trusted;
    let past = s.time == Time::Past && s.action != Action::Retract;
    let doubted = s.time == Time::Future || !s.sure || voice.words == Words::Doubted;
    doubted || past || gated || matches!(s.action, Action::Flag | Action::Skip | Action::Archive)
}

fn active(database: &Database) -> BTreeSet<(i64, &str, &str, &str)> {
    database.active().map(|f| (f.id.0, f.subject.as_str(), f.scope.as_str(), f.value.as_str())).collect()
}

fn live(policy: Policy, steps: &[Step]) {
    let mut database = Database::new(SlotSchema::from_json(SCHEMA).unwrap());
    database.policy = SourcePolicy {
        mode: match policy {
            Policy::Recency => PolicyMode::Recency,
            Policy::Authority => PolicyMode::Authority,
            Policy::Review => PolicyMode::Review,
        },
        authority: [("hr".to_owned(), 10), ("bot".to_owned(), 1)].into(),
    };
    let mut model = Model::new(policy);
    for step in steps {
        let before: Vec<(FactId, String)> = database.active().map(|f| (f.id, f.value.clone())).collect();
        let (done, foretold) = take(step, &mut database, &mut model);
        assert_eq!(done, foretold, "the engine and the model differ at {step:?}");
        // One subject in two spellings is shown in the first of them; the model knows only what is meant.
        let shown: BTreeSet<_> = active(&database)
            .into_iter()
            .map(|(id, subject, scope, value)| {
                (id, if subject == "DB" { "db" } else { subject }, scope, value)
            })
            .collect();
        assert_eq!(shown, model.active(), "after {step:?}");
        let waiting: BTreeSet<i64> =
            database.facts.iter().filter(|f| f.status == Status::FlaggedConflict).map(|f| f.id.0).collect();
        assert_eq!(waiting, model.waiting(), "after {step:?}");
        if is_harmless(step) {
            for (id, value) in before {
                let fact = database.fact(id);
                assert_eq!((fact.status, &fact.value), (Status::Active, &value), "{step:?} changed #{id}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_random_history_matches_the_model(
        policy in prop_oneof![3 => Just(Policy::Recency), 1 => Just(Policy::Authority), 1 => Just(Policy::Review)],
        steps in prop::collection::vec(any_step(), 1..12),
    ) {
        live(policy, &steps);
    }

    #[test]
    fn what_the_words_do_not_name_stays_as_it_is(
        before in prop::collection::vec((any_said(), any_voice()), 1..8),
        statement in prop::collection::vec(any_said(), 1..=4),
        voice in any_voice(),
    ) {
        let mut database = Database::new(SlotSchema::from_json(SCHEMA).unwrap());
        for (said, voice) in &before {
            told(std::slice::from_ref(said), voice, &mut database);
        }
        let held: Vec<(FactId, String)> = database.active().map(|f| (f.id, f.value.clone())).collect();
        let unnamed: BTreeSet<FactId> = held.iter().map(|(id, _)| *id).collect();
        let mut facts: Vec<Proposed> = statement.iter().map(|s| to_proposed(s, &voice, &database)).collect();
        for fact in &mut facts {
            fact.wording.unnamed.clone_from(&unnamed);
            fact.wording.target = None;
        }
        database.reconcile("said", &facts, Speaker(voice.source, Trust::Ordinary));
        for (id, value) in held {
            let fact = database.fact(id);
            prop_assert_eq!((fact.status, &fact.value), (Status::Active, &value), "{:?} changed #{}", statement, id);
        }
    }

    #[test]
    fn entries_of_a_statement_never_retire_each_other(
        statements in prop::collection::vec((prop::collection::vec(any_said(), 1..=4), any_voice()), 1..6),
    ) {
        let mut database = Database::new(SlotSchema::from_json(SCHEMA).unwrap());
        for (said, voice) in statements {
            let before = database.facts.len();
            told(&said, &voice, &mut database);
            for written in &database.facts[before..] {
                prop_assert!(written.status != Status::Superseded, "{written:?} by {said:?} in {voice:?}");
            }
        }
    }
}
