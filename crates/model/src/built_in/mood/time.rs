//! Whether a clause tells of now, of before or of what is to come: tense, aspect and time words.

use super::super::classes::Class;
use super::super::clauses::{Clause, Verb};
use super::super::lexicon::LEXICON;
use super::super::verb_group::is_past;
use super::super::words::{Tag, Word};
use super::Mood;
use super::tone::Frame;

pub(super) fn time(clause: &Clause, words: &[Word], frame: Option<Frame>) -> Mood {
    let present = clause.verb.as_ref().is_none_or(|v| !v.past && !v.perfect);
    if is_planned(clause, words) || frame == Some(Frame::Future) && present {
        return Mood::Future;
    }
    if is_past_state(clause, words, frame) {
        return Mood::Past;
    }
    Mood::Asserted
}

fn is_planned(clause: &Clause, words: &[Word]) -> bool {
    if LEXICON.futures.hold(words) {
        return true;
    }
    let dated = has_coming_date(words);
    let Some(verb) = clause.verb.as_ref() else {
        // "Physio to begin once the swelling is down", "flying to Lisbon on the 9th"
        let finite = words.iter().any(|w| w.tag == Tag::Aux || w.is_any(&["has", "have"]));
        let named = words.first().is_some_and(|w| matches!(w.tag, Tag::Noun | Tag::Name));
        let ordered = named
            && !finite
            && words.windows(2).skip(1).any(|w| matches!(w, [a, b] if a.is("to") && Class::Base.holds(b)));
        return ordered || dated && words.first().is_some_and(|w| Class::Ing.holds(w));
    };
    // "We are moving to Azure" is under way, not done.
    let onward = clause.adjuncts.iter().any(|a| matches!(a.prep.as_str(), "to" | "from" | "into"));
    let under_way = verb.progressive && LEXICON.is_change(&verb.stem) && (onward || verb.particle.is_some());
    let arranged = verb.progressive && dated && !LEXICON.is_stative(&verb.stem) && !verb.past;
    let helped = words.iter().any(|w| w.tag == Tag::Aux);
    let bare_ing = words.first().is_some_and(|w| Class::Ing.holds(w)) && dated && !helped;
    let present = !verb.past && !verb.perfect && !verb.passive && !verb.progressive;
    let yearly = words.iter().any(|w| w.is("year"));
    let turns = present && !yearly && TURNS.contains(&verb.stem.as_str()) && dated;
    // "In two weeks she gets her cast off"
    let soon = present
        && matches!(words, [a, b, c, ..] if a.is_any(&["in", "within"]) && Class::Number.holds(b) && Class::Unit.holds(c));
    (soon || under_way && !verb.past || arranged || bare_ing || turns) && !is_now(words)
}

/// Verbs that in the present tense and with a date tell of one thing to come, by their stems.
const TURNS: [&str; 22] = [
    "hand", "start", "begin", "kick", "launch", "relaunch", "ship", "join", "leav", "land", "come", "sign",
    "arriv", "retir", "fly", "resum", "return", "go", "depart", "commenc", "debut", "rejoin",
];

fn is_now(words: &[Word]) -> bool {
    words.iter().any(|w| {
        w.is_any(&[
            "now",
            "currently",
            "already",
            "every",
            "each",
            "always",
            "usually",
            "daily",
            "weekly",
            "monthly",
        ])
    })
}

