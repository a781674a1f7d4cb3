//! A sentence cut into the clauses within which a negation or an owner holds.

use crate::words::words;

/// Words that set a clause off from the one before it.
const BREAKS: [&str; 9] =
    ["but", "though", "although", "whereas", "while", "because", "except", "so", "rather"];
/// Words that an "and" joins to a clause of its own.
const SUBJECTS: [&str; 22] = [
    "i", "we", "you", "he", "she", "they", "it", "i'm", "we're", "she's", "he's", "it's", "they're", "my",
    "our", "your", "his", "her", "their", "its", "the", "there",
];

/// The clauses of a sentence, as words in lower case.
pub(crate) fn clauses(sentence: &str) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    let is_seam = |(at, c): &(usize, char)| {
        // A comma within a number parts nothing.
        let next = sentence.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
        matches!(c, ',' | ';' | ':' | '(' | ')') && next.is_none_or(char::is_whitespace)
            || matches!(c, '—' | '–')
    };
    let mut start = 0;
    let seams = sentence.char_indices().filter(is_seam).map(|(at, c)| (at, at + c.len_utf8()));
    for (at, next) in seams.chain([(sentence.len(), sentence.len())]) {
        found.extend(parts(&words(sentence.get(start..at).unwrap_or_default()).collect::<Vec<_>>()));
        start = next;
    }
    found.retain(|clause| !clause.is_empty());
    found
}

fn parts(stretch: &[String]) -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    for (at, word) in stretch.iter().enumerate() {
        let next = stretch.get(at + 1).map(String::as_str).unwrap_or_default();
        let breaks = BREAKS.contains(&word.as_str()) || word == "and" && SUBJECTS.contains(&next);
        if breaks {
            found.push(Vec::new());
        } else if let Some(last) = found.last_mut() {
            last.push(word.clone());
        }
    }
    found
}
