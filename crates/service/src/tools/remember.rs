//! Takes the facts out of a statement, or those that the caller brings with it, and reconciles each with what is held.

mod close;
mod facts;
mod reply;

use crate::args::{named, worded};
use crate::moment::said_at;
use crate::outcome::{Done, Stop};
use crate::spaces::OpenSpace;
use crate::tool::{Context, Effect, Tool, World};
use close::close_facts;
use domain::keys::{subject_key, value_key};
use domain::{
    Action, Capability, Fact, FactId, Identity, Metadata, PolicyMode, Proposer, RawFact, Space, Status, When,
    limits,
};
use model::{Extract, Meant, Memory, Order, meant};
use parking_lot::RwLock;
use recall::SpaceIndex;
use reconcile::{DECISION_KEYS, Outcome, Plan, SlotSchema, Trust, slot_key};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use store::{Intent, Once, Reached, Record, Said};

pub(super) use facts::{CallerFact, raw};
pub use reply::{Close, Perhaps, Proposal, Remembered, Still, Waiting};

pub(crate) struct Remember;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// What was said, in plain words.
    text: String,
    /// The facts in it as you read them, one an entry. Then no model is asked.
    #[serde(default)]
    facts: Option<Vec<CallerFact>>,
    /// Kept with each fact. `category` may mark it as critical.
    #[serde(default)]
    metadata: Option<Metadata>,
    /// Who or what says so, if not the user.
    #[serde(default)]
    source: String,
    /// When it was said, if not now: `2023-05-07`, or with a time.
    #[serde(default)]
    said_at: String,
    /// Your own name for this call: sent again with it, it is done once and answered alike, for thirty days.
    #[serde(default)]
    idempotency_key: String,
}

impl Tool for Remember {
    const NAME: &'static str = "remember";
    const TITLE: &'static str = "Remember a statement";
    const DESCRIPTION: &'static str = "Store what you have just learned and will need later: decisions, preferences, \
        plans, events, how things are. Say it in plain words, and bring the facts in it as `facts` too: what they say is \
        believed. A new value replaces the old one of its subject, and changes to guarded slots wait for approval. \
        The reply names what was done to each fact, what waits, and a held fact that a new one may be meant to replace.";
    const CAPABILITY: Capability = Capability::Write;
    const EFFECT: Effect = Effect::Write;
    const WORLD: World = World::Open;
    type Place = Space;
    type Args = Args;
    type Reply = Remembered;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<Remembered>, Stop> {
        worded("text", &args.text, limits::TEXT_BYTES)?;
        let source = Some(named("source", args.source)?.trim().to_owned()).filter(|s| !s.is_empty());
        let said_at = said_at(&args.said_at, cx.call.caller.now)?;
        let trust = trust(&cx, source.as_deref()).await?;
        let key = named("idempotency_key", args.idempotency_key)?;
        if !key.is_empty()
            && let Some(reply) = cx.service.store.statement_answered(&cx.call.caller, &cx.space, &key).await?
        {
            return Ok(Done::read(Remembered::again(reply), "answered as before"));
        }
        let brought = args.facts.map(raw).transpose()?;
        let given = args.metadata.unwrap_or_default();
        let not_taken = not_taken(&given);
        let metadata = stamped(&cx, given)?;
        let proposer = if brought.is_some() { Proposer::Caller } else { Proposer::Model };
        let mut perhaps: Vec<Perhaps> = Vec::new();
        let (open, facts) = match brought {
            Some(facts) => {
                let open = open(&cx).await?;
                let given: Vec<Option<String>> =
                    facts.iter().filter(|f| !retracts(f)).map(subject_of).collect();
                let facts = facts.into_iter();
                let facts = facts.map(|fact| match given.contains(&subject_of(&fact)) {
                    true => fact,
                    false => aimed(&cx, &open, fact, &mut perhaps),
                });
                let facts = facts.collect();
                (open, facts)
            }
            None => {
                let store = &cx.service.store;
                if let Some(known) =
                    store.statement_known(&cx.call.caller, &cx.space, &args.text, said_at).await?
                {
                    return Ok(already_known(&known));
                }
                let words = Words { text: &args.text, source: source.as_deref(), said_at };
                extract(&cx, &words, Intent::Remember).await?
            }
        };
        if facts.is_empty() {
            return Ok(Done::read(Remembered::default(), "no durable fact"));
        }
        let order = Order::from(&cx.call.caller);
        let before = FactsBefore::of(&cx, open.clone());
        let slots = &cx.service.slot_hints;
        let facts =
            cx.service.models.with_wording(&args.text, facts, proposer, before, slots, &order).await?;
        let due = open.read().due();
        let said = Said {
            intent: Intent::Remember,
            text: args.text.into(),
            source,
            trust,
            metadata,
            proposer,
            said: said_at,
            facts,
            due,
            limits: cx.service.options.quotas.storage.limits(&cx.call.caller),
            once: None,
        };
        let reply = move |plan: &Plan| {
            let (close, still) = match proposer {
                Proposer::Caller => {
                    let index = &open.read().index;
                    (close_facts(index, &plan.outcomes), still_current(index, plan))
                }
                Proposer::Model => (Vec::new(), Vec::new()),
            };
            // A caller reads DEDUP as stored, so what it says again and still waits is named.
            let is_told = |fact: &&Fact| proposer == Proposer::Caller || plan.written(fact.id).is_some();
            let waiting = plan.waiting.iter().filter(is_told).cloned();
            let waiting = waiting.map(|fact| Waiting { fact }).collect();
            let (not_taken, perhaps) = (not_taken.clone(), perhaps.clone());
            let outcomes = plan.outcomes.clone();
            Remembered { outcomes, waiting, not_taken, perhaps, still, close, ..Remembered::default() }
        };
        let reply = Arc::new(reply);
        let text = Arc::clone(&reply);
        let once = Once { key, reply: Arc::new(move |plan| text(plan).to_string()) };
        let once = Some(once).filter(|once| !once.key.is_empty());
        match commit(&cx, Said { once, ..said }).await? {
            Reached::Plan(plan) => {
                let proposals = proposals(&cx, &plan);
                Ok(Done::Committed(Remembered { proposals, ..reply(&plan) }))
            }
            Reached::Reply(text) => Ok(Done::Committed(Remembered::again(text))),
        }
    }
}

