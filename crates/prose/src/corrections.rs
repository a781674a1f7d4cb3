//! "No wait, I meant 14k": what amends the words just said.

use crate::words::{find, words};
use domain::date_terms::is_month;

/// What amends what was said before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Correction<'a> {
    /// What comes before it in the sentence.
    pub told: &'a str,
    /// What was meant.
    pub meant: &'a str,
    /// What was not meant, where that is said.
    pub instead_of: Option<&'a str>,
    /// Whether the value stands alone, and no words say that it was meant.
    pub bare: bool,
}

const MARKS: [&str; 9] = [
    "i meant",
    "i mean",
    "i meant to say",
    "make that",
    "should read",
    "should say",
    "should have been",
    "should be",
    "i should have said",
];
/// What gives the value in a sentence that says that the one before it was wrong: "typo, it's 14k".
const GIVING: [&str; 4] = ["it's", "it is", "that's", "they're"];
/// Words that say that the sentence before was wrong.
const TAKING_BACK: [&str; 20] = [
    "no wait",
    "wait",
    "wait no",
    "sorry",
    "oops",
    "correction",
    "my mistake",
    "my bad",
    "typo",
    "hang on",
    "hold on",
    "scratch that",
    "strike that",
    "i misspoke",
    "misread",
    "misheard",
    "read that wrong",
    "got that wrong",
    "mixed up",
    "typed that wrong",
];

/// The correction in a sentence: behind "no wait, I meant" anywhere, or behind "I meant" at its head.
pub fn correction(sentence: &str) -> Option<Correction<'_>> {
    let low = sentence.to_lowercase().replace('’', "'");
    if low.len() != sentence.len() {
        return None;
    }
    let begins = |all: &[String]| {
        TAKING_BACK.iter().find_map(|taking| {
            let from = find(all, taking).last()?;
            (all.len() - from <= LOOSE).then_some(from)
        })
    };
    let takes_back = |start: usize| {
        low.get(..start).is_some_and(|told| begins(&words(told).collect::<Vec<_>>()).is_some())
    };
    let given =
        || GIVING.iter().filter_map(|mark| marked(&low, mark)).min().filter(|(at, _)| takes_back(*at));
    let said = MARKS.iter().find_map(|mark| marked(&low, mark)).or_else(given);
    let (start, end) = said.or_else(|| bare_value(sentence, &low))?;
    let told = sentence.get(..start)?;
    let all: Vec<String> = words(told).collect();
    let told = match begins(&all) {
        Some(from) => words_up_to(told, from),
        None if all.is_empty() || told.trim_end().ends_with([',', '-', '–', '—', ';']) => told,
        None => return None,
    };
    let rest = sentence.get(end..)?.trim_start_matches([' ', ':', ',']);
    let (meant, more) = split_at_comma(rest);
    let meant = meant.trim_end_matches(['.', '!', ' ', ',']);
    let instead_of = more.trim_start().strip_prefix("not ").map(|not| not.trim_end_matches(['.', '!', ' ']));
    let told = told.trim_end_matches([' ', ',', '-', '–', '—', ';', '.', '…']);
    (!meant.is_empty()).then_some(Correction { told, meant, instead_of, bare: said.is_none() })
}

/// "30 June, no wait, 30 July", "Sorry, 28 kg": where a value alone follows words that take back, and where it begins. A
/// name is one only behind something that it may amend: "sorry, Tom" calls somebody.
fn bare_value(sentence: &str, low: &str) -> Option<(usize, usize)> {
    const OPENING: [&str; 8] =
        ["no wait", "wait no", "wait", "sorry", "oops", "correction", "scratch that", "strike that"];
    const TELLING: &str =
        "i i'm we we're you he she it it's they is are was were has have had do can't will the";
    OPENING.iter().find_map(|taking| {
        let (start, end) = marked(low, taking)?;
        let rest = sentence.get(end..)?;
        let value = rest.trim_start_matches([',', ':', ';', ' ', '-', '–', '—']);
        let (given, _) = split_at_comma(value);
        let said: Vec<String> = words(given).collect();
        let told = sentence.get(..start)?.trim_end();
        let parts = |c: char| ",;:-–—".contains(c);
        let apart = told.is_empty() && *taking != "wait" || told.ends_with(parts);
        let set_off = apart && rest.trim_start().starts_with(parts);
        let figure = given.starts_with('`') || given.contains(|c: char| c.is_ascii_digit());
        let name = !told.is_empty() && value.starts_with(char::is_uppercase);
        let telling = said.iter().any(|word| TELLING.split(' ').any(|other| other == word));
        let is_value = (1..=VALUE_WORDS).contains(&said.len()) && (figure || name) && !telling;
        (set_off && is_value).then_some((end, end + rest.len() - value.len()))
    })
}

