//! A text cut into sentences, and which parts of it are not prose.

use crate::requests::request_in;

/// No word of prose is so long.
const PROSE_WORD_CHARS: usize = 30;
/// No word of prose mixes cases, or digits with letters, at such length.
const CODE_WORD_CHARS: usize = 12;
/// A full stop behind one of these ends no sentence.
const ABBREVIATIONS: [&str; 16] = [
    "dr.", "mr.", "mrs.", "ms.", "prof.", "st.", "e.g.", "i.e.", "vs.", "approx.", "no.", "inc.", "ltd.",
    "jr.", "sr.", "etc.",
];
const MARKS: &str = ".!?…";
const CLOSING: [char; 6] = ['"', '”', '\'', '’', ')', ']'];

/// A sentence as its parts between white space.
pub type Sentence<'a> = Vec<&'a str>;

/// The sentences of a text.
pub fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let all = text.lines().flat_map(sentences_of_line);
    all.map(|sentence| sentence.split_whitespace().collect()).collect()
}

/// A sentence ends with its marks before a space, or with its line; a request or a thank-you behind a comma or a dash is a
/// sentence of its own.
pub fn sentences_of_line(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut marks = line.char_indices().peekable();
    while let Some((at, c)) = marks.next() {
        let goes_on = marks.peek().is_some_and(|(_, next)| MARKS.contains(*next));
        if !MARKS.contains(c) || goes_on {
            continue;
        }
        let end = at + c.len_utf8();
        let (before, after) = (line.get(start..end).unwrap_or_default(), line.get(end..).unwrap_or_default());
        if ends(before, after) {
            let closing = after.len() - after.trim_start_matches(CLOSING).len();
            found.extend(line.get(start..end + closing));
            start = end + closing;
        }
    }
    found.extend(line.get(start..));
    let told = found.into_iter().map(str::trim).filter(|sentence| !sentence.is_empty());
    told.flat_map(|sentence| match request_in(sentence) {
        Some(at) => sentence.split_at_checked(at).map_or(vec![sentence], |(told, asked)| vec![told, asked]),
        None => vec![sentence],
    })
    .collect()
}

/// Dots that trail off ("maybe ... we dropped it"), or close an address, end nothing where the sentence goes on.
fn ends(before: &str, after: &str) -> bool {
    let rest = after.trim_start_matches(CLOSING);
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return false;
    }
    let low = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let initial = low.trim_end_matches('.').chars().count() == 1
        && low.ends_with('.')
        && low.starts_with(char::is_alphabetic)
        && !low.starts_with('i');
    let trails =
        (before.ends_with("..") || is_code(&low)) && rest.trim_start().starts_with(char::is_lowercase);
    !(ABBREVIATIONS.contains(&low.as_str()) || initial || trails)
}

pub fn is_code(chunk: &str) -> bool {
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
