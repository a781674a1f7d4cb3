//! A time, in the forms that people and other memories write.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// ISO 8601, or seconds or milliseconds since 1970. What has no offset is UTC, and a day is its beginning.
pub fn moment(text: &str) -> Option<Timestamp> {
    moment_span(text).map(|(first, _)| first)
}

/// The first and the last moment of what a text names. Only a day has two.
pub fn moment_span(text: &str) -> Option<(Timestamp, Timestamp)> {
    let text = text.trim();
    if let Ok(first) = format!("{text}T00:00:00Z").parse::<Timestamp>() {
        let day = SignedDuration::from_hours(24) - SignedDuration::from_micros(1);
        return Some((first, first.checked_add(day).ok()?));
    }
    let at = text.parse().ok().or_else(|| civil(text)).or_else(|| since_1970(text.parse().ok()?))?;
    Some((at, at))
}

/// A time with the name of its zone and no offset would come out as UTC.
fn civil(text: &str) -> Option<Timestamp> {
    let at = text.parse::<DateTime>().ok().filter(|_| !text.contains('['))?;
    Some(at.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// A shorter number is as likely to be a year or a day, and a longer one a date without its dashes.
fn since_1970(number: f64) -> Option<Timestamp> {
    const SECONDS: f64 = 1e8;
    const MILLISECONDS: f64 = 1e11;
    const TOO_MANY: f64 = 1e13;
    let micros = match number.abs() {
        n if (SECONDS..MILLISECONDS).contains(&n) => number * 1e6,
        n if (MILLISECONDS..TOO_MANY).contains(&n) => number * 1e3,
        _ => return None,
    };
    Timestamp::from_microsecond(micros.round() as i64).ok()
}

#[cfg(test)]
mod tests {
    use super::{moment, moment_span};

    #[test]
    fn a_time_is_read_in_every_form() {
        for form in [
            "2024-03-05T08:30:00Z",
            "2024-03-05T00:30:00-08:00",
            "2024-03-05T03:30:00-05:00[America/New_York]",
            "2024-03-05 08:30:00+00:00",
            "2024-03-05T08:30:00.000000",
            "2024-03-05 08:30:00",
            "2024-03-05T08:30",
            "1709627400",
            "1709627400.0",
            "1709627400000",
        ] {
            assert_eq!(moment(form).unwrap().to_string(), "2024-03-05T08:30:00Z", "{form}");
        }
    }

    #[test]
    fn a_day_has_a_beginning_and_an_end() {
        let (first, last) = moment_span(" 2024-03-05 ").unwrap();
        assert_eq!(first.to_string(), "2024-03-05T00:00:00Z");
        assert_eq!(last.to_string(), "2024-03-05T23:59:59.999999Z");
        let at = moment("2024-03-05T08:30:00Z").unwrap();
        assert_eq!(moment_span("2024-03-05 08:30"), Some((at, at)));
    }

    #[test]
    fn what_is_no_time_for_certain_is_none() {
        for text in
            ["", "last week", "2024", "0", "202403", "20240305083000", "nan", "inf", "10:00", "31/12/2022"]
        {
            assert_eq!(moment(text), None, "{text}");
        }
        assert_eq!(moment("2024-03-05T10:00:00[America/New_York]"), None, "the offset is not known here");
    }
}
