//! Ends a principal's key, for good.

use crate::args::named;
use crate::outcome::{Done, Stop};
use crate::place::NoSpace;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, PrincipalId};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
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
    type Place = NoSpace;
    type Args = Args;
    type Reply = RevokedPrincipal;

    async fn run(cx: Context<'_, NoSpace>, args: Args) -> Result<Done<RevokedPrincipal>, Stop> {
        let id = PrincipalId(named("principal_id", args.principal_id)?);
        let how = if args.erase { Revocation::Erase } else { Revocation::Disable };
        let found = cx.service.store.principal_revoke(cx.call.clone(), id.clone(), how).await?;
        Ok(Done::Committed(RevokedPrincipal { id, found, how }))
    }
}

/// What was found of a principal that was to be revoked, and so what was done.
#[derive(Debug)]
pub struct RevokedPrincipal {
    pub id: PrincipalId,
    pub found: Revoked,
    pub how: Revocation,
}

pub(super) fn no_active(id: &PrincipalId) -> String {
    format!("No active principal {id} (unknown or already revoked).")
}

impl fmt::Display for RevokedPrincipal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = &self.id;
        match (self.found, self.how) {
            (Revoked::Nothing, _) => f.write_str(&no_active(id)),
            (Revoked::Before, _) => write!(f, "Erased principal {id}, which was revoked before."),
            (Revoked::Active, Revocation::Disable) => {
                write!(f, "Revoked principal {id}. Its key no longer works anywhere.")
            }
            (Revoked::Active, Revocation::Erase) => {
                write!(f, "Revoked and erased principal {id}. Its key no longer works anywhere.")
            }
        }
    }
}
