//! Whether a call stays within the spaces that its caller may touch, and reading which those are to be.

use crate::args::named;
use crate::outcome::Stop;
use domain::{Scopes, limits};
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

/// The argument `scopes`: a list of user_ids; `*` alone, or nothing, is all of them.
pub(crate) fn scopes_from(text: &str) -> Result<Scopes, Stop> {
    let scopes = Scopes::parse(text).ok_or_else(|| {
        Stop::refused(format!(
            "Argument 'scopes': '{text}' is no list of user_ids. Name them with commas between, or give '*' alone for all."
        ))
    })?;
    if let Scopes::Only(ids) = &scopes {
        if ids.len() > limits::SCOPES_PER_KEY {
            return Err(Stop::refused(format!(
                "Argument 'scopes' names {} user_ids; at most {} are taken.",
                ids.len(),
                limits::SCOPES_PER_KEY
            )));
        }
        for id in ids {
            named("scopes", id.clone())?;
        }
    }
    Ok(scopes)
}
