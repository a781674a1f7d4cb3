//! The audit entry that comes with a receipt or a decision: that of the call which made it, proven to be in the log.

use super::entries::{entry, head, included};
use super::json::{At, Fault};
use crate::{Keyring, Receipt, ReceiptKind, Snapshot, StoredDetail, StoredEntry};
use domain::{Space, Timestamp};

/// What the log must tell of something that was made.
#[derive(Debug)]
pub struct Made<'a> {
    ts: Timestamp,
    space: Option<&'a Space>,
    number: i64,
    actions: &'static [&'static str],
}

impl<'a> Made<'a> {
    pub fn receipt(receipt: &'a Receipt) -> Self {
        let actions: &[&str] = match receipt.kind {
            ReceiptKind::Attestation(_) => &["attest"],
            ReceiptKind::Erasure(_) => &["delete", "delete_all", "purge_expired"],
        };
        Self { ts: receipt.ts, space: receipt.space.as_ref(), number: receipt.id.0, actions }
    }

    pub fn decision(snapshot: &'a Snapshot) -> Self {
        let space = Some(&snapshot.owner.space);
        Self { ts: snapshot.ts, space, number: snapshot.owner.id.0, actions: &["record_decision"] }
    }

    /// Whether the entry is that of the call which made it. A detail that was erased says nothing.
    pub fn is_told_by(&self, stored: &StoredEntry) -> bool {
        let detail = match &stored.detail {
            StoredDetail::Present(detail) => detail.text().ok(),
            StoredDetail::Blanked | StoredDetail::Unreadable => None,
        };
        self.agrees(&stored.entry, detail)
    }

    fn agrees(&self, entry: &crate::Entry, detail: Option<&str>) -> bool {
        let of = [entry.user.as_str(), &entry.agent, &entry.run];
        let is_here =
            self.space.is_none_or(|space| of == [space.user_id.as_str(), &space.agent_id, &space.run_id]);
        let is_named = detail.is_none_or(|detail| names(detail, self.number));
        entry.ts == self.ts && is_here && is_named && self.actions.contains(&entry.action.as_str())
    }
}

/// Whether the text has the number behind a `#`.
fn names(detail: &str, number: i64) -> bool {
    let number = format!("#{number}");
    let mut found = detail.match_indices(&number);
    found.any(|(at, _)| {
        let rest = detail.get(at + number.len()..).unwrap_or_default();
        !rest.starts_with(|next: char| next.is_ascii_digit())
    })
}

/// What the entry shows, where one comes along.
pub(super) fn logged(at: &At<'_>, keys: &Keyring, made: &Made<'_>) -> Result<String, Fault> {
    let Some(logged) = at.maybe("logged") else { return Ok(String::new()) };
    let entry_at = logged.get("entry")?;
    let checked = entry(&entry_at, keys)?;
    let head = head(&logged.get("head")?, keys)?.statement;
    if checked.entry.changes.is_some() {
        included(&logged, &checked, &head)?;
    }
    if !made.agrees(&checked.entry, checked.detail.as_deref()) {
        return Err(entry_at.fault("it is not the entry of the call that made this"));
    }
    let seq = checked.entry.seq;
    Ok(format!("; entry {seq} of the log that counted {} at {} tells of it", head.at.size, head.ts))
}
