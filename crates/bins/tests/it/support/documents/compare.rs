//! Whether what came of a command is what the page says.

/// In a page, matches anything; alone on a line, any number of lines.
const ANY: &str = "…";
const KEY: &str = "svc_sk_…";

pub fn agrees(expected: &[String], came: &[String]) -> bool {
    let steady = |lines: &[String]| lines.iter().map(|line| steady(line)).collect::<Vec<_>>();
    lines_agree(&steady(expected), &steady(came))
}

fn lines_agree(expected: &[String], came: &[String]) -> bool {
    match (expected, came) {
        ([], []) => true,
        ([any, rest @ ..], _) if any.trim() == ANY => (0..=came.len()).any(|n| lines_agree(rest, &came[n..])),
        ([line, rest @ ..], [other, others @ ..]) => line_agrees(line, other) && lines_agree(rest, others),
        _ => false,
    }
}

fn line_agrees(expected: &str, came: &str) -> bool {
    let mut pieces = expected.trim_end().split(ANY);
    let Some(mut rest) = came.trim_end().strip_prefix(pieces.next().unwrap_or_default()) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, between)) = pieces.split_last() else { return rest.is_empty() };
    for piece in between {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The line without what is different in every run: times, hashes, keys and random ids.
fn steady(line: &str) -> String {
    let mut words = Vec::new();
    for word in line.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && !"-:._".contains(c)) {
        let (body, end) = word.split_at(word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).len());
        words.push(match body {
            _ if is_key(body) => format!("{KEY}{end}"),
            _ if is_random(body) => format!("{ANY}{end}"),
            _ => word.to_owned(),
        });
    }
    words.concat()
}

fn is_random(word: &str) -> bool {
    let is_time = word.len() >= 20 && word.ends_with('Z') && word.contains('T') && word.starts_with("20");
    let is_day =
        word.len() == 10 && word.starts_with("20") && word.chars().filter(|c| *c == '-').count() == 2;
    let digits = word.strip_prefix("prin_").unwrap_or(word);
    let is_hex = digits.len() >= 16 && digits.chars().all(|c| c.is_ascii_hexdigit());
    is_time || is_day || is_hex
}

fn is_key(word: &str) -> bool {
    word.starts_with("svc_sk_") && word.len() > 20
}

/// The line as it is written into a page: a key, even one that opens nothing, is nothing to publish.
pub fn publishable(line: &str) -> String {
    line.split_inclusive(' ').map(|word| if is_key(word.trim()) { KEY } else { word }).collect()
}

#[cfg(test)]
mod tests {
    use super::agrees;

    fn check(expected: &str, came: &str) -> bool {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        agrees(&lines(expected), &lines(came))
    }

    #[test]
    fn a_page_that_differs_does_not_agree() {
        assert!(check("a\nb", "a\nb"));
        assert!(!check("a\nb", "a\nc"));
        assert!(!check("a", "a\nb") && !check("a\nb", "a"));
        assert!(check("a … c", "a b c") && !check("a … c", "a b d"));
        assert!(check("a\n…\nd", "a\nb\nc\nd") && !check("a\n…\ne", "a\nb\nc\nd"));
    }

    #[test]
    fn times_and_hashes_are_not_compared() {
        assert!(check(
            "at 2026-11-15T03:26:56.168495Z by prin_520424ae096f61a0.",
            "at 2027-01-01T00:00:00Z by prin_0000000000000000."
        ));
        assert!(!check("#3 x = 16", "#4 x = 16"));
    }
}
