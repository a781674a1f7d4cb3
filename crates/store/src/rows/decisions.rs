//! The columns of a decision and of the beliefs that it rests on.

use super::time;
use crate::StoreError;
use crate::seal::UserKeyId;
use crate::secrets::{Binding, Secrets};
use crate::sql::{Cells, FromRow};
use domain::{DecisionId, Fact, FactId, ReceiptId, Space, Tenant, Timestamp};
use evidence::{
    Belief, Canonical, Disclosed, Disclosure, Erasure, Explained, Receipt, ReceiptKind, Recorded, Signature,
    Signed, Snapshot,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// A decision to be recorded.
#[derive(Debug, Clone)]
pub struct NewDecision {
    pub summary: String,
    pub beliefs: Vec<Belief>,
}

/// A decision as it was found.
#[derive(Debug, Clone)]
pub enum DecisionRow {
    Verified(Explained),
    /// Signing is off, and nothing contradicts the record.
    Unsigned(Explained),
    /// The record is not what was signed.
    Altered {
        recorded: Option<Timestamp>,
    },
}

pub(crate) fn body_binding(tenant: &Tenant, decision: DecisionId) -> Binding<'_> {
    Binding::new("a decision", tenant.as_str(), decision.0)
}

pub(crate) fn summary_binding(tenant: &Tenant, decision: DecisionId) -> Binding<'_> {
    Binding::new("a decision's summary", tenant.as_str(), decision.0)
}

pub(crate) fn belief_binding(tenant: &Tenant, decision: DecisionId, place: i64) -> Binding<'_> {
    Binding::new("a belief", tenant.as_str(), decision.0).within(place, 0)
}

fn malformed(why: impl std::fmt::Display) -> StoreError {
    StoreError::corrupt("a decision", why)
}

pub(crate) const COLUMNS: &str = "d.id, d.created, d.body, d.signature, d.summary, d.summary_erased_by";

pub(crate) struct SealedDecision {
    pub id: DecisionId,
    pub created: i64,
    pub body: Vec<u8>,
    pub signature: Option<Vec<u8>>,
    pub summary: Option<Vec<u8>>,
    pub summary_erased_by: Option<ReceiptId>,
}

pub(crate) struct SealedBelief {
    pub place: i64,
    pub memory: FactId,
    pub disclosure: Option<Vec<u8>>,
    pub erased_by: Option<ReceiptId>,
}

impl FromRow for SealedDecision {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Ok(Self {
            id: DecisionId(row.cell(0)?),
            created: row.cell(1)?,
            body: row.cell(2)?,
            signature: row.cell(3)?,
            summary: row.cell(4)?,
            summary_erased_by: row.cell::<Option<i64>>(5)?.map(ReceiptId),
        })
    }
}

/// A decision with the part of its space that is not the user.
pub(crate) struct FoundDecision {
    pub row: SealedDecision,
    pub agent_id: String,
    pub run_id: String,
}

impl FromRow for FoundDecision {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Ok(Self { row: SealedDecision::from_row(row)?, agent_id: row.cell(6)?, run_id: row.cell(7)? })
    }
}

pub(crate) const BELIEF_COLUMNS: &str = "place, memory, disclosure, erased_by";
pub(crate) const BELIEF: &str =
    "INSERT INTO belief (tenant, decision, place, memory, disclosure) VALUES ($1, $2, $3, $4, $5)";

impl FromRow for SealedBelief {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Ok(Self {
            place: row.cell(0)?,
            memory: FactId(row.cell(1)?),
            disclosure: row.cell(2)?,
            erased_by: row.cell::<Option<i64>>(3)?.map(ReceiptId),
        })
    }
}

/// A decision with what is left of its disclosures.
pub(crate) struct OpenDecision {
    pub signed: Signed<Snapshot>,
    pub disclosed: Disclosed,
}

/// The receipts that account for what is missing from a decision.
pub(crate) fn accounts(row: &SealedDecision, beliefs: &[SealedBelief]) -> BTreeSet<ReceiptId> {
    let missing = beliefs.iter().filter(|belief| belief.disclosure.is_none());
    let summary = row.summary_erased_by.filter(|_| row.summary.is_none());
    missing.filter_map(|belief| belief.erased_by).chain(summary).collect()
}

