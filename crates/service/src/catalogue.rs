//! The 32 tools, and what only people do, as the gate and the protocol see them.

use crate::args::{self, Arguments};
use crate::outcome::{Done, Stop};
use crate::place::Place;
use crate::reply::{Replies, ToolReply};
use crate::schema::schema;
use crate::service::{Service, ToolsShown};
use crate::tool::{Context, Effect, Tool, World};
use crate::tools::{
    as_of, attest, audit_log, brief, change, change_principal, check_before_act, create_principal, delete,
    delete_all, explain_decision, export_memory, export_public_key, forget, get_memory, get_reconcile_policy,
    health, history, import_records, license_status, list_decisions, list_memories, list_principals,
    list_receipts, list_spaces, list_waiting, log_head, numbered_memories, pending_changes, purge_expired,
    recall, recall_related, record_decision, remember, revoke_principal, rotate_principal, safe_recall,
    search_memories, set_reconcile_policy, space_graph, stats, update_memory, usage_history, verify_audit,
    verify_receipt,
};
use domain::{Caller, Capability, Space};
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use store::Call;

static TOOLS: [ToolInfo; 32] = [
    ToolInfo::of::<remember::Remember>(),
    ToolInfo::of::<recall::Recall>(),
    ToolInfo::of::<recall_related::RecallRelated>(),
    ToolInfo::of::<forget::Forget>(),
    ToolInfo::of::<history::History>(),
    ToolInfo::of::<list_memories::ListMemories>(),
    ToolInfo::of::<get_memory::GetMemory>(),
    ToolInfo::of::<update_memory::UpdateMemory>(),
    ToolInfo::of::<check_before_act::CheckBeforeAct>(),
    ToolInfo::of::<safe_recall::SafeRecall>(),
    ToolInfo::of::<pending_changes::PendingChanges>(),
    ToolInfo::of::<change::ConfirmChange>(),
    ToolInfo::of::<change::RejectChange>(),
    ToolInfo::of::<get_reconcile_policy::GetReconcilePolicy>(),
    ToolInfo::of::<set_reconcile_policy::SetReconcilePolicy>(),
    ToolInfo::of::<record_decision::RecordDecision>(),
    ToolInfo::of::<explain_decision::ExplainDecision>(),
    ToolInfo::of::<attest::Attest>(),
    ToolInfo::of::<verify_receipt::VerifyReceipt>(),
    ToolInfo::of::<audit_log::AuditLog>(),
    ToolInfo::of::<verify_audit::VerifyAudit>(),
    ToolInfo::of::<export_public_key::ExportPublicKey>(),
    ToolInfo::of::<export_memory::ExportMemory>(),
    ToolInfo::of::<delete::Delete>(),
    ToolInfo::of::<delete_all::DeleteAll>(),
    ToolInfo::of::<purge_expired::PurgeExpired>(),
    ToolInfo::of::<create_principal::CreatePrincipal>(),
    ToolInfo::of::<list_principals::ListPrincipals>(),
    ToolInfo::of::<revoke_principal::RevokePrincipal>(),
    ToolInfo::of::<license_status::LicenseStatus>(),
    ToolInfo::of::<stats::Stats>(),
    ToolInfo::of::<health::Health>(),
];

/// What every agent needs.
const CORE: [&str; 10] = [
    "remember",
    "recall",
    "safe_recall",
    "forget",
    "history",
    "list_memories",
    "check_before_act",
    "pending_changes",
    "confirm_change",
    "reject_change",
];

