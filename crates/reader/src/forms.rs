//! The forms of clauses that are read, each with an example.

use crate::lexicon::{LEXICON, Relation};
use crate::reading::{Arity, Pointers, Reading, Shift, TAKES};
use crate::topic::{Topic, thing};
use crate::value_phrase::{bounded, is_value, timeless, value};
use crate::verb_group::VerbGroup;
use crate::word::{Tag, Word, spell};

/// "The deadline is Friday", "Anna is a nurse", "the lamp is in the hall".
pub(crate) fn copula(topic: &Topic, group: &VerbGroup, rest: &[Word], to: &Pointers) -> Option<Reading> {
    let first = rest.first()?;
    let second = rest.get(1);
    let now = rest.iter().any(|w| w.is("now"));
    let shift = if now && !group.no_longer { Shift::Became { from: None } } else { group.shift() };
    // "due on Friday", "allergic to latex"
    if let Some(Relation::Attribute(attribute)) = second
        .filter(|w| w.is_preposition())
        .and_then(|particle| LEXICON.relation(&LEXICON.verb(&first.low), Some(&particle.low)))
    {
        let name = attribute.clone().unwrap_or_else(|| spell(rest.get(..2).unwrap_or_default()));
        return Some(Reading {
            subject: topic.attribute(&name),
            value: value(rest.get(2..)?),
            shift,
            arity: Arity::One,
        });
    }
    if first.is("allergic") && second.is_some_and(|w| w.is("to")) {
        let value = value(rest.get(2..)?);
        return Some(Reading { subject: topic.attribute("allergy"), value, shift, arity: Arity::Many });
    }
    if first.is_any(&[
        "going", "gonna", "about", "like", "not", "no", "so", "very", "really", "that", "why", "how",
    ]) {
        return None;
    }
    // "Acme is on the Gold plan"
    if let [on, the, given @ .., what] = rest
        && on.is_any(&["on", "in"])
        && the.is_any(&["the", "our", "their"])
        && (1..=3).contains(&given.len())
        && what.tag == Tag::Noun
        && given.iter().all(|w| w.is_capital() || w.has_digit())
        && !topic.name.is_empty()
    {
        return Some(Reading {
            subject: topic.attribute(&what.low),
            value: spell(given),
            shift,
            arity: Arity::One,
        });
    }
    // "Mr. Ito is in bed 14"
    if let [on, what, number] = rest
        && on.is_any(&["on", "in", "at"])
        && what.tag == Tag::Noun
        && number.has_digit()
        && !topic.name.is_empty()
    {
        return Some(Reading {
            subject: topic.attribute(&what.low),
            value: number.text.clone(),
            shift,
            arity: Arity::One,
        });
    }
    // "Ana is the owner of the search service": the value is who it is.
    let of =
        rest.iter().position(|w| w.is("of") || w.is("for")).filter(|_| first.is("the") && topic.is_person);
    if let Some(at) = of.filter(|at| *at + 1 < rest.len()) {
        let subject = format!("{} {}", thing(rest.get(at + 1..)?, to), thing(rest.get(..at)?, to));
        return Some(Reading { subject, value: title(&topic.name), shift, arity: Arity::One });
    }
    if topic.name.is_empty() || topic.name == to.me && !is_value(rest) {
        return None;
    }
    if rest.len() == 1 && first.low.ends_with("ing") && first.tag != Tag::Name {
        return None;
    }
    let is_adjective = rest.len() == 1 && first.tag == Tag::Adjective && !first.has_digit();
    let value = value(rest);
    if topic.is_person || topic.name == to.me {
        if LEXICON.kind(&value) == Some("diet") {
            return Some(Reading { subject: topic.attribute("diet"), value, shift, arity: Arity::One });
        }
        let is_sort = first.is_any(&["a", "an"]);
        return is_sort.then(|| Reading {
            subject: topic.attribute("is"),
            value: format!("{} {value}", first.low),
            shift,
            arity: Arity::Unsure,
        });
    }
    // "Dance is my life" tells something of whoever says it.
    if first.is_any(&["my", "your", "our"]) && !topic.name.contains(' ') {
        return None;
    }
    if is_adjective && LEXICON.praise(&[first.low.as_str()]).is_some() {
        return None;
    }
    if is_adjective {
        return Some(Reading { subject: format!("{} is", topic.name), value, shift, arity: Arity::Unsure });
    }
    is_value(rest).then(|| Reading { subject: topic.name.clone(), value, shift, arity: Arity::One })
}