/// What is missing from a record must have been erased by a receipt that we signed, and that covers it: removed by other
/// means it is an alteration.
fn accounted(
    receipts: &BTreeMap<ReceiptId, Signed<Receipt>>,
    receipt: Option<ReceiptId>,
    covers: impl FnOnce(&Receipt, &Erasure) -> bool,
) -> Result<(), StoreError> {
    let receipt = receipt.and_then(|id| receipts.get(&id)).map(|signed| &signed.statement);
    match receipt.map(|receipt| (receipt, &receipt.kind)) {
        Some((receipt, ReceiptKind::Erasure(erasure))) if covers(receipt, erasure) => Ok(()),
        _ => Err(malformed("something was removed from it without an erasure")),
    }
}

impl Secrets {
    /// The rows of a decision that was just recorded. What it says is the user's; what was signed holds none of it.
    pub fn decision_seal(
        &self,
        key: Option<UserKeyId>,
        tenant: &Tenant,
        recorded: &Recorded,
    ) -> Result<(SealedDecision, Vec<SealedBelief>), StoreError> {
        let snapshot = &recorded.snapshot.statement;
        let id = snapshot.owner.id;
        let decision = SealedDecision {
            id,
            created: snapshot.ts.as_microsecond(),
            body: self.seal(body_binding(tenant, id), &recorded.snapshot.body())?,
            signature: recorded.snapshot.signature.map(|s| s.encode().to_vec()),
            summary: Some(self.seal_for(key, summary_binding(tenant, id), &recorded.summary.encode())?),
            summary_erased_by: None,
        };
        let rows = (0_i64..).zip(snapshot.beliefs.iter().zip(&recorded.beliefs));
        let beliefs = rows
            .map(|(place, ((memory, _), disclosure))| {
                let sealed = self.seal_for(key, belief_binding(tenant, id, place), &disclosure.encode())?;
                Ok(SealedBelief { place, memory: *memory, disclosure: Some(sealed), erased_by: None })
            })
            .collect::<Result<_, StoreError>>()?;
        Ok((decision, beliefs))
    }

    /// Opens every part of the record; any part that does not open is a reason not to believe it. `receipts` are those
    /// of [`accounts`] that hold.
    pub fn decision_open(
        &self,
        tenant: &Tenant,
        row: &SealedDecision,
        beliefs: &[SealedBelief],
        receipts: &BTreeMap<ReceiptId, Signed<Receipt>>,
    ) -> Result<OpenDecision, StoreError> {
        let body = self.open(body_binding(tenant, row.id), &row.body)?;
        let statement = Snapshot::decode(&body).map_err(malformed)?;
        if statement.ts.as_microsecond() != row.created {
            return Err(malformed("its time was changed"));
        }
        let signature = row.signature.as_deref().map(Signature::decode).transpose().map_err(malformed)?;
        if beliefs.iter().zip(&statement.beliefs).any(|(belief, (id, _))| belief.memory != *id) {
            return Err(malformed("a belief was given another memory's number"));
        }
        let summary = match row.summary.as_deref() {
            Some(sealed) => Some(self.disclosure_open(summary_binding(tenant, row.id), sealed)?),
            None => {
                accounted(receipts, row.summary_erased_by, |receipt, erasure| {
                    let user_id = &statement.owner.space.user_id;
                    erasure.covers_summary(receipt, row.id, user_id, statement.ts)
                })?;
                None
            }
        };
        let open = |belief: &SealedBelief| match belief.disclosure.as_deref() {
            Some(sealed) => {
                self.disclosure_open(belief_binding(tenant, row.id, belief.place), sealed).map(Some)
            }
            None => accounted(receipts, belief.erased_by, |_, erasure| {
                erasure.memory_ids.contains(&belief.memory)
            })
            .map(|()| None),
        };
        let beliefs = beliefs.iter().map(open).collect::<Result<_, _>>()?;
        Ok(OpenDecision {
            signed: Signed { statement, signature },
            disclosed: Disclosed { summary, beliefs },
        })
    }

    fn disclosure_open(&self, binding: Binding<'_>, sealed: &[u8]) -> Result<Disclosure, StoreError> {
        Disclosure::decode(&self.open(binding, sealed)?).map_err(malformed)
    }

