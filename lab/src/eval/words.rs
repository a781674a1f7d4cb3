//! Comparing what a label asks for with what a model wrote, by words: case, articles, punctuation, plurals and the
//! spelling of small numbers make no difference.

use serde::Deserialize;

/// Alternatives, any of which will do; written with `|` between them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct Pattern {
    written: String,
    alternatives: Vec<Vec<String>>,
}

impl From<String> for Pattern {
    fn from(written: String) -> Self {
        let alternatives = written.split('|').map(words).filter(|words| !words.is_empty()).collect();
        Self { written, alternatives }
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.written)
    }
}

impl Pattern {
    pub fn is_empty(&self) -> bool {
        self.alternatives.is_empty()
    }

    /// All words of an alternative, in any order: a value may be put in many ways.
    pub fn is_in(&self, text: &[String]) -> bool {
        self.alternatives.iter().any(|wanted| wanted.iter().all(|word| text.iter().any(|w| same(w, word))))
    }

    /// Whether the text is a part of an alternative: "Postgres" where "Postgres 16" is asked for.
    pub fn has_part(&self, text: &[String]) -> bool {
        !text.is_empty()
            && self
                .alternatives
                .iter()
                .any(|whole| text.iter().all(|word| whole.iter().any(|w| same(w, word))))
    }

    /// Whether one of the words begins a word of the text: "deploy" speaks of a "deployment target".
    pub fn begins_in(&self, text: &[String]) -> bool {
        self.alternatives.iter().any(|wanted| wanted.iter().all(|s| text.iter().any(|w| begins(w, s))))
    }

    /// Whether the text says that an alternative holds: its words in a row, and nothing beside them that takes it
    /// back. "Moved from MySQL", "no penicillin allergy" and "considering Berlin" assert none of the three.
    pub fn is_asserted_in(&self, text: &[String]) -> bool {
        self.alternatives.iter().any(|wanted| {
            text.windows(wanted.len()).enumerate().any(|(at, window)| {
                window.iter().zip(wanted).all(|(a, b)| same(a, b)) && !taken_back(text, at, wanted.len())
            })
        })
    }
}

/// A start of four letters may be followed by anything. "own" begins "owner" and "run" begins "running", but "car" does
/// not begin "cargo", so that after three only an ending follows; two letters are a word of their own.
fn begins(word: &str, start: &str) -> bool {
    const ENDINGS: &str = "ed er ers ing ings ment ments";
    let (word, start) = (word.to_lowercase(), start.to_lowercase());
    let Some(rest) = word.strip_prefix(&start) else { return same(&word, &start) };
    let doubled = || start.chars().last().and_then(|last| rest.strip_prefix(last));
    match start.chars().count() {
        0..=2 => same(&word, &start),
        3 => same(&word, &start) || is_of(rest, ENDINGS) || doubled().is_some_and(|r| is_of(r, ENDINGS)),
        _ => true,
    }
}

/// How many words before a value can take it back.
const REACH: usize = 5;
/// How many words before a value can name it as what was left behind: "moved from MySQL", "it was MySQL". From farther
/// off the same words may well assert it: "was moved to Postgres".
const NEAR: usize = 2;

/// Words that say, before a value, that it does not hold, or not now, or not for sure.
const DOUBTS: &str = "no not never none without instead formerly former previously previous until longer might may \
    maybe could would possibly probably considering considers planning plans planned thinking if unconfirmed will \
    scheduled upcoming";
/// Words that say, close before a value, that it was left behind.
const LEAVINGS: &str = "from than over off leaving was were used replaced replacing replaces stopped dropped removed ended quit \
    cancelled canceled discontinued removal end";
/// Words that say, right behind a value, that it has gone.
const ENDINGS: &str = "stopped dropped removed ended discontinued cancelled canceled retired gone retracted previously \
    before removal";

fn taken_back(text: &[String], at: usize, length: usize) -> bool {
    let before = || text.iter().take(at).rev();
    before().take(REACH).any(|word| is_of(word, DOUBTS) || word.ends_with("n't"))
        || before().take(NEAR).any(|word| is_of(word, LEAVINGS))
        || text.iter().skip(at + length).take(2).any(|word| is_of(word, ENDINGS))
}

/// Whether a value says of its subject that it is not so: "none", "no longer", "not applicable".
pub fn is_denial(value: &[String]) -> bool {
    const DENIALS: &str = "no none not never false nothing removed stopped ended cancelled canceled discontinued inactive retracted";
    value.first().is_some_and(|word| is_of(word, DENIALS))
}

/// Whether a value says nothing but that its subject is so: then the subject is what is held.
pub fn is_affirmation(value: &[String]) -> bool {
    const AFFIRMATIONS: &str = "true yes active current present used in use confirmed";
    !value.is_empty() && value.iter().all(|word| is_of(word, AFFIRMATIONS))
}

