//! What is said to the store, and what came of it.

use crate::StoreError;
use crate::seal::UserKeyId;
use crate::secrets::{Binding, Secrets};
use crate::sql::{RowWrite, params};
use crate::storage_quota::StorageLimits;
use domain::keys::text_key;
use domain::{Action, Fact, FactId, Metadata, Proposed, Proposer, SpaceKey, Timestamp, When};
use reconcile::{Approver, Editor, Outcome, Plan, Refusal, Trust};
use std::fmt;
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    Remember,
    Forget,
}

/// A statement together with what the model, or the caller, made of it.
#[derive(Debug, Clone)]
pub struct Said {
    pub intent: Intent,
    pub text: Arc<str>,
    pub source: Option<String>,
    /// [`Trust::AfterRemoval`] counts where something was erased from the space, or a guarded value removed.
    pub trust: Trust,
    pub metadata: Metadata,
    pub proposer: Proposer,
    /// When it was said, where that was told.
    pub said: Option<When>,
    pub facts: Vec<Proposed>,
    /// Facts of the space that have run out, and changes that are settled: this write puts them into history.
    pub due: Vec<FactId>,
    /// None for what takes back: it must be possible when there is no room.
    pub limits: StorageLimits,
    /// Where the caller may say it again without its being done again.
    pub once: Option<Once>,
}

/// A call that is done once, however often it is sent.
#[derive(Clone)]
pub struct Once {
    /// The caller's own name for the call.
    pub key: String,
    /// What the call is answered, and every later one with the same key.
    pub reply: Arc<dyn Fn(&Plan) -> String + Send + Sync>,
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}

/// What a statement came to.
#[derive(Debug, Clone)]
pub enum Reached {
    Plan(Plan),
    /// It was told before under the same key, and this is what was answered then.
    Reply(String),
}

/// A new value for one fact.
#[derive(Debug, Clone)]
pub struct Edit {
    pub id: FactId,
    pub value: String,
    pub editor: Editor,
    /// The caller's name, as which they may correct what they said themselves.
    pub source: Option<String>,
    pub limits: StorageLimits,
}

/// What became of an edit or a decision.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The fact as it was before.
    pub fact: Fact,
    pub plan: Result<Plan, Refusal>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeVerdict {
    Confirm(Approver),
    Reject,
    /// By who proposed it.
    Withdraw,
}

/// The facts that the words came to, where all of it is now current; `None` where some was flagged, archived, retracted or
/// skipped, so that the same words must be judged again.
fn standing_facts(plan: &Plan) -> Option<Vec<FactId>> {
    let standing = |o: &Outcome| match o.action {
        Action::Add | Action::Supersede | Action::Coexist | Action::Refine | Action::Dedup => o.id,
        Action::Flag | Action::Archive | Action::Retract | Action::Skip => None,
    };
    let ids: Option<Vec<FactId>> = plan.outcomes.iter().map(standing).collect();
    ids.filter(|ids| !ids.is_empty())
}

/// The numbers of a statement's facts, as its row keeps them.
pub(crate) fn ids_write(ids: &[FactId]) -> Result<String, StoreError> {
    serde_json::to_string(ids).map_err(|e| StoreError::corrupt("a statement", e))
}

pub(crate) fn ids_read(text: &str) -> Result<Vec<FactId>, StoreError> {
    serde_json::from_str(text).map_err(|e| StoreError::corrupt("a statement", e))
}

const KEEP: &str = "INSERT INTO statement (tenant, space, text_ix, facts) VALUES ($1, $2, $3, $4)
    ON CONFLICT (tenant, space, text_ix) DO UPDATE SET facts = excluded.facts";
/// Of a fact that is about to go, and whose words may be unknown.
pub(crate) const FORGET_OF_FACT: &str = "DELETE FROM statement WHERE tenant = $1 AND space = $3
    AND text_ix IN (SELECT text_ix FROM fact WHERE tenant = $1 AND id = $2)";
pub(crate) const FORGET: &str = "DELETE FROM statement WHERE tenant = $1 AND space = $2 AND text_ix = $3";

/// For so long a reply is given again.
const KEPT_DAYS: i64 = 30;
/// Comes before the time and the reply, where a row's `facts` are none.
const REPLY: char = '~';
pub(crate) const KEPT_REPLY: &str =
    "SELECT facts FROM statement WHERE tenant = $1 AND space = $2 AND text_ix = $3";
/// Replies quote facts.
pub(crate) const FORGET_REPLIES: &str =
    "DELETE FROM statement WHERE tenant = $1 AND space = $2 AND facts LIKE '~%'";

fn binding<'a>(space: SpaceKey<'a>) -> Binding<'a> {
    Binding::new("reply", space.tenant.as_str(), space.id.0)
}

pub(crate) fn reply_index(secrets: &Secrets, space: SpaceKey<'_>, key: &str) -> [u8; 16] {
    secrets.index("once", space, key)
}

/// Keeps what a call with this key was answered.
pub(crate) fn keep_reply<'a>(
    secrets: &Secrets,
    (space, user): (SpaceKey<'a>, Option<UserKeyId>),
    once: &Once,
    plan: &Plan,
    now: Timestamp,
) -> Result<RowWrite<'a>, StoreError> {
    let sealed = secrets.seal_for(user, binding(space), (once.reply)(plan).as_bytes())?;
    let kept = format!("{REPLY}{}:{}", now.as_second(), hex::encode(sealed));
    Ok(RowWrite::new(KEEP, params![space.tenant, space.id, reply_index(secrets, space, &once.key), kept]))
}

/// The reply that was kept, unless it is too old, or its key is gone.
pub(crate) fn kept_reply(
    secrets: &Secrets,
    space: SpaceKey<'_>,
    kept: &str,
    now: Timestamp,
) -> Option<String> {
    let (at, sealed) = kept.strip_prefix(REPLY)?.split_once(':')?;
    let age = now.as_second() - at.parse::<i64>().ok()?;
    let opened = secrets.open(binding(space), &hex::decode(sealed).ok()?).ok()?;
    String::from_utf8(opened).ok().filter(|_| age < KEPT_DAYS * 24 * 3600)
}

/// Notes what the words came to, where all of it is now current; forgets it where some was flagged, archived, retracted
/// or skipped.
pub(crate) fn note<'a>(
    secrets: &Secrets,
    space: SpaceKey<'a>,
    text: &str,
    plan: &Plan,
) -> Result<RowWrite<'a>, StoreError> {
    let index = secrets.index("text", space, &text_key(text));
    Ok(match standing_facts(plan) {
        Some(ids) => RowWrite::new(KEEP, params![space.tenant, space.id, index, ids_write(&ids)?]),
        None => RowWrite::new(FORGET, params![space.tenant, space.id, index]),
    })
}
