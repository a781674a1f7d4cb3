//! Who has a key.

use crate::outcome::{Done, Stop};
use crate::place::NoSpace;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, PrincipalId, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
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
    type Place = NoSpace;
    type Args = Args;
    type Reply = PrincipalList;

    async fn run(cx: Context<'_, NoSpace>, _: Args) -> Result<Done<PrincipalList>, Stop> {
        let (principals, damaged) = cx.service.store.principal_list(&cx.call.caller).await?;
        let detail = format!("{} principal(s)", principals.len() + damaged.len());
        Ok(Done::read(PrincipalList { principals, damaged, now: cx.call.caller.now }, detail))
    }
}

#[derive(Debug)]
pub struct PrincipalList {
    pub principals: Vec<PrincipalState>,
    /// Their rows cannot be read, and their keys do not work.
    pub damaged: Vec<PrincipalId>,
    pub now: Timestamp,
}

impl fmt::Display for PrincipalList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.principals.is_empty() && self.damaged.is_empty() {
            return f.write_str("No principals yet. create_principal makes one.");
        }
        let mut lines: Vec<String> = self.principals.iter().map(|state| line(state, self.now)).collect();
        lines.extend(self.damaged.iter().map(|id| {
            format!("{id}  cannot be read: its row is damaged, and its key does not work (see svc fsck)")
        }));
        f.write_str(&lines.join("\n"))
    }
}

fn line(state: &PrincipalState, now: Timestamp) -> String {
    let p = &state.principal;
    let standing = match state.revoked {
        None => format!("active{}", keys(state, now)),
        Some(at) => format!("revoked {at}"),
    };
    let quotas = if p.quotas.are_none() { String::new() } else { format!(", at most {}", p.quotas) };
    format!(
        "{}  {}  role: {}, kind: {}, tenant: {}, scopes: {}, {standing}{quotas}",
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
