//! Letters that look like others. Only letters that imitate Latin ones are folded: a word of another alphabet stays as
//! it is, and no two plain words become one.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;

/// The text as a reader sees it: compatible characters become the plain ones, and invisible ones are dropped.
pub(super) fn as_shown(text: &str) -> String {
    text.nfkc().filter(|c| !is_ignorable(*c)).collect()
}

/// The word in lower case. In a word that mixes Latin letters with look-alikes, or has nothing but look-alikes, each
/// look-alike becomes the Latin letter. A word of one letter stays as it is.
pub(super) fn plain_word(word: &str) -> String {
    let letters = || word.chars().filter(|c| c.is_alphabetic());
    let has_latin = letters().any(|c| c.is_ascii());
    let all_pose = letters().count() > 1 && letters().all(|c| imitated(c).is_some());
    if word.is_ascii() || !(has_latin || all_pose) {
        return word.to_lowercase();
    }
    let plain: String = word.chars().map(|c| imitated(c).unwrap_or(c)).collect();
    plain.to_lowercase()
}

/// Nothing but the bare letters and digits, in lower case: without accents, and with look-alikes as the Latin letters that
/// they look like in either case.
pub(super) fn bare(text: &str) -> String {
    let shown = text.nfkd().filter(|c| !is_ignorable(*c) && !is_combining_mark(*c));
    let plain = shown.map(|c| imitated(c).or_else(|| c.to_uppercase().find_map(imitated)).unwrap_or(c));
    plain.filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The Latin letter that a letter of another alphabet, or a phonetic sign, looks like, in either case.
fn imitated(c: char) -> Option<char> {
    if c.is_ascii() {
        return None;
    }
    let is_own_letter = matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}');
    let looks_like = |c: char| {
        let mut buffer = [0; 4];
        let mut shape = skeleton(c.encode_utf8(&mut buffer));
        shape.next().filter(|s| s.is_ascii_alphabetic() && shape.next().is_none())
    };
    if is_own_letter { None } else { looks_like(c).or_else(|| c.to_lowercase().find_map(looks_like)) }
}

/// Characters that are not shown at all (Unicode's Default_Ignorable_Code_Point).
fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
