//! How what has a name is called.

use domain::words::{Boundary, split_words};

/// The first name of somebody, or of something with a name of several words, where the text calls it by that alone.
pub fn called_by_name<'v>(value: &'v str, text: &str) -> Option<&'v str> {
    let first = value.split_whitespace().next().filter(|word| *word != value)?;
    let first = first.trim_end_matches([',', ';']);
    let is_name = first.starts_with(char::is_uppercase) && first.chars().skip(1).all(char::is_lowercase);
    let is_long = first.chars().count() > 2;
    let is_said = || split_words(text, Boundary::NotAlphanumeric).any(|word| word == first);
    (is_name && is_long && is_said()).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::called_by_name;

    #[test]
    fn a_first_name_is_said_as_it_is_written() {
        for (value, text, called) in [
            ("Maria, 0176 1234", "Maria shouldn't be called any more.", Some("Maria")),
            ("Rosalind Achebe", "Rosalind's been let go.", Some("Rosalind")),
            ("Maria", "Maria left.", None),
            ("Maria Lopez", "Mariam left.", None),
            ("Net 60 days", "The net is torn.", None),
        ] {
            assert_eq!(called_by_name(value, text), called, "{text}");
        }
    }
}