/// Whether the word is on a list of words with spaces between them.
fn is_of(word: &str, list: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// Whether an answer says that what it gives may be about to change.
pub fn is_reserved(answer: &str) -> bool {
    const PHRASES: [&str; 7] = [
        "waits for confirmation",
        "awaits confirmation",
        "awaiting confirmation",
        "pending",
        "unconfirmed",
        "not confirmed",
        "not yet confirmed",
    ];
    let answer = answer.to_lowercase();
    PHRASES.iter().any(|phrase| answer.contains(phrase))
}

fn same(a: &str, b: &str) -> bool {
    let plural = |one: &str, many: &str| {
        many.strip_prefix(one).is_some_and(|rest| one.len() > 1 && (rest == "s" || rest == "es"))
    };
    a == b || plural(a, b) || plural(b, a)
}

/// Capitals that would be an everyday word without them: "IT" is a department, "it" is not.
const CAPITALS: [&str; 5] = ["ALL", "IT", "OR", "US", "WHO"];

/// The words of a text, in the form in which they are compared.
pub fn words(text: &str) -> Vec<String> {
    let text = text.replace('’', "'");
    let letters: Vec<char> = text.chars().collect();
    let mut spaced = String::new();
    for (at, letter) in letters.iter().copied().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at)).copied().unwrap_or(' ');
        let after = letters.get(at + 1).copied().unwrap_or(' ');
        match letter {
            // "10mg" and "10 mg" are the same, and so are "8%" and "8 %"; "v2" is one word.
            _ if (letter.is_alphabetic() || letter == '%') && before.is_ascii_digit() => {
                spaced.extend([' ', letter]);
            }
            // "C#", but "#general" is the channel "general".
            '#' if !before.is_alphanumeric() => spaced.push(' '),
            _ if letter.is_alphanumeric() || "+#%".contains(letter) => spaced.push(letter),
            // "2.5" and "node.js", but not the end of a sentence; "1,200" is 1200.
            '.' if before.is_alphanumeric() && after.is_alphanumeric() => spaced.push(letter),
            ',' if before.is_ascii_digit() && after.is_ascii_digit() => {}
            '\'' if before.is_alphanumeric() && after.is_alphabetic() => spaced.push(letter),
            _ => spaced.push(' '),
        }
    }
    let mut words: Vec<String> = Vec::new();
    let mut tens: Option<usize> = None;
    let lowered = |word: &str| if CAPITALS.contains(&word) { word.to_owned() } else { word.to_lowercase() };
    for word in spaced.split_whitespace().map(lowered) {
        let word = word.strip_suffix("'s").unwrap_or(&word);
        let number = number(word);
        match (tens, number) {
            // "twenty five"
            (Some(tens), Some(ones @ 1..=9)) => {
                words.pop();
                words.push((tens + ones).to_string());
            }
            (_, Some(number)) => words.push(number.to_string()),
            _ if !["a", "an", "the"].contains(&word) => words.push(word.to_owned()),
            _ => {}
        }
        tens = number.filter(|number| *number >= 20);
    }
    words
}

/// The number that a word below a hundred means.
fn number(word: &str) -> Option<usize> {
    const SMALL: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let position = |list: &[&str]| list.iter().position(|number| *number == word);
    position(&SMALL).or_else(|| Some((position(&TENS)? + 2) * 10))
}

#[cfg(test)]
mod tests {
    use super::{Pattern, is_reserved, words};
    use model::is_ignorance;

    fn pattern(text: &str) -> Pattern {
        Pattern::from(text.to_owned())
    }

    #[test]
    fn spelling_that_means_the_same_compares_the_same() {
        for (one, other) in [
            ("The Blue House", "blue house"),
            ("10mg twice a day", "10 mg, twice a day."),
            ("$1,200", "1200"),
            ("three kids", "3 kids"),
            ("thirty quid and twenty-five pence", "30 quid and 25 pence"),
            ("8%", "8 %"),
            ("#design-attic", "design attic"),
            ("Dana’s team", "dana's team"),
        ] {
            assert_eq!(words(one), words(other), "{one} / {other}");
        }
        assert_ne!(words("C++"), words("C"));
        assert_ne!(words("C#"), words("C"));
        assert_ne!(words("2.5"), words("25"));
    }

    #[test]
    fn a_value_is_found_by_whole_words_in_any_order() {
        assert!(pattern("peanut allergy").is_in(&words("an allergy to peanuts")));
        assert!(pattern("Postgres|PostgreSQL").is_in(&words("PostgreSQL 16 on RDS")));
        assert!(!pattern("Java").is_in(&words("JavaScript")));
    }

    #[test]
    fn two_and_three_letters_are_a_label() {
        assert!(pattern("AF").is_in(&words("paroxysmal AF")));
        assert!(pattern("PR").is_in(&words("three PRs")));
        assert!(pattern("IT").is_in(&words("works in IT")) && !pattern("IT").is_in(&words("it moved")));
        let begins = |start: &str, text: &str| pattern(start).begins_in(&words(text));
        assert!(begins("CI", "ci provider") && begins("IT", "it team") && !begins("CI", "city"));
        assert!(begins("own", "owner") && begins("run", "running on") && !begins("car", "cargo"));
    }

    #[test]
    fn words_beside_a_value_can_take_it_back() {
        let asserted = |value: &str, text: &str| pattern(value).is_asserted_in(&words(text));
        assert!(asserted("MySQL", "MySQL 8"));
        assert!(asserted("Berlin", "works in Berlin"));
        assert!(asserted("Postgres", "was moved to Postgres"));
        assert!(!asserted("MySQL", "moved from MySQL to Postgres"));
        assert!(!asserted("penicillin", "no known allergy to penicillin"));
        assert!(!asserted("Berlin", "considering a move to Berlin"));
        assert!(!asserted("metformin", "metformin (stopped)"));
    }

    #[test]
    fn not_knowing_is_recognised() {
        assert!(is_ignorance("I don’t know which bank it is."));
        assert!(is_ignorance("The facts do not say."));
        assert!(is_ignorance("That is not remembered.") && is_ignorance("Not known."));
        assert!(is_ignorance("I don't have that.") && !is_ignorance("You don't have to pay."));
        assert!(!is_ignorance("It is Postgres."));
    }

    #[test]
    fn a_reservation_is_recognised() {
        assert!(is_reserved("Heroku. A change to this waits for confirmation."));
        assert!(is_reserved("Heroku, though a move to Fly is pending."));
        assert!(!is_reserved("It is Heroku."));
    }
}
