//! A record as the service is given it, and as the store takes it.

use crate::args::{named, worded};
use crate::outcome::Stop;
use crate::tool::Context;
use crate::tools::remember::{CallerFact, FactsBefore, Words, extract, raw, stamped};
use domain::{
    APPROVED_BY, Action, DECIDED_AT, IMPORTED_DECIDED_AT, Metadata, Proposed, Proposer, REJECTED_BY, RawFact,
    SETTLED, Status, WITHDRAWN_BY, When, limits,
};
use model::Order;
use reconcile::{IMPORTED_FROM, IMPORTED_ID, IMPORTED_UNDATED};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::{Brought, BroughtAsIs, Intent};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordArgs {
    /// Names the record, whatever it says.
    name: String,
    /// Of all that it says.
    digest: String,
    /// Whether it says no more after this.
    is_last: bool,
    /// Its id where it comes from.
    id: String,
    /// The words. Without `facts` the model reads the facts out of them.
    text: String,
    facts: Option<Vec<CallerFact>>,
    /// Where no rule is to judge it.
    #[schemars(with = "Option<Metadata>")]
    as_is: Option<BroughtAsIs>,
    source: String,
    metadata: Metadata,
    /// When it was said.
    #[schemars(with = "Option<String>")]
    at: Option<When>,
    /// The same where the record has changed since it was brought.
    #[schemars(with = "Option<String>")]
    again: Option<When>,
    /// Whether it is over.
    is_over: bool,
    /// When it ended.
    #[schemars(with = "Option<String>")]
    until: Option<When>,
}

impl RecordArgs {
    /// The record as the store takes it, with the facts that the model, or the source itself, makes of it.
    pub async fn brought(mut self, cx: &Context<'_>, from: &str) -> Result<Brought, Stop> {
        worded("text", &self.text, limits::TEXT_BYTES)?;
        let source = Some(named("source", std::mem::take(&mut self.source))?).filter(|s| !s.is_empty());
        let metadata = stamped(cx, self.metadata(from))?;
        let now = cx.call.caller.now;
        let has_begun = |at: &When| at.first() <= now;
        let begins = self.at.filter(|at| !has_begun(at));
        let (said, said_again) = (self.at.filter(has_begun), self.again.filter(has_begun));
        if let Some(BroughtAsIs { fact, .. }) = &self.as_is {
            if let Some(begins) = begins.filter(|_| fact.status == Status::Active) {
                let why = format!("it begins only {begins}; without --as-is it waits for a decision");
                return Err(Stop::refused(why));
            }
            if fact.pending.is_some() != (fact.status == Status::FlaggedConflict) {
                return Err(Stop::refused("it does not say which change waits for a decision"));
            }
        }
        // That it is over is for the record to say, whoever reads its words.
        let is_read = self.facts.is_none() && !self.is_over;
        let facts = match (self.facts.take(), &self.as_is) {
            (Some(facts), Some(_)) => raw(facts)?.into_iter().map(Proposed::from).collect(),
            (facts, _) => self.read(cx, facts, source.as_deref(), (said, begins)).await?,
        };
        let Self { name, digest, is_last, text, as_is, .. } = self;
        let proposer = if is_read { Proposer::Model } else { Proposer::Caller };
        let text = text.into();
        Ok(Brought {
            name,
            digest,
            is_last,
            text,
            source,
            metadata,
            facts,
            proposer,
            said,
            said_again,
            as_is,
        })
    }

    /// With where it is from, unless it was exported here and says where it came from first. Who decided on it elsewhere is
    /// not taken over, and when that was is.
    fn metadata(&mut self, from: &str) -> Metadata {
        let mut metadata = std::mem::take(&mut self.metadata);
        let is_as_is = self.as_is.is_some();
        let is_named = || {
            [IMPORTED_FROM, IMPORTED_ID].iter().all(|key| metadata.get(*key).is_some_and(Value::is_string))
        };
        if !is_as_is || !is_named() {
            metadata.insert(IMPORTED_FROM.to_owned(), from.into());
            metadata.insert(IMPORTED_ID.to_owned(), self.id.as_str().into());
        }
        if self.at.is_none() {
            metadata.insert(IMPORTED_UNDATED.to_owned(), true.into());
        }
        let is_decided = || {
            [APPROVED_BY, REJECTED_BY, SETTLED, WITHDRAWN_BY].iter().any(|key| metadata.contains_key(*key))
        };
        let decided = metadata.get(DECIDED_AT).filter(|_| is_as_is && is_decided()).cloned();
        metadata.extend(decided.map(|at| (IMPORTED_DECIDED_AT.to_owned(), at)));
        metadata
    }

    /// What the source itself, or the model, makes of the words, with what they say of it.
    async fn read(
        &self,
        cx: &Context<'_>,
        facts: Option<Vec<CallerFact>>,
        source: Option<&str>,
        (said_at, begins): (Option<When>, Option<When>),
    ) -> Result<Vec<Proposed>, Stop> {
        let service = cx.service;
        let (open, mut facts, proposer) = match facts {
            Some(facts) => {
                let open = service.spaces.current(&service.store, &cx.call.caller, &cx.space).await?;
                (open, raw(facts)?, Proposer::Caller)
            }
            None => {
                let words = Words { text: &self.text, source, said_at };
                let (open, facts) = extract(cx, &words, Intent::Remember).await?;
                // What somebody had in a memory is not lost because a model finds it of no interest.
                let facts = if facts.is_empty() { vec![note(&self.text)] } else { facts };
                (open, facts, Proposer::Model)
            }
        };
        for fact in &mut facts {
            fact.valid_until = fact.valid_until.or(self.until);
            if self.is_over {
                fact.action = Some(Action::Archive.word().to_owned());
                fact.target_id = None;
            }
            if begins.is_some() {
                fact.valid_from = fact.valid_from.or(begins);
                fact.time_ref = Some("future".to_owned());
            }
        }
        let (before, order) = (FactsBefore::of(cx, open), Order::from(&cx.call.caller));
        let slots = &service.slot_hints;
        Ok(service.models.with_wording(&self.text, facts, proposer, before, slots, &order).await?)
    }
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
        action: Some(Action::Add.word().to_owned()),
        confidence: Some(limits::CALLER_CONFIDENCE),
        ..RawFact::default()
    }
}
