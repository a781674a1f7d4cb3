//! Records of another memory. Each is told at the time at which it was true there, so what is held may be younger.

mod as_is;
mod came_to;
mod ended;
mod holders;
mod taken_back;
mod told;

pub use as_is::{Ends, needs_as_is, plan_as_is};
pub use holders::{Holder, IMPORTED_FROM, IMPORTED_ID, IMPORTED_UNDATED, holders};
pub use told::{needs_told, plan_told};
