//! The 32 tools, and what only the operator does, one file each: its arguments, its work, its reply.

mod attest;
mod audit_log;
mod change;
mod check_before_act;
mod create_principal;
mod delete;
mod delete_all;
mod explain_decision;
mod export_memory;
mod export_public_key;
mod forget;
mod get_memory;
mod get_reconcile_policy;
mod health;
mod history;
mod license_status;
mod list_memories;
mod list_principals;
mod pending_changes;
mod purge_expired;
mod recall;
mod recall_related;
mod record_decision;
mod remember;
mod revoke_principal;
mod rotate_principal;
mod safe_recall;
mod set_reconcile_policy;
mod stats;
mod update_memory;
mod verify_audit;
mod verify_receipt;

use crate::tool::ToolInfo;

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
pub(crate) const CORE: [&str; 10] = [
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

/// What only the person at the machine does, with `svc`: it passes the same gate, and no client is offered it.
static OPERATOR_TOOLS: [ToolInfo; 1] = [ToolInfo::of::<rotate_principal::RotatePrincipal>()];

/// Every tool, in the order in which a newcomer would want to read about them.
pub fn catalogue() -> &'static [ToolInfo] {
    &TOOLS
}

pub(crate) fn find(name: &str) -> Option<&'static ToolInfo> {
    TOOLS.iter().find(|tool| tool.name == name)
}

pub(crate) fn find_for_operator(name: &str) -> Option<&'static ToolInfo> {
    OPERATOR_TOOLS.iter().find(|tool| tool.name == name).or_else(|| find(name))
}