/// "in three weeks", "on the 14th", "this spring", "on 9 September", "Thursday"; not "on Mondays", "every Friday".
fn has_coming_date(words: &[Word]) -> bool {
    if words.iter().any(|w| {
        w.is_any(&[
            "every",
            "each",
            "nights",
            "mornings",
            "evenings",
            "afternoons",
            "weekends",
            "last",
            "yesterday",
            "ago",
            "since",
            "until",
            "till",
            "daily",
            "weekly",
            "monthly",
            "usually",
            "always",
        ])
    }) {
        return false;
    }
    let at = |i: usize| words.get(i);
    (0..words.len()).any(|i| {
        let Some(word) = at(i) else { return false };
        let soon = word.is_any(&["tomorrow", "tonight"]);
        let dated = Class::Date.holds(word);
        let counted = word.is("in")
            && at(i + 1).is_some_and(|w| Class::Number.holds(w) || w.is_any(&["like", "about", "around"]))
            && (at(i + 2).is_some_and(|w| Class::Unit.holds(w))
                || at(i + 3).is_some_and(|w| Class::Unit.holds(w)));
        let ordinal = word.is_any(&["on", "by", "from", "for"])
            && at(i + 1).is_some_and(|w| w.is("the"))
            && at(i + 2).is_some_and(|w| Class::Ordinal.holds(w))
            && !at(i + 4).is_some_and(|w| w.is_any(&["month", "the", "each"]));
        let end_of = word.is("end")
            && at(i + 1).is_some_and(|w| w.is("of"))
            && (i + 2..i + 4)
                .filter_map(at)
                .any(|w| w.is_any(&["month", "week", "year", "quarter", "sprint", "season"]));
        let week = word.is_any(&["wk", "week"]) && i > 0 && at(i - 1).is_some_and(|w| Class::Date.holds(w));
        soon || dated || counted || ordinal || end_of || week
    })
}

/// The tense that counts is that of the main verb: "the fellow you spoke to is their head of IT" tells of now.
fn has_present_verb_later(clause: &Clause, words: &[Word]) -> bool {
    let Some(first) = words.iter().position(|w| matches!(w.tag, Tag::Verb | Tag::Aux)) else { return false };
    let related = first > 1
        && words.get(first - 1).is_some_and(|w| w.tag == Tag::Pronoun)
        && words.get(first - 2).is_some_and(|w| matches!(w.tag, Tag::Noun | Tag::Name));
    related && clause.words.iter().skip(first + 1).any(|w| w.is_any(&["is", "are", "has", "have", "does"]))
}

/// Where the verb was not made out, its helpers still tell the tense.
fn has_past_helper(words: &[Word]) -> bool {
    let helpers: Vec<&Word> = words.iter().filter(|w| w.tag == Tag::Aux).collect();
    !helpers.is_empty() && helpers.iter().all(|w| is_past(w) || w.is("been"))
        || words.windows(2).any(|w| matches!(w, [a, b] if a.is("would") && Class::Past.holds(b)))
}

/// A state in the past tense, or anything in the past tense that lasted and is placed in a time that is over.
fn is_past_state(clause: &Clause, words: &[Word], frame: Option<Frame>) -> bool {
    if has_present_verb_later(clause, words)
        || words.windows(2).any(|w| matches!(w, [a, b] if a.is_any(&["was", "were"]) && b.is("born")))
            && clause.words.len() < 9
    {
        return false;
    }
    if words.iter().any(|w| w.is("known")) {
        return false;
    }
    let Some(verb) = clause.verb.as_ref() else {
        return LEXICON.pasts.hold(words);
    };
    let used_to = words.windows(3).any(|w| matches!(w, [a, b, c] if a.is("used") && b.is("to") && Class::Base.holds(c)))
        && !words.windows(2).any(|w| matches!(w, [a, b] if b.is("used") && (Class::Be.holds(a) || a.tag == Tag::Adverb || a.is_any(&["get", "got", "getting"]))));
    if used_to || words.first().is_some_and(|w| w.low.starts_with("ex-")) {
        return true;
    }
    let past = verb.past || has_past_helper(words);
    if !past || verb.perfect {
        return false;
    }
    let replaced = ["old", "former", "previous", "legacy", "original"];
    if clause.lead.iter().any(|a| a.prep == "before") || clause.subject.iter().any(|w| w.is_any(&replaced)) {
        return true;
    }
    let era = LEXICON.pasts.hold(words) || frame == Some(Frame::Past);
    let changed = changes(verb);
    if era {
        return !changed || has_span(words);
    }
    if words.iter().any(|w| w.is_any(&["until", "till", "til"])) && !changed && !has_recent_time(words) {
        return true;
    }
    if has_recent_time(words) {
        return false;
    }
    let passive = verb.passive && verb.stem != "be";
    let lasted = has_span(words) && !passive;
    // "Self hosted", "interpreter needed": a bare participle says what is.
    let bare = clause.object.is_empty() && clause.adjuncts.is_empty() && verb.stem != "be";
    let stative = LEXICON.is_stative(&verb.stem) && !passive && !bare && verb.particle.is_none();
    (stative && !is_happening(clause, verb)) || lasted
}

