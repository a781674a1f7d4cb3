//! "If": a standing rule, a courtesy, or something that is only supposed.

use super::super::classes::Class;
use super::super::lexicon::LEXICON;
use super::super::verb_group::is_past;
use super::super::words::{Tag, Word};
use super::view;

/// Behind "if" these make an idiom and no condition.
const IDIOMS: [&str; 22] = [
    "possible",
    "needed",
    "necessary",
    "required",
    "any",
    "so",
    "not",
    "applicable",
    "urgent",
    "ever",
    "that",
    "desired",
    "relevant",
    "memory",
    "anything",
    "asked",
    "appropriate",
    "preferred",
    "you",
    "anyone",
    "tolerated",
    "indicated",
];

/// Whether the words begin with a condition, which then reaches over all that follows. With an order behind its comma it
/// is a standing rule: "If the INR is above 3, hold the warfarin".
pub(super) fn opens(words: &[Word]) -> bool {
    let ordered = words.windows(2).any(|w| matches!(w, [a, b] if a.is(",") && Class::Base.holds(b)));
    words.first().is_some_and(|w| w.is_any(&["if", "unless"])) && !ordered && is_supposed(&view(words))
}

/// Whether what is said hangs on a condition that is not a standing rule.
pub(super) fn is_supposed(words: &[Word]) -> bool {
    let Some(at) = words.iter().position(|w| w.is_any(&["if", "unless"])) else { return false };
    let before = at.checked_sub(1).and_then(|i| words.get(i));
    let next = words.get(at + 1);
    if before.is_some_and(|w| w.is_any(&["as", "even", "only"])) && !before.is_some_and(|w| w.is("even")) {
        return false;
    }
    let tail = words.get(at + 1..).unwrap_or_default();
    let unreal =
        tail.iter().chain(words.iter().take(at)).any(|w| w.is_any(&["would", "could", "might", "were"]))
            || tail.iter().take(6).find(|w| matches!(w.tag, Tag::Verb | Tag::Aux)).is_some_and(is_past);
    if unreal {
        return true;
    }
    // "It will be placed on Tuesday if bloods allow" is a plan.
    if at > 0 && LEXICON.futures.hold(words) {
        return false;
    }
    let idiom = next.is_none_or(|w| IDIOMS.contains(&w.low.as_str()));
    !idiom && !is_rule(words, at)
}

/// "Call the daughter if the glucose drops", "if a ticket sits for four hours, a supervisor gets it".
fn is_rule(words: &[Word], at: usize) -> bool {
    let order = |w: Option<&Word>| w.is_some_and(|w| Class::Base.holds(w) && !w.is_any(&["have"]));
    let told = words.iter().any(|w| {
        w.is_any(&[
            "rule", "policy", "always", "only", "never", "must", "protocol", "call", "page", "ring", "ping",
            "text", "escalate", "notify",
        ])
    });
    let general = words.get(at + 1).is_some_and(|w| {
        w.is_any(&[
            "a",
            "an",
            "any",
            "anything",
            "anyone",
            "someone",
            "somebody",
            "something",
            "you",
            "nobody",
            "there",
            "no",
        ])
    });
    at > 0 && order(words.first()) || told || general
}
