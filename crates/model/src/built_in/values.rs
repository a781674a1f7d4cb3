//! What a value looks like, and how it is cut out of what was said.

use super::clauses::Adjunct;
use super::words::{Word, spell};

/// Without an article before it, and without loose words at its ends.
pub(super) fn tidy_value(value: &str) -> String {
    let mut value = value.trim().to_owned();
    if value.len() > 2 && value.starts_with('`') && value.ends_with('`') {
        return value.trim_matches('`').to_owned();
    }
    loop {
        let before = value.len();
        let low = value.to_lowercase();
        // In "her blood group is A positive" it is no article.
        let is_letter =
            |rest: &str| ["pos", "neg", "plus", "minus"].iter().any(|sign| rest.starts_with(sign));
        let is_letter = low.strip_prefix("a ").is_some_and(is_letter);
        for start in [
            "a ",
            "an ",
            "the ",
            "now ",
            "still ",
            "just ",
            "currently ",
            "actually ",
            "at least ",
            "already ",
            "also ",
            "exactly ",
            "to ",
            "is ",
            "called ",
        ] {
            if low.starts_with(start) && !is_letter && !low.starts_with("now and") {
                value = value.get(start.len()..).unwrap_or_default().trim_start().to_owned();
                break;
            }
        }
        let low = value.to_lowercase();
        for end in [
            " now",
            " instead",
            " anymore",
            " these days",
            " again",
            " as well",
            " too",
            " currently",
            " already",
            " at the moment",
            " today",
            " yesterday",
            " overnight",
            " this morning",
            " last week",
            " last month",
            " last night",
            " this week",
            " ,",
            ",",
            " then",
            " still",
            " right now",
            " nowadays",
            " tonight",
            " recently",
            " finally",
            " lol",
            " haha",
            " though",
            " there",
        ] {
            // "Now and then", "every now and again"
            let is_pair = low.strip_suffix(end).is_some_and(|rest| rest.ends_with(" and"));
            if low.ends_with(end) && low.len() > end.len() && !is_pair {
                value.truncate(value.len() - end.len());
                value = value.trim_end().to_owned();
                break;
            }
        }
        if value.len() == before {
            return value.trim_matches(|c: char| c.is_whitespace() || ",;:".contains(c)).to_owned();
        }
    }
}

pub(super) const TIME_WORDS: [&str; 48] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
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
    "today",
    "yesterday",
    "tomorrow",
    "tonight",
    "morning",
    "afternoon",
    "evening",
    "night",
    "week",
    "month",
    "year",
    "quarter",
    "spring",
    "summer",
    "autumn",
    "fall",
    "winter",
    "noon",
    "midnight",
    "moment",
    "meantime",
    "past",
    "future",
    "2018",
    "2019",
    "2020",
    "weekend",
    "day",
    "renewal",
];

pub(super) fn is_time(words: &[Word]) -> bool {
    let year = |w: &Word| {
        w.text.len() == 4
            && (w.text.starts_with("19") || w.text.starts_with("20"))
            && w.text.bytes().all(|b| b.is_ascii_digit())
    };
    let clock = |w: &Word| w.text.contains(':') && w.has_digit();
    words.iter().any(|w| TIME_WORDS.contains(&w.low.as_str()) || year(w) || clock(w))
}

pub(super) fn with_prepositions(adjuncts: &[Adjunct]) -> String {
    let text = |a: &Adjunct| format!("{} {}", a.prep, spell(&a.words));
    adjuncts.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// What follows the verb, as it was said, without reasons.
pub(super) fn complement_text(object: &[Word], adjuncts: &[Adjunct]) -> String {
    let kept: Vec<Adjunct> = adjuncts
        .iter()
        .filter(|a| !matches!(a.prep.as_str(), "because" | "instead" | "than" | "since"))
        .cloned()
        .collect();
    let tail = with_prepositions(&kept);
    let head = spell(object);
    match (head.is_empty(), tail.is_empty()) {
        (false, false) => format!("{head} {tail}"),
        (false, true) => head,
        // "On order" says what "order" does not.
        (true, _) if kept.first().is_some_and(is_set_phrase) => tail,
        (true, _) => kept.first().map_or(String::new(), |first| {
            let rest = with_prepositions(kept.get(1..).unwrap_or_default());
            format!("{} {rest}", spell(&first.words)).trim().to_owned()
        }),
    }
}

fn is_set_phrase(adjunct: &Adjunct) -> bool {
    const NOUNS: [&str; 17] = [
        "order", "hold", "leave", "track", "call", "sale", "strike", "holiday", "vacation", "transit",
        "review", "risk", "progress", "stock", "place", "trial", "loan",
    ];
    matches!(adjunct.words.as_slice(), [only] if NOUNS.contains(&only.low.as_str()))
}

/// The parts of an enumeration.
pub(super) fn items(words: &[Word]) -> Vec<String> {
    words
        .split(|w| w.is(",") || w.is("and") || w.is("&"))
        .map(|part| tidy_value(&spell(part)))
        .filter(|item| !item.is_empty())
        .collect()
}

pub(super) fn is_bare_figure(value: &str) -> bool {
    let value = tidy_value(value);
    value.split_whitespace().count() == 1 && value.starts_with(|c: char| c.is_ascii_digit())
}

pub(super) fn drug(value: &str) -> Option<String> {
    const UNITS: [&str; 10] = ["mg", "mcg", "ml", "units", "g", "iu", "µg", "puffs", "tablets", "tablet"];
    const ENDINGS: [&str; 24] = [
        "pril",
        "sartan",
        "olol",
        "statin",
        "mycin",
        "cillin",
        "azole",
        "formin",
        "dipine",
        "oxaban",
        "semide",
        "pam",
        "triptan",
        "prazole",
        "floxacin",
        "cycline",
        "gliptin",
        "gliflozin",
        "parin",
        "zepam",
        "aline",
        "oxetine",
        "pirin",
        "farin",
    ];
    let words: Vec<String> = value
        .split_whitespace()
        .map(|w| w.trim_matches(|c: char| ",.;()".contains(c)).to_lowercase())
        .collect();
    let dosed = words.iter().enumerate().skip(1).any(|(at, w)| {
        let unit = w.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let figure = w.starts_with(|c: char| c.is_ascii_digit());
        figure
            && (UNITS.contains(&unit)
                || (unit.is_empty() && words.get(at + 1).is_some_and(|n| UNITS.contains(&n.as_str()))))
    });
    let first = words.iter().find(|w| !matches!(w.as_str(), "a" | "an" | "the" | "on" | "oral"))?;
    let known = first.len() > 6 && ENDINGS.iter().any(|e| first.ends_with(e))
        || first == "insulin"
        || first == "aspirin"
        || first == "warfarin";
    ((dosed && first.chars().all(|c| c.is_alphabetic() || c == '-')) || known).then(|| first.clone())
}
