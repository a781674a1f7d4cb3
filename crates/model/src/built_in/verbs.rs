//! Clauses with any other verb: known frames first, and then whatever the verb is.

use super::clauses::{Adjunct, Clause, Verb};
use super::copula::{by_kinds, in_use, medicine};
use super::lexicon::{LEXICON, VerbFrame};
use super::naming::{Sort, Topic, head_noun, is_nobody_named, is_proper, plain_name, topic};
use super::reading::{Reading, Shift, of_topic, reading};
use super::values::{complement_text, drug, is_time, tidy_value};
use super::words::{Tag, Word, spell};

/// "Call me Mags", "Reply in German", "Run the linter with `x`".
pub(super) fn order(clause: &Clause, verb: &Verb) -> Option<Vec<Reading>> {
    let object = spell(&clause.object);
    if verb.stem == "call" && object.to_lowercase().starts_with("me ") {
        return Some(vec![reading("user's preferred name", object.get(3..).unwrap_or_default())]);
    }
    if matches!(verb.stem.as_str(), "repli" | "answer" | "respond" | "write" | "speak" | "talk") {
        let language = clause.adjuncts.iter().find(|a| a.prep == "in")?;
        return Some(vec![reading("user's reply language", spell(&language.words))]);
    }
    let tool = clause.adjuncts.iter().find(|a| a.prep == "with" || a.prep == "via" || a.prep == "by");
    if let Some(tool) = tool.filter(|t| t.words.iter().any(Word::is_quoted)) {
        let name = plain_name(&clause.object);
        let name = if name.is_empty() {
            clause.words.first().map(|w| w.low.clone()).unwrap_or_default()
        } else {
            name
        };
        return Some(vec![reading(name, spell(&tool.words))]);
    }
    None
}

pub(super) fn event(about: &Topic, verb: &str, value: &str) -> Reading {
    let name = if about.name.is_empty() { verb.to_owned() } else { format!("{} {verb}", about.name) };
    Reading { event: true, ..reading(name, value) }
}

/// "No longer", "does not": the end of something held, or else a fact that says "not".
pub(super) fn negated(clause: &Clause, about: &Topic, value: &str) -> Vec<Reading> {
    // "The web app does not": what is denied stands in the clause before.
    if value.trim().is_empty() && clause.verb.as_ref().is_some_and(|v| v.stem == "do") {
        return Vec::new();
    }
    let value = value.replace("any longer", "").replace("any more", "").replace("anymore", "");
    let value =
        tidy_value(value.trim_start_matches("not ").trim_start_matches("no ").trim_start_matches("longer "));
    let named = clause.verb.as_ref().map(|v| v.stem.clone()).unwrap_or_default();
    let subject = if about.name.is_empty() { named } else { about.name.clone() };
    vec![Reading { shift: Shift::Gone, pointer: about.sort == Sort::Pointer, ..reading(subject, value) }]
}

pub(super) fn framed(clause: &Clause, verb: &Verb, about: &Topic) -> Option<Vec<Reading>> {
    let prep = clause.adjuncts.first().map(|a| a.prep.as_str());
    let particle = verb.particle.as_deref().or(prep.filter(|_| clause.object.is_empty())).or(prep);
    if verb.negated {
        return Some(negated(clause, about, &complement_text(&clause.object, &clause.adjuncts)));
    }
    if verb.passive
        && let Some(by) = clause.adjuncts.iter().find(|a| a.prep == "by")
        && let Some(VerbFrame::Owner(role)) = LEXICON.frame(&verb.stem, None)
    {
        return Some(vec![reading(format!("{} {role}", about.name), spell(&by.words))]);
    }
    if verb.stem == "belong" && prep == Some("to") {
        let owner = clause.adjuncts.first().map(|a| spell(&a.words)).unwrap_or_default();
        return Some(vec![reading(format!("{} owner", about.name), owner)]);
    }
    if let Some(found) = done_on(clause, verb, about) {
        return Some(found);
    }
    if let Some(found) = used(clause, verb, about) {
        return Some(found);
    }
    match LEXICON.frame(&verb.stem, particle)? {
        // "I spoke to the old boy" names no language, and "I named the cat", "she calls it Bob" neither me nor her.
        VerbFrame::Attribute(_) if verb.stem == "speak" && clause.object.is_empty() => None,
        VerbFrame::Attribute(_) if matches!(verb.stem.as_str(), "name" | "call") && !verb.passive => None,
        VerbFrame::Attribute(attribute) => {
            let value = complement_text(&clause.object, &clause.adjuncts);
            let person = attribute != "name" || about.sort == Sort::Person;
            let name =
                if person { of_topic(about, attribute) } else { format!("{} {attribute}", about.name) };
            (!value.is_empty())
                .then(|| vec![Reading { pointer: about.sort == Sort::Pointer, ..reading(name, value) }])
        }
        VerbFrame::Owner(role) if !clause.object.is_empty() || verb.stem == "look" => {
            let thing = if clause.object.is_empty() {
                clause.adjuncts.first().map(|a| plain_name(&a.words)).unwrap_or_default()
            } else {
                plain_name(&clause.object)
            };
            let indefinite = clause.object.first().is_some_and(|w| w.is_any(&["a", "an"]) || w.has_digit());
            if about.sort == Sort::Pointer || indefinite || is_nobody_named(&about.name) {
                return None;
            }
            let kept: Vec<Word> = clause.subject.clone();
            Some(vec![reading(format!("{thing} {role}"), spell(&kept))])
        }
        _ => None,
    }
}

