//! Times, in the forms that people and other memories write.

use domain::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde_json::Value;

/// Numbers from here on are milliseconds: as seconds they would lie far beyond the year 5000.
const MILLISECONDS: f64 = 1e11;

/// A text in ISO 8601, or seconds or milliseconds since 1970. What has no offset is taken as UTC.
pub fn moment(value: Option<&Value>) -> Option<Timestamp> {
    match value? {
        Value::String(text) => moment_of(text),
        Value::Number(number) => since_1970(number.as_f64()?),
        _ => None,
    }
}

pub fn moment_of(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let utc = |at: DateTime| at.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    text.parse::<Timestamp>()
        .ok()
        .or_else(|| utc(text.parse::<DateTime>().ok()?))
        .or_else(|| utc(text.parse::<Date>().ok()?.to_datetime(jiff::civil::Time::midnight())))
        .or_else(|| since_1970(text.parse().ok()?))
}

fn since_1970(number: f64) -> Option<Timestamp> {
    let seconds = if number.abs() >= MILLISECONDS { number / 1000.0 } else { number };
    let micros = (seconds * 1e6).round();
    micros.is_finite().then(|| Timestamp::from_microsecond(micros as i64).ok())?
}

#[cfg(test)]
mod tests {
    use super::{moment, moment_of};
    use serde_json::json;

    #[test]
    fn a_time_is_read_in_every_form() {
        let same = "2024-03-05T08:30:00Z";
        for form in [
            "2024-03-05T08:30:00Z",
            "2024-03-05T00:30:00-08:00",
            "2024-03-05 08:30:00+00:00",
            "2024-03-05T08:30:00.000000",
            "2024-03-05 08:30:00",
            "1709627400",
        ] {
            assert_eq!(moment_of(form).unwrap().to_string(), same, "{form}");
        }
        for number in [json!(1_709_627_400), json!(1_709_627_400_000_i64), json!(1_709_627_400.0)] {
            assert_eq!(moment(Some(&number)).unwrap().to_string(), same, "{number}");
        }
        assert_eq!(moment_of("2024-03-05").unwrap().to_string(), "2024-03-05T00:00:00Z");
        assert_eq!(moment_of("last week"), None);
    }
}
