//! A time as a caller writes it.

use crate::outcome::Stop;
use domain::Timestamp;
use jiff::SignedDuration;

/// The first and the last moment of what the argument names; `None` where it is empty.
pub(crate) fn moment(argument: &str, text: &str) -> Result<Option<(Timestamp, Timestamp)>, Stop> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if let Ok(at) = text.parse() {
        return Ok(Some((at, at)));
    }
    let day = format!("{text}T00:00:00Z").parse::<Timestamp>().ok();
    let end = |first: Timestamp| {
        first.checked_add(SignedDuration::from_hours(24) - SignedDuration::from_micros(1)).ok()
    };
    day.and_then(|first| Some((first, end(first)?))).map(Some).ok_or_else(|| {
        Stop::refused(format!(
            "Argument '{argument}': '{text}' is no time. Give one such as 2026-11-17T08:00:00Z, or a day such as \
             2026-11-17."
        ))
    })
}
