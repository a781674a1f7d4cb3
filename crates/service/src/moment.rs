//! A time as a caller writes it.

use crate::outcome::Stop;
use domain::{Timestamp, When, moment_span};

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

/// When a statement was made; `None` where the argument is empty, which is now. It may not be in the future; a day may,
/// as far as it has begun somewhere on earth.
pub(crate) fn said_at(text: &str, now: Timestamp) -> Result<Option<When>, Stop> {
    const FIRST_ZONE_SECONDS: i64 = 14 * 3600;
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let refused = |why: &str| {
        Stop::refused(format!(
            "Argument 'said_at': '{text}' {why}. Give the day on which it was said, such as 2023-05-07, or a day and a \
             time, such as 2023-05-07T13:56."
        ))
    };
    let said: When = text.parse().map_err(|_| refused("is no date"))?;
    if !said.names_a_day() {
        return Err(refused("names no day"));
    }
    let ahead = said.first().as_second() - now.as_second();
    match said.first() > now {
        false => Ok(Some(said)),
        true if said.last() > said.first() && ahead <= FIRST_ZONE_SECONDS => Ok(Some(When::at(now))),
        true => Err(refused("is yet to come")),
    }
}

/// A moment that has passed; `None` where the argument is empty. A day, a month or a year is its end, or now where that is
/// yet to come.
pub(crate) fn earlier(argument: &str, text: &str, now: Timestamp) -> Result<Option<Timestamp>, Stop> {
    let (first, last) = match text.parse::<When>() {
        Ok(date) => (date.first(), date.last()),
        Err(_) => match moment(argument, text)? {
            Some(span) => span,
            None => return Ok(None),
        },
    };
    if first > now {
        return Err(Stop::refused(format!(
            "Argument '{argument}': '{}' is yet to come. Give a time that has passed.",
            text.trim()
        )));
    }
    Ok(Some(last.min(now)))
}
