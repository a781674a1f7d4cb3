//! Makes a principal and its key.

use crate::api_key::{expiry, new_key, random_hex};
use crate::args::{named, worded};
use crate::outcome::{Done, Stop};
use crate::place::NoSpace;
use crate::render;
use crate::scope::scopes_from;
use crate::tool::{Context, Effect, Tool, World};
use domain::{
    Capability, OwnQuotas, Principal, PrincipalKind, PrincipalOrigin, Role, Tenant, Timestamp, limits,
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use store::{Creation, NewKey};

pub(crate) struct CreatePrincipal;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// A principal named like a trusted source may write as it.
    name: String,
    /// admin, member, agent, viewer or auditor.
    #[serde(default = "member")]
    role: String,
    /// human, agent or service.
    #[serde(default = "agent")]
    kind: String,
    /// Comma-separated user_ids; empty or * is all.
    #[serde(default)]
    scopes: String,
    /// Empty is your own.
    #[serde(default)]
    tenant: String,
    /// How long the key works, such as 90d or 12h; empty is until it is revoked.
    #[serde(default)]
    expires: String,
}

fn member() -> String {
    Role::Member.word().to_owned()
}

fn agent() -> String {
    PrincipalKind::Agent.word().to_owned()
}

impl Tool for CreatePrincipal {
    const NAME: &'static str = "create_principal";
    const TITLE: &'static str = "Create a principal";
    const DESCRIPTION: &'static str = "Give a person, an agent or a service an API key with a role. The key \
        is shown once.";
    const CAPABILITY: Capability = Capability::Admin;
    const EFFECT: Effect = Effect::Write;
    const WORLD: World = World::Closed;
    type Place = NoSpace;
    type Args = Args;
    type Reply = Created;

    async fn run(cx: Context<'_, NoSpace>, args: Args) -> Result<Done<Created>, Stop> {
        let principal = principal(&cx, &args)?;
        let expires = match args.expires.trim() {
            "" => None,
            lasting => Some(expiry("expires", lasting, cx.call.caller.now)?),
        };
        let (key, hash) = new_key()?;
        let edition = cx.service.edition(cx.call.caller.now);
        let (key_row, store) = (NewKey { hash, expires }, &cx.service.store);
        let creation =
            store.principal_create(cx.call.clone(), principal.clone(), key_row, edition.seats).await?;
        Ok(Done::Committed(match creation {
            Creation::Created => Created::Made { principal, key, expires },
            Creation::SeatsTaken => Created::SeatsTaken { seats: edition.seats, edition: edition.name },
        }))
    }
}

fn principal(cx: &Context<'_, NoSpace>, args: &Args) -> Result<Principal, Stop> {
    worded("name", &args.name, limits::NAME_BYTES)?;
    let name = named("name", args.name.trim().to_owned())?;
    let role = Role::from_word(&args.role).ok_or_else(|| {
        Stop::refused(format!(
            "Argument 'role': '{}' is none of admin, member, agent, viewer, auditor.",
            args.role
        ))
    })?;
    let kind = PrincipalKind::from_word(&args.kind).ok_or_else(|| {
        Stop::refused(format!("Argument 'kind': '{}' is none of human, agent, service.", args.kind))
    })?;
    let tenant = named("tenant", args.tenant.trim().to_owned())?;
    let tenant = if tenant.is_empty() { cx.call.caller.tenant.clone() } else { Tenant::new(tenant) };
    if tenant != cx.call.caller.tenant && !cx.call.caller.is_operator() {
        return Err(Stop::denied("you can only create principals in your own tenant."));
    }
    let scopes = scopes_from(&args.scopes)?;
    let id = PrincipalOrigin::ApiKey.id(&random_hex::<8>()?);
    let quotas = OwnQuotas::default();
    Ok(Principal { id, name, role, kind, tenant, scopes, quotas, shown: None })
}

/// A principal that was made, or why it was not.
#[derive(Debug)]
pub enum Created {
    Made { principal: Principal, key: String, expires: Option<Timestamp> },
    SeatsTaken { seats: i64, edition: String },
}

impl fmt::Display for Created {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Made { principal: p, key, expires } => write!(
                f,
                "Created principal {} '{}' (role: {}, kind: {}, tenant: {}).\n\
                 Its API key{}, shown once; keep it now:\n  {key}",
                p.id,
                p.name,
                p.role,
                p.kind.word(),
                p.tenant,
                render::key_end(*expires)
            ),
            Self::SeatsTaken { seats, edition } => write!(
                f,
                "Seat limit reached: {seats} active principal(s) allowed on the {edition} edition. Revoke one that is \
                 no longer needed with revoke_principal, or set SVC_LICENSE to a licence with more seats."
            ),
        }
    }
}
