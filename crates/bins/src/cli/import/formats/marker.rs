//! What stands before an item of a list.

/// Without `- `, `* `, `• `, `1. ` or `3) `. `3.5 km` is no item, and neither is `2024. A year.`
pub fn without_marker(line: &str) -> &str {
    let line = line.trim_start();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let numbered = (1..=3).contains(&digits).then(|| line.get(digits..)?.strip_prefix(['.', ')'])).flatten();
    let rest = line.strip_prefix(['-', '*', '•']).or(numbered);
    rest.filter(|rest| rest.starts_with([' ', '\t']))
        .map(str::trim_start)
        .filter(|rest| !rest.is_empty())
        .unwrap_or(line)
}
