//! Gives a principal a new key, and its old one some time to be replaced wherever it is in use.

use super::revoke_principal::no_active;
use crate::api_key::{expiry, from_now, new_key};
use crate::args::named;
use crate::outcome::{Done, Stop};
use crate::place::NoSpace;
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, PrincipalId};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use store::{NextExpiry, PrincipalState, Rotated, Rotation};

pub(crate) struct RotatePrincipal;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The principal's id, `prin_…`.
    principal_id: String,
    /// How long the old key works beside the new one.
    overlap: String,
    /// How long the new key works, or `never` for one that does not expire. Empty where the old one does not expire.
    #[serde(default)]
    expires: String,
}

impl Tool for RotatePrincipal {
    const NAME: &'static str = "rotate_principal";
    const TITLE: &'static str = "Rotate a principal's key";
    const DESCRIPTION: &'static str =
        "Give a principal a new API key. The old one works on for the overlap, and ends by itself.";
    const CAPABILITY: Capability = Capability::Admin;
    const EFFECT: Effect = Effect::Write;
    const WORLD: World = World::Closed;
    type Place = NoSpace;
    type Args = Args;
    type Reply = RotatedKey;

    async fn run(cx: Context<'_, NoSpace>, args: Args) -> Result<Done<RotatedKey>, Stop> {
        let (id, now) = (PrincipalId(named("principal_id", args.principal_id)?), cx.call.caller.now);
        let expires = match args.expires.trim() {
            "" => NextExpiry::Unsaid,
            "never" => NextExpiry::Never,
            lasting => NextExpiry::At(expiry("expires", lasting, now)?),
        };
        let overlap_until = from_now("overlap", &args.overlap, now)?;
        let (key, hash) = new_key()?;
        let rotation = Rotation { key: hash, expires, overlap_until };
        let store = &cx.service.store;
        let rotated = store.principal_rotate(cx.call.clone(), id.clone(), rotation).await?;
        Ok(Done::Committed(match rotated {
            Rotated::Done(state) => RotatedKey::Done { state, key },
            Rotated::ExpiryUnsaid => RotatedKey::ExpiryUnsaid { id },
            Rotated::Unknown => RotatedKey::Unknown { id },
        }))
    }
}

/// A principal's new key, or why there is none.
#[derive(Debug)]
pub enum RotatedKey {
    Done {
        state: Box<PrincipalState>,
        key: String,
    },
    /// The old key expires, and nobody said when the new one does.
    ExpiryUnsaid {
        id: PrincipalId,
    },
    Unknown {
        id: PrincipalId,
    },
}

impl fmt::Display for RotatedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (state, key) = match self {
            Self::Done { state, key } => (state, key),
            Self::ExpiryUnsaid { id } => {
                return write!(
                    f,
                    "Not rotated: the key of {id} expires, so say how long the new one works: --expires 90d, or \
                     --expires never."
                );
            }
            Self::Unknown { id } => return f.write_str(&no_active(id)),
        };
        write!(f, "Rotated the key of {} '{}'. ", state.principal.id, state.principal.name)?;
        match state.former_until {
            Some(until) => write!(f, "The old key works until {until}.")?,
            None => write!(f, "The old key no longer works.")?,
        }
        let ends = render::key_end(state.expires);
        write!(f, "\nIts new API key{ends}, shown once; keep it now:\n  {key}")
    }
}
