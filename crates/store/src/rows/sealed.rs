//! Which columns are sealed, and sealing what they hold anew under the newest keys.

use super::{audit, decisions, erasure, facts, principals, receipts, spaces, statement_texts, vectors};
use crate::StoreError;
use crate::copy::{TABLES, Table, TableRow};
use crate::secrets::Secrets;
use domain::{DecisionId, EntryNumber, FactId, ReceiptId, SpaceId, SpaceKey, Tenant};
use facts::SealedFact;
use principals::SealedPrincipal;
use statement_texts::SealedText;

/// The tables with sealed columns, and which those are. Those of users come first.
const SEALED: [(&str, &[&str]); 10] = [
    ("fact", &["body"]),
    ("statement_text", &["body"]),
    ("vector", &["body"]),
    ("belief", &["disclosure"]),
    ("decision", &["body", "summary"]),
    ("receipt", &["body"]),
    ("space", &["policy"]),
    ("erasure", &["body", "plan"]),
    ("principal", &["body"]),
    ("audit_entry", &["detail"]),
];

pub(crate) fn sealed_tables() -> impl Iterator<Item = &'static Table> {
    SEALED.iter().filter_map(|(name, _)| TABLES.iter().find(|table| table.name == *name))
}

pub(crate) fn sealed_columns(table: &Table) -> &'static [&'static str] {
    SEALED.iter().find(|(name, _)| *name == table.name).map_or(&[], |(_, columns)| columns)
}

/// A value as it was, and under the newest keys.
pub(crate) struct SealedAnew {
    pub held: Vec<u8>,
    pub anew: Vec<u8>,
}

impl Secrets {
    /// What the column holds, and the same under the newest keys; `None` where it is under them already. What does not
    /// open is left as it is.
    pub fn sealed_anew(
        &self,
        tenant: &Tenant,
        row: TableRow<'_>,
        column: &str,
    ) -> Result<Option<SealedAnew>, StoreError> {
        let held: Option<Vec<u8>> = row.get(column)?;
        let Some(held) = held.filter(|held| self.is_outdated(held)) else { return Ok(None) };
        let number = |name: &str| row.get::<i64>(name);
        let anew = match (row.batch.table.name, column) {
            ("fact", _) => self.reseal(row.read::<SealedFact>(facts::COLUMNS)?.binding(tenant), &held),
            ("statement_text", _) => {
                self.reseal(row.read::<SealedText>("ix, space, body")?.binding(tenant), &held)
            }
            ("vector", _) => self.reseal(vectors::binding(tenant, FactId(number("fact")?)), &held),
            ("belief", _) => {
                let (decision, place) = (DecisionId(number("decision")?), number("place")?);
                self.reseal(decisions::belief_binding(tenant, decision, place), &held)
            }
            ("decision", "summary") => {
                self.reseal(decisions::summary_binding(tenant, DecisionId(number("id")?)), &held)
            }
            ("decision", _) => self.reseal(decisions::body_binding(tenant, DecisionId(number("id")?)), &held),
            ("receipt", _) => self.reseal(receipts::binding(tenant, ReceiptId(number("id")?)), &held),
            ("space", _) => {
                let space = SpaceKey { tenant, id: SpaceId(number("id")?) };
                self.reseal(spaces::binding(space), &held)
            }
            ("erasure", "plan") => {
                self.reseal(erasure::plan_binding(tenant, ReceiptId(number("id")?)), &held)
            }
            ("erasure", _) => self.reseal(erasure::binding(tenant, ReceiptId(number("id")?)), &held),
            ("principal", _) => {
                let row: SealedPrincipal = row.read(principals::COLUMNS)?;
                self.reseal(principals::binding(&row.identity(), row.revoked), &held)
            }
            ("audit_entry", _) => {
                let tenant: String = row.get("tenant")?;
                self.reseal(audit::binding(&tenant, EntryNumber(number("seq")?)), &held)
            }
            _ => None,
        };
        Ok(anew.map(|anew| SealedAnew { held, anew }))
    }
}
