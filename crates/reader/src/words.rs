//! A sentence cut into words.

use crate::tagging::tag;
use crate::word::Word;
use std::ops::Range;

/// The words of a sentence, tagged.
pub(crate) fn words(sentence: &str) -> Vec<Word> {
    let mut words = Vec::new();
    for at in chunks(sentence) {
        let chunk = sentence.get(at.clone()).unwrap_or_default();
        if chunk.starts_with(['`', '"', '“']) && chunk.chars().count() > 2 && chunk.contains(' ') {
            words.push(Word::new(chunk, true, at));
        } else {
            cut(chunk, at.start, &mut words);
        }
    }
    tag(&mut words);
    words
}

/// Split at white space, but not within quotes.
fn chunks(sentence: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = sentence.get(at..) {
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        let Some(first) = trimmed.chars().next() else { break };
        let close = match first {
            '`' => Some('`'),
            '"' => Some('"'),
            '“' => Some('”'),
            _ => None,
        };
        let after = trimmed.get(first.len_utf8()..).unwrap_or_default();
        let quoted = close.and_then(|c| after.find(c).map(|end| first.len_utf8() + end + c.len_utf8()));
        let length = quoted.unwrap_or_else(|| trimmed.find(char::is_whitespace).unwrap_or(trimmed.len()));
        found.push(at..at + length);
        at += length;
    }
    found
}

const TITLES: [&str; 16] = [
    "dr.", "mr.", "mrs.", "ms.", "prof.", "st.", "e.g.", "i.e.", "vs.", "approx.", "no.", "inc.", "ltd.",
    "jr.", "sr.", "etc.",
];

/// Splits opening and closing punctuation from the word.
fn cut(chunk: &str, start: usize, words: &mut Vec<Word>) {
    let mut at = start;
    let mut rest = chunk;
    let mut spaced = true;
    while let Some(c) = rest.chars().next().filter(|c| "([{\"“'‘".contains(*c)) {
        if c != '\'' && c != '‘' {
            words.push(Word::new(&c.to_string(), spaced, at..at + c.len_utf8()));
            spaced = false;
        }
        at += c.len_utf8();
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    let mut tail = Vec::new();
    while let Some(c) = rest.chars().next_back().filter(|c| ",;:!?)]}\"”.…".contains(*c)) {
        if TITLES.contains(&rest.to_lowercase().as_str()) {
            break;
        }
        rest = rest.get(..rest.len() - c.len_utf8()).unwrap_or_default();
        tail.push(c);
    }
    if !rest.is_empty() {
        push_word(rest, spaced, at, words);
    }
    let mut end = at + rest.len();
    for c in tail.iter().rev() {
        words.push(Word::new(&c.to_string(), false, end..end + c.len_utf8()));
        end += c.len_utf8();
    }
}

/// A contraction or a possessive becomes two words.
fn push_word(text: &str, spaced: bool, start: usize, words: &mut Vec<Word>) {
    const ENDINGS: [(&str, &str); 7] = [
        ("n't", "not"),
        ("'re", "are"),
        ("'ve", "have"),
        ("'ll", "will"),
        ("'d", "would"),
        ("'m", "am"),
        ("'s", "'s"),
    ];
    let low = text.to_lowercase().replace('’', "'");
    let whole = start..start + text.len();
    for (ending, meant) in ENDINGS {
        let Some(base) = low.strip_suffix(ending).filter(|base| !base.is_empty()) else { continue };
        let kept: String = match (base, ending) {
            ("ca", "n't") => "can".to_owned(),
            ("wo", "n't") => "will".to_owned(),
            _ => text.chars().take(base.chars().count()).collect(),
        };
        words.push(Word::new(&kept, spaced, whole.clone()));
        words.push(Word::new(meant, ending != "'s", whole));
        return;
    }
    if let Some(base) = low.strip_suffix("s'").filter(|base| base.len() > 1) {
        let kept: String = text.chars().take(base.chars().count() + 1).collect();
        words.push(Word::new(&kept, spaced, whole.clone()));
        words.push(Word::new("'s", false, whole));
        return;
    }
    words.push(Word::new(text, spaced, whole));
}
