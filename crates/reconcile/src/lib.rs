//! Decides what a proposed fact does to what is already held. Pure: no input or output, no clock, no randomness. A plan
//! can be made again on newer facts without asking the model twice. Nothing here reads language: what the words of a
//! statement say comes in as flags.

mod apply;
mod brought;
mod decision;
mod denial;
mod forget;
mod import;
mod ledger;
mod matching;
mod needs;
mod plan;
mod presets;
mod proposal;
mod refusal;
mod remember;
mod repair;
mod rules;
mod safety;
mod same_slot;
mod settled;
mod slot_key;
mod slot_schema;
mod standing;
mod statement;
mod target;
mod update;
mod verdict;

#[cfg(test)]
mod tests;

pub use apply::{DECISION_KEYS, FLAG_REASON};
pub use decision::{Approver, Decision, plan_confirm, plan_reject};
pub use forget::{plan_removal, plan_withdrawal};
pub use import::{AsIs, IMPORTED_FROM, IMPORTED_ID, IMPORTED_UNDATED, plan_as_is, plan_told};
pub use needs::{HeldFacts, Needs, needs, needs_of};
pub use plan::{Outcome, Plan, Write};
pub use presets::{CRITICAL_CATEGORIES, PRESETS};
pub use proposal::Proposal;
pub use refusal::Refusal;
pub use remember::plan;
pub use repair::repair;
pub use safety::{Bar, Concern, judge};
pub use slot_key::slot_key;
pub use slot_schema::{Slot, SlotSchema, SlotSchemaError};
pub use standing::{fingerprint, is_stale, standing};
pub use statement::{Statement, Trust};
pub use update::{Edit, Editor, plan_update};
