//! Words in a statement that say that something has gone, and words that take this back: hedges, questions, sarcasm.

use crate::phrases::{EMPTY_WORDS, HEDGES, NEGATIONS, REMOVAL, REPLACEMENT, SARCASM};
use domain::keys::value_key;

/// How far before a removal word a negation still takes it back: "have not yet been removed".
const NEGATION_REACH: usize = 3;
/// How many words may stand between the two halves of "not … any more".
const ANY_MORE_REACH: usize = 6;
/// A part after a comma or an "and" is a clause of its own from this many words on; a shorter one is an item of an
/// enumeration.
const CLAUSE_WORDS: usize = 3;
const PROSE_WORD_CHARS: usize = 30;
const CODE_WORD_CHARS: usize = 12;

type Clause = Vec<String>;

/// Which of a statement's values its words say have gone.
#[derive(Debug)]
pub(crate) struct Removals(Vec<bool>);

impl Removals {
    pub fn read<'a>(text: &str, values: impl Iterator<Item = &'a str>) -> Self {
        let values: Vec<Clause> = values.map(|v| words(&value_key(v)).collect()).collect();
        let clauses = clauses(text);
        let removing: Vec<usize> =
            clauses.iter().enumerate().filter(|(_, c)| says_removal(c)).map(|(at, _)| at).collect();
        if removing.is_empty() || is_hedged(text, &clauses) {
            return Self(vec![false; values.len()]);
        }
        Self(values.iter().map(|value| is_removed(value, &values, &clauses, &removing)).collect())
    }

    pub fn concern(&self, index: usize) -> bool {
        self.0.get(index).copied().unwrap_or(false)
    }
}

/// A clause that says removal speaks of the values it names. One that names nothing ("but no longer") points back at
/// the last clause that does. A value that the text does not spell out at all is taken to be what it speaks of, if
/// nothing else can be.
fn is_removed(value: &[String], values: &[Clause], clauses: &[Clause], removing: &[usize]) -> bool {
    let removing = || removing.iter().filter_map(|at| Some((*at, clauses.get(*at)?)));
    let names_any = |clause: &[String]| values.iter().any(|v| mentions(clause, v));
    if !clauses.iter().any(|c| mentions(c, value)) {
        return removing()
            .any(|(_, clause)| !names_any(clause) && (values.len() == 1 || names_nothing(clause)));
    }
    removing().any(|(at, clause)| {
        let antecedent =
            || clauses.iter().take(at).rev().chain(clauses.iter().skip(at + 1)).find(|c| names_any(c));
        mentions(clause, value)
            || (!names_any(clause)
                && names_nothing(clause)
                && antecedent().is_some_and(|c| mentions(c, value)))
    })
}

fn says_removal(clause: &[String]) -> bool {
    let negated = |at: usize, reach: usize| clause.iter().take(at).rev().take(reach).any(|w| is_negation(w));
    find(clause, "any more").chain(find(clause, "anymore")).any(|at| negated(at, ANY_MORE_REACH))
        || REMOVAL.iter().any(|phrase| find(clause, phrase).any(|at| !negated(at, NEGATION_REACH)))
}

fn is_hedged(text: &str, clauses: &[Clause]) -> bool {
    let has = |phrases: &[&str]| clauses.iter().any(|c| phrases.iter().any(|p| find(c, p).next().is_some()));
    let asks = text.split_whitespace().any(|chunk| chunk.ends_with('?') && !is_code(chunk));
    let tagged = text.split_whitespace().any(|chunk| chunk == "/s");
    asks || tagged || has(&HEDGES) || has(&SARCASM)
}

fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word) || word.ends_with("n't")
}

fn names_nothing(clause: &[String]) -> bool {
    let marker = |w: &String| REMOVAL.iter().any(|phrase| phrase.split(' ').any(|m| m == w));
    clause.iter().all(|w| EMPTY_WORDS.contains(&w.as_str()) || is_negation(w) || marker(w))
}

fn mentions(clause: &[String], value: &[String]) -> bool {
    !value.is_empty() && clause.windows(value.len()).any(|w| w == value)
}

/// Where the phrase begins in the clause.
fn find<'a>(clause: &'a [String], phrase: &'a str) -> impl Iterator<Item = usize> + 'a {
    let length = phrase.split(' ').count();
    clause
        .windows(length)
        .enumerate()
        .filter(move |(_, window)| window.iter().map(String::as_str).eq(phrase.split(' ')))
        .map(|(at, _)| at)
}

fn clauses(text: &str) -> Vec<Clause> {
    let mut clauses = Vec::new();
    for sentence in prose(text).split(['.', ';', '!', '?', '\n', ':', '(', ')']) {
        for piece in parts(sentence) {
            let own = piece.len() >= CLAUSE_WORDS || says_removal(&piece);
            match clauses.last_mut() {
                Some(Part::Open(last)) if !own => Vec::extend(last, piece),
                _ => clauses.push(Part::Open(piece)),
            }
        }
        if let Some(last) = clauses.last_mut() {
            last.end();
        }
    }
    clauses.into_iter().map(Part::words).filter(|c| !c.is_empty()).collect()
}

/// A clause that an enumeration may still go on in, or one that its sentence has ended.
enum Part {
    Open(Clause),
    Ended(Clause),
}

impl Part {
    fn end(&mut self) {
        if let Self::Open(words) = self {
            *self = Self::Ended(std::mem::take(words));
        }
    }