fn changes(verb: &Verb) -> bool {
    (LEXICON.is_change(&verb.stem) || LEXICON.is_removal(&verb.stem, verb.particle.as_deref()))
        && !LEXICON.is_stative(&verb.stem)
}

/// "for ten years", "for a while", "from 2011 to 2014"
fn has_span(words: &[Word]) -> bool {
    words.windows(3).any(|w| {
        matches!(w, [a, b, c] if a.is("for")
            && (Class::Number.holds(b) || b.is_any(&["most", "about", "abt", "around", "nearly", "almost", "donkeys", "donkey's", "many", "some", "over", "like"]))
            && (c.is_any(&["while", "decade", "spell", "stretch", "time", "stint", "bit", "of"]) || LONG.contains(&c.low.as_str()) || c.has_digit()))
    }) || words.windows(2).any(|w| matches!(w, [a, b] if a.is("for") && b.is_any(&["years", "ages", "decades", "yonks", "months"])))
        // "For a while", where "while" was taken for a joint.
        || matches!(words, [.., a, b] if a.is("for") && b.is("a"))
        || words.windows(2).any(|w| matches!(w, [a, b] if a.is_any(&["until", "till", "til"]) && (Class::Year.holds(b) || b.is_any(&["last", "recently"]))))
}

const LONG: [&str; 10] =
    ["years", "year", "months", "month", "decade", "decades", "yrs", "winters", "summers", "seasons"];

fn has_recent_time(words: &[Word]) -> bool {
    words.iter().any(|w| w.is_any(&["yesterday", "today", "tonight", "overnight", "earlier", "lunchtime", "noon", "midnight", "lunch", "breakfast"]) || w.low.ends_with("day"))
        || words.windows(2).any(|w| {
            matches!(w, [a, b] if a.is_any(&["this", "last", "just"]) && b.is_any(&["morning", "afternoon", "evening", "night", "week", "weekend", "now", "month"])
                || a.is_any(&["at", "around"]) && (b.low.contains(':') || b.low.ends_with("am") || b.low.ends_with("pm")))
        })
}

/// What one has or takes once: "had a call", "took mum out", "ran my first 10k".
fn is_happening(clause: &Clause, verb: &Verb) -> bool {
    let object: Vec<&str> = clause.object.iter().map(|w| w.low.as_str()).collect();
    let event = object.iter().any(|w| HAPPENINGS.contains(w));
    match verb.stem.as_str() {
        "have" => event,
        "take" | "run" | "lead" | "hold" | "attend" | "charg" | "bill" | "keep" | "play" | "teach"
        | "serv" => true,
        _ => event && verb.stem != "be",
    }
}

const HAPPENINGS: [&str; 48] = [
    "meeting",
    "meetings",
    "call",
    "calls",
    "chat",
    "review",
    "scan",
    "seizure",
    "fall",
    "response",
    "talk",
    "lunch",
    "dinner",
    "sit-down",
    "session",
    "demo",
    "visit",
    "appointment",
    "look",
    "word",
    "surgery",
    "operation",
    "x-ray",
    "mri",
    "ct",
    "baby",
    "accident",
    "stroke",
    "episode",
    "reaction",
    "breakfast",
    "interview",
    "argument",
    "row",
    "fight",
    "party",
    "removed",
    "done",
    "outage",
    "incident",
    "crash",
    "standup",
    "retro",
    "workshop",
    "checkup",
    "biopsy",
    "xray",
    "conversation",
];