/// A topic is in lower case; the words of a name get their capitals back.
fn title(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|c| c.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    };
    name.split(' ').map(capital).collect::<Vec<_>>().join(" ")
}

/// "We dropped Jenkins", "the course was cancelled", "he no longer takes aspirin".
pub(crate) fn gone(
    topic: &Topic,
    group: &VerbGroup,
    verb: &str,
    rest: &[Word],
    to: &Pointers,
) -> Option<Reading> {
    let particle = rest.first().map(|w| w.low.as_str());
    let removes = LEXICON.is_removal(verb, particle) || is_taken_off(verb, rest);
    if !(removes && (group.past || group.helped || group.is) && !group.doing) && !group.no_longer {
        return None;
    }
    // "We dropped the idea of replacing Postgres" says nothing of Postgres.
    if rest.iter().any(|w| w.is_any(&["idea", "plan", "thought", "plans", "looking", "trying"])) {
        return None;
    }
    let has_to = rest.iter().any(|w| w.is_any(&["to", "for", "with"]));
    if removes && has_to && !group.no_longer && LEXICON.is_change(verb) {
        return None;
    }
    let skip = usize::from(
        rest.first().is_some_and(|w| w.is_preposition() || w.is_any(&["off", "out", "down", "up"])),
    );
    let object = rest.get(skip..).unwrap_or_default();
    let ends = object.iter().position(|w| w.is_any(&["off", "out", "from", "as"])).filter(|at| *at > 0);
    let object = object.get(..ends.unwrap_or(object.len())).unwrap_or_default();
    let named = if object.is_empty() || group.is { topic.name.clone() } else { thing(object, to) };
    let subject = if object.is_empty() || group.is { String::new() } else { topic.name.clone() };
    (!named.is_empty()).then_some(Reading { subject, value: named, shift: Shift::Gone, arity: Arity::Unsure })
}

/// "Take the eggs off", "took Zeynep out".
fn is_taken_off(verb: &str, rest: &[Word]) -> bool {
    matches!(verb, "take" | "cross" | "strike")
        && rest.iter().skip(1).take(4).any(|w| w.is_any(&["off", "out"]))
}

/// "Remove the eggs", "scratch Haarlem", "take Zeynep off the list" order something out.
pub(crate) fn struck(words: &[Word], to: &Pointers) -> Option<Reading> {
    const STRIKING: [&str; 8] = ["remove", "delete", "drop", "scratch", "strike", "take", "cross", "erase"];
    let polite =
        words.iter().take_while(|w| w.is_any(&["please", "and", "now", "also", "can", "you"])).count();
    let (verb, rest) = words.get(polite..)?.split_first()?;
    if !verb.is_any(&STRIKING) || verb.is_any(&["take", "cross"]) && !is_taken_off(&verb.low, rest) {
        return None;
    }
    let end = rest
        .iter()
        .position(|w| w.is_any(&["off", "out", "from", "as", ",", "in", "on"]))
        .unwrap_or(rest.len());
    let object = rest.get(..end).filter(|object| !object.is_empty() && object.len() <= 5)?;
    let value = thing(object, to);
    (!value.is_empty()).then_some(Reading {
        subject: String::new(),
        value,
        shift: Shift::Gone,
        arity: Arity::Unsure,
    })
}

/// "We ditched Heroku for Render": what the new thing is not, for good or for a while.
fn ditched(topic: &Topic, verb: &str, rest: &[Word], to: &Pointers) -> Option<Reading> {
    const LEFT: [&str; 6] = ["ditch", "drop", "dump", "abandon", "leav", "left"];
    const REASONS: [&str; 12] =
        ["good", "now", "ever", "a", "lack", "being", "reasons", "the", "some", "that", "this", "cost"];
    let at = rest.iter().position(|w| w.is("for")).filter(|at| *at > 0 && LEFT.contains(&verb))?;
    let new = bounded(rest.get(at + 1..)?);
    let until = new.iter().position(|w| w.is_preposition()).unwrap_or(new.len());
    let new = match new.get(..until)? {
        [the, named @ .., kind] if the.is("the") && kind.tag == Tag::Noun && !named.is_empty() => named,
        [first, ..] if first.is_any(&REASONS) => return None,
        given => given,
    };
    (!new.is_empty() && topic.name != "you").then(|| Reading {
        subject: String::new(),
        value: value(new),
        shift: Shift::Became { from: Some(thing(rest.get(..at).unwrap_or_default(), to)) },
        arity: Arity::One,
    })
}

