//! Words reduced to their stems: the forms of one word compare as equal.

use domain::words::{self, Boundary, split_words};

/// Words that say nothing about what a text is about.
const EMPTY: [&str; 76] = [
    "a",
    "an",
    "the",
    "of",
    "my",
    "our",
    "your",
    "his",
    "her",
    "its",
    "their",
    "i",
    "we",
    "you",
    "he",
    "she",
    "it",
    "they",
    "me",
    "ours",
    "him",
    "them",
    "this",
    "that",
    "these",
    "those",
    "is",
    "are",
    "was",
    "were",
    "be",
    "been",
    "am",
    "has",
    "have",
    "had",
    "do",
    "does",
    "did",
    "to",
    "in",
    "on",
    "at",
    "for",
    "with",
    "by",
    "from",
    "as",
    "and",
    "or",
    "but",
    "so",
    "s",
    "user",
    "now",
    "still",
    "currently",
    "new",
    "there",
    "also",
    "just",
    "very",
    "too",
    "what",
    "which",
    "who",
    "when",
    "where",
    "how",
    "whose",
    "whom",
    "will",
    "would",
    "can",
    "about",
    "any",
];

pub(crate) fn is_empty_word(word: &str) -> bool {
    EMPTY.contains(&word)
}

pub(crate) fn stem(word: &str) -> String {
    words::stem(&word.to_lowercase()).into_owned()
}

/// The words of a text as they are written, in lower case; signs within a word stay.
pub(crate) fn plain_words(text: &str) -> Vec<String> {
    let text = without_thousands(&text.to_lowercase().replace('’', "'"));
    split_words(&text, Boundary::Punctuation)
        .map(|w| w.trim_matches(|c: char| ".'".contains(c)))
        .map(|w| w.strip_suffix("'s").unwrap_or(w).to_owned())
        .filter(|w| !w.is_empty())
        .collect()
}

/// "4,000" as "4000".
fn without_thousands(text: &str) -> String {
    let is_digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let divides =
        |at: usize| at > 0 && is_digit(at - 1) && (at + 1..=at + 3).all(is_digit) && !is_digit(at + 4);
    text.char_indices().filter(|(at, c)| *c != ',' || !divides(*at)).map(|(_, c)| c).collect()
}

/// The stems of the words that carry meaning, numbers in figures.
pub(crate) fn stems(text: &str) -> Vec<String> {
    plain_words(text)
        .iter()
        .flat_map(|word| word.split(['-', '_']).map(str::to_owned).collect::<Vec<_>>())
        .filter(|word| !word.is_empty() && !is_empty_word(word))
        .map(|word| same_form(&word))
        .collect()
}

/// A number word as its figure, a unit as its short form, and any other word as its stem.
fn same_form(word: &str) -> String {
    const FORMS: [(&str, &str); 40] = [
        ("one", "1"),
        ("two", "2"),
        ("three", "3"),
        ("four", "4"),
        ("five", "5"),
        ("six", "6"),
        ("seven", "7"),
        ("eight", "8"),
        ("nine", "9"),
        ("ten", "10"),
        ("eleven", "11"),
        ("twelve", "12"),
        ("thirteen", "13"),
        ("fourteen", "14"),
        ("fifteen", "15"),
        ("sixteen", "16"),
        ("seventeen", "17"),
        ("eighteen", "18"),
        ("nineteen", "19"),
        ("twenty", "20"),
        ("thirty", "30"),
        ("forty", "40"),
        ("fifty", "50"),
        ("sixty", "60"),
        ("seventy", "70"),
        ("eighty", "80"),
        ("ninety", "90"),
        ("hundred", "100"),
        ("litre", "l"),
        ("litres", "l"),
        ("liter", "l"),
        ("liters", "l"),
        ("percent", "%"),
        ("favorite", "favourite"),
        ("db", "database"),
        ("databases", "database"),
        ("postgresql", "postgres"),
        ("meds", "medication"),
        ("center", "centre"),
        ("licence", "license"),
    ];
    const AMERICAN: [(&str, &str); 10] = [
        ("color", "colour"),
        ("flavor", "flavour"),
        ("behavior", "behaviour"),
        ("neighbor", "neighbour"),
        ("labor", "labour"),
        ("honor", "honour"),
        ("theater", "theatre"),
        ("gray", "grey"),
        ("tire", "tyre"),
        ("program", "programme"),
    ];
    if let Some((_, british)) =
        AMERICAN.iter().find(|(us, _)| word.starts_with(us) && word.len() <= us.len() + 1)
    {
        return stem(british);
    }
    match FORMS.iter().find(|(from, _)| *from == word) {
        Some((_, to)) => stem(to),
        None => stem(word),
    }
}
