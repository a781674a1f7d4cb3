//! What an erasure takes, how far it has come, and the account of it.

use crate::StoreError;
use crate::call::Call;
use crate::seal::UserKeyId;
use crate::secrets::{Binding, Secrets};
use crate::sql::{Cells, FromRow};
use domain::{
    Caller, DecisionId, FactId, Identity, OwnQuotas, Principal, PrincipalId, PrincipalKind, ReceiptId, Role,
    Scopes, Space, SpaceId, Tenant, Timestamp,
};
use evidence::{Erased, Erasure};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// What replaces a statement's words, once a fact that they told of is erased.
pub(crate) const ERASED_WORDS: &str = "(erased)";

/// What goes besides the facts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Also {
    pub decisions: bool,
    pub receipts: bool,
    pub audit: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErasureSummary {
    pub facts: usize,
    pub decisions_redacted: u64,
    pub decisions_removed: u64,
    pub receipts_removed: u64,
    /// Entries whose detail was blanked, or that were purged.
    pub audit_entries: u64,
    /// Entries of the erased space or user whose detail stays.
    pub audit_kept: u64,
    /// The number of the receipt; `None` when there was nothing to erase.
    pub receipt: Option<ReceiptId>,
    /// Whether the receipt proves anything.
    pub is_signed: bool,
    /// Whether the facts are still to be removed from the entity graph, which another receipt will prove.
    pub graph_pending: bool,
    /// Keys of the user that were destroyed.
    pub keys_destroyed: usize,
}

impl ErasureSummary {
    pub(crate) fn of(done: &Erasure, receipt: Option<ReceiptId>, is_signed: bool) -> Self {
        Self {
            facts: done.memory_ids.len(),
            decisions_redacted: done.decisions_redacted,
            decisions_removed: done.decisions_removed,
            receipts_removed: done.receipts_removed,
            audit_entries: done.audit_blanked,
            audit_kept: 0,
            receipt,
            is_signed,
            graph_pending: done.graph_pending,
            keys_destroyed: done.keys_destroyed.len(),
        }
    }
}

/// What counts as expired.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Expired {
    pub older_than_days: u64,
    pub before: Timestamp,
}

/// What is erased.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum ErasureTarget {
    Subject(String),
    /// The space, or with neither agent nor run named every space of the user.
    Space,
    Expired(Expired),
}

impl ErasureTarget {
    /// The tool that erases it.
    const fn tool(&self) -> &'static str {
        match self {
            Self::Subject(_) => "delete",
            Self::Space => "delete_all",
            Self::Expired(_) => "purge_expired",
        }
    }
}

/// An erasure that was asked for: all that it takes to finish it, in another process too.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ErasureIntent {
    /// `None` for the person at the machine.
    principal: Option<String>,
    request_id: String,
    pub now: Timestamp,
    pub space: Space,
    pub target: ErasureTarget,
    pub also: Also,
    /// The keys of the user that are to be destroyed. The spaces have another one from the moment that this is noted.
    #[serde(default)]
    keys: Vec<u64>,
    /// How many spaces of the user were found to be sealed under them.
    #[serde(default)]
    spaces_checked: u64,
}

impl ErasureIntent {
    pub fn new(call: &Call, space: Space, target: ErasureTarget, also: Also) -> Self {
        let principal = match &call.caller.identity {
            Identity::Principal(principal) => Some(principal.id.0.clone()),
            Identity::Local | Identity::Anonymous | Identity::Service => None,
        };
        let request_id = call.caller.request_id.clone();
        Self {
            principal,
            request_id,
            now: call.caller.now,
            space,
            target,
            also,
            keys: Vec::new(),
            spaces_checked: 0,
        }
    }

    /// The call as its audit entry names it. What its caller may do was looked at when it began.
    pub fn call(&self, tenant: &Tenant) -> Call {
        let identity = match &self.principal {
            None => Identity::Local,
            Some(id) => Identity::Principal(Principal {
                id: PrincipalId(id.clone()),
                name: String::new(),
                role: Role::Auditor,
                kind: PrincipalKind::default(),
                tenant: tenant.clone(),
                scopes: Scopes::Only(Vec::new()),
                quotas: OwnQuotas::default(),
                shown: None,
            }),
        };
        let caller = Caller::new(identity, self.request_id.clone(), self.now, Instant::now());
        Call::new(caller, self.target.tool(), Some(self.space.clone()))
    }