/// "The deadline moved from Friday to Monday", "we replaced Jenkins with Buildkite", "Room 2 got a new code, 5582".
pub(crate) fn changed(topic: &Topic, verb: &str, rest: &[Word], to: &Pointers) -> Option<Reading> {
    if let Some(reading) = ditched(topic, verb, rest, to) {
        return Some(reading);
    }
    let find = |words: &[&str]| rest.iter().position(|w| w.is_any(words));
    let became = |subject: String, from: Option<String>, value: String| {
        Some(Reading { subject, value, shift: Shift::Became { from }, arity: Arity::One })
    };
    let replaces = ["replac", "swap", "exchang", "trade", "substitut"].contains(&verb);
    if let Some(with) = find(&["with", "for", "by"]).filter(|_| replaces) {
        let old = rest.get(..with)?;
        let from = if old.is_empty() { topic.name.clone() } else { thing(old, to) };
        return became(String::new(), Some(from), value(rest.get(with + 1..)?));
    }
    if replaces && !rest.is_empty() && !topic.name.is_empty() {
        return became(String::new(), Some(thing(rest, to)), title(&topic.name));
    }
    let gets = verb == "get" || verb == "receiv" || verb == "have";
    if let Some(new) = find(&["new"]).filter(|at| gets && *at <= 1) {
        let comma = find(&[",", ":"]).filter(|at| *at > new + 1)?;
        let attribute = thing(rest.get(new + 1..comma)?, to);
        return became(topic.attribute(&attribute), None, value(rest.get(comma + 1..)?));
    }
    if !LEXICON.is_change(verb) && verb != "becom" {
        return None;
    }
    if verb == "becom" {
        return became(topic.name.clone(), None, value(rest))
            .filter(|_| !topic.is_person && !topic.name.is_empty());
    }
    let at = find(&["to", "onto", "into"])
        .filter(|at| rest.get(at + 1).is_some_and(|w| w.tag != Tag::Verb || w.is_capital()))?;
    let from = find(&["from"]);
    let first = at.min(from.unwrap_or(at));
    let end = from.filter(|f| *f > at).unwrap_or(rest.len());
    let new = value(rest.get(at + 1..end)?);
    let old = from.map(|f| spell(rest.get(f + 1..if f < at { at } else { rest.len() }).unwrap_or_default()));
    let object = rest.get(..first).unwrap_or_default();
    let object: Vec<Word> = object
        .iter()
        .filter(|w| !w.is_any(&["over", "up", "down", "back", "out", "away"]))
        .cloned()
        .collect();
    let moves = ["move", "reloc"].contains(&verb);
    let is_place = rest.get(at + 1).is_some_and(Word::is_capital);
    let subject = match (object.is_empty(), topic.name.is_empty()) {
        (false, _) => thing(&object, to),
        (true, true) => String::new(),
        (true, false) if topic.is_person || topic.name == to.me || prose::is_relation(&topic.name) => {
            if moves && is_place {
                topic.attribute("home")
            } else {
                return None;
            }
        }
        (true, false) => topic.name.clone(),
    };
    became(subject, old, new)
}

/// "Room 2 has a capacity of 12", "room 2 has 12 seats".
pub(crate) fn having(topic: &Topic, verb: &str, rest: &[Word], to: &Pointers) -> Option<Reading> {
    if verb != "have" || topic.name.is_empty() {
        return None;
    }
    let is = |subject: String, value: String| {
        Some(Reading { subject, value, shift: Shift::Is, arity: Arity::One })
    };
    if topic.name.ends_with(" list") {
        return is(topic.name.clone(), value(rest));
    }
    if let Some(of) = rest.iter().position(|w| w.is("of")) {
        let given = rest.get(of + 1).is_some_and(|w| w.has_digit() || w.is_capital());
        let attribute = thing(rest.get(..of)?, to);
        return is(topic.attribute(&attribute), value(rest.get(of + 1..)?))
            .filter(|_| given && !attribute.is_empty());
    }
    match rest {
        [what @ .., count]
            if count.has_digit() && (1..=2).contains(&what.len()) && !what.iter().any(Word::has_digit) =>
        {
            is(topic.attribute(&thing(what, to)), count.text.clone())
        }
        [count, what @ ..] if count.has_digit() && (1..=2).contains(&what.len()) => {
            is(topic.attribute(&thing(what, to)), count.text.clone())
        }
        _ => None,
    }
}