    /// What can be said of the decision of that number, found in the space.
    pub fn decision_explain(
        &self,
        tenant: &Tenant,
        space: &Space,
        row: &SealedDecision,
        opened: Result<OpenDecision, StoreError>,
    ) -> DecisionRow {
        let altered = DecisionRow::Altered { recorded: time(row.created).ok() };
        let Ok(open) = opened else { return altered };
        if open.signed.statement.owner.space != *space {
            return altered;
        }
        let signing = self.signing();
        let keys = signing.as_ref().map(|signing| &signing.keyring);
        let owner = (row.id, tenant, space.user_id.as_str());
        match (evidence::explain(&open.signed, keys, &open.disclosed, owner), keys) {
            (Ok(explained), Some(_)) => DecisionRow::Verified(explained),
            (Ok(explained), None) => DecisionRow::Unsigned(explained),
            (Err(_), _) => altered,
        }
    }

    /// The summary under another key of its user; `None` where it does not open, and is left as it is.
    pub fn summary_reseal(
        &self,
        key: Option<UserKeyId>,
        tenant: &Tenant,
        decision: DecisionId,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let binding = summary_binding(tenant, decision);
        let plain = self.open(binding, sealed).ok();
        plain.map(|plain| self.seal_for(key, binding, &plain)).transpose()
    }

    /// Whether a summary repeats a value of the erased facts, and so would keep it alive.
    pub fn summary_repeats(
        &self,
        tenant: &Tenant,
        decision: DecisionId,
        sealed: &[u8],
        rested_on_it: bool,
        values: &ErasedValues,
    ) -> Result<bool, StoreError> {
        let disclosure = self.disclosure_open(summary_binding(tenant, decision), sealed)?;
        Ok(values.are_in(&String::from_utf8_lossy(&disclosure.content), rested_on_it))
    }
}

/// The values of erased facts, each as its words with a space behind every one, so that whole words are compared. In this
/// order all values that begin alike are beside each other, and a summary is held against thousands of them in one pass.
pub(crate) struct ErasedValues(BTreeSet<String>);

impl ErasedValues {
    pub fn of(erased: &[Fact]) -> Self {
        let values = erased.iter().flat_map(|f| f.earlier.iter().map(|e| &e.value).chain([&f.value]));
        Self(values.map(|value| words(value)).filter(|words| !words.is_empty()).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In a decision that did not rest on them a very short value, such as a number, is taken for a coincidence.
    fn are_in(&self, summary: &str, rested_on_it: bool) -> bool {
        const COINCIDENCE: usize = 2;
        let summary = words(summary);
        let ends: Vec<usize> = summary.match_indices(' ').map(|(at, _)| at + 1).collect();
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let telling = |words: &str| rested_on_it || words.trim_end().chars().count() > COINCIDENCE;
        starts.enumerate().any(|(nth, start)| {
            for end in ends.iter().skip(nth) {
                let said = summary.get(start..*end).unwrap_or_default();
                let next = self.0.range::<str, _>((Bound::Included(said), Bound::Unbounded)).next();
                match next {
                    Some(value) if value == said && telling(said) => return true,
                    Some(value) if value.starts_with(said) => {}
                    Some(_) | None => return false,
                }
            }
            false
        })
    }
}

/// The words of a text, with a space behind each.
fn words(text: &str) -> String {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| word.to_lowercase() + " ")
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{ErasedValues, words};
    use proptest::prelude::{prop_assert_eq, proptest};

    proptest! {
        #[test]
        fn a_value_is_found_wherever_its_words_are(
            values in proptest::collection::vec("[ab ]{0,6}", 0..6),
            summary in "[ab ]{0,12}",
            rested: bool,
        ) {
            let erased = ErasedValues(values.iter().map(|v| words(v)).filter(|v| !v.is_empty()).collect());
            let plain = values.iter().map(|value| words(value)).any(|value| {
                let telling = !value.is_empty() && (rested || value.trim_end().chars().count() > 2);
                telling && format!(" {}", words(&summary)).contains(&format!(" {value}"))
            });
            prop_assert_eq!(erased.are_in(&summary, rested), plain);
        }
    }
}