    pub fn destroying(&self, keys: &[UserKeyId], spaces_checked: u64) -> Self {
        Self { keys: keys.iter().map(|key| key.0).collect(), spaces_checked, ..self.clone() }
    }

    pub fn keys(&self) -> Vec<UserKeyId> {
        self.keys.iter().copied().map(UserKeyId).collect()
    }

    /// Whether all that there is of the user goes, and the key with it.
    pub fn takes_whole_user(&self) -> bool {
        matches!(self.target, ErasureTarget::Space) && self.space.is_whole_user()
    }

    /// Whether every space of the user is reached.
    pub fn reaches_whole_user(&self) -> bool {
        !matches!(self.target, ErasureTarget::Subject(_)) && self.space.is_whole_user()
    }
}

/// What goes. It is found while nobody else writes to the user's spaces.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct ErasurePlan {
    /// The spaces that are reached.
    pub spaces: Vec<(SpaceId, Space)>,
    /// Decisions that go as a whole.
    pub decisions: Vec<DecisionId>,
    /// Decisions that lose their summary.
    pub summaries: Vec<DecisionId>,
    /// Each with its space.
    pub facts: Vec<(SpaceId, FactId)>,
    /// How many decisions lose anything, and stay.
    pub redacted: u64,
    /// Decisions that keep their summary, which is sealed anew before the user's key is destroyed.
    #[serde(default)]
    pub summaries_kept: Vec<DecisionId>,
    /// Attestations that stay, in the same way.
    #[serde(default)]
    pub receipts_kept: Vec<ReceiptId>,
}

/// Some of what goes.
pub(crate) struct ErasurePiece<'a> {
    pub decisions: &'a [DecisionId],
    pub summaries: &'a [DecisionId],
    pub facts: &'a [(SpaceId, FactId)],
    pub summaries_kept: &'a [DecisionId],
    pub receipts_kept: &'a [ReceiptId],
}

impl ErasurePlan {
    pub fn len(&self) -> usize {
        self.decisions.len()
            + self.summaries.len()
            + self.facts.len()
            + self.summaries_kept.len()
            + self.receipts_kept.len()
    }

    /// What comes after the first `from`, and at most so much of it.
    pub fn piece(&self, from: usize, most: usize) -> ErasurePiece<'_> {
        let until = from.saturating_add(most);
        let summaries = self.decisions.len();
        let facts = summaries + self.summaries.len();
        let summaries_kept = facts + self.facts.len();
        let receipts_kept = summaries_kept + self.summaries_kept.len();
        ErasurePiece {
            decisions: between(&self.decisions, 0, from, until),
            summaries: between(&self.summaries, summaries, from, until),
            facts: between(&self.facts, facts, from, until),
            summaries_kept: between(&self.summaries_kept, summaries_kept, from, until),
            receipts_kept: between(&self.receipts_kept, receipts_kept, from, until),
        }
    }

    /// What the receipt says, as far as the plan knows it.
    pub fn account(&self, intent: &ErasureIntent) -> Erasure {
        let what = match &intent.target {
            ErasureTarget::Subject(subject) => Erased::Subject(subject.clone()),
            ErasureTarget::Space if intent.reaches_whole_user() => Erased::User,
            ErasureTarget::Space => Erased::Space,
            ErasureTarget::Expired(expired) => Erased::OlderThanDays {
                days: expired.older_than_days,
                spaces: self.spaces.iter().map(|(_, space)| space.clone()).collect(),
            },
        };
        Erasure {
            what,
            memory_ids: self.facts.iter().map(|(_, id)| *id).collect(),
            decisions_redacted: self.redacted,
            decisions_removed: self.decisions.len() as u64,
            receipts_removed: 0,
            audit_blanked: 0,
            summaries: Some(self.summaries.clone()),
            graph_pending: false,
            keys_destroyed: intent.keys.clone(),
            keys_checked: if intent.keys.is_empty() { 0 } else { intent.spaces_checked },
        }
    }
}

/// Of a list whose first item has the place `first`, those in the places from `from` up to `until`.
fn between<T>(list: &[T], first: usize, from: usize, until: usize) -> &[T] {
    let place = |at: usize| at.saturating_sub(first).min(list.len());
    list.get(place(from)..place(until)).unwrap_or_default()
}