/// A value that stands alone has no more words.
const VALUE_WORDS: usize = 4;

/// The value with what was meant in the place of what was wrong: "on 4 May at the Globe" with "14 May" is "on 14 May at the
/// Globe". Where no part of the value looks like it, all of it was wrong.
pub fn amended(value: &str, meant: &str) -> String {
    in_its_place(value, meant).unwrap_or_else(|| meant.to_owned())
}

/// The same, where a part of the value looks like what was meant.
pub fn in_its_place(value: &str, meant: &str) -> Option<String> {
    let (told, new): (Vec<&str>, Vec<&str>) =
        (value.split_whitespace().collect(), meant.split_whitespace().collect());
    let is_figure = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let alike = |(old, new): (&&str, &&str)| {
        is_figure(old) && is_figure(new) && shape(old) == shape(new)
            || bare(old) == bare(new)
            || is_month(bare(old)) && is_month(bare(new))
    };
    let mut places = told.windows(new.len().max(1)).enumerate().filter(|(_, window)| {
        window.iter().any(|word| is_figure(word)) && window.iter().zip(&new).all(alike)
    });
    match (places.next(), places.next()) {
        (Some((at, _)), None) => {
            let rest = told.get(at + new.len()..).unwrap_or_default();
            let all = told.get(..at).unwrap_or_default().iter().chain(&new).chain(rest);
            Some(all.copied().collect::<Vec<_>>().join(" "))
        }
        _ => None,
    }
}

