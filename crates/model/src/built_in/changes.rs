//! Clauses that say that a value has become another, or has gone.

use super::clauses::{Adjunct, Clause, Verb};
use super::lexicon::LEXICON;
use super::naming::{Sort, is_nobody_named, plain_name, topic};
use super::reading::{Reading, Shift, reading};
use super::values::is_time;
use super::words::{Tag, Word, spell};

pub(super) fn read(clause: &Clause, verb: &Verb) -> Option<Vec<Reading>> {
    if verb.negated {
        return None;
    }
    renamed(clause, verb)
        .or_else(|| succeeded(clause, verb))
        .or_else(|| chosen(clause, verb))
        .or_else(|| made(clause, verb))
        .or_else(|| replaced(clause, verb))
        .or_else(|| became(clause, verb))
        .or_else(|| gone(clause, verb))
        .map(|reading| vec![reading])
}

fn adjunct<'a>(clause: &'a Clause, prep: &str) -> Option<&'a Adjunct> {
    clause.adjuncts.iter().find(|a| a.prep == prep && !a.words.is_empty())
}

fn shifted(subject: String, value: String, from: Option<String>) -> Reading {
    Reading { shift: Shift::To { from }, ..reading(subject, value) }
}

/// The words of the value, up to what only says when or why.
fn value_of(words: &[Word]) -> String {
    spell(words)
}

/// The value of a "to", with what belongs to it: "bed 4 on Ward F".
fn destination(clause: &Clause, prep: &str) -> Option<String> {
    let at = clause.adjuncts.iter().position(|a| a.prep == prep && !a.words.is_empty())?;
    let mut text = value_of(&clause.adjuncts.get(at)?.words);
    for more in clause.adjuncts.get(at + 1..).unwrap_or_default() {
        let belongs = matches!(more.prep.as_str(), "on" | "in" | "with" | "at") && !is_time(&more.words);
        if !belongs {
            break;
        }
        text = format!("{text} {} {}", more.prep, spell(&more.words));
    }
    Some(text)
}

/// "Instead of Rabbit", "in place of B17"
fn instead(clause: &Clause) -> Option<String> {
    let instead = adjunct(clause, "instead").map(|a| a.words.as_slice());
    let in_place = |a: &&Adjunct| a.prep == "in" && a.words.first().is_some_and(|w| w.is("place"));
    let in_place = || clause.adjuncts.iter().find(in_place).and_then(|a| a.words.get(1..));
    let words: Vec<Word> = instead.or_else(in_place)?.iter().skip_while(|w| w.is("of")).cloned().collect();
    (!words.is_empty()).then(|| spell(&words))
}

fn renamed(clause: &Clause, verb: &Verb) -> Option<Reading> {
    if !matches!(verb.stem.as_str(), "renam" | "rebrand" | "rebadg") {
        return None;
    }
    let to = destination(clause, "to").or_else(|| destination(clause, "as"));
    let from = adjunct(clause, "from").map(|a| spell(&a.words));
    let (old, new) = if verb.passive {
        (from.unwrap_or_else(|| spell(&clause.subject)), to.unwrap_or_else(|| spell(&clause.object)))
    } else {
        (spell(&clause.object), to?)
    };
    let name = format!(
        "{} name",
        super::naming::plain_name(if verb.passive { &clause.subject } else { &clause.object })
    );
    Some(shifted(name, new, Some(old)))
}

/// "Nadia took over the Lisbon office from Karim"
fn succeeded(clause: &Clause, verb: &Verb) -> Option<Reading> {
    let behind = clause.object.last().is_some_and(|w| w.is("over"));
    let over = verb.stem == "take" && (verb.particle.as_deref() == Some("over") || behind);
    if !over && !matches!(verb.stem.as_str(), "succeed" | "inherit") {
        return None;
    }
    let from = adjunct(clause, "from").or_else(|| adjunct(clause, "for")).map(|a| spell(&a.words));
    let role = adjunct(clause, "as").map(|a| plain_name(&a.words));
    let from = if verb.stem == "succeed" { Some(spell(&clause.object)) } else { from };
    let taken: Vec<Word> = clause.object.iter().filter(|w| !w.is("over")).cloned().collect();
    let object = if verb.stem == "succeed" { String::new() } else { plain_name(&taken) };
    let subject = role.unwrap_or(object);
    Some(shifted(subject, spell(&clause.subject), from))
}

/// "We settled on Vega", "we went with Stripe for payments"
fn chosen(clause: &Clause, verb: &Verb) -> Option<Reading> {
    let done = verb.past || verb.perfect;
    let prep = match verb.stem.as_str() {
        "settl" | "decid" => Some("on"),
        "opt" => Some("for"),
        "go" => Some("with"),
        "choos" | "pick" | "select" | "adopt" => None,
        _ => return None,
    };
    let value = match prep {
        Some(prep) => spell(&adjunct(clause, prep)?.words),
        None => spell(&clause.object),
    };
    let what =
        adjunct(clause, "for").or_else(|| adjunct(clause, "as")).filter(|a| Some(a.prep.as_str()) != prep);
    let subject = what.filter(|a| !is_time(&a.words)).map(|a| plain_name(&a.words)).unwrap_or_default();
    (done && !value.is_empty() && topic(&clause.subject).sort == Sort::Person)
        .then(|| shifted(subject, value, None))
}

