//! What the words say of the facts in them.

use super::{Memory, with_wording};
use crate::built_in::Work;
use crate::request::SlotHint;
use domain::keys::subject_key;
use domain::{Doubt, Fact, FactId, FactKind, Metadata, RawFact, Status, Times, Timestamp, Triple, Wording};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) struct Facts {
    held: Vec<Arc<Fact>>,
    before: Option<Arc<str>>,
}

impl Facts {
    pub fn of(held: &[(&str, &str)]) -> Self {
        let fact = |(id, (subject, value)): (i64, &(&str, &str))| Arc::new(fact(FactId(id), subject, value));
        Self { held: (1..).zip(held).map(fact).collect(), before: None }
    }

    /// After the same caller has said something else.
    pub fn after(self, statement: &str) -> Self {
        Self { before: Some(statement.into()), ..self }
    }

    fn list(mut self) -> Self {
        for fact in &mut self.held {
            Arc::make_mut(fact).list_item = true;
        }
        self
    }
}

impl Memory for Facts {
    fn fact(&self, id: FactId) -> Option<Arc<Fact>> {
        self.held.iter().find(|fact| fact.id == id).cloned()
    }

    fn holding(&self, word: &str) -> Vec<Arc<Fact>> {
        self.held.iter().filter(|fact| fact.subject.to_lowercase().contains(word)).cloned().collect()
    }

    fn of_subject(&self, subject: &str) -> Vec<Arc<Fact>> {
        self.held.iter().filter(|fact| subject_key(&fact.subject) == subject_key(subject)).cloned().collect()
    }

    fn alike(&self, subject: &str) -> Vec<String> {
        let attribute = |key: &str| key.rsplit(' ').next().map(str::to_owned);
        let keys = self.held.iter().map(|fact| subject_key(&fact.subject));
        keys.filter(|key| key != subject && attribute(key) == attribute(subject)).collect()
    }

