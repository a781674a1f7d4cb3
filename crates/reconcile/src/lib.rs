//! Decides what a proposed fact does to what is already held. Pure: no input or output, no clock, no randomness,
//! so that a plan can be made again on newer facts without asking the model twice. It reads no language either: what the
//! words of a statement say comes in as flags.

mod aim;
mod apply;
mod decision;
mod joining;
mod ledger;
mod matching;
mod needs;
mod plan;
mod presets;
mod proposal;
mod refusal;
mod removal;
mod rules;
mod safety;
mod slot;
mod slots;
mod stale;
mod update;

#[cfg(test)]
mod tests;

pub use apply::DECISION_KEYS;
pub use decision::{Approver, Decision, plan_confirm, plan_reject};
pub use needs::{Held, Needs, needs, needs_of};
pub use plan::{Outcome, Plan, Statement, Trust, Write, plan};
pub use presets::{CRITICAL_CATEGORIES, PRESETS};
pub use proposal::{Proposal, repair};
pub use refusal::Refusal;
pub use removal::plan_removal;
pub use safety::{Bar, Concern, judge};
pub use slot::slot_key;
pub use slots::{Slot, SlotSchema, SlotSchemaError};
pub use update::{Edit, Editor, plan_update};
