//! Slips of the fingers put right: "insted", "brohter", "acount". Only a word that neither the tagger nor any list knows,
//! that is written small and that has exactly one frequent word one slip away is changed; names are left alone.

use super::lexicon::LEXICON;
use super::words::Word;
use harper_brill::{Tagger, brill_tagger};
use std::collections::HashSet;

/// Shorter words have too many neighbours.
const SHORTEST: usize = 4;
/// Of longer words one letter may be missing.
const LONG: usize = 6;

pub(super) fn put_right(words: &mut [Word]) {
    for word in words.iter_mut().filter(|w| may_be_a_slip(w)) {
        if let Some(meant) = meant(&word.low) {
            *word = Word::new(&meant, word.spaced);
        }
    }
}

fn may_be_a_slip(word: &Word) -> bool {
    word.text.chars().all(|c| c.is_ascii_lowercase())
        && word.text.len() >= SHORTEST
        && !LEXICON.common_words.contains(&word.low)
        && !LEXICON.knows(&word.low)
        && brill_tagger().tag_sentence(std::slice::from_ref(&word.low)).first().is_none_or(Option::is_none)
}

/// The one frequent word that is a slip away.
fn meant(low: &str) -> Option<String> {
    let mut near: HashSet<String> = slips(low);
    near.retain(|word| LEXICON.common_words.contains(word) && word.get(..1) == low.get(..1));
    let mut near = near.into_iter();
    near.next().filter(|_| near.next().is_none())
}

/// Every spelling that differs by a usual slip: two letters exchanged, a letter doubled or not, one left out of a long
/// word. A letter mistaken for another more often makes another good word.
fn slips(low: &str) -> HashSet<String> {
    let letters: Vec<char> = low.chars().collect();
    let mut found = HashSet::new();
    for at in 0..letters.len() {
        let (head, tail) = letters.split_at(at);
        let with = |middle: &[char], rest: &[char]| head.iter().chain(middle).chain(rest).collect::<String>();
        let [first, rest @ ..] = tail else { continue };
        if let [second, rest @ ..] = rest {
            found.insert(with(&[*second, *first], rest));
        }
        if rest.first() == Some(first) {
            found.insert(with(&[], rest));
        }
        found.insert(with(&[*first, *first], rest));
        if letters.len() >= LONG {
            found.extend(('a'..='z').map(|letter| with(&[letter], tail)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn right(text: &str) -> String {
        let mut words: Vec<Word> = text.split(' ').map(|w| Word::new(w, true)).collect();
        put_right(&mut words);
        words.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_slip_in_a_frequent_word_is_put_right() {
        assert_eq!(
            right("my brohter is the emergncy contact insted"),
            "my brother is the emergency contact instead"
        );
        assert_eq!(right("my acount was closed yesterdy"), "my account was closed yesterday");
        assert_eq!(right("evrything goes throuhg the cliniic"), "everything goes through the clinic");
    }

    #[test]
    fn names_known_words_and_words_with_several_neighbours_are_left_alone() {
        for text in [
            "Brohter", "deno", "redis", "grafana", "kafka", "carla", "rui", "nginx", "pnpm", "vite", "svelte",
        ] {
            assert_eq!(right(text), text);
        }
    }
}
