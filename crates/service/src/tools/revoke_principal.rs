//! Ends a principal's key, for good.

use crate::args::{Takes, named};
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::Capability;
use schemars::JsonSchema;
use serde::Deserialize;
use store::{Revocation, Revoked};

pub(crate) struct RevokePrincipal;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The principal's id, `prin_…`.
    principal_id: String,
    /// Remove the row as well, rather than keep it as revoked; also of a principal that was revoked before.
    #[serde(default)]
    erase: bool,
}

impl Tool for RevokePrincipal {
    const NAME: &'static str = "revoke_principal";
    const TITLE: &'static str = "Revoke a principal";
    const DESCRIPTION: &'static str = "End a principal's key at once, in every process. This cannot be \
        undone.";
    const CAPABILITY: Capability = Capability::Admin;
    const EFFECT: Effect = Effect::Destructive;
    const WORLD: World = World::Closed;
    const TAKES: Takes = Takes::NoSpace;
    type Args = Args;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done, Stop> {
        let id = named("principal_id", args.principal_id)?;
        let how = if args.erase { Revocation::Erase } else { Revocation::Disable };
        let found = cx.service.store.principal_revoke(cx.call.clone(), id.clone(), how).await?;
        let text = match (found, how) {
            (Revoked::Nothing, _) => format!("No active principal {id} (unknown or already revoked)."),
            (Revoked::Before, _) => format!("Erased principal {id}, which was revoked before."),
            (Revoked::Active, Revocation::Disable) => {
                format!("Revoked principal {id}. Its key no longer works anywhere.")
            }
            (Revoked::Active, Revocation::Erase) => {
                format!("Revoked and erased principal {id}. Its key no longer works anywhere.")
            }
        };
        Ok(Done::Committed { text })
    }
}
