//! A text cut into sentences, and which parts of it are not prose.

/// No word of prose is so long.
const PROSE_WORD_CHARS: usize = 30;
/// No word of prose mixes cases, or digits with letters, at such length.
const CODE_WORD_CHARS: usize = 12;

/// Its parts between white space.
pub(crate) type Sentence<'a> = Vec<&'a str>;

/// A sentence ends at a full stop, an exclamation or question mark, or with its line.
pub(crate) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut sentences = Vec::new();
    for line in text.lines() {
        let mut sentence = Sentence::new();
        for chunk in line.split_whitespace() {
            sentence.push(chunk);
            if ends_sentence(chunk) {
                sentences.push(std::mem::take(&mut sentence));
            }
        }
        sentences.push(sentence);
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// Dots that trail off ("maybe ... we dropped it") end nothing.
fn ends_sentence(chunk: &str) -> bool {
    let chunk = chunk.trim_end_matches(|c: char| "\"'”’)]".contains(c));
    chunk.ends_with(['.', '!', '?']) && !chunk.ends_with("..") && !is_code(chunk)
}

pub(crate) fn is_code(chunk: &str) -> bool {
    let tokens = || chunk.split(|c: char| !(c.is_alphanumeric() || "-_+/='".contains(c)));
    chunk.contains("://")
        || chunk.contains(['@', '=', '|', '~', '{', '}', '<', '>'])
        || tokens().any(is_encoded)
}

fn is_encoded(token: &str) -> bool {
    let length = token.chars().count();
    let has = |test: fn(char) -> bool| token.chars().any(test);
    let mixed_case =
        token.chars().zip(token.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let mixed = mixed_case || (has(|c| c.is_ascii_digit()) && has(char::is_alphabetic));
    length > PROSE_WORD_CHARS || (length >= CODE_WORD_CHARS && mixed)
}