/// What only people do, with `svc` or in the console, and the brief, which a client gets as a resource and in prompts.
/// Each passes the same gate, and no client is offered it as a tool.
static TOOLS_FOR_PEOPLE: [ToolInfo; 14] = [
    ToolInfo::of::<search_memories::SearchMemories>(),
    ToolInfo::of::<list_spaces::ListSpaces>(),
    ToolInfo::of::<list_waiting::ListWaiting>(),
    ToolInfo::of::<numbered_memories::NumberedMemories>(),
    ToolInfo::of::<list_decisions::ListDecisions>(),
    ToolInfo::of::<list_receipts::ListReceipts>(),
    ToolInfo::of::<log_head::LogHead>(),
    ToolInfo::of::<space_graph::SpaceGraph>(),
    ToolInfo::of::<usage_history::UsageOverTime>(),
    ToolInfo::of::<rotate_principal::RotatePrincipal>(),
    ToolInfo::of::<change_principal::ChangePrincipal>(),
    ToolInfo::of::<import_records::ImportRecords>(),
    ToolInfo::of::<as_of::ListAsOf>(),
    ToolInfo::of::<brief::Brief>(),
];

/// What is no tool of the protocol.
pub fn tools_for_people() -> &'static [ToolInfo] {
    &TOOLS_FOR_PEOPLE
}

/// Every tool, in the order in which a newcomer would want to read about them.
pub fn catalogue() -> &'static [ToolInfo] {
    &TOOLS
}

pub(crate) fn find(name: &str) -> Option<&'static ToolInfo> {
    TOOLS.iter().find(|tool| tool.name == name)
}

pub(crate) fn find_for_people(name: &str) -> Option<&'static ToolInfo> {
    TOOLS_FOR_PEOPLE.iter().find(|tool| tool.name == name).or_else(|| find(name))
}

impl Service {
    pub fn shows(&self, caller: &Caller, tool: &ToolInfo) -> bool {
        match self.options.tools {
            ToolsShown::All => true,
            ToolsShown::Role => caller.can(tool.capability),
            ToolsShown::Core => CORE.contains(&tool.name),
        }
    }
}

#[derive(Debug)]
pub struct ToolInfo {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub capability: Capability,
    pub effect: Effect,
    pub world: World,
    schema: fn() -> Value,
    prepare: fn(Arguments) -> Result<Box<dyn Prepared>, Stop>,
}

impl ToolInfo {
    const fn of<T: Replies>() -> Self {
        Self {
            name: T::NAME,
            title: T::TITLE,
            description: T::DESCRIPTION,
            capability: T::CAPABILITY,
            effect: T::EFFECT,
            world: T::WORLD,
            schema: schema::<T>,
            prepare: prepare::<T>,
        }
    }

    /// The JSON Schema of the arguments, with defaults.
    pub fn input_schema(&self) -> Value {
        (self.schema)()
    }

    pub(crate) fn prepare(&self, arguments: Arguments) -> Result<Box<dyn Prepared>, Stop> {
        (self.prepare)(arguments)
    }
}

pub(crate) type Running<'a> = Pin<Box<dyn Future<Output = Result<Done<ToolReply>, Stop>> + Send + 'a>>;

/// A call whose place is known, and that has not passed the gate yet.
pub(crate) trait Prepared: Send + Sync {
    /// The space that the call names, for the audit log.
    fn named(&self) -> Option<&Space>;
    /// The space that must be within the caller's scope.
    fn single(&self) -> Option<&Space>;
    /// Runs the tool.
    fn start<'a>(self: Box<Self>, service: &'a Service, call: &'a Call) -> Running<'a>;
}

struct CallOf<T: Tool> {
    place: T::Place,
    arguments: Arguments,
}

fn prepare<T: Replies>(mut arguments: Arguments) -> Result<Box<dyn Prepared>, Stop> {
    let place = T::Place::take(&mut arguments)?;
    Ok(Box::new(CallOf::<T> { place, arguments }))
}

impl<T: Replies> Prepared for CallOf<T> {
    fn named(&self) -> Option<&Space> {
        self.place.named()
    }

    fn single(&self) -> Option<&Space> {
        self.place.single()
    }

    fn start<'a>(self: Box<Self>, service: &'a Service, call: &'a Call) -> Running<'a> {
        Box::pin(async move {
            let Self { place, arguments } = *self;
            let done = T::run(Context { service, call, space: place }, args::parse(arguments)?).await?;
            Ok(done.map(T::reply))
        })
    }
}
