//! What came of a call, and the text that a client reads of it.

use crate::quota::OverQuota;
use crate::tool::Tool;
use crate::tools::as_of::{HeldThen, ListAsOf};
use crate::tools::attest::{Attest, SignedAttestation};
use crate::tools::audit_log::{AuditLog, AuditPage};
use crate::tools::brief::{Brief, MemoryBrief};
use crate::tools::change::{ConfirmChange, Decided, RejectChange};
use crate::tools::change_principal::{ChangePrincipal, ChangedPrincipal};
use crate::tools::check_before_act::{CheckBeforeAct, Checked};
use crate::tools::create_principal::{CreatePrincipal, Created};
use crate::tools::delete::{Delete, Deleted};
use crate::tools::delete_all::{DeleteAll, DeletedAll};
use crate::tools::explain_decision::{ExplainDecision, Explanation};
use crate::tools::export_memory::{ExportMemory, Exported};
use crate::tools::export_public_key::{ExportPublicKey, PublicKeyShown};
use crate::tools::forget::{Forget, Forgotten};
use crate::tools::get_memory::{GetMemory, MemoryShown};
use crate::tools::get_reconcile_policy::{GetReconcilePolicy, PolicyShown};
use crate::tools::health::{Health, HealthReport};
use crate::tools::history::{History, SubjectHistory};
use crate::tools::import_records::{ImportRecords, Imported};
use crate::tools::license_status::{LicenceShown, LicenseStatus};
use crate::tools::list_decisions::{DecisionList, ListDecisions};
use crate::tools::list_memories::{ListMemories, Memories};
use crate::tools::list_principals::{ListPrincipals, PrincipalList};
use crate::tools::list_receipts::{ListReceipts, ReceiptList};
use crate::tools::list_spaces::{ListSpaces, SpaceList};
use crate::tools::list_waiting::ListWaiting;
use crate::tools::log_head::{HeadShown, LogHead};
use crate::tools::numbered_memories::{NumberedMemories, PlacedMemories};
use crate::tools::pending_changes::{PendingChanges, PendingList};
use crate::tools::purge_expired::{PurgeExpired, Purged};
use crate::tools::recall::{Answered, Recall};
use crate::tools::recall_related::{RecallRelated, Related};
use crate::tools::record_decision::{DecisionRecorded, RecordDecision};
use crate::tools::remember::{Proposal, Remember, Remembered};
use crate::tools::revoke_principal::{RevokePrincipal, RevokedPrincipal};
use crate::tools::rotate_principal::{RotatePrincipal, RotatedKey};
use crate::tools::safe_recall::{SafeAnswer, SafeRecall};
use crate::tools::search_memories::{Found, SearchMemories};
use crate::tools::set_reconcile_policy::{PolicySet, SetReconcilePolicy};
use crate::tools::space_graph::{Relations, SpaceGraph};
use crate::tools::stats::{Stats, Usage};
use crate::tools::update_memory::{MemoryUpdate, UpdateMemory};
use crate::tools::usage_history::{UsageOverTime, UsageSamples};
use crate::tools::verify_audit::{AuditVerdict, VerifyAudit};
use crate::tools::verify_receipt::{ReceiptVerdict, VerifyReceipt};
use domain::FactId;
use std::borrow::Cow;
use std::fmt;

/// How a call ended.
#[derive(Debug)]
pub enum Reply {
    /// The tool did its work, or found nothing to do; its own reply says which.
    Done(ToolReply),
    /// The tool did its work, but something is missing from what it came to.
    Incomplete { reply: ToolReply, missing: Missing },
    /// The caller may not do this.
    Denied { why: String },
    /// The call could not be understood.
    Refused { why: String },
    /// A quota is used up.
    OverQuota(OverQuota),
    /// The deployment lacks a setting.
    Misconfigured { why: String },
    /// Anything else; the log has the reason under this reference.
    Failed { reference: String, advice: Cow<'static, str> },
}

impl Reply {
    /// What a client reads.
    pub fn text(&self) -> String {
        self.to_string()
    }

    /// Only a call that could not be understood is an error of the protocol; denials and failures are ordinary text.
    pub const fn is_error(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }

