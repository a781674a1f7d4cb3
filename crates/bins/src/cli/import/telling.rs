//! How a record is told: what is said, in which order, and at which times.

use super::record::{Record, State};
use domain::{DEFAULT_USER, Space, Timestamp};
use evidence::Hash;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Whether the rules judge a record, or it is put down as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Told,
    AsIs,
}

/// One thing that is said of a record.
#[derive(Debug, Clone)]
pub struct Step {
    /// Which of the records it is of.
    pub record: usize,
    at: Option<Timestamp>,
    /// What ends comes after what begins at the same time.
    is_end: bool,
    /// It began when it ended, so it took the place of nothing that began then.
    is_of_a_moment: bool,
    /// Whether the model reads it, so that it goes by itself.
    pub by_model: bool,
    /// As the service takes it.
    pub arguments: Value,
    /// The ids of records that it names.
    pub links: Vec<String>,
}

/// The value that a fact has where it only says that another one ended.
const TOMBSTONE: &str = "(retracted: ";
/// Below what the rules ask of a removal.
const DOUBTFUL: f64 = 0.5;

/// The step that says what a record says now, and the one that says what it said before it ended.
const LAST: &str = "0";
const BEGAN: &str = "began";

/// The place of a step among those of its space. The step itself is made when its turn comes: all of them together would
/// take several times the memory of the records.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    pub record: usize,
    /// Which of the record's steps it is.
    nth: usize,
    at: Option<Timestamp>,
    is_end: bool,
    is_of_a_moment: bool,
    pub by_model: bool,
}

/// The turns of all records that go to one space, in the order in which they are told.
pub fn turns(from: &str, records: &[(usize, &Record)], manner: Manner) -> Vec<Turn> {
    let of = |(n, record): &(usize, &Record)| {
        let steps = Telling { from, n: *n, record, manner }.steps().into_iter().enumerate();
        steps.map(|(nth, Step { record, at, is_end, is_of_a_moment, by_model, .. })| Turn {
            record,
            nth,
            at,
            is_end,
            is_of_a_moment,
            by_model,
        })
    };
    let mut turns: Vec<Turn> = records.iter().flat_map(of).collect();
    // The sort keeps the order of the files.
    match manner {
        // Those without a time come last, as if they were told now.
        Manner::Told => {
            turns.sort_by_key(|turn| (turn.at.is_none(), turn.at, !turn.is_of_a_moment, turn.is_end));
        }
        // What has ended makes room first.
        Manner::AsIs => turns.sort_by_key(|turn| !turn.is_end),
    }
    turns
}

/// Several records of one memory may have the same id. Each that says something else is one of its own.
pub fn tell_apart(records: &mut [Record], asked: &Space) {
    let named = |record: &Record| (space(record, asked), record.id.clone());
    let mut said: HashMap<(Space, String), Vec<String>> = HashMap::new();
    for record in records.iter_mut() {
        let digest = digest(record);
        let digests = said.entry(named(record)).or_default();
        record.namesake = digests.iter().position(|before| *before == digest).unwrap_or(digests.len());
        if record.namesake == digests.len() {
            digests.push(digest);
        }
    }
    for record in records {
        record.has_namesakes = said.get(&named(record)).is_some_and(|digests| digests.len() > 1);
    }
}

/// The steps of these turns.
pub fn steps(from: &str, records: &[Record], turns: &[Turn], manner: Manner) -> Vec<Step> {
    let step = |turn: &Turn| {
        let telling = Telling { from, n: turn.record, record: records.get(turn.record)?, manner };
        telling.steps().into_iter().nth(turn.nth)
    };
    turns.iter().filter_map(step).collect()
}

/// Where the record goes: where the person says, or where it was, or to the person's own space.
pub fn space(record: &Record, asked: &Space) -> Space {
    let choose = |asked: &str, own: &Option<String>, default: &str| match (asked, own) {
        ("", None) => default.to_owned(),
        ("", Some(own)) => own.clone(),
        (asked, _) => asked.to_owned(),
    };
    Space {
        user_id: choose(&asked.user_id, &record.user, DEFAULT_USER),
        agent_id: choose(&asked.agent_id, &record.agent, ""),
        run_id: choose(&asked.run_id, &record.run, ""),
    }
}

struct Telling<'a> {
    from: &'a str,
    n: usize,
    record: &'a Record,
    manner: Manner,
}

