//! A word of a sentence, with its position and its part of speech.

use crate::lexicon::LEXICON;
use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    Noun,
    Name,
    Verb,
    Aux,
    Adjective,
    Adverb,
    Pronoun,
    Determiner,
    Preposition,
    Number,
    Other,
}

#[derive(Debug, Clone)]
pub(crate) struct Word {
    /// As it is written.
    pub text: String,
    /// In lower case.
    pub low: String,
    pub tag: Tag,
    /// Whether there is white space before it.
    pub spaced: bool,
    /// Its bytes in the sentence.
    pub at: Range<usize>,
}

impl Word {
    pub fn new(text: &str, spaced: bool, at: Range<usize>) -> Self {
        let low = text.to_lowercase().replace('’', "'");
        Self { text: text.to_owned(), low, tag: Tag::Other, spaced, at }
    }

    /// "'s" turns out to be "is".
    pub fn becomes(&mut self, text: &str, tag: Tag) {
        *self = Self { tag, ..Self::new(text, true, self.at.clone()) };
    }

    pub fn is(&self, word: &str) -> bool {
        self.low == word
    }

    pub fn is_any(&self, words: &[&str]) -> bool {
        words.contains(&self.low.as_str())
    }

    pub fn is_mark(&self) -> bool {
        !self.text.is_empty() && self.text.chars().all(|c| ",;:()!?—–\"“”.…".contains(c) || c == '-')
    }

    pub fn is_capital(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }

    pub fn has_digit(&self) -> bool {
        self.text.chars().any(|c| c.is_ascii_digit())
    }

    /// Between back quotes or quotation marks.
    pub fn is_quoted(&self) -> bool {
        self.text.starts_with(['`', '"', '“'])
    }

    pub fn is_preposition(&self) -> bool {
        LEXICON.is_preposition(&self.low)
    }
}

/// As the words were written, with their own spacing.
pub(crate) fn spell(words: &[Word]) -> String {
    let mut text = String::new();
    for word in words {
        if word.spaced && !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&word.text);
    }
    text.trim_matches(|c: char| c.is_whitespace() || ",;:-–—".contains(c)).to_owned()
}