/// A figure without its digits: a time of day is no sum of money.
fn shape(word: &str) -> String {
    let bare = word.trim_end_matches([',', '.', ';']);
    bare.chars().filter(|c| !c.is_ascii_digit()).collect()
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// So many words may stand between the opening and what was meant.
const LOOSE: usize = 12;

/// Where a mark stands as words of its own, in bytes.
fn marked(low: &str, mark: &str) -> Option<(usize, usize)> {
    let at = low.find(mark)?;
    let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let end = at + mark.len();
    let alone = apart(low.get(..at)?.chars().next_back()) && apart(low.get(end..)?.chars().next());
    alone.then_some((at, end))
}

/// The part of a text before its word of that number.
fn words_up_to(text: &str, count: usize) -> &str {
    let mut seen = 0;
    let mut within = false;
    for (at, c) in text.char_indices() {
        let is_word = c.is_alphanumeric() || matches!(c, '\'' | '’');
        if is_word && !within {
            if seen == count {
                return text.get(..at).unwrap_or_default();
            }
            seen += 1;
        }
        within = is_word;
    }
    text
}

/// A comma between figures parts nothing.
fn split_at_comma(text: &str) -> (&str, &str) {
    let marks = [", ", "; ", " - ", " — "];
    let at = marks.iter().filter_map(|mark| text.find(mark).map(|at| (at, mark.len()))).min();
    at.map_or((text, ""), |(at, length)| {
        (text.get(..at).unwrap_or_default(), text.get(at + length..).unwrap_or_default())
    })
}

/// What opens the value that is given in place of a denied one.
const INSTEAD: [&str; 13] = [
    "it's ",
    "it’s ",
    "it is ",
    "but ",
    "she's ",
    "he's ",
    "they're ",
    "they are ",
    "that's ",
    "rather ",
    "actually ",
    "on ",
    "the correct one is ",
];
/// What ends a value.
const SEAMS: [&str; 11] = [", ", "; ", " - ", " – ", "—", " (", ". ", " because ", " as ", " since ", "! "];
/// A value in place of another has no more words.
const INSTEAD_WORDS: usize = 8;

/// "It isn't Handelsbanken, it's SEB": the value that a sentence gives in place of one that it denies.
pub fn given_instead<'t>(sentence: &'t str, denied: &str) -> Option<&'t str> {
    let at = sentence.find(denied)?;
    let behind = sentence.get(at + denied.len()..)?;
    let mut rest = behind.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '`');
    let mut opened = false;
    while let Some(next) = INSTEAD.iter().find_map(|lead| {
        rest.get(..lead.len()).filter(|head| head.eq_ignore_ascii_case(lead))?;
        rest.get(lead.len()..)
    }) {
        (rest, opened) = (next, true);
    }
    let end = SEAMS.iter().filter_map(|seam| rest.find(seam)).min().unwrap_or(rest.len());
    let value = rest.get(..end)?.trim_end_matches(['.', '!', ',', ';']).trim();
    let words = value.split_whitespace().count();
    let says = opened && (1..=INSTEAD_WORDS).contains(&words) && !value.to_lowercase().starts_with("not ");
    (says && behind.starts_with(|c: char| !c.is_alphanumeric())).then_some(value)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_value_is_given_in_place_of_a_denied_one() {
        for (text, denied, instead) in [
            ("It isn't Handelsbanken, it's SEB.", "Handelsbanken", Some("SEB")),
            ("It's not $80k but $180k, I misheard her.", "$80k", Some("$180k")),
            (
                "it isn't `npm test`, it's `npm run test:ci` - the plain one skips",
                "`npm test`",
                Some("`npm run test:ci`"),
            ),
            ("She isn't on Gold, they never paid.", "Gold", None),
            ("It isn't Gold.", "Gold", None),
        ] {
            assert_eq!(super::given_instead(text, denied), instead, "{text}");
        }
    }

    #[test]
    fn what_was_meant_takes_the_place_of_what_was_wrong() {
        for (value, meant, amended) in [
            ("on 4 May at the Globe", "14 May", "on 14 May at the Globe"),
            ("30 June at noon", "30 July", "30 July at noon"),
            ("4 May at 10:00", "11:00", "4 May at 11:00"),
            ("40k", "14k", "14k"),
            ("rooms 2 and 3", "4", "4"),
            ("Jonas", "Jannes", "Jannes"),
        ] {
            assert_eq!(super::amended(value, meant), amended, "{value}, {meant}");
        }
    }

    use super::correction;

    #[test]
    fn what_was_meant_is_told_from_what_was_said() {
        for (sentence, told, meant, instead_of) in [
            ("Budget is 40k, no wait, I meant 14k.", "Budget is 40k", "14k", None),
            ("The SLA is 4 hours, no wait, I meant 14 hours.", "The SLA is 4 hours", "14 hours", None),
            (
                "My partner is Jonas, no wait, I meant Jannes, Jonas is the plumber.",
                "My partner is Jonas",
                "Jannes",
                None,
            ),
            ("Oops, I meant 8 March, not the 6th.", "", "8 March", Some("the 6th")),
            ("Sorry, I meant 3.0.8, I cut off the end.", "", "3.0.8", None),
            ("Hang on, I looked at last year's sheet; it should read 18,000.", "", "18,000", None),
            ("Correction, I misread the label: it is AB negative.", "", "AB negative", None),
            ("Typo on my side, it's billing@quilo.example.", "", "billing@quilo.example", None),
            ("Close date is 30 June, no wait, 30 July.", "Close date is 30 June", "30 July", None),
            ("My manager is Jonas - sorry, Jannes.", "My manager is Jonas", "Jannes", None),
            ("Sorry, 28 kg, he's seven.", "", "28 kg", None),
        ] {
            let found = correction(sentence).map(|found| (found.told, found.meant, found.instead_of));
            assert_eq!(found, Some((told, meant, instead_of)), "{sentence}");
        }
    }

    #[test]
    fn what_only_sounds_so_corrects_nothing() {
        for sentence in [
            "I never knew what I meant to her.",
            "You should be careful.",
            "The door should be blue.",
            "I would rather stay.",
            "It's a shame that I misread it.",
            "Sorry, Tom.",
            "Sorry, I am 5 minutes late.",
            "We are sorry, the room is taken.",
            "Wait 5 minutes.",
        ] {
            assert_eq!(correction(sentence), None, "{sentence}");
        }
    }
}
