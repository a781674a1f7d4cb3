//! Who did what, newest first.

use crate::args::{Whole, named};
use crate::moment::moment;
use crate::outcome::{Done, Stop};
use crate::place::NoSpace;
use crate::render;
use crate::scope::{out_of_scope, reach};
use crate::tool::{Context, Effect, Tool, World};
use domain::{CallerId, Capability, DEFAULT_TENANT, EntryNumber, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use store::{AuditLine, AuditQuery, AuditReach};

pub(crate) struct AuditLog;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// How many entries, newest first; 0 is as many as one reply holds.
    #[serde(default = "fifty")]
    limit: Whole,
    /// Only the entries of this user's memory; empty shows all of your tenant and needs an admin.
    #[serde(default)]
    user_id: String,
    /// Continue after the entry of this number; the last line of a reply that could not hold all of them names it.
    #[serde(default = "none")]
    before: Whole,
    /// Only this action, such as remember or access_denied.
    #[serde(default)]
    action: String,
    /// Only what this caller did: a principal's id, or local.
    #[serde(default)]
    caller: String,
    /// Only from this time on, such as 2026-11-17T08:00:00Z, or from the beginning of a day, such as 2026-11-17.
    #[serde(default)]
    since: String,
    /// Only up to this time, or to the end of a day.
    #[serde(default)]
    until: String,
}

fn fifty() -> Whole {
    Whole(50)
}

fn none() -> Whole {
    Whole(0)
}

impl Tool for AuditLog {
    const NAME: &'static str = "audit_log";
    const TITLE: &'static str = "Read the audit log";
    const DESCRIPTION: &'static str = "List what was done, by whom and when, newest first: of one user_id, or as an admin of the whole tenant.";
    const CAPABILITY: Capability = Capability::Verify;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = NoSpace;
    type Args = Args;
    type Reply = AuditPage;

    async fn run(cx: Context<'_, NoSpace>, args: Args) -> Result<Done<AuditPage>, Stop> {
        let caller = &cx.call.caller;
        let asked = asked(&args);
        let query = query(&cx, args)?;
        let mut entries = cx.service.store.audit_list(caller, query).await?;
        let has_more = entries.len() > limits::AUDIT_LOG_ENTRIES;
        entries.truncate(limits::AUDIT_LOG_ENTRIES);
        // Only the operator's view holds more than one tenant.
        let tenants = if caller.is_operator() { Tenants::Tagged } else { Tenants::One };
        Ok(Done::read(AuditPage { entries, has_more, tenants }, asked))
    }
}

/// Entries of the audit log, newest first.
#[derive(Debug)]
pub struct AuditPage {
    pub entries: Vec<AuditLine>,
    /// Whether there are older ones that this page could not hold.
    pub has_more: bool,
    tenants: Tenants,
}

/// Whether entries may be of several tenants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tenants {
    One,
    /// Those of another tenant than the operator's own name it.
    Tagged,
}

impl fmt::Display for AuditPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(last) = self.entries.last() else { return f.write_str("No audit entries.") };
        let lines: Vec<String> = self.entries.iter().map(|entry| line(entry, self.tenants)).collect();
        f.write_str(&lines.join("\n"))?;
        if self.has_more {
            write!(
                f,
                "\nThere are more: one reply holds {} entries. Call again with before={} and the other arguments \
                 unchanged.",
                limits::AUDIT_LOG_ENTRIES,
                last.seq
            )?;
        }
        Ok(())
    }
}

/// What was looked at, as the audit log has it.
fn asked(args: &Args) -> String {
    let whose = if args.user_id.is_empty() { "all".to_owned() } else { format!("user {}", args.user_id) };
    let filters =
        [("action", &args.action), ("caller", &args.caller), ("since", &args.since), ("until", &args.until)];
    let given = filters.into_iter().filter(|(_, value)| !value.is_empty());
    given.fold(whose, |asked, (name, value)| format!("{asked}, {name} {value}"))
}

fn query(cx: &Context<'_, NoSpace>, args: Args) -> Result<AuditQuery, Stop> {
    let given = |name: &str, text: String| named(name, text).map(|text| (!text.is_empty()).then_some(text));
    let before = args.before.0;
    if before < 0 {
        return Err(Stop::refused("Argument 'before' takes the number of an entry, or 0 for the newest."));
    }
    let fits = |limit: &usize| (1..=limits::AUDIT_LOG_ENTRIES).contains(limit);
    let limit = usize::try_from(args.limit.0).ok().filter(fits);
    Ok(AuditQuery {
        reach: whose(cx, given("user_id", args.user_id)?)?,
        before: (before > 0).then_some(EntryNumber(before)),
        action: given("action", args.action)?,
        caller: given("caller", args.caller)?,
        since: moment("since", &args.since)?.map(|(first, _)| first),
        until: moment("until", &args.until)?.map(|(_, last)| last),
        // One more than a reply holds tells whether there are more.
        most: limit.unwrap_or(limits::AUDIT_LOG_ENTRIES + 1),
    })
}

fn whose(cx: &Context<'_, NoSpace>, user_id: Option<String>) -> Result<AuditReach, Stop> {
    let caller = &cx.call.caller;
    let is_admin = caller.can(Capability::Admin);
    match user_id {
        // What a caller did outside any space is logged under the caller's own id, which no scope can be given for.
        Some(user_id) if CallerId::of(&user_id).is_some() && !is_admin => Err(out_of_scope(AuditLog::NAME)),
        Some(user_id) => {
            reach(cx.call, &user_id)?;
            Ok(AuditReach::User(user_id))
        }
        None if !is_admin => Err(Stop::denied(
            "'audit_log' without a user_id requires the 'admin' capability; pass the user_id of a memory space in \
             your scope.",
        )),
        None if caller.is_operator() => Ok(AuditReach::Deployment),
        None => Ok(AuditReach::Tenant),
    }
}

fn line(entry: &AuditLine, tenants: Tenants) -> String {
    let tagged = tenants == Tenants::Tagged && entry.tenant != DEFAULT_TENANT;
    let tenant = if tagged { format!("tenant={} ", unsigned(&entry.tenant)) } else { String::new() };
    // One entry is one line, whatever a caller put into its words.
    let detail = entry.detail.as_deref().map_or_else(|| "(blanked)".to_owned(), render::line);
    let by = match CallerId::of(&entry.caller) {
        Some(CallerId::Principal(_)) => format!(" by={}", entry.caller),
        _ => String::new(),
    };
    let (user, detail) = (unsigned(&entry.user), unsigned(&detail));
    format!("{}  {}  {tenant}user={user}  {detail}{by}", entry.ts, entry.action)
}

/// The text with no `by=` in it: who did it is said by the log, and by nothing that a caller could write.
fn unsigned(text: &str) -> String {
    text.replace("by=", "by\\=")
}
