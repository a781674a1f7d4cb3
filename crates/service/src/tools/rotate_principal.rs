//! Gives a principal a new key, and its old one some time to be replaced wherever it is in use.

use crate::api_key::{expiry, from_now, new_key};
use crate::args::{Takes, named};
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::Capability;
use schemars::JsonSchema;
use serde::Deserialize;
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
    const TAKES: Takes = Takes::NoSpace;
    type Args = Args;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done, Stop> {
        let (id, now) = (named("principal_id", args.principal_id)?, cx.call.caller.now);
        let expires = match args.expires.trim() {
            "" => NextExpiry::Unsaid,
            "never" => NextExpiry::Never,
            lasting => NextExpiry::At(expiry("expires", lasting, now)?),
        };
        let overlap_until = from_now("overlap", &args.overlap, now)?;
        let (key, hash) = new_key()?;
        let rotation = Rotation { key: hash, expires, overlap_until };
        let store = &cx.service.store;
        match store.principal_rotate(cx.call.clone(), id.clone(), rotation).await? {
            Rotated::Done(state) => Ok(Done::Committed { text: reply(&state, &key) }),
            Rotated::ExpiryUnsaid => Ok(Done::Committed {
                text: format!(
                    "Not rotated: the key of {id} expires, so say how long the new one works: --expires 90d, or \
                     --expires never."
                ),
            }),
            Rotated::Unknown => Ok(Done::Committed {
                text: format!("No active principal {id} (unknown or already revoked)."),
            }),
        }
    }
}

fn reply(state: &PrincipalState, key: &str) -> String {
    let old = match state.former_until {
        Some(until) => format!("The old key works until {until}."),
        None => "The old key no longer works.".to_owned(),
    };
    let ends = state.expires.map_or_else(String::new, |at| format!(" (works until {at})"));
    format!(
        "Rotated the key of {} '{}'. {old}\nIts new API key{ends}, shown once; keep it now:\n  {key}",
        state.principal.id, state.principal.name
    )
}