impl Telling<'_> {
    fn steps(&self) -> Vec<Step> {
        let record = self.record;
        match &record.subject {
            _ if self.manner == Manner::AsIs => vec![self.as_is()],
            // The end of the fact that it is of has said it.
            Some(_) if record.state == State::Past && record.value.starts_with(TOMBSTONE) => Vec::new(),
            _ if record.is_history => vec![self.as_is()],
            None => self.words(),
            Some(subject) => self.values(subject),
        }
    }

    /// The words are read by the model; what they said before is history.
    fn words(&self) -> Vec<Step> {
        let record = self.record;
        let mut steps = Vec::new();
        let mut since = self.begins();
        for (n, earlier) in (1..).zip(&record.earlier) {
            let before = Record {
                value: earlier.value.clone(),
                state: State::Ended(Some(earlier.until)),
                created: since,
                changed: None,
                earlier: Vec::new(),
                ..record.clone()
            };
            let before = Telling { record: &before, ..*self };
            steps.push(before.step(since, before.fact_as_is(&n.to_string())));
            since = Some(earlier.until);
        }
        let arguments = self.arguments(LAST, since, &record.value);
        steps.push(Step { by_model: true, ..self.step(since, arguments) });
        steps
    }

    /// The values that the subject had, one after the other, and its end.
    fn values(&self, subject: &str) -> Vec<Step> {
        let record = self.record;
        let mut steps = Vec::new();
        let ended = self.ended();
        let mut since = self.begins();
        for (n, earlier) in (1..).zip(&record.earlier) {
            let action = (n > 1).then_some("REFINE");
            steps.push(self.fact(&n.to_string(), since, subject, &earlier.value, action));
            since = Some(earlier.until);
        }
        let action = match record.state {
            State::Waiting if self.waits_to_remove() => Some("RETRACT"),
            State::Waiting => Some("FLAG"),
            _ if record.earlier.is_empty() => None,
            _ => Some("REFINE"),
        };
        // The last step has the name of the record, so that what is noted there is what the record said last.
        let ends = ended.is_some();
        let nth = if ends { BEGAN } else { LAST };
        let mut says = self.fact(nth, since, subject, &record.value, action);
        if let Some(fields) = says.arguments.as_object_mut() {
            fields.insert("until".to_owned(), shown(ended.max(since).filter(|_| ends)).into());
        }
        steps.push(says);
        if let Some(at) = ended.max(since).filter(|_| ends) {
            let mut end = self.fact(LAST, Some(at), subject, &record.value, Some("RETRACT"));
            end.is_end = true;
            if let Some(text) = end.arguments.get_mut("text") {
                *text = format!("{subject}: no longer {}", record.value).into();
            }
            steps.push(end);
        }
        steps
    }

    fn fact(
        &self,
        nth: &str,
        at: Option<Timestamp>,
        subject: &str,
        value: &str,
        action: Option<&str>,
    ) -> Step {
        let record = self.record;
        let text = record.text.clone().unwrap_or_else(|| format!("{subject}: {value}"));
        let mut arguments = self.arguments(nth, at, &text);
        let triple = &record.triple;
        let confidence = match action {
            // A removal in which there is little confidence waits for a decision.
            Some("RETRACT") if self.waits_to_remove() => Some(DOUBTFUL),
            // That it has ended is sure, however sure it was.
            Some("RETRACT") => None,
            _ => record.confidence,
        };
        let fact = json!({
            "subject": subject, "value": value, "scope": record.scope, "kind": record.kind, "action": action,
            "confidence": confidence, "list": record.list,
            "valid_from": record.times.from, "valid_until": record.times.until,
            "head": triple.head, "relation": triple.relation, "tail": triple.tail,
        });
        if let Some(fields) = arguments.as_object_mut() {
            fields.insert("facts".to_owned(), json!([fact]));
        }
        self.step(at, arguments)
    }

    fn as_is(&self) -> Step {
        let record = self.record;
        let target = record.pending.as_ref().and_then(|pending| id(pending.get("target")));
        let links = record.supersedes.iter().cloned().chain(target).collect();
        let is_over = matches!(record.state, State::Ended(_) | State::Past);
        let is_end = is_over && self.manner == Manner::AsIs;
        Step { links, is_end, ..self.step(self.begins(), self.fact_as_is(LAST)) }
    }

    /// Since when it holds. Words that were edited have their present form from the edit on, where it is not known what
    /// they said before; and what ended was there before, whenever it began.
    fn begins(&self) -> Option<Timestamp> {
        let record = self.record;
        let is_edited = record.subject.is_none() && record.earlier.is_empty() && self.ended().is_none();
        let edited = record.changed.filter(|_| is_edited);
        edited.max(record.created).or(self.ended())
    }

    fn ended(&self) -> Option<Timestamp> {
        match self.record.state {
            State::Ended(at) => at,
            State::Current | State::Past | State::Waiting => None,
        }
    }

    fn waits_to_remove(&self) -> bool {
        let pending = self.record.pending.as_ref().and_then(|pending| pending.get("action"));
        self.record.state == State::Waiting && pending.and_then(Value::as_str) == Some("RETRACT")
    }

    fn fact_as_is(&self, nth: &str) -> Value {
        let record = self.record;
        let text = record.text.as_ref().unwrap_or(&record.value);
        let mut arguments = self.arguments(nth, self.begins(), text);
        let subject = format!("{} {}", self.from, record.id);
        let mut fact = put_down(record, &subject);
        if let Some(fields) = fact.as_object_mut() {
            fields.insert("ends_by_rules".to_owned(), (self.manner == Manner::Told).into());
            fields.insert("is_end_alone".to_owned(), record.has_vanished.into());
        }
        if let Some(fields) = arguments.as_object_mut() {
            fields.insert("as_is".to_owned(), fact);
        }
        arguments
    }

    fn arguments(&self, nth: &str, at: Option<Timestamp>, text: &str) -> Value {
        let record = self.record;
        let apart = if record.namesake > 0 { format!("#{}", record.namesake) } else { String::new() };
        let (name, digest) = (format!("{}/{}{apart}", self.from, record.id), digest(record));
        let changed = record.changed.filter(|_| record.state == State::Current);
        json!({
            "key": format!("{name}/{digest}/{nth}"), "name": format!("{name}/{nth}"),
            "last_key": format!("{name}/{digest}/{LAST}"), "last_name": format!("{name}/{LAST}"),
            "id": record.id,
            "unique": !record.has_namesakes && (record.is_whole || is_unique(&record.id)),
            "changed": shown(changed),
            "text": text,
            "source": record.source.as_deref().unwrap_or_default(),
            "metadata": record.metadata,
            "at": shown(at),
        })
    }

    fn step(&self, at: Option<Timestamp>, arguments: Value) -> Step {
        let is_of_a_moment = self.ended().is_some_and(|ended| Some(ended) <= self.begins());
        Step {
            record: self.n,
            at,
            is_end: false,
            is_of_a_moment,
            by_model: false,
            arguments,
            links: Vec::new(),
        }
    }
}