/// "She takes metformin 500 mg": the drug is part of the subject, so another dose is a change and another drug is not.
pub(crate) fn taking(topic: &Topic, group: &VerbGroup, verb: &str, rest: &[Word]) -> Option<Reading> {
    let takes = verb == "take" && !group.past || group.is && verb == "prescrib";
    let opens = |word: &Word| word.tag == Tag::Determiner || word.tag == Tag::Pronoun || word.has_digit();
    if !takes || topic.name.is_empty() || rest.first().is_none_or(opens) {
        return None;
    }
    let dose = rest.iter().position(Word::has_digit);
    let bare =
        rest.len() <= 2 && rest.iter().all(|w| matches!(w.tag, Tag::Noun | Tag::Name)) && topic.is_person;
    let drug = value(rest.get(..dose.unwrap_or(rest.len()))?).to_lowercase();
    let subject = format!("{}{TAKES}{drug}", topic.name);
    (dose.is_some() || bare).then(|| Reading {
        subject,
        value: value(rest),
        shift: group.shift(),
        arity: Arity::One,
    })
}

/// "The search service listens on port 8001", "Priya owns billing": one value at a time.
pub(crate) fn related(
    topic: &Topic,
    group: &VerbGroup,
    verb: &str,
    rest: &[Word],
    to: &Pointers,
) -> Option<Reading> {
    let particle = rest.first().filter(|w| w.is_preposition() || w.is_any(&["over", "up", "after"]));
    let particle = particle.map(|w| w.low.as_str());
    let relation = LEXICON.relation(verb, particle)?;
    if matches!(relation, Relation::Attribute(Some(name)) if name == "name") && !group.is {
        return None;
    }
    // "We're holding metformin": only a thing has a capacity.
    if matches!(relation, Relation::Attribute(Some(name)) if name == "capacity")
        && (topic.name.is_empty() || topic.is_person || topic.name == to.me)
    {
        return None;
    }
    let object = rest.get(usize::from(particle.is_some())..)?;
    // Whoever took over has it now.
    let takes_over = matches!(particle, Some("over" | "up" | "on"));
    let (subject, value) = match relation {
        Relation::Owner(_) if group.past && !takes_over => return None,
        Relation::Owner(role) if !group.is && !topic.name.is_empty() => {
            (format!("{} {role}", thing(timeless(object), to)), title(&topic.name))
        }
        Relation::Owner(_) => return None,
        Relation::Attribute(Some(attribute)) => {
            // "listens on port 8001": the attribute is named again before the value.
            let repeats = object.first().is_some_and(|w| w.is(attribute)) && object.len() > 1;
            (topic.attribute(attribute), value(object.get(usize::from(repeats)..)?))
        }
        Relation::Attribute(None) => {
            let does = format!("{verb} {}", particle.unwrap_or_default());
            (format!("{} {}", topic.name, does.trim()).trim().to_owned(), value(object))
        }
    };
    Some(Reading { subject, value, shift: group.shift(), arity: Arity::One })
}

/// "We use Slack for team chat", "we use Postgres": what it is used for, or what kind of thing it is.
pub(crate) fn using(
    topic: &Topic,
    group: &VerbGroup,
    verb: &str,
    rest: &[Word],
    to: &Pointers,
) -> Option<Reading> {
    if verb != "use" && verb != "run" && verb != "reli" {
        return None;
    }
    let rest = rest.get(usize::from(rest.first().is_some_and(|w| w.is("on")))..)?;
    let shift = group.shift();
    let purpose = rest.iter().position(|w| w.is_any(&["for", "as"])).filter(|at| *at > 0 && verb == "use");
    if let Some(at) = purpose.filter(|at| *at + 1 < rest.len()) {
        let subject = topic.attribute(&thing(rest.get(at + 1..)?, to));
        return Some(Reading { subject, value: value(rest.get(..at)?), shift, arity: Arity::Unsure });
    }
    let value = value(rest);
    let kind = LEXICON.kind(&value)?;
    Some(Reading { subject: topic.attribute(kind), value, shift, arity: Arity::Unsure })
}