    fn slot_names(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn said_before(&self) -> Option<Arc<str>> {
        self.before.clone()
    }
}

pub(super) fn fact(id: FactId, subject: &str, value: &str) -> Fact {
    Fact {
        id,
        subject: subject.to_owned(),
        value: value.to_owned(),
        scope: "global".to_owned(),
        kind: FactKind::State,
        status: Status::Active,
        confidence: 0.9,
        source: None,
        list_item: false,
        supersedes: None,
        metadata: Metadata::new(),
        triple: Triple::default(),
        text: "".into(),
        pending: None,
        earlier: Vec::new(),
        times: Times::default(),
        created: Timestamp::UNIX_EPOCH,
        changed: Timestamp::UNIX_EPOCH,
    }
}

fn raw(subject: &str, value: &str) -> RawFact {
    RawFact { subject: Some(subject.to_owned()), value: Some(value.to_owned()), ..RawFact::default() }
}

fn wording(text: &str, fact: RawFact, memory: &Facts) -> Wording {
    let work = Work::until(Instant::now() + Duration::from_secs(60));
    with_wording(text, vec![fact], domain::Proposer::Model, memory, &[], &work).remove(0).wording
}

fn doubt(text: &str, value: &str) -> Option<Doubt> {
    wording(text, raw("thing", value), &Facts::of(&[])).doubt
}

/// Whether the words name fact #1, aimed at by such a fact: by value, by subject.
fn names(text: &str, subject: &str, value: &str, held: &Facts) -> (bool, bool) {
    let aimed = RawFact { target_id: Some(1), ..raw(subject, value) };
    let named = wording(text, aimed, held).target.unwrap();
    (named.by_value, named.by_subject)
}

#[test]
fn what_is_not_asserted_is_in_doubt() {
    for (text, why) in [
        ("Maybe we will try Buildkite some day.", Doubt::Hedged),
        ("I think the CI is Buildkite", Doubt::Hedged),
        ("It's Buildkite now. Not sure though.", Doubt::Hedged),
        ("Somebody pointed it at Buildkite, but I haven't checked.", Doubt::Hedged),
        ("Are we on Buildkite?", Doubt::Asked),
        ("Is it Buildkite, has anybody looked?", Doubt::Asked),
        ("Remind me who looks after Buildkite.", Doubt::Asked),
        ("Somebody find out who looks after Buildkite.", Doubt::Asked),
        ("We are on Buildkite, aren't we?", Doubt::Asked),
        ("If we had the money, the CI would run on Buildkite.", Doubt::Supposed),
        ("Suppose the CI were Buildkite, then it works.", Doubt::Supposed),
        ("Oh great, Buildkite it is.", Doubt::Mocked),
        ("We are on Buildkite. /s", Doubt::Mocked),
        ("We plan to move to Buildkite", Doubt::Planned),
    ] {
        assert_eq!(doubt(text, "Buildkite"), Some(why), "{text}");
    }
}

#[test]
fn tone_is_no_doubt() {
    for text in [
        "We are on Buildkite!!! I love it so much, it is wonderful.",
        "I'm sure it is Buildkite",
        "I think highly of Buildkite",
        "I worry so much about Buildkite, it keeps me awake",
        "He loves his Buildkite and finds it relaxing.",
        "The release in May was built by Buildkite",
        "We use Buildkite. Let me know if you need anything.",
        "What's new? We moved to Buildkite.",
        "we're on buildkite lol",
        "We are on Buildkite, where can I find the logs?",
    ] {
        assert_eq!(doubt(text, "Buildkite"), None, "{text}");
    }
}

#[test]
fn a_hedge_reaches_its_own_clause() {
    let text = "I think we should eat, and my address is 5 Elm Street";
    assert_eq!(doubt(text, "5 Elm Street"), None);
    assert_eq!(doubt("Maybe it rains. The port is 80.", "80"), None);
    assert_eq!(doubt("The port is 80. Maybe the host is zeta.", "zeta"), Some(Doubt::Hedged));
    assert_eq!(doubt("We use Kafka. Should Kafka be faster?", "Kafka"), None, "it is said once plainly");
}

#[test]
fn a_fact_in_other_words_comes_from_the_sentence_about_it() {
    let memory = Facts::of(&[]);
    let text = "Billing is done every month. Maybe the office moves.";
    assert_eq!(wording(text, raw("billing", "monthly"), &memory).doubt, None);
    assert_eq!(wording(text, raw("office", "elsewhere"), &memory).doubt, Some(Doubt::Hedged));
    assert_eq!(wording("maybe, maybe not", raw("office", "Rome"), &memory).doubt, Some(Doubt::Hedged));
}

#[test]
fn an_event_that_keeps_its_hedge_is_not_doubted() {
    let memory = Facts::of(&[]);
    let told = RawFact { kind: Some("event".to_owned()), ..raw("a talk", "Maybe we will move to Rome.") };
    assert_eq!(wording("Maybe we will move to Rome.", told, &memory).doubt, None);
    let bare = RawFact { kind: Some("event".to_owned()), ..raw("move", "Rome") };
    assert_eq!(wording("Maybe we will move to Rome.", bare, &memory).doubt, Some(Doubt::Hedged));
}

#[test]
fn only_its_own_words_name_a_fact() {
    for (text, own, held) in [
        ("The port of beta is 2.", "port of beta", "port of alpha"),
        ("The queue service is owned by Bo.", "queue service owner", "audit service owner"),
        ("Region 10 goes to Bo.", "region 10", "region 1"),
        ("My address is 5 Elm Street.", "user's address", "user's sister's address"),
        ("The queue service is owned by Bo.", "queue service owner", "service owner"),
    ] {
        assert_eq!(names(text, own, "2", &Facts::of(&[(held, "one")])), (false, false), "{text}");
    }
    let gym = || Facts::of(&[("user's gym", "Fit4U")]);
    assert_eq!(names("I changed my gym to Oase.", "fitness club", "Oase", &gym()), (false, true));
    assert_eq!(names("I left Fit4U for Oase.", "fitness club", "Oase", &gym()), (true, false));
    assert_eq!(names("I left Fit4Us for Oase.", "fitness club", "Oase", &gym()), (false, false));
    let two = Facts::of(&[("work address", "A"), ("home address", "B")]);
    assert_eq!(names("The address is C.", "location", "C", &two), (false, false), "both have that word");
    assert_eq!(names("At work it is C.", "location", "C", &two), (false, true));
    assert_eq!(names("住所は大阪です", "address", "大阪", &Facts::of(&[("家", "東京")])), (false, false));
    assert_eq!(
        names("東京から大阪に移った", "address", "大阪", &Facts::of(&[("家", "東京")])),
        (true, false)
    );
}

#[test]
fn a_value_listed_with_the_new_one_is_not_named() {
    let kafka = || Facts::of(&[("queue", "Kafka")]);
    assert_eq!(names("We use Kafka and Redis.", "cache", "Redis", &kafka()), (false, false));
    assert_eq!(names("Port 80 is open", "port of beta", "80", &Facts::of(&[("door", "80")])), (false, false));
    let latex = || Facts::of(&[("allergy", "Latex — rash")]).list();
    assert!(!names("Allergies: latex, eggs.", "allergy", "eggs", &latex()).0);
    assert!(!names("Allergic to latex, nuts and eggs.", "allergy", "eggs", &latex()).0);
    assert!(names("It was not latex but eggs.", "allergy", "eggs", &latex()).0);
}

#[test]
fn a_denied_value_and_another_owner_are_noticed() {
    let slot = SlotHint {
        name: "allergy".to_owned(),
        aliases: vec!["allergies".to_owned()],
        description: String::new(),
        owner: vec!["the patient".to_owned()],
        list: true,
        verbatim: false,
    };
    let read = |text: &str, fact: RawFact, proposer: domain::Proposer| {
        let work = Work::until(Instant::now() + Duration::from_secs(60));
        let memory = Facts::of(&[]);
        with_wording(text, vec![fact], proposer, &memory, std::slice::from_ref(&slot), &work)
            .remove(0)
            .wording
    };
    let model = domain::Proposer::Model;
    let denial = "The patient is not allergic to latex.";
    assert!(read(denial, raw("allergies", "latex"), model).denied);
    assert!(!read(denial, raw("allergies", "latex"), domain::Proposer::Caller).denied);
    let father = "The patient's father is allergic to latex.";
    let owner = |subject: &str| read(father, raw(subject, "latex"), model).owner;
    assert_eq!(owner("Allergies").as_deref(), Some("patient father"));
    assert_eq!(owner("father's allergies"), None, "no slot has that name");
}