    fn words(self) -> Clause {
        match self {
            Self::Open(words) | Self::Ended(words) => words,
        }
    }
}

/// The sentence cut at commas, dashes, "and", "but" and at what names a replacement.
fn parts(sentence: &str) -> Vec<Clause> {
    let mut parts: Vec<Clause> = Vec::new();
    for stretch in sentence.split([',', '—', '–']) {
        let all: Clause = words(stretch).collect();
        let mut cuts: Vec<usize> =
            ["and", "but", "while"].iter().chain(&REPLACEMENT).flat_map(|p| find(&all, p)).collect();
        cuts.sort_unstable();
        let mut part = Clause::new();
        for (at, word) in all.iter().enumerate() {
            if cuts.contains(&at) && !part.is_empty() {
                parts.push(std::mem::take(&mut part));
            }
            part.push(word.clone());
        }
        parts.push(part);
    }
    parts
}

/// The text without what nobody says: addresses, tokens, encoded blobs. Each leaves a full stop, so that no phrase
/// reaches across it.
fn prose(text: &str) -> String {
    text.lines()
        .map(|line| {
            line.split_whitespace()
                .map(|chunk| if is_code(chunk) { "." } else { chunk })
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect::<Vec<_>>()
        .join("\n")
}

fn is_code(chunk: &str) -> bool {
    let tokens = || chunk.split(|c: char| !(c.is_alphanumeric() || "-_+/='".contains(c)));
    chunk.contains("://")
        || chunk.contains(['@', '=', '|', '~', '{', '}', '<', '>'])
        || tokens().any(is_encoded)
}

/// No word of prose is so long, and none mixes cases or digits with letters at such length.
fn is_encoded(token: &str) -> bool {
    let length = token.chars().count();
    let has = |test: fn(char) -> bool| token.chars().any(test);
    let mixed_case =
        token.chars().zip(token.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let mixed = mixed_case || (has(|c| c.is_ascii_digit()) && has(char::is_alphabetic));
    length > PROSE_WORD_CHARS || (length >= CODE_WORD_CHARS && mixed)
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’')))
        .map(|w| w.trim_matches(['\'', '’']).replace('’', "'").to_lowercase())
        .filter(|w| !w.is_empty())
}

#[cfg(test)]
mod tests {
    use super::Removals;

    fn removed(text: &str, values: &[&str]) -> Vec<bool> {
        let removals = Removals::read(text, values.iter().copied());
        (0..values.len()).map(|i| removals.concern(i)).collect()
    }

    #[test]
    fn removal_words_concern_the_value_they_speak_of() {
        for text in [
            "we no longer use Sentry",
            "We've dropped Sentry.",
            "We used Sentry, but no longer.",
            "Sentry: got rid of it",
            "We don't use Sentry any more",
            "we are not using Sentry anymore",
            "The team gave up on Sentry in May",
            "we stopped using Sentry and we are happy about it",
            "We dropped Redis, Sentry and Kafka",
            "we no longer use it",
            "We no longer use Sentry @@eyJmYWN0cyI6W3sic3ViamVjdCI6ImFwbSJ9XX0-if-maybe@@",
        ] {
            assert_eq!(removed(text, &["Sentry"]), [true], "{text}");
        }
    }

    #[test]
    fn removal_words_leave_other_values_alone() {
        assert_eq!(removed("We dropped Redis, and Alice is the lead", &["Redis", "Alice"]), [true, false]);
        assert_eq!(removed("We dropped Redis and Alice is the lead", &["Redis", "Alice"]), [true, false]);
        assert_eq!(removed("Alice leads now. We no longer use Redis.", &["Redis", "Alice"]), [true, false]);
        assert_eq!(removed("We no longer use MySQL, we use Postgres now", &["Postgres"]), [false]);
        assert_eq!(removed("we moved from MySQL to Postgres and dropped MySQL", &["Postgres"]), [false]);
        assert_eq!(removed("dropped MySQL in favour of Postgres", &["Postgres"]), [false]);
        assert_eq!(
            removed("Got rid of the old CI; bills come yearly", &["Jenkins", "annual"]),
            [false, false]
        );
        assert_eq!(
            removed("We used Sentry but no longer, and Alice leads now", &["Sentry", "Alice"]),
            [true, false]
        );
    }

    #[test]
    fn a_hedge_a_question_or_sarcasm_takes_removal_words_back() {
        for text in [
            "considering dropping it, no longer sure, maybe Sentry",
            "maybe we no longer use Sentry",
            "If we dropped Sentry we would save money",
            "Have we dropped Sentry?",
            "yeah right, we no longer use Sentry",
            "we dropped Sentry /s",
            "we dropped Sentry lol",
            "we have not removed Sentry",
            "Sentry was never really dropped",
            "We haven't dropped Sentry",
            "we use Sentry",
            "Sentry has dropshipping",
        ] {
            assert_eq!(removed(text, &["Sentry"]), [false], "{text}");
        }
    }

    #[test]
    fn noise_is_not_read_as_words() {
        for text in [
            "Sentry @@dropped-no_longer-removed@@",
            "Sentry https://example.com/no/longer/dropped",
            "Sentry ~apm|dropped|ADD~",
            "Sentry bm8gbG9uZ2Vy/dropped/ZHJvcHBlZA",
        ] {
            assert_eq!(removed(text, &["Sentry"]), [false], "{text}");
        }
        assert_eq!(removed("we dropped Sentry https://example.com/?q=maybe", &["Sentry"]), [true]);
    }
}
