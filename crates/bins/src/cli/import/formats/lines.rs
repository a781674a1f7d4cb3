//! The marks before lines of text.

/// The words of a heading in Markdown. `#1 fan` is none.
pub fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    (rest.len() < line.len()).then(|| rest.strip_prefix(' '))?.map(str::trim)
}

/// Without `- `, `* `, `• `, `1. ` or `3) `. `3.5 km` is no item, and neither is `2024. A year.`
pub fn without_marker(line: &str) -> &str {
    let line = line.trim();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let numbered = (1..=3).contains(&digits).then(|| line.get(digits..)?.strip_prefix(['.', ')'])).flatten();
    let rest = line.strip_prefix(['-', '*', '•']).or(numbered);
    let item = rest.filter(|rest| rest.starts_with([' ', '\t'])).map(str::trim_start);
    item.filter(|item| !item.is_empty()).unwrap_or(line)
}