/// "Make Tomasz my emergency contact"
fn made(clause: &Clause, verb: &Verb) -> Option<Reading> {
    if verb.stem != "make" && verb.stem != "set" {
        return None;
    }
    if let [it, value @ ..] = clause.object.as_slice()
        && it.is_any(&["it", "that"])
        && value.iter().any(Word::has_digit)
    {
        return Some(shifted(String::new(), spell(value), instead(clause)));
    }
    let at =
        clause.object.iter().position(|w| w.is_any(&["my", "our", "the", "their"])).filter(|at| *at > 0)?;
    let (value, role) = clause.object.split_at(at);
    Some(shifted(plain_name(role), spell(value), instead(clause)))
}

/// "We sent them a FritzBox to replace the Zyxel"
fn in_place_of(clause: &Clause) -> Option<Reading> {
    let at = clause.words.iter().position(|w| w.is_any(&["replace", "replacing"])).filter(|at| *at > 1)?;
    let old = clause.words.get(at + 1..).filter(|old| !old.is_empty())?;
    let start = clause.words.len() - old.len() - 1;
    let before: Vec<Word> = clause.words.get(..start)?.iter().filter(|w| !w.is("to")).cloned().collect();
    let from =
        before.iter().rposition(|w| w.is_any(&["a", "an", "the", "with", "using"])).map_or(0, |at| at + 1);
    let new = before.get(from..).filter(|new| !new.is_empty() && from > 0)?;
    Some(shifted(String::new(), spell(new), Some(spell(old))))
}

/// "Unleash has taken LaunchDarkly's place"
fn took_place(clause: &Clause, verb: &Verb) -> Option<Reading> {
    let at = clause.object.iter().position(|w| w.is("'s"))?;
    let place =
        clause.object.get(at + 1).is_some_and(|w| w.is_any(&["place", "spot", "seat", "job", "role"]));
    let old = spell(clause.object.get(..at)?);
    let done = verb.past || verb.perfect;
    (verb.stem == "take" && place && done && !old.is_empty())
        .then(|| shifted(String::new(), spell(&clause.subject), Some(old)))
}

fn replaced(clause: &Clause, verb: &Verb) -> Option<Reading> {
    if let Some(found) = took_place(clause, verb) {
        return Some(found);
    }
    if let Some(found) = in_place_of(clause).filter(|_| verb.past || verb.perfect) {
        return Some(found);
    }
    let swap = match verb.stem.as_str() {
        "replac" | "substitut" => Some(["with", "by"]),
        "swap" | "trade" | "exchang" | "ditch" | "drop" | "leav" | "dump" | "abandon" | "quit" => {
            Some(["for", "for"])
        }
        _ => None,
    };
    if let Some(preps) = swap {
        let new = preps.iter().find_map(|prep| destination(clause, prep));
        let swapped_in = verb.stem == "replac" && new.is_none() && !verb.passive;
        if swapped_in && !clause.object.is_empty() {
            return Some(shifted(String::new(), spell(&clause.subject), Some(spell(&clause.object))));
        }
        if let Some(new) = new {
            let old = if verb.passive || clause.object.is_empty() { &clause.subject } else { &clause.object };
            return Some(shifted(plain_name(old), new, Some(spell(old))));
        }
    }
    if let (Some(from), Some(_)) = (adjunct(clause, "from"), adjunct(clause, "to")) {
        let known = LEXICON.is_change(&verb.stem) || verb.stem == "come";
        if known {
            let subject = about(clause, verb);
            return Some(shifted(subject, destination(clause, "to")?, Some(spell(&from.words))));
        }
    }
    let old = instead(clause)?;
    let value = if clause.object.is_empty() {
        clause.adjuncts.first().map(|a| spell(&a.words))?
    } else {
        spell(&clause.object)
    };
    let subject = topic(&clause.subject);
    Some(shifted(if subject.sort == Sort::Thing { subject.name } else { String::new() }, value, Some(old)))
}

/// What changes: the object of "we bumped the TTL to 900", the subject of "the TTL went to 900".
fn about(clause: &Clause, verb: &Verb) -> String {
    let subject = topic(&clause.subject);
    let bare: Vec<Word> =
        clause.object.iter().filter(|w| !w.is_any(&["over", "up", "down", "back"])).cloned().collect();
    let object = plain_name(&bare);
    let person = topic(&bare).sort != Sort::Thing;
    if !object.is_empty()
        && !person
        && !verb.passive
        && !clause.object.iter().all(|w| w.is_any(&["up", "down", "back", "over"]))
    {
        return object;
    }
    match subject.sort {
        Sort::Thing => subject.name,
        Sort::Person if !is_nobody_named(&subject.name) => subject.name,
        _ => String::new(),
    }
}

const ENTERING: [&str; 12] = [
    "switch", "move", "migrat", "upgrad", "downgrad", "chang", "transit", "convert", "relocat", "shift",
    "promot", "transfer",
];