/// What stays of a user whose key is destroyed, and the space under whose key it is to be sealed.
pub(crate) struct Kept {
    pub id: i64,
    pub sealed: Vec<u8>,
    pub space: SpaceId,
}

impl FromRow for Kept {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Ok(Self { id: row.cell(0)?, sealed: row.cell(1)?, space: SpaceId(row.cell(2)?) })
    }
}

pub(crate) const COLUMNS: &str = "body, plan, done";

/// The row of an erasure under way, before it is opened. Its number is that of the receipt to come.
pub(crate) struct SealedErasure {
    body: Vec<u8>,
    plan: Option<Vec<u8>>,
    pub done: i64,
}

impl FromRow for SealedErasure {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Ok(Self { body: row.cell(0)?, plan: row.cell(1)?, done: row.cell(2)? })
    }
}

impl SealedErasure {
    /// One that was announced and has no row of its own.
    pub fn announced(body: Vec<u8>) -> Self {
        Self { body, plan: None, done: 0 }
    }
}

pub(crate) fn binding(tenant: &Tenant, id: ReceiptId) -> Binding<'_> {
    Binding::new("an erasure", tenant.as_str(), id.0)
}

pub(crate) fn plan_binding(tenant: &Tenant, id: ReceiptId) -> Binding<'_> {
    Binding::new("the plan of an erasure", tenant.as_str(), id.0)
}

impl Secrets {
    pub fn erasure_seal(
        &self,
        tenant: &Tenant,
        id: ReceiptId,
        intent: &ErasureIntent,
    ) -> Result<Vec<u8>, StoreError> {
        self.seal_json(binding(tenant, id), intent)
    }

    pub fn erasure_open(
        &self,
        tenant: &Tenant,
        id: ReceiptId,
        row: &SealedErasure,
    ) -> Result<ErasureIntent, StoreError> {
        self.open_json(binding(tenant, id), &row.body)
    }

    pub fn erasure_plan_seal(
        &self,
        tenant: &Tenant,
        id: ReceiptId,
        plan: &ErasurePlan,
    ) -> Result<Vec<u8>, StoreError> {
        self.seal_json(plan_binding(tenant, id), plan)
    }

    /// `None` where it has not been made yet.
    pub fn erasure_plan_open(
        &self,
        tenant: &Tenant,
        id: ReceiptId,
        row: &SealedErasure,
    ) -> Result<Option<ErasurePlan>, StoreError> {
        let binding = plan_binding(tenant, id);
        row.plan.as_ref().map(|sealed| self.open_json(binding, sealed)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::ErasurePlan;
    use domain::{DecisionId, FactId, ReceiptId, SpaceId};

    #[test]
    fn the_pieces_of_a_plan_are_all_of_it_in_order() {
        let plan = ErasurePlan {
            decisions: (1..=5).map(DecisionId).collect(),
            summaries: (6..=8).map(DecisionId).collect(),
            facts: (1..=10).map(|id| (SpaceId(1), FactId(id))).collect(),
            summaries_kept: (9..=11).map(DecisionId).collect(),
            receipts_kept: (1..=4).map(ReceiptId).collect(),
            ..ErasurePlan::default()
        };
        for most in 1..=20 {
            let (mut decisions, mut summaries, mut facts) = (Vec::new(), Vec::new(), Vec::new());
            let (mut summaries_kept, mut receipts_kept) = (Vec::new(), Vec::new());
            for from in (0..plan.len()).step_by(most) {
                let piece = plan.piece(from, most);
                let kept = piece.summaries_kept.len() + piece.receipts_kept.len();
                assert!(piece.decisions.len() + piece.summaries.len() + piece.facts.len() + kept <= most);
                summaries_kept.extend_from_slice(piece.summaries_kept);
                receipts_kept.extend_from_slice(piece.receipts_kept);
                decisions.extend_from_slice(piece.decisions);
                summaries.extend_from_slice(piece.summaries);
                facts.extend_from_slice(piece.facts);
            }
            assert_eq!((&decisions, &summaries, &facts), (&plan.decisions, &plan.summaries, &plan.facts));
            assert_eq!((&summaries_kept, &receipts_kept), (&plan.summaries_kept, &plan.receipts_kept));
        }
    }
}
