//! Records of another memory. Each is told at the time at which it was true there, so what is held may be younger.

mod as_is;
mod came_to;
mod ended;
mod holders;
mod no_longer;
mod periods;
mod taken_back;
mod told;
mod withdrawn;

pub use as_is::{Ends, PuttingDown, needs_as_is, plan_as_is};
pub use came_to::{Before, Telling, came_to};
pub use holders::{Holder, IMPORTED_FROM, IMPORTED_ID, IMPORTED_UNDATED, holders};
pub use told::{needs_told, plan_told};