fn retracts(fact: &RawFact) -> bool {
    fact.action.as_deref().and_then(Action::from_word) == Some(Action::Retract)
}

fn subject_of(fact: &RawFact) -> Option<String> {
    fact.subject.as_deref().map(subject_key)
}

/// A removal of a subject that nothing has ends the one fact that its words mean, as they would for `forget`. Where they
/// mean none for certain, the reply names what comes near.
fn aimed(cx: &Context<'_>, open: &RwLock<OpenSpace>, fact: RawFact, perhaps: &mut Vec<Perhaps>) -> RawFact {
    let subject = fact.subject.clone().unwrap_or_default();
    let index = &open.read().index;
    let is_held = || !index.of_subject(&subject_key(cx.subject(&subject))).is_empty();
    if !retracts(&fact) || fact.target_id.is_some() || is_held() {
        return fact;
    }
    let Meant { fitting, near } =
        meant(&subject, &index.holding(&subject, WORD_HOLDERS), &cx.service.slot_hints);
    let value = value_key(fact.value.as_deref().unwrap_or_default());
    match fitting.as_slice() {
        [only] if value.is_empty() || value == value_key(&only.value) => {
            RawFact { target_id: Some(only.id.0), ..fact }
        }
        _ => {
            let facts: Vec<Arc<Fact>> = fitting.into_iter().chain(near).collect();
            perhaps.extend((!facts.is_empty()).then_some(Perhaps { subject, facts }));
            fact
        }
    }
}

/// Current facts in the place of what went to history: the caller told them as past without a date, or told something
/// older than they are.
fn still_current(index: &SpaceIndex, plan: &Plan) -> Vec<Still> {
    let told = plan.outcomes.iter().filter(|outcome| outcome.action == Action::Archive);
    let told = told.filter_map(|outcome| plan.written(outcome.id?));
    let is_in_its_place = |past: &Fact, held: &Fact| {
        slot_key(&Fact { status: Status::Active, ..past.clone() }) == slot_key(held)
            && plan.written(held.id).is_none()
    };
    let is_same = |past: &Fact, held: &Fact| value_key(&held.value) == value_key(&past.value);
    let current = told.flat_map(|past| {
        let held = index.of_subject(&subject_key(&past.subject)).into_iter();
        let held = held.filter(move |held| is_in_its_place(past, held));
        held.filter_map(move |held| match past.status {
            Status::Superseded => Some(Still::SaidLater(held)),
            _ if is_same(past, &held) && past.times.until.is_none() => Some(Still::ToldAsPast(held)),
            _ => None,
        })
    });
    current.collect()
}

