//! A record as the service is given it, and as the store takes it.

use super::brought_fact::FactAsIs;
use crate::args::{named, worded};
use crate::outcome::Stop;
use crate::tool::Context;
use crate::tools::remember::{CallerFact, FactsBefore, raw, stamped};
use domain::{Fact, Metadata, Proposer, RawFact, Timestamp, When, limits};
use model::{Extract, Order};
use reconcile::{IMPORTED_FROM, IMPORTED_ID, IMPORTED_UNDATED};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::{Arrival, Bringing, Brought, BroughtWords};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordArgs {
    /// Names the record and what it says.
    pub key: String,
    /// Names the record, whatever it says.
    pub name: String,
    /// The same of what the record says last.
    pub last_key: String,
    pub last_name: String,
    /// The record's id where it comes from.
    pub id: String,
    /// The words. Without `facts` and `as_is` the model reads the facts out of them.
    text: String,
    #[serde(default)]
    facts: Option<Vec<CallerFact>>,
    #[serde(default)]
    as_is: Option<FactAsIs>,
    #[serde(default)]
    source: String,
    #[serde(default)]
    metadata: Metadata,
    /// When it was true; empty is now.
    #[serde(default)]
    at: String,
    /// No other record has its id.
    #[serde(default)]
    unique: bool,
    /// When the record was changed last; empty where it does not say.
    #[serde(default)]
    changed: String,
    /// When this ended, where the record is over.
    #[serde(default)]
    until: String,
}

/// A record that cannot be taken keeps none of the others back.
pub(super) fn fit(brought: Result<Brought, Stop>) -> Result<Result<Brought, Arrival>, Stop> {
    match brought {
        Ok(record) => Ok(Ok(record)),
        Err(Stop::Refused { text }) => Ok(Err(Arrival::refused(text))),
        Err(stop) => Err(stop),
    }
}

/// What a record is read against.
pub(crate) enum Held {
    Now,
    Rehearsed(FactsBefore),
}

/// The record as the store takes it, with the facts that the model, or the source itself, makes of it.
pub(super) async fn brought(
    cx: &Context<'_>,
    from: &str,
    record: RecordArgs,
    held: &Held,
) -> Result<Brought, Stop> {
    worded("text", &record.text, limits::TEXT_BYTES)?;
    let source = Some(named("source", record.source)?).filter(|source| !source.is_empty());
    let mut metadata = record.metadata;
    // What was exported here keeps the place that it came from first.
    let is_from_further = record.as_is.is_some()
        && [IMPORTED_FROM, IMPORTED_ID].iter().all(|key| metadata.get(*key).is_some_and(Value::is_string));
    if !is_from_further {
        metadata.insert(IMPORTED_FROM.to_owned(), from.into());
        metadata.insert(IMPORTED_ID.to_owned(), record.id.as_str().into());
    }
    if record.at.is_empty() {
        metadata.insert(IMPORTED_UNDATED.to_owned(), true.into());
    }
    let metadata = stamped(cx, metadata)?;
    let (now, begins) = (cx.call.caller.now, time(cx, "at", &record.at)?);
    let at = begins.min(now);
    let how = match (record.as_is, record.facts) {
        (Some(fact), _) => {
            if begins > now && fact.is_current() {
                let why = format!("it begins only {begins}; without --as-is it waits for a decision");
                return Err(Stop::refused(why));
            }
            let fact = fact.brought(&cx.service.options.slots, &record.text, source, metadata, (at, now))?;
            Bringing::AsIs(Box::new(fact))
        }
        (None, facts) => {
            let by_model = facts.is_none();
            let given = |argument: &str, text: &str| {
                (!text.is_empty()).then(|| time(cx, argument, text).map(|at| at.min(now))).transpose()
            };
            let (changed, until) = (given("changed", &record.changed)?, given("until", &record.until)?);
            let is_last = record.name == record.last_name;
            let before = match held {
                Held::Now => {
                    let (store, caller) = (&cx.service.store, &cx.call.caller);
                    FactsBefore::of(cx, cx.service.spaces.current(store, caller, &cx.space).await?)
                }
                Held::Rehearsed(before) => before.clone(),
            };
            let mut facts = match facts {
                Some(facts) => raw(facts)?,
                None => extracted(cx, &record.text, source.as_deref(), at, &before).await?,
            };
            if begins > now {
                facts.iter_mut().for_each(|fact| fact.time_ref = Some("future".to_owned()));
            }
            let order = Order::from(&cx.call.caller);
            let facts = cx
                .service
                .models
                .with_wording(&record.text, facts, Proposer::Model, before, &cx.service.slot_hints, &order)
                .await?;
            let text = record.text.into();
            Bringing::Told(Box::new(BroughtWords {
                text,
                source,
                metadata,
                facts,
                at,
                said: (!record.at.is_empty()).then_some(When::at(at)),
                by_model,
                is_last,
                changed,
                until,
            }))
        }
    };
    let RecordArgs { key, name, last_key, last_name, id, unique: is_unique, .. } = record;
    Ok(Brought { key, name, last: (last_key, last_name), id, is_unique, how })
}

/// What the model reads out of the words, as they were meant at that time. Words of which it makes nothing are kept as
/// they are: what somebody had in a memory is not lost because a model finds it of no interest.
async fn extracted(
    cx: &Context<'_>,
    text: &str,
    source: Option<&str>,
    at: Timestamp,
    before: &FactsBefore,
) -> Result<Vec<RawFact>, Stop> {
    let service = cx.service;
    let held = before.open.read().index.relevant(text, service.options.reconcile_context);
    let held: Vec<&Fact> = held.iter().map(AsRef::as_ref).collect();
    let ask = Extract {
        statement: text,
        source,
        intent: model::Intent::Remember,
        held: &held,
        slots: &service.slot_hints,
        now: at,
        notice: Some(&cx.call.caller.notice),
    };
    let facts = service.models.extract(&ask, &Order::from(&cx.call.caller)).await?;
    Ok(if facts.is_empty() { vec![note(text)] } else { facts })
}

/// The words as an event: it replaces nothing, and nothing replaces it.
fn note(text: &str) -> RawFact {
    const CALLED: usize = 6;
    let subject: Vec<&str> = text.split_whitespace().take(CALLED).collect();
    RawFact {
        subject: Some(subject.join(" ")),
        value: Some(text.to_owned()),
        kind: Some("event".to_owned()),
        time_ref: Some("current".to_owned()),
        action: Some("ADD".to_owned()),
        confidence: Some(limits::CALLER_CONFIDENCE),
        ..RawFact::default()
    }
}

/// To the microsecond.
fn time(cx: &Context<'_>, argument: &str, text: &str) -> Result<Timestamp, Stop> {
    let now = cx.call.caller.now;
    if text.is_empty() {
        return Ok(now);
    }
    let wrong = || Stop::refused(format!("Invalid argument '{argument}': it takes a time such as {now}."));
    let time: Timestamp = text.parse().map_err(|_| wrong())?;
    Timestamp::from_microsecond(time.as_microsecond()).map_err(|_| wrong())
}
