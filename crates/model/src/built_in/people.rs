//! What statements about people leave alone: who somebody is to us, and what is said of somebody else.

use super::comparing::{has_any, set, words_of};
use super::words::{Tag, Word};
use domain::Fact;

/// Whether a statement has nothing in common with a fact but names.
pub(super) fn shares_only_names(said: &[Word], fact: &Fact) -> bool {
    let known = words_of(fact);
    let mut shared = said.iter().filter(|word| !set(&word.text).is_disjoint(&known)).peekable();
    shared.peek().is_some()
        && shared.all(|word| word.tag == Tag::Name || word.tag == Tag::Noun && word.is_capital())
}

/// Whether a fact says who of the family somebody is.
pub(super) fn is_relative(fact: &Fact) -> bool {
    const FAMILY: [&str; 34] = [
        "husband",
        "wife",
        "son",
        "sons",
        "daughter",
        "daughters",
        "child",
        "children",
        "kid",
        "kids",
        "mother",
        "father",
        "mum",
        "mom",
        "dad",
        "brother",
        "sister",
        "parents",
        "cousin",
        "uncle",
        "aunt",
        "nephew",
        "niece",
        "grandmother",
        "grandfather",
        "gran",
        "grandma",
        "grandpa",
        "stepmum",
        "stepdad",
        "stepson",
        "twins",
        "eldest",
        "youngest",
    ];
    let attribute = fact.subject.rsplit([' ', '_']).next().unwrap_or_default();
    let is_name = set(&fact.value).is_subset(&set(&fact.subject)) && has_any(&fact.text, &FAMILY);
    FAMILY.contains(&attribute) || is_name || has_any(&fact.value, &FAMILY)
}

/// "We moved to Berlin", where the fact says where we live.
pub(super) fn moves_from(said: &[Word], fact: &Fact) -> bool {
    let at = |place: usize| said.get(place);
    let moved = |place: usize| at(place).is_some_and(|word| word.is_any(&["moved", "relocated"]));
    let to = |place: usize| {
        at(place).is_some_and(|word| word.is("to")) && at(place + 1).is_some_and(Word::is_capital)
    };
    let we = |place: usize| at(place).is_some_and(|word| word.is_any(&["i", "we", "i've", "we've"]));
    let moves = |place: usize| (1..=2).any(|next| moved(place + next) && to(place + next + 1));
    fact.subject == "user's home" && (0..said.len()).any(|place| we(place) && moves(place))
}

/// Whether somebody has died or parted from somebody.
pub(super) fn tells_of_parting(said: &[Word]) -> bool {
    const PARTING: [&str; 9] =
        ["died", "dead", "death", "divorce", "divorced", "divorcing", "separated", "widowed", "dumped"];
    said.iter().any(|word| word.is_any(&PARTING))
}

/// Whether that may be what is told.
pub(super) fn may_part(said: &[Word]) -> bool {
    const MAYBE_PARTING: [&str; 13] = [
        "passed",
        "split",
        "left",
        "leaving",
        "ex",
        "married",
        "remarried",
        "broke",
        "together",
        "apart",
        "walked",
        "engaged",
        "adopted",
    ];
    tells_of_parting(said) || said.iter().any(|word| word.is_any(&MAYBE_PARTING))
}

/// "She is 40" where the fact says how old I am, but not "they moved my flight", nor where it is told of my sister.
pub(super) fn is_of_another(said: &[Word], fact: &Fact) -> bool {
    let own = fact.subject.strip_prefix("user's ").is_some_and(|what| !what.contains("'s "));
    let other =
        said.first().is_some_and(|word| word.is_any(&["he", "she", "they", "he's", "she's", "they're"]));
    own && other && !said.iter().any(|word| word.is_any(&["my", "our", "me", "us"]))
}

/// Whether a fact says what the one who told it is called.
pub(super) fn is_own_name(fact: &Fact) -> bool {
    matches!(fact.subject.as_str(), "user's name" | "preferred_name")
}

/// Whether it may do so.
pub(super) fn may_be_own_name(fact: &Fact) -> bool {
    is_own_name(fact) || tells_own_name(&fact.text)
}

/// Whether a text may say what the one who tells it is called.
pub(super) fn tells_own_name(text: &str) -> bool {
    const OPENING: [&str; 8] =
        [" i'm ", " im ", " i am ", " my name", " call me ", " named me ", " this is ", " here"];
    let told = format!(" {} ", text.to_lowercase().replace('’', "'"));
    OPENING.iter().any(|opening| told.contains(opening))
}