/// The facts of the space as they were before the statement.
#[derive(Clone)]
pub(super) struct FactsBefore {
    pub open: Arc<RwLock<OpenSpace>>,
    slots: Arc<SlotSchema>,
    caller: String,
}

impl FactsBefore {
    pub fn of(cx: &Context<'_>, open: Arc<RwLock<OpenSpace>>) -> Self {
        Self { open, slots: cx.service.options.slots.clone(), caller: cx.call.caller.id().to_owned() }
    }
}

/// Facts that hold a word: more than a few, and it tells nothing apart.
const WORD_HOLDERS: usize = 64;
/// The newest facts, among which the caller's statement before is looked for.
const NEWEST: usize = 64;

impl Memory for FactsBefore {
    fn fact(&self, id: FactId) -> Option<Arc<Fact>> {
        self.open.read().index.get(id).cloned()
    }

    fn holding(&self, word: &str) -> Vec<Arc<Fact>> {
        self.open.read().index.holding(word, WORD_HOLDERS)
    }

    fn of_subject(&self, subject: &str) -> Vec<Arc<Fact>> {
        let slot = self.slots.fold(subject).map(|slot| slot.name.as_str());
        self.open.read().index.of_subject(&subject_key(slot.unwrap_or(subject)))
    }

    fn alike(&self, subject: &str) -> Vec<String> {
        self.open.read().index.alike(subject).map(str::to_owned).collect()
    }

    fn slot_names(&self, subject: &str) -> Vec<String> {
        let slot = self.slots.fold(subject);
        slot.map_or_else(Vec::new, |slot| slot.aliases.iter().chain([&slot.name]).cloned().collect())
    }

    fn said_before(&self) -> Option<Arc<str>> {
        let open = self.open.read();
        let is_own = |fact: &&Arc<Fact>| {
            fact.metadata.get(ASSERTED_BY).and_then(|by| by.as_str()) == Some(self.caller.as_str())
        };
        open.index.iter().rev().take(NEWEST).find(is_own).map(|fact| Arc::clone(&fact.text))
    }
}

/// Our own stamp of who said it.
const ASSERTED_BY: &str = "asserted_by";

/// A trusted source skips the confirmation gate, so not everybody may speak in its name.
pub(super) async fn trust(cx: &Context<'_>, source: Option<&str>) -> Result<Trust, Stop> {
    let (caller, options) = (&cx.call.caller, &cx.service.options);
    let ordinary = if options.four_eyes { Trust::AfterRemoval } else { Trust::Ordinary };
    let Some(source) = source else { return Ok(ordinary) };
    let is_itself = matches!(&caller.identity, Identity::Principal(p) if p.name == source);
    let approves = caller.can(Capability::Approve);
    if !options.trusted_sources.contains(&source.to_lowercase()) {
        if !is_itself && !approves {
            bound(cx, source).await?;
        }
        return Ok(ordinary);
    }
    // With four eyes an approver who wrote as a trusted source would pass the gate alone.
    if is_itself || (approves && !options.four_eyes) {
        return Ok(Trust::Trusted);
    }
    if approves {
        return Err(Stop::denied(format!(
            "'{source}' is a trusted source, and SVC_FOUR_EYES is on: only the principal of that name may write as it."
        )));
    }
    Err(Stop::denied(format!(
        "'{source}' is a trusted source; only the principal of that name, or a caller with the 'approve' capability, \
         may write as it."
    )))
}

/// Where the policy tells sources apart, a source that anybody could name would decide nothing.
async fn bound(cx: &Context<'_>, source: &str) -> Result<(), Stop> {
    let store = &cx.service.store;
    let is_bound = match cx.service.options.bound_sources {
        Some(set) => set,
        None => store.sources_bound().await?,
    };
    if !is_bound {
        return Ok(());
    }
    let mode = store.policy_get(&cx.call.caller, &cx.space).await?.mode;
    if mode == PolicyMode::Recency {
        return Ok(());
    }
    Err(Stop::denied(format!(
        "the policy of this memory is {}, so only the principal named '{source}', or a caller with the 'approve' \
         capability, may write as the source '{source}'. Leave 'source' out, or give your own name.",
        mode.word()
    )))
}

