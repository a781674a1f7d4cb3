//! Erases one subject for good.

use crate::args::worded;
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Fact, ReceiptId, Scopes, Space, counted, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use store::{Also, ErasureSummary};

pub(crate) struct Delete;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// As list_memories shows it.
    subject: String,
    /// Remove decisions that rest on it, rather than redact them.
    #[serde(default)]
    include_decisions: bool,
    /// Remove attestations of it.
    #[serde(default)]
    include_receipts: bool,
    /// Blank details in the audit log; operators only.
    #[serde(default)]
    include_audit: bool,
}

impl Tool for Delete {
    const NAME: &'static str = "delete";
    const TITLE: &'static str = "Erase a subject";
    const DESCRIPTION: &'static str = "Erase a subject with its history for good; leaves a signed receipt. \
        To keep history use forget.";
    const CAPABILITY: Capability = Capability::Delete;
    const EFFECT: Effect = Effect::Destructive;
    const WORLD: World = World::Closed;
    type Place = Space;
    type Args = Args;
    type Reply = Deleted;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<Deleted>, Stop> {
        worded("subject", &args.subject, limits::SUBJECT_BYTES)?;
        let also = also(&cx, args.include_decisions, args.include_receipts, args.include_audit)?;
        let subject = cx.subject(&args.subject).to_owned();
        agreed(&cx, &cx.space, Some(&subject)).await?;
        let store = &cx.service.store;
        let erased = store.subject_erase(cx.call.clone(), cx.space.clone(), subject, also).await?;
        Ok(Done::Committed(Deleted { subject: args.subject, erased }))
    }
}

/// Under four eyes nobody erases a guarded value that holds by themselves: that it goes is for two to agree on first.
pub(super) async fn agreed(cx: &Context<'_>, space: &Space, subject: Option<&str>) -> Result<(), Stop> {
    let service = cx.service;
    if !service.options.four_eyes {
        return Ok(());
    }
    let slots = &service.options.slots;
    let guarded = |fact: &Fact| {
        slots
            .fold(&fact.subject)
            .is_some_and(|slot| slot.confirm && subject.is_none_or(|name| name == slot.name))
    };
    let open = service.spaces.current(&service.store, &cx.call.caller, space).await?;
    let held =
        open.read().index.iter().find(|fact| guarded(fact)).map(|fact| (fact.id, fact.subject.clone()));
    match held {
        None => Ok(()),
        Some((id, subject)) => Err(Stop::denied(format!(
            "SVC_FOUR_EYES is on and '{subject}' is guarded, so nobody erases its value (#{id}) alone. Have it removed \
             first: forget proposes that, somebody else approves it with confirm_change, and then it can be erased."
        ))),
    }
}

/// The same of every space of the user that a call names.
pub(super) async fn agreed_everywhere(cx: &Context<'_>) -> Result<(), Stop> {
    if !cx.service.options.four_eyes || !cx.space.is_whole_user() {
        return agreed(cx, &cx.space, None).await;
    }
    let of_user = Scopes::Only(vec![cx.space.user_id.clone()]);
    for space in cx.service.store.space_list(&cx.call.caller, of_user, usize::MAX).await? {
        agreed(cx, &space, None).await?;
    }
    Ok(())
}

/// The audit log is one chain for all tenants, so only the operator may touch it.
pub(super) fn also(cx: &Context<'_>, decisions: bool, receipts: bool, audit: bool) -> Result<Also, Stop> {
    if audit && !cx.call.caller.is_operator() {
        return Err(Stop::denied(
            "the audit log is shared by every tenant, so only the deployment's operator may erase from it.",
        ));
    }
    Ok(Also { decisions, receipts, audit })
}

/// What was erased of a subject; without a receipt there was nothing to erase.
#[derive(Debug)]
pub struct Deleted {
    /// As the caller named it.
    pub subject: String,
    pub erased: ErasureSummary,
}

impl fmt::Display for Deleted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, erased } = self;
        let Some(receipt) = erased.receipt else {
            return write!(f, "Nothing to delete: no memory about '{subject}' in this space.");
        };
        let (facts, besides, proof) = (erased.facts, besides(erased), proof(receipt, erased));
        write!(f, "Deleted {facts} fact(s) about '{subject}'{besides}. {proof}")
    }
}

pub(super) fn besides(erased: &ErasureSummary) -> String {
    let entries = counted(erased.audit_entries, "audit entry", "audit entries");
    [
        (erased.decisions_redacted, format!("{} decision(s) redacted", erased.decisions_redacted)),
        (erased.decisions_removed, format!("{} decision(s) removed", erased.decisions_removed)),
        (erased.receipts_removed, format!("{} receipt(s) removed", erased.receipts_removed)),
        (erased.audit_entries, format!("{entries} erased")),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(_, what)| format!(", {what}"))
    .collect()
}

pub(super) fn proof(receipt: ReceiptId, erased: &ErasureSummary) -> String {
    let graph = match erased.graph_pending {
        true => " The removal from the graph follows, with a receipt of its own.",
        false => "",
    };
    let proof = match erased.is_signed {
        true => format!("proven by receipt #{receipt}."),
        false => format!("recorded in receipt #{receipt}, which proves nothing: signing is off."),
    };
    format!("The erasure is {proof}{graph}")
}
