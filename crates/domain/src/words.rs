//! Cutting a text into words: one way to do it, with a named rule for where a word ends.

use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;

/// What separates two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// White space, and the signs that people use freely between the words of a name. Signs that carry meaning, as in
    /// `C++`, `C#` or `50%`, are not among them.
    NameSeparator,
    /// White space and punctuation. What may be inside a word stays there, as in "node.js", "user's" or "co-founder".
    Punctuation,
    /// All but letters, digits, apostrophes and hyphens.
    NotHyphenated,
    /// All but letters, digits and apostrophes: "don't" is one word, and "co-founder" is two.
    NotContracted,
    /// All but letters and digits.
    NotAlphanumeric,
}

impl Boundary {
    fn is_at(self, c: char) -> bool {
        match self {
            Self::NameSeparator => {
                c.is_whitespace() || c.is_control() || "_-‐‑–—./\\:;,'’‘\"“”`()[]{}!?".contains(c)
            }
            Self::Punctuation => c.is_whitespace() || ",;:!?()[]\"`“”…=".contains(c),
            Self::NotHyphenated => !(c.is_alphanumeric() || is_apostrophe(c) || c == '-'),
            Self::NotContracted => !(c.is_alphanumeric() || is_apostrophe(c)),
            Self::NotAlphanumeric => !c.is_alphanumeric(),
        }
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

/// The words of a text, as they are written.
pub fn split_words(text: &str, boundary: Boundary) -> impl Iterator<Item = &str> {
    text.split(move |c| boundary.is_at(c)).filter(|word| !word.is_empty())
}

/// A word in lower case without its English ending. A name with digits in it or a word of another alphabet stays as it
/// is: the stemmer knows English alone.
pub fn stem(lower: &str) -> Cow<'_, str> {
    if lower.len() > 2 && lower.bytes().all(|b| b.is_ascii_lowercase()) {
        Stemmer::create(Algorithm::English).stem(lower)
    } else {
        lower.into()
    }
}

/// Words that a question is built with and that do not say what it asks for.
const FUNCTION_WORDS: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did",
    "do", "does", "for", "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in", "is",
    "it", "its", "me", "my", "of", "on", "or", "our", "she", "should", "so", "that", "the", "their", "them",
    "there", "they", "this", "to", "us", "was", "we", "were", "what", "when", "where", "which", "who",
    "whom", "whose", "why", "will", "with", "would", "you", "your",
];

/// Whether a word in lower case only holds a sentence together.
pub fn is_function_word(lower: &str) -> bool {
    FUNCTION_WORDS.contains(&lower)
}

#[cfg(test)]
mod tests {
    use super::{Boundary, split_words, stem};

    #[test]
    fn the_boundary_decides_what_stays_in_a_word() {
        for (boundary, expected) in [
            (Boundary::NameSeparator, "The co founder s C++ isn t in node js"),
            (Boundary::Punctuation, "The co-founder's C++ isn't in node.js."),
            (Boundary::NotHyphenated, "The co-founder's C isn't in node js"),
            (Boundary::NotContracted, "The co founder's C isn't in node js"),
            (Boundary::NotAlphanumeric, "The co founder s C isn t in node js"),
        ] {
            let found: Vec<&str> =
                split_words("The co-founder's C++ isn't (in) node.js.", boundary).collect();
            assert_eq!(found.join(" "), expected, "{boundary:?}");
        }
    }

    #[test]
    fn only_english_words_lose_their_ending() {
        assert_eq!(
            (stem("deployed"), stem("v2s"), stem("größen")),
            ("deploy".into(), "v2s".into(), "größen".into())
        );
    }
}
