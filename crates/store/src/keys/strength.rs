//! How hard a passphrase is to guess: a rough estimate that errs on the low side. It knows no dictionary. A run of
//! letters counts as one word of a large one, however long the word is; what is repeated, counted up, or put in place of
//! a letter counts for next to nothing.

use std::collections::BTreeSet;

/// Four words of a large dictionary, with a little to spare. At 64 MiB of memory a guess, this is out of reach; two words
/// are not.
pub(super) const ENOUGH_BITS: f64 = 50.0;

/// A word from a dictionary of 16,000.
const WORD_BITS: f64 = 14.0;
/// A run of letters up to this long may be a word.
const WORD_LETTERS: usize = 12;
const LETTER_BITS: f64 = 4.7;
/// A letter beyond the length of a word: of a longer word, of several that were run together, or random.
const FURTHER_LETTER_BITS: f64 = 3.0;
const DIGIT_BITS: f64 = 3.3;
const SIGN_BITS: f64 = 5.0;
/// A sign of a script in which a word has one or two of them.
const IDEOGRAPH_BITS: f64 = 8.0;
/// A year, and not four digits by chance.
const YEAR_BITS: f64 = 7.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Ideograph,
    Space,
    Sign,
}

impl Class {
    fn of(c: char) -> Self {
        match c {
            _ if c.is_whitespace() => Self::Space,
            '\u{2e80}'.. if c.is_alphanumeric() => Self::Ideograph,
            _ if c.is_alphabetic() => Self::Letter,
            _ if c.is_numeric() => Self::Digit,
            _ => Self::Sign,
        }
    }
}

/// How many bits of guessing the passphrase is worth, or fewer.
pub(super) fn bits(passphrase: &str) -> f64 {
    let plain: Vec<char> = plain(passphrase);
    let runs = plain.chunk_by(|a, b| Class::of(*a) == Class::of(*b));
    let different: BTreeSet<&[char]> = runs.collect();
    different.into_iter().map(run_bits).sum()
}

/// In lower case, with letters for what is commonly put in their place inside a word.
fn plain(passphrase: &str) -> Vec<char> {
    let given: Vec<char> = passphrase.to_lowercase().chars().collect();
    let is_letter = |at: Option<usize>| at.and_then(|at| given.get(at)).is_some_and(|c| c.is_alphabetic());
    let within = |at: usize| is_letter(at.checked_sub(1)) && is_letter(Some(at + 1));
    given.iter().enumerate().map(|(at, c)| if within(at) { letter_for(*c) } else { *c }).collect()
}

const fn letter_for(c: char) -> char {
    match c {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other => other,
    }
}

fn run_bits(run: &[char]) -> f64 {
    let Some(first) = run.first() else { return 0.0 };
    let each = match Class::of(*first) {
        Class::Letter => LETTER_BITS,
        Class::Digit => DIGIT_BITS,
        Class::Ideograph => IDEOGRAPH_BITS,
        Class::Space => return 0.0,
        Class::Sign => SIGN_BITS,
    };
    let length = run.len() as f64;
    if is_sequence(run) {
        return each + length.log2();
    }
    match Class::of(*first) {
        Class::Letter => {
            let beyond = run.len().saturating_sub(WORD_LETTERS) as f64;
            (each * length).min(WORD_BITS) + FURTHER_LETTER_BITS * beyond
        }
        Class::Digit if is_year(run) => YEAR_BITS,
        _ => each * length,
    }
}

/// `aaaa`, `1234`, `9876`.
fn is_sequence(run: &[char]) -> bool {
    let steps: BTreeSet<i64> = run.windows(2).map(step).collect();
    run.len() > 2 && steps.len() == 1 && steps.iter().all(|step| step.abs() <= 1)
}

fn step(pair: &[char]) -> i64 {
    match pair {
        [a, b] => i64::from(u32::from(*b)) - i64::from(u32::from(*a)),
        _ => 0,
    }
}

fn is_year(digits: &[char]) -> bool {
    matches!(digits, ['1', '9', _, _] | ['2', '0', _, _])
}

#[cfg(test)]
mod tests {
    use super::{ENOUGH_BITS, bits};

    #[test]
    fn a_word_or_two_is_weak_however_it_is_dressed_up() {
        for weak in [
            "password",
            "Password123!",
            "P@ssw0rd2024!",
            "correct horse",
            "correct correct correct correct",
            "hunter2hunter2",
            "internationalization",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "123456789",
            "abcdefghijklmnopqrstuvwxyz",
            "qwertyuiop",
            "19.05.1987",
            "x",
        ] {
            assert!(bits(weak) < ENOUGH_BITS, "{weak}: {}", bits(weak));
        }
    }

    #[test]
    fn four_words_and_random_characters_are_strong() {
        for strong in [
            "correct horse battery staple",
            "correct-horse-battery-staple",
            "correcthorsebatterystaple",
            "a passphrase of the deployment",
            "d75a980182b10ab7d54bfed3c964073a",
            "h7$Kq2!vTz9@Lw",
            "kyj8 w2rq 0zvm 5xtc",
            "Der Hund bellt nachts am Fluss",
        ] {
            assert!(bits(strong) >= ENOUGH_BITS, "{strong}: {}", bits(strong));
        }
    }
}