    /// Changes to guarded slots that this call left waiting and that its caller may approve.
    pub fn proposals(&self) -> &[Proposal] {
        match self {
            Self::Done(ToolReply::Remember(remembered)) => &remembered.proposals,
            Self::Done(ToolReply::Forget(forgotten)) => &forgotten.proposals,
            _ => &[],
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done(reply) => fmt::Display::fmt(reply, f),
            Self::Incomplete { reply, missing } => write!(f, "{reply}\n\n{missing}"),
            Self::Denied { why } => write!(f, "Access denied: {why}"),
            Self::Refused { why } => f.write_str(why),
            Self::OverQuota(over) => write!(f, "Quota reached: {}", over.why),
            Self::Misconfigured { why } => write!(f, "Svc config error: {why}"),
            Self::Failed { reference, advice } => {
                write!(f, "Svc couldn't complete that (ref {reference}). {advice}")
            }
        }
    }
}

/// Why a reply may lack something.
#[derive(Debug)]
pub enum Missing {
    /// These facts of the space are damaged, and were left out.
    Facts(Vec<FactId>),
    /// The database file is damaged, and nobody knows what it lacks.
    File,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Facts(ids) => {
                let ids: Vec<String> = ids.iter().map(|id| format!("#{id}")).collect();
                write!(
                    f,
                    "⚠ Something is missing here: {} of this space cannot be read. Its row is damaged; the operator can \
                     look with svc fsck.",
                    ids.join(", ")
                )
            }
            Self::File => f.write_str(
                "⚠ Something may be missing here: the database file is damaged. The operator can look with svc fsck, and \
                 restore a backup.",
            ),
        }
    }
}

/// A tool whose reply is one of those of [`ToolReply`].
pub(crate) trait Replies: Tool {
    fn reply(reply: Self::Reply) -> ToolReply;
}

macro_rules! tool_replies {
    ($($tool:ident($reply:ty),)*) => {
        /// What a tool came to; each tool has its own.
        #[derive(Debug)]
        pub enum ToolReply {
            $($tool($reply),)*
        }

        impl fmt::Display for ToolReply {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$tool(reply) => fmt::Display::fmt(reply, f),)*
                }
            }
        }

        $(impl Replies for $tool {
            fn reply(reply: $reply) -> ToolReply {
                ToolReply::$tool(reply)
            }
        })*
    };
}

tool_replies! {
    Remember(Remembered),
    Recall(Answered),
    RecallRelated(Related),
    Forget(Forgotten),
    History(SubjectHistory),
    ListMemories(Memories),
    GetMemory(MemoryShown),
    UpdateMemory(MemoryUpdate),
    CheckBeforeAct(Checked),
    SafeRecall(SafeAnswer),
    PendingChanges(PendingList),
    ConfirmChange(Decided),
    RejectChange(Decided),
    GetReconcilePolicy(PolicyShown),
    SetReconcilePolicy(PolicySet),
    RecordDecision(DecisionRecorded),
    ExplainDecision(Explanation),
    Attest(SignedAttestation),
    VerifyReceipt(ReceiptVerdict),
    AuditLog(AuditPage),
    VerifyAudit(AuditVerdict),
    ExportPublicKey(PublicKeyShown),
    ExportMemory(Exported),
    Delete(Deleted),
    DeleteAll(DeletedAll),
    PurgeExpired(Purged),
    CreatePrincipal(Created),
    ListPrincipals(PrincipalList),
    RevokePrincipal(RevokedPrincipal),
    RotatePrincipal(RotatedKey),
    ChangePrincipal(ChangedPrincipal),
    ImportRecords(Imported),
    ListAsOf(HeldThen),
    Brief(MemoryBrief),
    LicenseStatus(LicenceShown),
    Stats(Usage),
    Health(HealthReport),
    ListDecisions(DecisionList),
    ListReceipts(ReceiptList),
    ListSpaces(SpaceList),
    ListWaiting(PendingList),
    NumberedMemories(PlacedMemories),
    LogHead(HeadShown),
    SearchMemories(Found),
    SpaceGraph(Relations),
    UsageOverTime(UsageSamples),
}