/// The fact itself. Words are kept under the name of their record.
fn put_down(record: &Record, name: &str) -> Value {
    let subject = record.subject.as_deref().unwrap_or(name);
    let (status, changed) = match record.state {
        State::Current => ("ACTIVE", record.changed.or(record.earlier.last().map(|earlier| earlier.until))),
        State::Ended(at) => ("SUPERSEDED", at),
        State::Past => ("HISTORICAL", record.changed),
        State::Waiting if record.pending.is_some() => ("FLAGGED_CONFLICT", record.changed),
        State::Waiting => ("HISTORICAL", None),
    };
    let pending = record.pending.as_ref().map(|pending| {
        json!({
            "action": pending.get("action").and_then(Value::as_str).unwrap_or_default(),
            "target": id(pending.get("target")),
            "target_value": pending.get("target_value").and_then(Value::as_str),
            "gated": pending.get("gated").and_then(Value::as_bool).unwrap_or_default(),
        })
    });
    let earlier: Vec<Value> = record
        .earlier
        .iter()
        .map(|earlier| json!({ "value": earlier.value, "until": earlier.until.to_string() }))
        .collect();
    let triple = &record.triple;
    json!({
        "subject": subject, "value": record.value, "scope": record.scope, "kind": record.kind,
        "status": status, "confidence": record.confidence,
        "head": triple.head, "relation": triple.relation, "tail": triple.tail,
        "supersedes": record.supersedes, "pending": pending, "refined_from": earlier,
        "changed": shown(changed), "list_item": record.list,
        "said_at": record.times.said, "valid_from": record.times.from, "valid_until": record.times.until,
        "ended": record.times.ended,
    })
}

/// Of all that the record says, so that one that has changed is told again.
fn digest(record: &Record) -> String {
    let said =
        json!([put_down(record, ""), record.text, record.source, record.metadata, shown(record.created)]);
    Hash::of(said.to_string().as_bytes()).to_string()
}

fn shown(at: Option<Timestamp>) -> String {
    at.map(|at| at.to_string()).unwrap_or_default()
}

/// Whether no other memory gives the same id: it is a UUID.
fn is_unique(id: &str) -> bool {
    let groups: Vec<usize> = id.split('-').map(str::len).collect();
    groups == [8, 4, 4, 4, 12] && id.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

/// An id, which may be a number.
fn id(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

/// What a call is to do with its steps.
pub enum Purpose {
    /// Bring them. The numbers of facts that were brought before are given by the ids that the steps name.
    Bring(Map<String, Value>),
    /// Say what would become of them.
    Try,
}

/// The arguments of a call for these steps, in a space.
pub fn call(from: &str, space: &Space, steps: Vec<Step>, purpose: Purpose) -> Value {
    let (known, dry_run) = match purpose {
        Purpose::Bring(known) => (known, false),
        Purpose::Try => (Map::new(), true),
    };
    let mut call = json!({
        "from": from, "known": known, "dry_run": dry_run,
        "user_id": space.user_id, "agent_id": space.agent_id, "run_id": space.run_id,
    });
    if let Some(fields) = call.as_object_mut() {
        let records = steps.into_iter().map(|step| step.arguments).collect();
        fields.insert("records".to_owned(), Value::Array(records));
    }
    call
}
