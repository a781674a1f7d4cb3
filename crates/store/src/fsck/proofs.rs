//! Checking receipts, decisions, principals and erasures under way.

use super::memory::{Memory, wrong};
use crate::StoreError;
use crate::copy::TableRow;
use crate::rows::decisions::{self, BELIEF_COLUMNS, DecisionRow, SealedBelief, SealedDecision};
use crate::rows::erasure::{self, SealedErasure};
use crate::rows::principals::{self, FormerKey, SealedPrincipal};
use crate::rows::receipts::{self, SealedReceipt};
use crate::seal::UserKeyId;
use crate::secrets::Secrets;
use domain::{DecisionId, ReceiptId, SpaceId, Tenant};
use evidence::{Position, Receipt, ReceiptKind, Signed};
use std::collections::BTreeMap;

/// What has been seen of the evidence so far.
pub(super) struct Proofs<'s> {
    secrets: &'s Secrets,
    erasures: BTreeMap<Tenant, BTreeMap<ReceiptId, Signed<Receipt>>>,
    beliefs: BTreeMap<(Tenant, DecisionId), Vec<SealedBelief>>,
}

impl<'s> Proofs<'s> {
    pub fn new(secrets: &'s Secrets) -> Self {
        Self { secrets, erasures: BTreeMap::new(), beliefs: BTreeMap::new() }
    }

    /// The place in the log that the receipt is anchored to.
    pub fn receipt(
        &mut self,
        memory: &Memory<'_>,
        tenant: &Tenant,
        row: TableRow<'_>,
    ) -> Result<Position, StoreError> {
        let sealed: SealedReceipt = row.read(receipts::COLUMNS)?;
        let signed = self.secrets.receipt_open(tenant, &sealed)?;
        let named = signed.statement.space.as_ref();
        let is_named = |id: &SpaceId| memory.spaces.get(&(tenant.clone(), *id)) == named;
        let space = sealed.space.filter(|id| named.is_some() && is_named(id));
        let signed = self.secrets.receipt_agrees(&sealed, signed, space)?;
        let signed = self.secrets.receipt_vouched(tenant, sealed.id, signed);
        let signed = signed.ok_or_else(|| wrong("a receipt", "it has no valid signature"))?;
        let audit = signed.statement.audit;
        if let ReceiptKind::Erasure(erasure) = &signed.statement.kind {
            let users = self.secrets.users.as_ref();
            let is_back = |key: &u64| users.is_some_and(|users| !users.lacks(UserKeyId(*key)));
            if erasure.keys_destroyed.iter().any(is_back) {
                let why = "the key that it says was destroyed is there again: what is kept of the users' keys is an older \
                    copy";
                return Err(wrong("a receipt", why));
            }
            self.erasures.entry(tenant.clone()).or_default().insert(sealed.id, signed);
        }
        Ok(audit)
    }

    /// It is opened with its decision.
    pub fn belief(&mut self, tenant: &Tenant, row: TableRow<'_>) -> Result<(), StoreError> {
        let decision = DecisionId(row.get("decision")?);
        let belief: SealedBelief = row.read(BELIEF_COLUMNS)?;
        self.beliefs.entry((tenant.clone(), decision)).or_default().push(belief);
        Ok(())
    }

    pub fn decision(
        &mut self,
        memory: &Memory<'_>,
        tenant: &Tenant,
        row: TableRow<'_>,
    ) -> Result<(), StoreError> {
        let sealed: SealedDecision = row.read(decisions::COLUMNS)?;
        let beliefs = self.beliefs.remove(&(tenant.clone(), sealed.id)).unwrap_or_default();
        let space = memory.within(tenant, "a decision", SpaceId(row.get("space")?))?;
        let none = BTreeMap::new();
        let receipts = self.erasures.get(tenant).unwrap_or(&none);
        let open = self.secrets.decision_open(tenant, &sealed, &beliefs, receipts)?;
        let explained = memory
            .spaces
            .get(&(tenant.clone(), space.id))
            .map(|place| self.secrets.decision_explain(tenant, place, &sealed, Ok(open)));
        match explained {
            Some(DecisionRow::Verified(_) | DecisionRow::Unsigned(_)) => Ok(()),
            Some(DecisionRow::Altered { .. }) | None => Err(wrong("a decision", "it is not what was signed")),
        }
    }

    /// The decisions that beliefs are kept of, and that are not there.
    pub fn lost_decisions(&self) -> impl Iterator<Item = &(Tenant, DecisionId)> {
        self.beliefs.keys()
    }

    pub fn erasure(&self, tenant: &Tenant, row: TableRow<'_>) -> Result<(), StoreError> {
        let sealed: SealedErasure = row.read(erasure::COLUMNS)?;
        let id = ReceiptId(row.get("id")?);
        self.secrets.erasure_open(tenant, id, &sealed)?;
        self.secrets.erasure_plan_open(tenant, id, &sealed).map(|_| ())
    }

    pub fn principal(&self, row: TableRow<'_>) -> Result<(), StoreError> {
        let sealed: SealedPrincipal = row.read(principals::COLUMNS)?;
        let hint: Vec<u8> = row.get("key_hint")?;
        let former: Option<Vec<u8>> = row.get("former_hint")?;
        if hint != sealed.hint() || former.as_deref() != sealed.former.as_ref().map(FormerKey::hint) {
            return Err(wrong("a principal", "it is not found by its key"));
        }
        self.secrets.principal_open(sealed).map(|_| ())
    }
}
