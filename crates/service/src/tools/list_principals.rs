//! Who has a key.

use crate::args::Takes;
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;
use store::PrincipalState;

pub(crate) struct ListPrincipals;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

impl Tool for ListPrincipals {
    const NAME: &'static str = "list_principals";
    const TITLE: &'static str = "List principals";
    const DESCRIPTION: &'static str = "List the principals of your tenant with role, kind, scopes and \
        whether the key is active.";
    const CAPABILITY: Capability = Capability::Admin;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    const TAKES: Takes = Takes::NoSpace;
    type Args = Args;

    async fn run(cx: Context<'_>, _: Args) -> Result<Done, Stop> {
        let principals = cx.service.store.principal_list(&cx.call.caller).await?;
        let detail = format!("{} principal(s)", principals.len());
        let now = cx.call.caller.now;
        let text = if principals.is_empty() {
            "No principals yet. create_principal makes one.".to_owned()
        } else {
            principals.iter().map(|state| line(state, now)).collect::<Vec<_>>().join("\n")
        };
        Ok(Done::read(text, detail))
    }
}

fn line(state: &PrincipalState, now: Timestamp) -> String {
    let p = &state.principal;
    let standing = match state.revoked {
        None => format!("active{}", keys(state, now)),
        Some(at) => format!("revoked {at}"),
    };
    format!(
        "{}  {}  role: {}, kind: {}, tenant: {}, scopes: {}, {standing}",
        p.id,
        p.name,
        p.role,
        p.kind.word(),
        p.tenant,
        p.scopes
    )
}

/// When its keys end, where they do.
fn keys(state: &PrincipalState, now: Timestamp) -> String {
    let current = state
        .expires
        .map(|at| if at <= now { format!(", key expired {at}") } else { format!(", key expires {at}") });
    let former = state.former_until.filter(|until| *until > now);
    let former = former.map(|until| format!(", old key works until {until}"));
    [current, former].into_iter().flatten().collect()
}
