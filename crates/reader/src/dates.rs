//! Days that a sentence names by how far off they are, resolved against the day on which it was said.

use crate::word::Word;
use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// "yesterday: 2023-05-07" for each such day, in the order of the sentence.
pub(crate) fn resolved(words: &[Word], day: Date) -> Vec<String> {
    let low: Vec<&str> = words.iter().map(|word| word.low.as_str()).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < low.len() {
        let rest = low.get(at..).unwrap_or_default();
        match phrase(rest, day) {
            Some((length, when)) => {
                found.push(format!("{}: {when}", rest.get(..length).unwrap_or_default().join(" ")));
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// How many of the words name a day, a week, a month or a year, and which.
fn phrase(words: &[&str], day: Date) -> Option<(usize, String)> {
    match words {
        ["the", "day", "before", "yesterday", ..] => on(4, day, -2.days()),
        ["the", "day", "after", "tomorrow", ..] => on(4, day, 2.days()),
        ["today" | "tonight", ..] => on(1, day, 0.days()),
        ["this", "morning" | "afternoon" | "evening", ..] => on(2, day, 0.days()),
        ["last", "night", ..] => on(2, day, -1.days()),
        ["yesterday", ..] => on(1, day, -1.days()),
        ["tomorrow", ..] => on(1, day, 1.days()),
        [side @ ("last" | "next" | "this"), what, ..] => beside(side, what, day).map(|when| (2, when)),
        ["a", "few" | "couple", ..] => None,
        [count, unit, "ago", ..] => away(count, unit, day, -1).map(|when| (3, when)),
        ["in", count, unit, ..] => away(count, unit, day, 1).map(|when| (3, when)),
        _ => None,
    }
}

fn on(length: usize, day: Date, away: Span) -> Option<(usize, String)> {
    Some((length, day.checked_add(away).ok()?.to_string()))
}

/// "last May", "next Friday", "this week".
fn beside(side: &str, what: &str, day: Date) -> Option<String> {
    let step = match side {
        "last" => -1,
        "next" => 1,
        _ => 0,
    };
    if let Some((_, weekday)) = WEEKDAYS.iter().find(|(name, _)| *name == what) {
        // "This Friday" is the one to come; so is "next Friday", as most people mean it.
        let nth = if step < 0 { -1 } else { 1 };
        let is_today = day.weekday() == *weekday && step == 0;
        return if is_today {
            Some(day.to_string())
        } else {
            day.nth_weekday(nth, *weekday).ok().map(|d| d.to_string())
        };
    }
    if let Some(month) = (1_i8..).zip(MONTHS).find(|(_, name)| *name == what).map(|(number, _)| number) {
        let year = match step {
            -1 if month >= day.month() => day.year() - 1,
            1 if month <= day.month() => day.year() + 1,
            _ => day.year(),
        };
        return Some(format!("{year:04}-{month:02}"));
    }
    let moved = |span: Span| day.checked_add(span).ok();
    match what {
        "week" => {
            let there = moved((i64::from(step) * 7).days())?;
            let monday = there.checked_sub(i64::from(there.weekday().to_monday_zero_offset()).days()).ok()?;
            Some(format!("week of {monday}"))
        }
        "weekend" => {
            let there = moved((i64::from(step) * 7).days())?;
            let ahead = 5 - i64::from(there.weekday().to_monday_zero_offset());
            Some(format!("weekend of {}", there.checked_add(ahead.days()).ok()?))
        }
        "month" => moved(i64::from(step).months()).map(|d| format!("{:04}-{:02}", d.year(), d.month())),
        "year" => moved(i64::from(step).years()).map(|d| format!("{:04}", d.year())),
        _ => None,
    }
}

/// "three weeks ago", "in two months".
fn away(count: &str, unit: &str, day: Date, side: i64) -> Option<String> {
    let count = match count {
        "a" | "an" => 1,
        word => {
            let number = NUMBERS.iter().position(|number| *number == word);
            number.and_then(|n| i64::try_from(n).ok()).or_else(|| word.parse().ok()).filter(|n| *n <= 1000)?
        }
    } * side;
    let moved = |span: Span| day.checked_add(span).ok();
    match unit {
        "day" | "days" => moved(count.days()).map(|d| d.to_string()),
        "week" | "weeks" => moved((count * 7).days()).map(|d| d.to_string()),
        "month" | "months" => moved(count.months()).map(|d| format!("{:04}-{:02}", d.year(), d.month())),
        "year" | "years" => moved(count.years()).map(|d| format!("{:04}", d.year())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::resolved;
    use crate::words::words;
    use jiff::civil::date;

    #[test]
    fn relative_days_count_from_the_day_of_the_statement() {
        let monday = date(2023, 5, 8);
        for (said, meant) in [
            ("I went there yesterday.", "yesterday: 2023-05-07"),
            ("We met last May.", "last may: 2022-05"),
            ("She flies next Friday.", "next friday: 2023-05-12"),
            ("It broke three weeks ago.", "three weeks ago: 2023-04-17"),
            ("The lease ends in two months.", "in two months: 2023-07"),
            ("He moved here last year.", "last year: 2022"),
            ("We painted it last week.", "last week: week of 2023-05-01"),
            ("See you this weekend!", "this weekend: weekend of 2023-05-13"),
        ] {
            assert_eq!(resolved(&words(said), monday), [meant], "{said}");
        }
        assert!(resolved(&words("The office is in Leeds."), monday).is_empty());
        assert!(resolved(&words("It may rain in 2024."), monday).is_empty());
    }
}
