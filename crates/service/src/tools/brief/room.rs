//! The lines of a block: what they take, and where a list stops that does not fit.

use crate::render::line;
use domain::FactId;

/// An estimate that needs no tokenizer and is the same for every model: a token for four ASCII characters, and one for
/// any other character.
pub(super) fn tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let others = text.chars().filter(|c| !c.is_ascii()).count();
    ascii.div_ceil(4) + others
}

/// A line with its line break.
pub(super) fn line_tokens(line: &str) -> usize {
    tokens(line) + 1
}

/// Stored words on one line, in which no mark of the frame can stand.
pub(super) fn words(text: &str) -> String {
    line(text).replace("<<<", "‹‹‹").replace(">>>", "›››")
}

/// One line of a block, with what it is sorted by.
pub(super) struct Line<K> {
    pub id: FactId,
    pub key: K,
    pub text: String,
}

impl<K> Line<K> {
    /// About every eighth fact is one that a list may stop behind, whatever stands around it.
    fn may_be_last(&self) -> bool {
        (self.id.0 as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 61 == 0
    }
}

pub(super) struct Fitted {
    /// In the order of their keys.
    pub lines: Vec<String>,
    pub tokens: usize,
    pub is_all: bool,
}

/// The first lines that fit. Where some are left out, the list stops behind a fact that it may stop behind: a new line
/// at its head then pushes no other line out, but now and then several at once. That keeps the block as it was for most
/// changes.
pub(super) fn fit<K: Ord>(lines: impl IntoIterator<Item = Line<K>>, room: usize) -> Fitted {
    let mut taken = Vec::new();
    let (mut used, mut is_all) = (0, true);
    let (mut last_stop, mut used_by_then) = (0, 0);
    for line in lines {
        let cost = line_tokens(&line.text);
        if used + cost > room {
            is_all = false;
            break;
        }
        used += cost;
        let may_be_last = line.may_be_last();
        taken.push(line);
        if may_be_last {
            (last_stop, used_by_then) = (taken.len(), used);
        }
    }
    // A short list would lose too much.
    if !is_all && last_stop * 2 >= taken.len() {
        taken.truncate(last_stop);
        used = used_by_then;
    }
    taken.sort_by(|a, b| a.key.cmp(&b.key));
    Fitted { lines: taken.into_iter().map(|line| line.text).collect(), tokens: used, is_all }
}

#[cfg(test)]
mod tests {
    use super::{Line, fit, tokens};
    use domain::FactId;
    use std::collections::BTreeSet;

    #[test]
    fn tokens_are_counted_by_characters() {
        assert_eq!(
            [tokens(""), tokens("abcd"), tokens("abcde"), tokens("日本"), tokens("aé")],
            [0, 1, 2, 2, 2]
        );
    }

    /// The newest first, as many as there are facts.
    fn shown(facts: i64, room: usize) -> BTreeSet<String> {
        let lines =
            (1..=facts).rev().map(|id| Line { id: FactId(id), key: id, text: format!("fact {id:05}") });
        let fitted = fit(lines, room);
        assert!(fitted.tokens <= room);
        fitted.lines.into_iter().collect()
    }

    #[test]
    fn a_new_line_seldom_moves_others() {
        let mut moved = 0;
        for facts in 1000..1200 {
            let (before, after) = (shown(facts, 200), shown(facts + 1, 200));
            assert!(before.len() >= 25, "{} lines", before.len());
            assert!(after.contains(&format!("fact {:05}", facts + 1)));
            moved += usize::from(before.difference(&after).next().is_some());
        }
        assert!(moved <= 200 / 5, "{moved} of 200 new lines pushed others out");
    }

    #[test]
    fn what_fits_is_shown_whole_and_in_the_order_of_its_keys() {
        let lines = [(3, "c"), (1, "a"), (2, "b")].map(|(key, text)| Line {
            id: FactId(key),
            key,
            text: text.to_owned(),
        });
        let fitted = fit(lines, 6);
        assert_eq!(
            (fitted.lines, fitted.tokens, fitted.is_all),
            (vec!["a".into(), "b".into(), "c".into()], 6, true)
        );
    }
}
