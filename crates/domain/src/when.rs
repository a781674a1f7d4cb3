//! A date as precise as it was given: a year, a month, a day or a moment.

use crate::moment::moment;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Precision {
    Year,
    Month,
    Day,
    Moment,
}

/// Written as it was given: `2023`, `2023-05`, `2023-05-07`, or with a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct When {
    first: Timestamp,
    precision: Precision,
}

/// What a date may look like, for error texts.
pub const DATE_FORMS: &str = "2023, 2023-05, 2023-05-07 or 2023-05-07T13:56";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoDate;

impl fmt::Display for NoDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it takes a date such as {DATE_FORMS}")
    }
}

impl std::error::Error for NoDate {}

impl When {
    pub const fn at(moment: Timestamp) -> Self {
        Self { first: moment, precision: Precision::Moment }
    }

    /// Its first moment, in UTC.
    pub const fn first(self) -> Timestamp {
        self.first
    }

    /// The last moment that belongs to it.
    pub fn last(self) -> Timestamp {
        let length = match self.precision {
            Precision::Year => 1.year(),
            Precision::Month => 1.month(),
            Precision::Day => 1.day(),
            Precision::Moment => return self.first,
        };
        self.plus(length).unwrap_or(Timestamp::MAX)
    }

    fn plus(self, length: Span) -> Option<Timestamp> {
        let next = self.first.to_zoned(TimeZone::UTC).checked_add(length).ok()?;
        next.timestamp().checked_sub(1.microsecond()).ok()
    }

    /// Whether it names at least a day.
    pub const fn names_a_day(self) -> bool {
        matches!(self.precision, Precision::Day | Precision::Moment)
    }

    /// A month or a year, of which only the beginning may be written.
    fn partial(text: &str) -> Option<Self> {
        let digits = |part: &str, length: usize| {
            (part.len() == length && part.bytes().all(|b| b.is_ascii_digit()))
                .then(|| part.parse::<i16>().ok())?
        };
        let (year, month) = text.split_once('-').map_or((text, None), |(year, month)| (year, Some(month)));
        let year = digits(year, 4)?;
        let (month, precision) = match month {
            None => (1, Precision::Year),
            Some(month) => (digits(month, 2)?, Precision::Month),
        };
        let first = Date::new(year, i8::try_from(month).ok()?, 1).ok()?;
        Some(Self { first: start(first)?, precision })
    }
}

fn start(day: Date) -> Option<Timestamp> {
    Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

impl FromStr for When {
    type Err = NoDate;

    /// What has no offset is UTC. A bare number is a year, and never seconds since 1970.
    fn from_str(text: &str) -> Result<Self, NoDate> {
        let text = text.trim();
        if let Some(partial) = Self::partial(text) {
            return Ok(partial);
        }
        // An hour without a date and a number are no dates.
        if !text.get(4..).is_some_and(|rest| rest.starts_with('-')) {
            return Err(NoDate);
        }
        let is_day = text.len() == "2023-05-07".len();
        let first = moment(text).ok_or(NoDate)?;
        let first = Timestamp::from_microsecond(first.as_microsecond()).map_err(|_| NoDate)?;
        Ok(Self { first, precision: if is_day { Precision::Day } else { Precision::Moment } })
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.precision {
            Precision::Year => write!(f, "{}", self.first.strftime("%Y")),
            Precision::Month => write!(f, "{}", self.first.strftime("%Y-%m")),
            Precision::Day => write!(f, "{}", self.first.strftime("%Y-%m-%d")),
            Precision::Moment => write!(f, "{}", self.first),
        }
    }
}

impl Serialize for When {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for When {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::When;
    use proptest::prelude::*;

    fn when(text: &str) -> When {
        text.parse().unwrap()
    }

    #[test]
    fn a_date_is_shown_as_it_was_given() {
        for text in ["2023", "2023-05", "2023-05-07", "2023-05-07T13:56:00Z", "0999-12"] {
            assert_eq!(when(text).to_string(), text);
        }
        assert_eq!(when(" 2023-05-07 13:56 ").to_string(), "2023-05-07T13:56:00Z");
        assert_eq!(when("2023-05-07T13:56:00+02:00").to_string(), "2023-05-07T11:56:00Z");
    }

    #[test]
    fn a_date_lasts_as_long_as_it_is_vague() {
        for (text, first, last) in [
            ("2024", "2024-01-01T00:00:00Z", "2024-12-31T23:59:59.999999Z"),
            ("2024-02", "2024-02-01T00:00:00Z", "2024-02-29T23:59:59.999999Z"),
            ("2024-03-05", "2024-03-05T00:00:00Z", "2024-03-05T23:59:59.999999Z"),
            ("2024-03-05T10:00Z", "2024-03-05T10:00:00Z", "2024-03-05T10:00:00Z"),
        ] {
            let date = when(text);
            assert_eq!((date.first().to_string().as_str(), date.last().to_string().as_str()), (first, last));
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "may",
            "last week",
            "23",
            "20230507",
            "2023-5",
            "2023-13",
            "2023-02-30",
            "2023/05/07",
            "1709627400",
            "10:00",
            "2023-05-07T25:00",
            "yesterday-2023",
        ] {
            assert!(text.parse::<When>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(seconds in -60_000_000_000i64..200_000_000_000, length in 0usize..4) {
            let moment = jiff::Timestamp::from_second(seconds).unwrap().to_string();
            let text = moment.get(..[4, 7, 10, moment.len()][length]).unwrap();
            let date = when(text);
            prop_assert_eq!(date.to_string(), text);
            prop_assert!(date.first() <= date.last());
            let json = serde_json::to_string(&date).unwrap();
            prop_assert_eq!(serde_json::from_str::<When>(&json).unwrap(), date);
        }
    }
}
