//! Whether a call stays within the spaces that its caller may touch.

use crate::outcome::Stop;
use store::Call;

/// The memory space of `user_id` must be within the caller's scope.
pub(crate) fn reach(call: &Call, user_id: &str) -> Result<(), Stop> {
    if call.caller.reaches(user_id) {
        return Ok(());
    }
    Err(out_of_scope(call.tool))
}

/// The id is not echoed: whether such a space exists is not the caller's to learn.
pub(crate) fn out_of_scope(tool: &str) -> Stop {
    Stop::denied(format!("'{tool}' targets a memory space outside your assigned scope."))
}
