//! Who did what, newest first.

use crate::args::{Takes, Whole, named};
use crate::gate::{out_of_scope, reach};
use crate::outcome::{Done, Stop};
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Caller, Capability, DEFAULT_TENANT, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{AuditLine, AuditReach};

pub(crate) struct AuditLog;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// How many entries, newest first.
    #[serde(default = "fifty")]
    limit: Whole,
    /// Only the entries of this user's memory; empty shows all of your tenant and needs an admin.
    #[serde(default)]
    user_id: String,
}

fn fifty() -> Whole {
    Whole(50)
}

impl Tool for AuditLog {
    const NAME: &'static str = "audit_log";
    const TITLE: &'static str = "Read the audit log";
    const DESCRIPTION: &'static str = "List what was done, by whom and when, newest first: of one user_id, or as an admin of the whole tenant.";
    const CAPABILITY: Capability = Capability::Verify;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    const TAKES: Takes = Takes::NoSpace;
    type Args = Args;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done, Stop> {
        if args.limit.0 < 1 {
            return Err(Stop::refused("Argument 'limit' takes a whole number from 1 on."));
        }
        let caller = &cx.call.caller;
        let user_id = named("user_id", args.user_id)?;
        let whose = if !user_id.is_empty() {
            // What a caller did outside any space stands under the caller's own id, which no scope can be given for.
            if is_caller(&user_id) && !caller.can(Capability::Admin) {
                return Err(out_of_scope(Self::NAME));
            }
            reach(cx.call, Self::NAME, &user_id)?;
            AuditReach::User(user_id.clone())
        } else if !caller.can(Capability::Admin) {
            return Err(Stop::denied(
                "'audit_log' without a user_id requires the 'admin' capability; pass the user_id of a memory space in \
                 your scope.",
            ));
        } else if caller.is_operator() {
            AuditReach::Deployment
        } else {
            AuditReach::Tenant
        };
        let most = args.limit.0.min(limits::AUDIT_LOG_ENTRIES);
        let lines = cx.service.store.audit_list(caller, whose, most).await?;
        let text = if lines.is_empty() {
            "No audit entries.".to_owned()
        } else {
            lines.iter().map(|entry| line(entry, caller)).collect::<Vec<_>>().join("\n")
        };
        Ok(Done::read(text, if user_id.is_empty() { "all".to_owned() } else { format!("user {user_id}") }))
    }
}

fn is_caller(user_id: &str) -> bool {
    ["local", "anonymous"].contains(&user_id) || user_id.starts_with("prin_") || user_id.starts_with("oidc_")
}

fn line(entry: &AuditLine, reader: &Caller) -> String {
    // Only the operator's view holds more than one tenant.
    let tagged = reader.is_operator() && entry.tenant != DEFAULT_TENANT;
    let tenant = if tagged { format!("tenant={} ", entry.tenant) } else { String::new() };
    let detail = entry.detail.as_deref().unwrap_or("(blanked)");
    // One entry is one line, whatever a caller put into its words.
    format!("{}  {}  {tenant}user={}  {}", entry.ts, entry.action, entry.user, render::line(detail))
}
