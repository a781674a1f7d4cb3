//! Slips of the fingers put right: "insted", "brohter", "acount". In what is kept only a word is changed that neither the
//! tagger nor any list knows, that is written small and that has exactly one frequent word one slip away; names are left
//! alone. What is only weighed is guessed at more boldly.

use super::lexicon::LEXICON;
use super::vectors::Meaning;
use super::words::Word;
use harper_brill::{Tagger, brill_tagger};
use std::collections::HashSet;

/// Shorter words have too many neighbours.
const SHORTEST: usize = 4;
/// What is longer is no word: a token, or a picture as text.
const LONGEST: usize = 24;
/// A short word is only taken for one of less rarity than this.
const FREQUENT: u8 = 120;
/// Of longer words one letter may be missing.
const LONG: usize = 6;

pub(super) fn put_right(words: &mut [Word]) {
    for word in words.iter_mut().filter(|w| may_be_a_slip(w)) {
        if let Some(meant) = kept_as(&word.low) {
            *word = Word::new(&meant, word.spaced);
        }
    }
}

fn may_be_a_slip(word: &Word) -> bool {
    word.text.chars().all(|c| c.is_ascii_lowercase())
        && (SHORTEST..=LONGEST).contains(&word.text.len())
        && !LEXICON.common_words.contains(&word.low)
        && is_unknown(&word.low)
}

fn is_unknown(low: &String) -> bool {
    let tag = || brill_tagger().tag_sentence(std::slice::from_ref(low)).first().copied().flatten();
    !LEXICON.knows(low) && tag().is_none()
}

/// How the network reads a word that was written in haste.
pub(super) fn meant(written: &str) -> Option<String> {
    let low = written.to_lowercase();
    let small = low == written;
    // "Dont" at the head of a sentence is none, but "Mo" may be a name.
    if let Some(meant) =
        LEXICON.casual.get(&low).or_else(|| LEXICON.hasty.get(&low)).filter(|meant| small || meant.len() > 1)
    {
        return Some(meant.join(" "));
    }
    if !small
        || !(SHORTEST..=LONGEST).contains(&low.len())
        || !low.bytes().all(|b| b.is_ascii_lowercase())
        || Meaning::of(&low).is_some()
        || !is_unknown(&low)
    {
        return None;
    }
    let known = |word: &String| {
        let of = |word: &str| Meaning::exactly(word).map(|meaning| meaning.rarity);
        of(word).or_else(|| of(word.strip_suffix('s')?))
    };
    drawn_out(&low).into_iter().find(|word| known(word).is_some()).or_else(|| {
        let near = bold_slips(&low).into_iter().filter_map(|word| Some((known(&word)?, word)));
        // "cron" is no corn.
        near.min().filter(|(rarity, _)| low.len() > SHORTEST || *rarity < FREQUENT).map(|(_, word)| word)
    })
}

/// A text with each word as the network reads it.
pub(super) fn as_meant(text: &str) -> String {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let read = |word: &str| meant(&bare(word)).unwrap_or_else(|| word.to_owned());
    text.split_whitespace().map(read).collect::<Vec<_>>().join(" ")
}

/// "nowww", "soooo": a letter that is held down stands for itself once or twice.
fn drawn_out(low: &str) -> Vec<String> {
    let letters: Vec<char> = low.chars().collect();
    let runs: Vec<&[char]> = letters.chunk_by(|a, b| a == b).collect();
    if !runs.iter().any(|run| run.len() > 2) {
        return Vec::new();
    }
    let held = |most: usize| {
        let kept = runs.iter().flat_map(|run| run.iter().take(if run.len() > 2 { most } else { run.len() }));
        kept.collect::<String>()
    };
    vec![held(1), held(2)]
}

/// Every spelling that differs by two letters exchanged, by a letter too much or too few of a pair, by one left out or by
/// another vowel, the more of these the longer the word is. The first letter is rarely wrong.
fn bold_slips(low: &str) -> HashSet<String> {
    let letters: Vec<char> = low.chars().collect();
    let long = letters.len() > SHORTEST;
    let is_vowel = |c: &char| "aeiou".contains(*c);
    let mut found = HashSet::new();
    for at in 1..=letters.len() {
        let (head, tail) = letters.split_at(at);
        let with = |middle: &[char], rest: &[char]| head.iter().chain(middle).chain(rest).collect::<String>();
        if long {
            found.extend(('a'..='z').map(|letter| with(&[letter], tail)));
        } else {
            found.extend(head.last().map(|last| with(&[*last], tail)));
        }
        let [first, rest @ ..] = tail else { continue };
        if let [second, rest @ ..] = rest {
            found.insert(with(&[*second, *first], rest));
        }
        if long && head.last() == Some(first) {
            found.insert(with(&[], rest));
        }
        if long && is_vowel(first) {
            found.extend("aeiou".chars().map(|vowel| with(&[vowel], rest)));
        }
    }
    found.remove(low);
    found
}

/// The one frequent word that is a slip away.
fn kept_as(low: &str) -> Option<String> {
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

    #[test]
    fn a_shortening_that_may_be_a_name_is_kept_as_written() {
        for name in ["em", "bak", "txt", "n"] {
            assert!(meant(name).is_some(), "{name}");
            let kept = super::super::words::words(name);
            assert_eq!(kept.iter().map(|w| w.text.as_str()).collect::<Vec<_>>(), [name]);
        }
    }

    #[test]
    fn what_is_only_weighed_is_guessed_at_more_boldly() {
        for (written, read) in [
            ("swiched", "switched"),
            ("precuations", "precautions"),
            ("statments", "statements"),
            ("salery", "salary"),
            ("nowww", "now"),
            ("b4", "before"),
            ("Dont", "do not"),
        ] {
            assert_eq!(meant(written).as_deref(), Some(read), "{written}");
        }
        for written in ["switched", "Mo", "Greta", "kafka", "cron", "devi", "rollator", "x", ""] {
            assert_eq!(meant(written), None, "{written}");
        }
    }
}