/// "We do the standup on Teams", "we keep backups in S3": the verb only joins the thing and its place.
pub(super) fn done_on(clause: &Clause, verb: &Verb, about: &Topic) -> Option<Vec<Reading>> {
    let light = matches!(verb.stem.as_str(), "do" | "hold" | "keep" | "store" | "host" | "track");
    let place = clause
        .adjuncts
        .first()
        .filter(|a| matches!(a.prep.as_str(), "on" | "in" | "with" | "via" | "at") && !is_time(&a.words))?;
    let person = about.sort == Sort::Person && !verb.past && !clause.object.is_empty();
    (light && person).then(|| vec![reading(plain_name(&clause.object), spell(&place.words))])
}

/// "We use Sentry for error tracking"
pub(super) fn used(clause: &Clause, verb: &Verb, about: &Topic) -> Option<Vec<Reading>> {
    if !matches!(verb.stem.as_str(), "use" | "run" | "reli" | "adopt" | "deploy") {
        return None;
    }
    let thing = if clause.object.is_empty() {
        clause.adjuncts.first().map(|a| spell(&a.words))?
    } else {
        spell(&clause.object)
    };
    let purpose = clause.adjuncts.iter().find(|a| a.prep == "for" || a.prep == "as");
    if let Some(purpose) = purpose.filter(|p| !is_time(&p.words)) {
        let whose = Topic { sort: Sort::Person, name: about.name.clone() };
        return Some(vec![reading(of_topic(&whose, &plain_name(&purpose.words)), thing)]);
    }
    if about.sort == Sort::Thing && !is_proper(&clause.subject) {
        return None;
    }
    if let Some(kind) = LEXICON.kind(&thing) {
        return Some(vec![reading(of_topic(about, kind), complement_text(&clause.object, &clause.adjuncts))]);
    }
    None
}

pub(super) const PLURAL_VERBS: [&str; 30] = [
    "take", "like", "love", "want", "need", "play", "know", "eat", "drink", "support", "requir", "sell",
    "make", "visit", "buy", "hold", "includ", "offer", "own", "use", "enjoy", "hate", "prefer", "teach",
    "studi", "collect", "get", "see", "attend", "wear",
];

