//! Headings in Markdown.

/// The words of a heading. `#1 fan` is none.
pub fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    (rest.len() < line.len()).then(|| rest.strip_prefix(' '))?.map(str::trim)
}
