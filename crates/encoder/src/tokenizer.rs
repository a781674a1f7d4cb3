//! A WordPiece tokenizer: cuts a text into the words and parts of words of the network's vocabulary.

use std::collections::HashMap;
use std::ops::Range;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// The token for a word that the vocabulary cannot spell.
pub(crate) const UNKNOWN: &str = "[UNK]";
/// Longer words are taken as unknown.
const LONGEST_WORD: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WordPiece {
    pub id: usize,
    /// Its bytes in the text.
    pub at: Range<usize>,
}

pub(crate) struct Tokenizer {
    ids: HashMap<String, usize>,
    unknown: usize,
}

impl Tokenizer {
    pub fn new(vocabulary: &str) -> Self {
        let ids: HashMap<String, usize> = vocabulary.lines().map(str::to_owned).zip(0..).collect();
        let unknown = ids.get(UNKNOWN).copied().unwrap_or_default();
        Self { ids, unknown }
    }

    /// At most this many pieces, from the beginning of the text.
    pub fn tokenize(&self, text: &str, most: usize) -> Vec<WordPiece> {
        let mut found = Vec::new();
        for word in words(text) {
            self.tokenize_word(&word, &mut found);
            if found.len() >= most {
                found.truncate(most);
                break;
            }
        }
        found
    }

    /// The longest known piece first, then the longest of the rest.
    fn tokenize_word(&self, word: &[(char, Range<usize>)], found: &mut Vec<WordPiece>) {
        let before = found.len();
        let mut rest = word;
        while !rest.is_empty() && word.len() <= LONGEST_WORD {
            let mut spelled = String::from(if rest.len() < word.len() { "##" } else { "" });
            let mut longest = None;
            for (count, (letter, _)) in (1..).zip(rest) {
                spelled.push(*letter);
                if let Some(id) = self.ids.get(spelled.as_str()) {
                    longest = Some((count, *id));
                }
            }
            let Some((count, id)) = longest else { break };
            let (piece, after) = rest.split_at(count);
            found.push(WordPiece { id, at: span(piece) });
            rest = after;
        }
        if !rest.is_empty() {
            found.truncate(before);
            found.push(WordPiece { id: self.unknown, at: span(word) });
        }
    }
}

fn span(letters: &[(char, Range<usize>)]) -> Range<usize> {
    match letters {
        [(_, first), .., (_, last)] => first.start..last.end,
        [(_, only)] => only.clone(),
        [] => 0..0,
    }
}

/// Lower case, without accents; each punctuation mark is a word of its own.
fn words(text: &str) -> Vec<Vec<(char, Range<usize>)>> {
    let mut found: Vec<Vec<(char, Range<usize>)>> = Vec::new();
    let mut open = false;
    for (at, letter) in text.char_indices() {
        let bytes = at..at + letter.len_utf8();
        if letter.is_whitespace() {
            open = false;
            continue;
        }
        if letter.is_control() || letter == '\u{fffd}' {
            continue;
        }
        let alone = is_punctuation(letter);
        for plain in letter.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
            match found.last_mut().filter(|_| open && !alone) {
                Some(word) => word.push((plain, bytes.clone())),
                None => found.push(vec![(plain, bytes.clone())]),
            }
            open = !alone;
        }
    }
    found
}

/// Punctuation, and ideographs, each of which is a word.
fn is_punctuation(letter: char) -> bool {
    letter.is_ascii_punctuation()
        || matches!(letter, '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{4e00}'..='\u{9fff}')
        || matches!(letter, '¡' | '§' | '«' | '¶' | '·' | '»' | '¿' | '\u{3001}'..='\u{3003}')
}