pub(super) fn general(clause: &Clause, verb: &Verb, about: &Topic) -> Vec<Reading> {
    // "Send the report to Ann" is for this moment, unless it is to hold from now on.
    let first = clause.words.first();
    let orders = clause.subject.is_empty()
        && !verb.past
        && !verb.passive
        && !verb.progressive
        && first.is_some_and(|w| LEXICON.verb(&w.low) == verb.stem && !w.low.ends_with('s'));
    if orders && !clause.adjuncts.iter().any(|a| a.prep == "to" || a.prep == "with") {
        return Vec::new();
    }
    let said = clause
        .words
        .iter()
        .rev()
        .find(|w| LEXICON.verb(&w.low) == verb.stem && matches!(w.tag, Tag::Verb | Tag::Aux));
    let said = said.map(|w| w.low.clone()).unwrap_or_else(|| verb.stem.clone());
    let phrase = verb.particle.as_ref().map_or(said.clone(), |p| format!("{said} {p}"));
    if clause.words.iter().any(|w| w.is("rather")) {
        let kinds = by_kinds(about, &format!("{said} {}", spell(&clause.object)));
        return if kinds.is_empty() { vec![reading(of_topic(about, "preference"), said)] } else { kinds };
    }
    let adjuncts: Vec<Adjunct> = clause
        .adjuncts
        .iter()
        .filter(|a| !(verb.passive && clause.object.is_empty() && a.prep == "for" && verb.perfect))
        .cloned()
        .collect();
    let value = complement_text(&clause.object, &adjuncts);
    if let Some(found) = settled(clause, verb, about) {
        return vec![found];
    }
    if verb.past || (verb.perfect && !verb.passive) {
        return vec![Reading { pointer: about.sort == Sort::Pointer, ..event(about, &phrase, &value) }];
    }
    if let Some((name, figure)) = in_use(clause, &said).filter(|_| value.is_empty()) {
        return vec![reading(name, figure)];
    }
    if value.is_empty() {
        let status =
            LEXICON.attribute(&format!("{} status", about.name)).map(|_| format!("{} status", about.name));
        return vec![reading(status.unwrap_or_else(|| about.name.clone()), phrase)];
    }
    if let Some(found) =
        medicine(about, &value).filter(|_| about.sort != Sort::Thing || is_proper(&clause.subject))
    {
        return vec![found];
    }
    if let Some((attribute, figure)) = named_figure(&clause.object) {
        return vec![reading(of_topic(about, &attribute), figure)];
    }
    if verb.stem == "prefer" {
        let kinds = by_kinds(about, &spell(&clause.object));
        if !kinds.is_empty() {
            return kinds;
        }
    }
    let noun = head_noun(&clause.object).unwrap_or_default();
    let figure = clause.object.iter().any(|w| w.tag == Tag::Number) && !noun.is_empty();
    let many = PLURAL_VERBS.contains(&verb.stem.as_str()) && !clause.object.is_empty();
    let timetable = matches!(verb.stem.as_str(), "start" | "begin" | "happen" | "occur" | "commenc")
        && clause.object.is_empty();
    let name = match (figure || many, about.name.as_str()) {
        (_, name) if timetable && about.sort == Sort::Thing => name.to_owned(),
        (true, name) => format!("{name} {phrase} {noun}"),
        (false, name) => format!("{name} {phrase}"),
    };
    vec![Reading { pointer: about.sort == Sort::Pointer, ..reading(name.trim(), value) }]
}

/// What was agreed, started or suspended holds from then on.
fn settled(clause: &Clause, verb: &Verb, about: &Topic) -> Option<Reading> {
    let done = verb.past || verb.perfect || verb.passive;
    let object = complement_text(&clause.object, &clause.adjuncts);
    let begun = matches!(verb.stem.as_str(), "start" | "initi" | "commenc" | "prescrib" | "begin" | "add");
    if begun && done {
        let given = if drug(&object).is_some() { object } else { spell(&clause.subject) };
        return medicine(&Topic { name: String::new(), sort: Sort::Person }, &given)
            .filter(|r| !r.value.is_empty());
    }
    let thing = topic(&clause.object).sort == Sort::Thing && !clause.object.is_empty();
    if matches!(
        verb.stem.as_str(),
        "suspend" | "reactiv" | "activ" | "reopen" | "block" | "unblock" | "unlock" | "approv" | "reject"
    ) && done
    {
        let name = if thing { plain_name(&clause.object) } else { about.name.clone() };
        let status = format!("{name} status");
        let name = if LEXICON.attribute(&status).is_some() { status } else { name };
        let word = clause.words.iter().find(|w| LEXICON.verb(&w.low) == verb.stem)?;
        return (!name.is_empty()).then(|| reading(name, word.low.clone()));
    }
    let agreed = matches!(verb.stem.as_str(), "agre" | "promis" | "offer" | "grant") && done && thing;
    agreed.then(|| head_noun(&clause.object).map(|noun| reading(noun, spell(&clause.object)))).flatten()
}

/// "version 4.2.1": the object names the attribute itself.
pub(super) fn named_figure(object: &[Word]) -> Option<(String, String)> {
    let at = object.iter().position(Word::has_digit).filter(|at| *at > 0)?;
    let name = plain_name(object.get(..at)?);
    LEXICON.attribute(&name)?;
    Some((name, spell(object.get(at..)?)))
}
