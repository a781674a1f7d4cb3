//! How a record is told: what is said, in which order, and at which times.

use super::record::{Record, State};
use domain::{Action, DEFAULT_USER, Pending, Space, Status, Timestamp};
use evidence::Hash;
use reconcile::AsIs;
use serde_json::{Value, json};
use std::collections::HashMap;
use store::BroughtAsIs;

/// The value that a fact has where it only says that another one ended.
const TOMBSTONE: &str = "(retracted: ";
/// Below what the rules ask of a removal.
const DOUBTFUL: f64 = 0.5;

/// One thing that is said of a record: what it says now, or one of the values that it had before. What is sent of it is
/// made when its turn comes, since all of that together would take several times the memory of the records.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    pub record: usize,
    /// Which of its values it is, the oldest first.
    nth: usize,
    at: Option<Timestamp>,
    is_over: bool,
    /// Whether the model reads it, so that it goes by itself.
    pub by_model: bool,
}

/// How the records of one memory are told.
#[derive(Debug, Clone)]
pub struct Telling {
    pub from: String,
    /// Whether they are put down as they are, and no rule judges them.
    pub as_is: bool,
    pub now: Timestamp,
}

/// Several records of one memory may have the same id. Each that says something else is one of its own.
pub fn tell_apart(records: &mut [Record], asked: &Space) {
    let mut said: HashMap<(Space, String), Vec<String>> = HashMap::new();
    for record in records {
        let (digest, digests) = (digest(record), said.entry((space(record, asked), record.id.clone())));
        let digests = digests.or_default();
        record.namesake = digests.iter().position(|before| *before == digest).unwrap_or(digests.len());
        if record.namesake == digests.len() {
            digests.push(digest);
        }
    }
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

impl Telling {
    /// The turns of all records that go to one space, in the order in which they are told.
    pub fn turns(&self, records: &[(usize, &Record)]) -> Vec<Turn> {
        let is_told = !self.as_is;
        let of = |&(n, record): &(usize, &Record)| -> Vec<Turn> {
            // The end of the fact that it is of has said it.
            let is_end = is_told && record.state == State::Past && record.value.starts_with(TOMBSTONE);
            let last = record.earlier.len();
            let turns = if is_told { 0 } else { last }..if is_end { 0 } else { last + 1 };
            let (is_over, by_model) = (record.is_over(self.now), is_told && record.subject.is_none());
            turns.map(move |nth| Turn { record: n, nth, at: said(record, nth), is_over, by_model }).collect()
        };
        let mut turns: Vec<Turn> = records.iter().flat_map(of).collect();
        // The sort keeps the order of the files.
        if is_told {
            // Those without a time come last, as if they were told now.
            turns.sort_by_key(|turn| (turn.at.is_none(), turn.at));
        } else {
            // What has ended makes room first.
            turns.sort_by_key(|turn| !turn.is_over);
        }
        turns
    }

    /// What is sent of a record at its turn.
    pub fn arguments(&self, record: &Record, turn: Turn) -> Value {
        let Self { from, as_is, now } = self;
        let before = record.earlier.get(turn.nth);
        let value = before.map_or(&record.value, |before| &before.value);
        // Words that were edited were over then; a value that was refined goes on in what it became.
        let was_words = before.filter(|_| record.subject.is_none());
        let is_over = was_words.is_some() || before.is_none() && record.is_over(*now);
        let until =
            was_words.map_or_else(|| record.ended().filter(|_| before.is_none()), |words| Some(words.until));
        let own = record.subject.as_ref().map(|subject| format!("{subject}: {value}"));
        let text = record.text.clone().filter(|_| before.is_none()).or(own).unwrap_or_else(|| value.clone());
        let exact = record.times.said.filter(|_| turn.nth == 0 && !as_is);
        let at = exact.map_or_else(|| json!(turn.at), |said| json!(said));
        // Where it does not say when it changed, that is now.
        let changed = record.changed.filter(|changed| Some(*changed) > record.created);
        let is_plain = record.state == State::Current && record.earlier.is_empty();
        let again = if is_plain { json!(changed) } else { at.clone() };
        let facts = (!turn.by_model).then(|| [self.fact(record, value, turn.nth)]);
        let as_is = as_is.then(|| self.as_is(record));
        let apart = if record.namesake > 0 { format!("#{}", record.namesake) } else { String::new() };
        json!({
            "name": format!("{from}/{}{apart}", record.id), "digest": digest(record), "is_last": before.is_none(),
            "id": record.id, "text": text, "facts": facts, "as_is": as_is, "metadata": record.metadata,
            "source": record.source.as_deref().unwrap_or_default(),
            "at": at, "again": again, "is_over": is_over, "until": until,
        })
    }

    /// The fact itself. Words that are put down are kept under the name of their record.
    fn fact(&self, record: &Record, value: &str, nth: usize) -> Value {
        let subject = record.subject.clone().unwrap_or_else(|| format!("{} {}", self.from, record.id));
        let removes = waits_to_remove(record);
        let action = match record.state {
            _ if self.as_is => None,
            State::Waiting if removes => Some("RETRACT"),
            State::Waiting => Some("FLAG"),
            _ if nth > 0 => Some("REFINE"),
            _ => None,
        };
        // A removal in which there is little confidence waits for a decision.
        let is_doubtful = action.is_some() && removes;
        let triple = &record.triple;
        json!({
            "subject": subject, "value": value, "scope": record.scope, "action": action, "list": record.list,
            "kind": record.is_event.then_some("event"),
            "confidence": if is_doubtful { Some(DOUBTFUL) } else { record.confidence },
            "valid_from": record.times.from, "valid_until": record.times.until,
            "head": triple.head, "relation": triple.relation, "tail": triple.tail,
        })
    }

    fn as_is(&self, record: &Record) -> BroughtAsIs {
        let name = |id: &String| format!("{}/{id}", self.from);
        let last = record.earlier.last().map(|earlier| earlier.until);
        let (status, changed) = match record.state {
            State::Ended(at) if record.is_over(self.now) => (Status::Superseded, at),
            State::Current | State::Ended(_) => (Status::Active, record.changed.or(last)),
            State::Waiting if record.pending.is_some() => (Status::FlaggedConflict, record.changed),
            State::Past | State::Waiting => (Status::Historical, record.changed),
        };
        let created = said(record, 0).unwrap_or(self.now).min(self.now);
        let (pending, target) = record.pending.clone().unzip();
        let fact = AsIs {
            status,
            created,
            changed: changed.unwrap_or(created).min(self.now),
            said: record.times.said,
            ended: record.times.ended,
            supersedes: None,
            pending,
            earlier: record.earlier.clone(),
        };
        let supersedes = record.supersedes.as_ref().map(name);
        BroughtAsIs { fact, supersedes, target: target.flatten().as_ref().map(name) }
    }
}

/// When the value was said. Words that were edited have their present form from the edit on, where it is not known what they
/// said before; and what ended was there before, whenever it began.
fn said(record: &Record, nth: usize) -> Option<Timestamp> {
    if let Some(before) = nth.checked_sub(1).and_then(|before| record.earlier.get(before)) {
        return Some(before.until);
    }
    let is_edited = record.subject.is_none() && record.earlier.is_empty() && record.ended().is_none();
    let edited = record.changed.filter(|_| is_edited);
    edited.max(record.created).or(record.ended())
}

fn waits_to_remove(record: &Record) -> bool {
    let is_removal = |(pending, _): &(Pending, _)| pending.action == Action::Retract;
    record.state == State::Waiting && record.pending.as_ref().is_some_and(is_removal)
}

/// Of all that the record says, so that one that has changed is told again.
fn digest(record: &Record) -> String {
    let whole = Telling { from: String::new(), as_is: true, now: Timestamp::MAX };
    let (fact, as_is) = (whole.fact(record, &record.value, 0), whole.as_is(record));
    let Record { text, source, metadata, created, .. } = record;
    Hash::of(json!([fact, as_is, text, source, metadata, created]).to_string().as_bytes()).to_string()
}
