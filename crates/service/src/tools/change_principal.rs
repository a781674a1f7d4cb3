//! Changes what a principal may reach, and the quotas of its own. Its key stays.

use super::revoke_principal::no_active;
use crate::args::{Whole, named};
use crate::outcome::{Done, Stop};
use crate::place::NoSpace;
use crate::quota::Quotas;
use crate::scope::scopes_from;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Principal, PrincipalId, Quota, Role, Scopes, SetBy, limits};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::fmt;
use std::num::NonZeroU64;
use store::{Changed, PrincipalChange, PrincipalState, differences};

pub(crate) struct ChangePrincipal;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The principal's id, `prin_…`.
    principal_id: String,
    /// Comma-separated user_ids, or * for all. Left out, they stay as they are, and so does each quota.
    #[serde(default)]
    scopes: Option<String>,
    /// Calls within 60 seconds; `none` removes the quota.
    #[serde(default)]
    calls_per_minute: Option<Most>,
    /// Calls under way at once.
    #[serde(default)]
    at_once: Option<Most>,
    /// Facts held.
    #[serde(default)]
    facts: Option<Most>,
    /// Bytes that these take up.
    #[serde(default)]
    bytes: Option<Most>,
}

// A quota, or `none`. Not a doc comment: that would show up in the schema.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(transparent)]
struct Most(Option<NonZeroU64>);

impl<'de> Deserialize<'de> for Most {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let value = Value::deserialize(deserializer)?;
        if value.as_str().is_some_and(|text| text.trim() == "none") {
            return Ok(Self(None));
        }
        let most = Whole::deserialize(value).ok().and_then(|whole| u64::try_from(whole.0).ok());
        let most = most.filter(|most| *most <= limits::OWN_QUOTA).and_then(NonZeroU64::new);
        most.map(|most| Self(Some(most))).ok_or_else(|| {
            D::Error::custom(format!(
                "it takes a whole number from 1 to {}, or 'none' for no quota",
                limits::OWN_QUOTA
            ))
        })
    }
}

impl Tool for ChangePrincipal {
    const NAME: &'static str = "change_principal";
    const TITLE: &'static str = "Change a principal";
    const DESCRIPTION: &'static str = "Change which users a principal reaches, and its own quotas. Its key stays the \
        same.";
    const CAPABILITY: Capability = Capability::Admin;
    const EFFECT: Effect = Effect::Write;
    const WORLD: World = World::Closed;
    type Place = NoSpace;
    type Args = Args;
    type Reply = ChangedPrincipal;

    async fn run(cx: Context<'_, NoSpace>, args: Args) -> Result<Done<ChangedPrincipal>, Stop> {
        let id = PrincipalId(named("principal_id", args.principal_id)?);
        let given = [args.calls_per_minute, args.at_once, args.facts, args.bytes];
        let quotas = Quota::ALL.into_iter().zip(given);
        let change = PrincipalChange {
            scopes: args.scopes.as_deref().map(named_scopes).transpose()?,
            quotas: quotas.filter_map(|(quota, most)| Some((quota, most?.0))).collect(),
        };
        if change.scopes.is_none() && change.quotas.is_empty() {
            return Err(Stop::refused(
                "Nothing was named that is to change: give 'scopes', 'calls_per_minute', 'at_once', 'facts' or 'bytes'.",
            ));
        }
        let changed = cx.service.store.principal_change(cx.call.clone(), id.clone(), change).await?;
        Ok(Done::Committed(match changed {
            Changed::Done { before, state } => {
                let outdone = outdone(&cx.service.options.quotas, &state.principal);
                ChangedPrincipal::Done { before, state, outdone }
            }
            Changed::Same(state) => ChangedPrincipal::Same { state },
            Changed::Unknown => ChangedPrincipal::Unknown { id },
        }))
    }
}

/// Nothing at all is not taken for everybody here: whoever empties a field hardly means that.
fn named_scopes(text: &str) -> Result<Scopes, Stop> {
    if text.trim().is_empty() {
        return Err(Stop::refused(
            "Argument 'scopes' is empty. Name user_ids with commas between, or give '*' alone for all.",
        ));
    }
    scopes_from(text)
}

/// The settings that allow less than the principal's own quotas, or as much, and so count instead of them.
fn outdone(quotas: &Quotas, principal: &Principal) -> Vec<(&'static str, u64)> {
    let set = Quota::ALL.into_iter().filter(|quota| principal.quotas.get(*quota).is_some());
    set.filter_map(|quota| {
        let (setting, most) = quotas.of_key(quota);
        let (counts, set_by) = principal.quotas.narrow(quota, most)?;
        (set_by == SetBy::Deployment).then_some((setting, counts))
    })
    .collect()
}

/// A principal that was changed, or why it was not.
#[derive(Debug)]
pub enum ChangedPrincipal {
    Done {
        before: Box<Principal>,
        state: Box<PrincipalState>,
        /// Settings that count instead of its own quotas, and what they allow.
        outdone: Vec<(&'static str, u64)>,
    },
    Same {
        state: Box<PrincipalState>,
    },
    Unknown {
        id: PrincipalId,
    },
}

impl fmt::Display for ChangedPrincipal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done { before, state, outdone } => {
                let after = &state.principal;
                let told = differences(before, after);
                write!(
                    f,
                    "Changed {} '{}': {told}. This holds from the next call on.",
                    after.id, after.name
                )?;
                if before.scopes != after.scopes && after.role == Role::Admin && after.scopes != Scopes::All {
                    write!(f, "\nAn admin reaches every user of the tenant, whatever the scopes.")?;
                }
                for (setting, most) in outdone {
                    write!(f, "\n{setting} allows {most}, and that counts.")?;
                }
                Ok(())
            }
            Self::Same { state } => {
                let Principal { id, name, .. } = &state.principal;
                write!(f, "Nothing was changed: {id} '{name}' has that already.")
            }
            Self::Unknown { id } => f.write_str(&no_active(id)),
        }
    }
}