fn became(clause: &Clause, verb: &Verb) -> Option<Reading> {
    let stepped =
        verb.particle.as_deref().is_some_and(|p| matches!(p, "up" | "down" | "back" | "forward" | "out"))
            && adjunct(clause, "to").is_some_and(|a| a.words.iter().any(Word::has_digit));
    if !LEXICON.is_change(&verb.stem) && !stepped {
        return None;
    }
    let prep = ["to", "into", "onto", "over to"].into_iter().find(|p| adjunct(clause, p).is_some())?;
    let acts = !clause.object.is_empty() && topic(&clause.object).sort == Sort::Thing;
    let lasting = acts
        || verb.past
        || verb.perfect
        || verb.passive
        || ENTERING.contains(&verb.stem.as_str())
        || clause.subject.is_empty();
    let moved_on = verb.particle.is_some() || topic(&clause.subject).sort == Sort::Thing;
    if !lasting || verb.stem == "go" && !(moved_on && (verb.past || verb.perfect)) {
        return None;
    }
    let to = destination(clause, prep)?;
    if adjunct(clause, prep)
        .and_then(|a| a.words.first())
        .is_some_and(|w| w.tag == Tag::Verb && w.low.ends_with("ing"))
    {
        return None;
    }
    // Who hands something on no longer has it.
    let hands_on = matches!(verb.stem.as_str(), "pass" | "hand" | "assign" | "deleg" | "give" | "transfer");
    if hands_on && !super::naming::is_proper(&clause.subject) && !verb.passive {
        return None;
    }
    let giver = hands_on && !verb.passive;
    Some(shifted(about(clause, verb), to, giver.then(|| spell(&clause.subject))))
}

fn gone(clause: &Clause, verb: &Verb) -> Option<Reading> {
    let happened = verb.past || verb.perfect || verb.passive;
    let removes =
        LEXICON.is_removal(&verb.stem, verb.particle.as_deref()) && (happened || clause.subject.is_empty());
    // "I handed the permit back": the particle stands behind the object.
    let last = clause
        .object
        .last()
        .map(|w| w.low.as_str())
        .filter(|w| matches!(*w, "back" | "away" | "off" | "out" | "down" | "up"));
    let behind = happened && last.is_some_and(|particle| LEXICON.is_removal(&verb.stem, Some(particle)));
    let removes = removes || behind;
    let got_rid = verb.stem == "get" && clause.object.first().is_some_and(|w| w.is("rid"));
    let out = verb.stem == "be"
        && !verb.past
        && clause
            .words
            .iter()
            .rev()
            .find(|w| w.tag != Tag::Adverb || w.is_any(&["out", "off", "over"]))
            .is_some_and(|w| {
                w.is_any(&[
                    "obsolete",
                    "void",
                    "moot",
                    "redundant",
                    "unnecessary",
                    "withdrawn",
                    "cancelled",
                    "canceled",
                    "lifted",
                    "scrapped",
                    "defunct",
                    "discontinued",
                    "retired",
                    "out",
                    "gone",
                    "over",
                    "fixed",
                    "resolved",
                    "closed",
                    "dead",
                    "off",
                    "history",
                    "finished",
                    "toast",
                ])
            })
        && clause.object.iter().filter(|w| w.tag != Tag::Adverb).count() <= 1;
    let expected = clause.words.first().is_some_and(|w| w.is("expected"));
    let out = out || (verb.stem == "go" && verb.passive && clause.object.is_empty());
    if !(removes || got_rid || out) || expected {
        return None;
    }
    let leaver = matches!(verb.stem.as_str(), "leav" | "resign" | "retir" | "withdraw" | "quit")
        && super::naming::is_proper(&clause.subject);
    let leaver = leaver || verb.particle.is_some() && clause.object.first().is_some_and(|w| w.is("of"));
    // "I stepped down from the committee": what is left stands behind "from".
    if clause.object.is_empty()
        && !verb.passive
        && !leaver
        && topic(&clause.subject).sort == Sort::Person
        && let Some(left) = adjunct(clause, "from").or_else(|| adjunct(clause, "with"))
    {
        return Some(Reading { shift: Shift::Gone, ..reading(plain_name(&left.words), spell(&left.words)) });
    }
    let mut object: Vec<Word> = if leaver || verb.passive || out || clause.object.is_empty() {
        clause.subject.clone()
    } else {
        clause.object.clone()
    };
    if behind && object.len() > 1 {
        object.pop();
    }
    if got_rid {
        object = clause
            .adjuncts
            .first()
            .map(|a| a.words.clone())
            .unwrap_or_else(|| clause.object.iter().skip(2).cloned().collect());
    }
    let named: Vec<Word> =
        object.iter().take_while(|w| !w.is_any(&["last", "this", "yesterday", "today"])).cloned().collect();
    let object = if named.is_empty() { object } else { named };
    let pointer = topic(&object).sort == Sort::Pointer;
    Some(Reading { shift: Shift::Gone, pointer, ..reading(plain_name(&object), spell(&object)) })
}
