//! Where a statement is cut before the network reads it: what stands behind is meant in another way.

use super::sentences::{has_finite_verb, sentences};

/// A statement in pieces, each with the place where it begins.
pub(super) fn pieces(statement: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, _) in statement.char_indices().filter(|(at, _)| is_seam(statement, *at)) {
        found.extend(statement.get(start..at).map(|piece| (start, piece)));
        start = at;
    }
    found.extend(statement.get(start..).map(|piece| (start, piece)));
    found
}

fn is_seam(statement: &str, at: usize) -> bool {
    let Some((before, after)) = statement.split_at_checked(at) else { return false };
    if !before.ends_with(char::is_whitespace) || !after.starts_with(char::is_alphanumeric) {
        return false;
    }
    // "… 🙄 he's on 1.2 L"
    if before.trim_end().ends_with(is_picture) {
        return true;
    }
    // "Truly the fastest buyers in Europe"
    if before.trim_end().ends_with(['.', '!']) {
        return after.get(..6).is_some_and(|first| first.eq_ignore_ascii_case("truly "));
    }
    let Some(before) = before.strip_suffix(", ") else { return false };
    let clause = before.rsplit(['.', ';', '!', '?', '\n', ',']).next().unwrap_or_default();
    let first: Vec<String> = after.split_whitespace().take(2).map(str::to_lowercase).collect();
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let turns = match first.as_slice() {
        ["can" | "could" | "would", "you" | "we" | "i"] => true,
        ["now", "i" | "we" | "he" | "she" | "it" | "they"] => true,
        ["now", who] => ["i'm", "we're", "he's", "she's", "it's", "they're"].contains(who),
        ["could" | "might" | "may", "be"] => !gives_the_same(clause, after),
        _ => false,
    };
    let words = sentences(clause).concat();
    let supposes =
        words.first().is_some_and(|word| word.is_any(&["if", "when", "once", "unless", "since", "as"]));
    turns && !supposes && has_finite_verb(&words)
}

fn is_picture(c: char) -> bool {
    matches!(c, '\u{1F300}'..='\u{1FAFF}' | '\u{2600}'..='\u{27BF}')
}

/// "The meeting is at 5, might be 6", "the venue is the Savoy, might be the Ritz": the doubt is about what was said before.
fn gives_the_same(told: &str, doubt: &str) -> bool {
    let has_digit = |text: &str| text.contains(|c: char| c.is_ascii_digit());
    let words = sentences(told).concat();
    let be = words.iter().rposition(|word| word.is_any(&["is", "are", "'s", "'re", "'m"]));
    let value = be.and_then(|at| words.get(at + 1));
    let names = value.is_some_and(|word| word.is("the") || word.is_capital());
    has_digit(told) && has_digit(doubt) || names
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn what_is_asked_guessed_or_so_now_is_read_apart() {
        for (first, second) in [
            ("My order arrived without the charger, ", "can you send one to 4 Quayside?"),
            ("They were on Silver until spring, ", "now they're on Cobalt"),
            ("His calf is swollen, ", "could be a DVT"),
            ("Sure, he sticks to it 🙄 ", "he's on 1.2 L"),
        ] {
            let statement = format!("{first}{second}");
            assert_eq!(pieces(&statement), [(0, first), (first.len(), second)]);
        }
        for whole in [
            "The meeting is at 5, might be 6",
            "The venue is the Savoy, might be the Ritz",
            "If you like, can you send one?",
            "Reds, greens, now and then a blue",
            "Great news 🎉",
        ] {
            assert_eq!(pieces(whole).len(), 1, "{whole}");
        }
    }
}
