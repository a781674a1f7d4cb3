//! What can only be understood by what was said before: "its gruvbox", "two days of it".

use super::comparing::{set, words_of};
use super::parts::Part;
use super::sentences::{has_finite_verb, sentences};
use super::words::Word;
use domain::Fact;

/// Whether a part points to something that it does not name, and has no word of anything that is held.
pub(super) fn dangles(part: &Part<'_>, held: &[&Fact]) -> bool {
    let said = set(&part.text);
    let leads = |fact: &&Fact| !said.is_disjoint(&words_of(fact));
    points(&part.text) && !held.iter().any(leads)
}

/// "Sorry, I meant Wednesday", "oops, B21": whether a statement puts right what was told before.
pub(super) fn corrects(statement: &str) -> bool {
    const MOST: usize = 6;
    let plain = statement.to_lowercase();
    let words: Vec<&str> =
        plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let regrets = matches!(words.as_slice(), ["sorry" | "oops" | "whoops" | "argh", ..] | ["no", "wait", ..]);
    let meant = words.windows(2).any(|pair| matches!(pair, ["i", "meant" | "mean"]));
    regrets && words.len() <= MOST && (meant || !has_finite_verb(&sentences(statement).concat()))
}

/// What has more words than these tells enough by itself.
const FEW: usize = 4;
/// The same for what somebody does to it: "Handelsbanken granted it, 750k, at Euribor plus 1.9".
const FEW_OF_IT: usize = 6;

pub(super) fn points(text: &str) -> bool {
    let words = sentences(text).concat();
    let has_verb = has_finite_verb(&words);
    let is = |at: usize, any: &[&str]| words.get(at).is_some_and(|word| word.is_any(any));
    let closes = |at: usize| words.get(at + 1).is_none_or(Word::is_mark);
    let is_it =
        |at: usize| is(at, &["it", "this", "that", "those", "these", "them"]) && !is_department(&words, at);
    // "Its gruvbox", "it's with Aviva".
    let opens = is_it(0) && is(1, &["is", "'s", "are", "was"]) || is(0, &["its"]) && !has_verb;
    // "Two days of it", "that lot".
    let is_lot = |at: usize| is(at, &["lot", "one", "bunch"]) && closes(at);
    let ends = (1..words.len()).any(|at| is_it(at) && closes(at))
        || (0..words.len()).any(|at| is_it(at) && is_lot(at + 1));
    // "It's my birthday", "it's Ann who pays", "it's raining" name what they are about, or nothing.
    let tells_which = |at: usize| is(at, &["who", "which", "when"]) && !(at > 0 && is(at - 1, &["of", ","]));
    let own = (0..words.len()).any(|at| is(at, &["my", "our"]) || tells_which(at))
        || words.iter().any(|w| w.low.ends_with("ing") && opens);
    // "In Tromsø"
    let is_where =
        is(0, &["in", "at", "near"]) && words.len() > 1 && words.iter().skip(1).all(Word::is_capital);
    let few = if ends { FEW_OF_IT } else { FEW };
    (opens || ends || is_where) && !own && set(text).len() <= few
}

/// "I work in IT".
fn is_department(words: &[Word], at: usize) -> bool {
    words.get(at).is_some_and(|word| word.text == "IT")
}

#[cfg(test)]
mod tests {
    use super::{corrects, points};

    #[test]
    fn a_correction_speaks_of_what_was_told_before() {
        for statement in
            ["Sorry, I meant Wednesday.", "Oops, B21.", "No wait, 43.", "sorry i meant the Savoy"]
        {
            assert!(corrects(statement), "{statement}");
        }
        for statement in ["Sorry, I am late.", "Wait for Ann.", "No, my rent is 900.", "I meant well."] {
            assert!(!corrects(statement), "{statement}");
        }
    }

    #[test]
    fn what_names_its_subject_points_nowhere() {
        for text in [
            "its gruvbox",
            "It's with Aviva",
            "Two days of it",
            "we have Ann doing that",
            "That is 40 now",
            "Slow, that lot",
            "In Tromsø",
            "It's for 250,000, of which 90,000 is drawn",
            "Handelsbanken granted it, 750k, at Euribor plus 1.9",
        ] {
            assert!(points(text), "{text}");
        }
        for text in [
            "The repo has its own linter",
            "Ann said that she is ill",
            "Those pumps are new",
            "Rent is 900",
            "I work in IT",
            "It's my birthday on 5 May",
            "It takes me an hour to get to work",
            "It's Ann who does the payroll",
            "This is my dog Rex",
            "In May we move",
        ] {
            assert!(!points(text), "{text}");
        }
    }
}