/// The caller's metadata, with our own stamp of who said it: that one is not the caller's to choose.
pub(super) fn stamped(cx: &Context<'_>, metadata: Metadata) -> Result<Metadata, Stop> {
    let bytes = serde_json::to_vec(&metadata).map_or(usize::MAX, |json| json.len());
    if bytes > limits::METADATA_BYTES {
        return Err(Stop::refused(format!(
            "Argument 'metadata' is too large: at most {} bytes of JSON are taken.",
            limits::METADATA_BYTES
        )));
    }
    let mut stamped = metadata;
    stamped.insert(ASSERTED_BY.to_owned(), cx.call.caller.id().into());
    Ok(stamped)
}

async fn open(cx: &Context<'_>) -> Result<Arc<RwLock<OpenSpace>>, Stop> {
    Ok(cx.service.spaces.current(&cx.service.store, &cx.call.caller, &cx.space).await?)
}

/// A statement as it is put to the model.
pub(super) struct Words<'a> {
    pub text: &'a str,
    pub source: Option<&'a str>,
    pub said_at: Option<When>,
}

/// Asks the model, holding nothing: other calls on the space go on meanwhile. Words like "yesterday" are meant from when
/// the statement was made.
pub(super) async fn extract(
    cx: &Context<'_>,
    words: &Words<'_>,
    intent: Intent,
) -> Result<(Arc<RwLock<OpenSpace>>, Vec<RawFact>), Stop> {
    let service = cx.service;
    let open = open(cx).await?;
    let held = open.read().index.relevant(words.text, service.options.reconcile_context);
    let held: Vec<&Fact> = held.iter().map(AsRef::as_ref).collect();
    let ask = Extract {
        statement: words.text,
        source: words.source,
        intent: match intent {
            Intent::Remember => model::Intent::Remember,
            Intent::Forget => model::Intent::Forget,
        },
        held: &held,
        slots: &service.slot_hints,
        now: words.said_at.map_or(cx.call.caller.now, When::first),
        notice: Some(&cx.call.caller.notice),
    };
    let facts = service.models.extract(&ask, &Order::from(&cx.call.caller)).await?;
    Ok((open, facts))
}

pub(super) async fn commit(cx: &Context<'_>, said: Said) -> Result<Reached, Stop> {
    let service = cx.service;
    let slots = service.options.slots.clone();
    let came_to = service.store.statement_commit(cx.call.clone(), cx.space.clone(), slots, said).await?;
    let came_to = came_to.map_err(|refusal| Stop::refused(refusal.to_string()))?;
    service.embed_soon(&cx.call.caller, &cx.space).await;
    Ok(came_to)
}

fn already_known(facts: &[Fact]) -> Done<Remembered> {
    let outcomes: Vec<Outcome> = facts
        .iter()
        .map(|fact| Outcome {
            action: Action::Dedup,
            subject: fact.subject.clone(),
            value: fact.value.clone(),
            reason: String::new(),
            id: Some(fact.id),
        })
        .collect();
    let record = Record::of_outcomes(&outcomes);
    Done::Read { reply: Remembered { outcomes, ..Remembered::default() }, record }
}

/// What the caller's metadata says that is not the caller's to say.
fn not_taken(metadata: &Metadata) -> Vec<String> {
    let reserved = |key: &&String| key.as_str() == ASSERTED_BY || DECISION_KEYS.contains(&key.as_str());
    metadata.keys().filter(reserved).cloned().collect()
}

/// The changes to guarded slots among what was written, where the caller may approve them: under four eyes whoever
/// proposed a change may not.
pub(super) fn proposals(cx: &Context<'_>, plan: &Plan) -> Vec<Proposal> {
    if !cx.call.caller.can(Capability::Approve) || cx.service.options.four_eyes {
        return Vec::new();
    }
    let flagged = plan.outcomes.iter().filter(|o| o.action == Action::Flag);
    let written = flagged.filter_map(|o| plan.written(o.id?));
    written.filter_map(|fact| Waiting { fact: fact.clone() }.proposal()).collect()
}
