//! When two spellings mean the same subject, and when two values are the same value.

/// Separators that people use freely between the words of a name. Signs that carry meaning, as in `C++`, `C#` or
/// `50%`, are not among them.
fn is_separator(c: char) -> bool {
    c.is_whitespace() || c.is_control() || "_-‐‑–—./\\:;,'’‘\"“”`()[]{}!?".contains(c)
}

/// The identity of a subject or of a slot's alias: case and separators aside.
pub fn subject_key(subject: &str) -> String {
    let folded = fold(subject, is_separator);
    if folded.is_empty() { subject.trim().to_lowercase() } else { folded }
}

/// The identity of a value: case, spacing and a closing full stop aside.
pub fn value_key(value: &str) -> String {
    fold(value.trim().trim_end_matches('.'), char::is_whitespace)
}

/// The identity of a statement's words: spacing aside.
pub fn text_key(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn fold(text: &str, separator: impl Fn(char) -> bool) -> String {
    text.split(separator).filter(|w| !w.is_empty()).map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{subject_key, value_key};

    #[test]
    fn a_subject_keeps_its_identity_under_another_spelling() {
        assert_eq!(subject_key("Annual-Budget"), subject_key("annual_budget"));
        assert_ne!(subject_key("C++ version"), subject_key("C version"));
        assert_eq!(subject_key("!!!"), "!!!");
    }

    #[test]
    fn a_value_keeps_its_identity_under_another_spacing() {
        assert_eq!(value_key("Postgres  16."), value_key("postgres 16"));
        assert_ne!(value_key("1.5 mg"), value_key("15 mg"));
    }
}
