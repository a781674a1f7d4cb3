//! When two spellings mean the same subject, and when two values are the same value.

mod items;
mod look_alikes;

pub use items::item_key;

use crate::words::{Boundary, split_words};

/// The identity of a subject, a scope or a slot's alias: case and separators do not count, and letters that look the
/// same are the same. Otherwise a subject in letters that imitate a guarded slot's name would get around the guard.
pub fn subject_key(subject: &str) -> String {
    if subject.is_ascii() {
        return former_subject_key(subject);
    }
    let shown = look_alikes::as_shown(subject);
    let folded = split_words(&shown, Boundary::NameSeparator)
        .map(look_alikes::plain_word)
        .collect::<Vec<_>>()
        .join(" ");
    if folded.is_empty() { shown.trim().to_lowercase() } else { folded }
}

/// What a subject is taken for at a glance: its bare letters, however they are separated, accented or imitated. Only
/// declared names are looked up by it; two subjects that nobody declared may well share it.
pub fn glance_key(subject: &str) -> String {
    look_alikes::bare(subject)
}

/// The key that a subject had before look-alikes were folded. Rows written before that have it until they are next
/// written, so a search by key must ask for this one too. It differs for few subjects: those with full-width or
/// otherwise compatible characters, with invisible ones, or with letters of two alphabets in a word.
pub fn former_subject_key(subject: &str) -> String {
    let folded = folded(split_words(subject, Boundary::NameSeparator));
    if folded.is_empty() { subject.trim().to_lowercase() } else { folded }
}

/// Every key that rows of the subject may have.
pub fn subject_keys(subject: &str) -> [String; 2] {
    [subject_key(subject), former_subject_key(subject)]
}

/// The identity of a value: case, spacing and a closing full stop do not count.
pub fn value_key(value: &str) -> String {
    folded(value.trim().trim_end_matches('.').split_whitespace())
}

/// The identity of a statement's words: spacing does not count.
pub fn text_key(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn folded<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{former_subject_key, glance_key, subject_key, value_key};

    #[test]
    fn a_subject_keeps_its_identity_under_another_spelling() {
        assert_eq!(subject_key("Annual-Budget"), subject_key("annual_budget"));
        assert_ne!(subject_key("C++ version"), subject_key("C version"));
        assert_eq!(subject_key("!!!"), "!!!");
    }

    #[test]
    fn what_looks_like_a_subject_is_that_subject() {
        for imitated in [
            "c\u{043e}de status",                       // a Cyrillic o
            "ｃｏｄｅ ｓｔａｔｕｓ",                    // full width
            "co\u{200b}de\u{ad} sta\u{2060}tus",        // invisible characters
            "𝐜𝐨𝐝𝐞 𝓼𝓽𝓪𝓽𝓾𝓼",                              // mathematical letters
            "CO\u{0501}E status",                       // a Cyrillic d
            "ｃ\u{043e}\u{0501}\u{0435}\u{2003}status", // all of it at once
            "\u{0441}\u{043e}\u{0501}\u{0435} status",  // a word of nothing but Cyrillic look-alikes
            "c\u{03bf}de status",                       // a Greek omicron
        ] {
            assert_eq!(subject_key(imitated), "code status", "{imitated}");
        }
        assert_eq!(subject_key("\u{0412}UDGET"), "budget", "a Cyrillic capital that looks like a B");
    }

    #[test]
    fn a_glance_takes_more_for_the_same() {
        for imitated in [
            "codestatus",
            "Code\u{2060}Status",
            "c\u{f3}de_status",
            "code s\u{442}a\u{442}us",
            "co de-sta.tus",
            "\u{ff43}ode_status\u{301}",
        ] {
            assert_eq!(glance_key(imitated), "codestatus", "{imitated}");
        }
        assert_ne!(glance_key("code status 2"), glance_key("code status"));
        assert_eq!(glance_key("!!!"), "");
    }

    #[test]
    fn genuine_letters_are_kept() {
        for subject in
            ["адрес", "Ёлка", "διεύθυνση", "住所", "café", "größe", "naïve plan", "Вова", "α", "مرحبا"]
        {
            assert_eq!(subject_key(subject), former_subject_key(subject), "{subject}");
        }
        assert_ne!(subject_key("café"), subject_key("cafe"));
        assert_eq!(subject_key("cafe\u{301}"), subject_key("café"));
    }

    #[test]
    fn plain_subjects_that_look_alike_stay_apart() {
        for (a, b) in [("l", "1"), ("rn", "m"), ("0 count", "O count"), ("server 1", "server l"), ("vv", "w")]
        {
            assert_ne!(subject_key(a), subject_key(b));
            assert_eq!(subject_key(a), former_subject_key(a));
        }
    }

    #[test]
    fn a_value_keeps_its_identity_under_another_spacing() {
        assert_eq!(value_key("Postgres  16."), value_key("postgres 16"));
        assert_ne!(value_key("1.5 mg"), value_key("15 mg"));
    }
}
