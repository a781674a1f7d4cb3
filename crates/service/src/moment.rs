//! A time as a caller writes it.

use crate::outcome::Stop;
use domain::{Timestamp, moment_span};

/// The first and the last moment of what the argument names; `None` where it is empty.
pub(crate) fn moment(argument: &str, text: &str) -> Result<Option<(Timestamp, Timestamp)>, Stop> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    moment_span(text).map(Some).ok_or_else(|| {
        Stop::refused(format!(
            "Argument '{argument}': '{text}' is no time. Give one such as 2026-11-17T08:00:00Z, or a day such as \
             2026-11-17."
        ))
    })
}
