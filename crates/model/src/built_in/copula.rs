//! "X is Y" and "X has Y": which attribute of which thing that is.

use super::clauses::{Adjunct, Clause, Verb};
use super::comparing::set;
use super::lexicon::LEXICON;
use super::naming::{Sort, Topic, head_noun, is_proper, plain_name};
use super::question::is_strange;
use super::reading::{Reading, of_topic, reading};
use super::values::{complement_text, drug, is_bare_figure, is_time, items, with_prepositions};
use super::verbs::{event, negated};
use super::words::{Word, spell};

pub(super) fn copula(clause: &Clause, verb: &Verb, about: &Topic) -> Vec<Reading> {
    let value = complement_text(&clause.object, &clause.adjuncts);
    if verb.negated {
        return negated(clause, about, &value);
    }
    if let [off, rest @ ..] = clause.object.as_slice()
        && off.is("off")
        && !rest.is_empty()
    {
        return negated(clause, about, &spell(rest));
    }
    if let Some(found) = allergic(clause, about) {
        return found;
    }
    let definite =
        clause.object.first().is_some_and(|w| w.is_any(&["the", "our", "my", "their", "his", "her"]))
            || clause.object.iter().take(2).any(|w| w.is_any(&["my", "our"]));
    // "pnpm is our package manager"
    let is_name = is_proper(&clause.subject)
        || matches!(clause.subject.as_slice(), [only] if is_strange(&only.low) && about.sort == Sort::Thing);
    let role = is_proper(&clause.subject) && is_role(&clause.object);
    if role
        || definite
            && clause.object.len() > 1
            && (is_name || clause.object.iter().any(|w| w.is_any(&["still"])))
    {
        let mut role: Vec<Word> = clause.object.clone();
        role.retain(|w| !w.is_any(&["still", "now"]));
        let kept: Vec<Adjunct> = clause.adjuncts.iter().filter(|a| !is_time(&a.words)).cloned().collect();
        let name = format!("{} {}", plain_name(&role), with_prepositions(&kept)).trim().to_lowercase();
        let name = name.replace(" for this repository", "").replace(" here", "").replace(" there", "");
        return vec![reading(name, spell(&clause.subject))];
    }
    let mut made = if about.sort == Sort::Thing {
        thing_is(clause, about, &value)
    } else {
        person_is(clause, about, &value)
    };
    for reading in &mut made {
        reading.pointer |= about.sort == Sort::Pointer;
    }
    made
}

/// "CFO", "head of sales": a post that one person at a time holds.
pub(super) fn is_role(words: &[Word]) -> bool {
    const ROLES: [&str; 22] = [
        "ceo",
        "cto",
        "cfo",
        "coo",
        "cio",
        "cmo",
        "vp",
        "head",
        "lead",
        "manager",
        "director",
        "chair",
        "president",
        "captain",
        "owner",
        "treasurer",
        "secretary",
        "coordinator",
        "supervisor",
        "contact",
        "champion",
        "sponsor",
    ];
    let article = words.first().is_some_and(|w| w.is_any(&["a", "an"]));
    !article && words.iter().any(|w| ROLES.contains(&w.low.as_str())) && words.len() <= 5
}

pub(super) fn thing_is(clause: &Clause, about: &Topic, value: &str) -> Vec<Reading> {
    let with = clause.object.is_empty().then(|| clause.adjuncts.first()).flatten();
    if with.is_some_and(|a| a.prep == "due") {
        return vec![reading(format!("{} due date", about.name), value)];
    }
    if let Some((name, figure)) = in_use(clause, value) {
        return vec![reading(name, figure)];
    }
    let status = format!("{} status", about.name);
    if LEXICON.attribute(&status).is_some() && clause.object.len() == 1 {
        return vec![reading(status, value)];
    }
    match with {
        Some(a) if a.prep == "with" => vec![reading(about.name.clone(), spell(&a.words))],
        _ => match by_kind(about, value).filter(|_| with.is_some()) {
            Some(found) => vec![found],
            None => vec![reading(about.name.clone(), value)],
        },
    }
}

/// "Version 7.1 is installed": the subject holds the value.
pub(super) fn in_use(clause: &Clause, value: &str) -> Option<(String, String)> {
    let used = matches!(
        value.to_lowercase().as_str(),
        "installed" | "in use" | "running" | "deployed" | "live" | "current"
    );
    let at = clause.subject.iter().position(Word::has_digit).filter(|at| used && *at > 0)?;
    let name = plain_name(clause.subject.get(..at)?);
    LEXICON.attribute(&name)?;
    Some((name, spell(clause.subject.get(at..)?)))
}

pub(super) fn by_kind(about: &Topic, value: &str) -> Option<Reading> {
    let kind = LEXICON.kind(value)?;
    Some(reading(of_topic(about, kind), value))
}

/// One reading for each known thing in the value, or one with the whole of it.
pub(super) fn by_kinds(about: &Topic, value: &str) -> Vec<Reading> {
    match LEXICON.kinds_in(value).as_slice() {
        [] => Vec::new(),
        [(_, kind)] => vec![reading(of_topic(about, kind), value)],
        several => several
            .iter()
            .map(|(name, kind)| {
                let spelled = value.split_whitespace().find(|w| w.to_lowercase().trim_matches(',') == *name);
                reading(of_topic(about, kind), spelled.unwrap_or(name))
            })
            .collect(),
    }
}

/// Of a person or "it", what is said decides which attribute it is.
pub(super) fn person_is(clause: &Clause, about: &Topic, value: &str) -> Vec<Reading> {
    let adjunct = clause.object.is_empty().then(|| clause.adjuncts.first()).flatten();
    let article = clause.object.first().is_some_and(|w| w.is_any(&["a", "an"]));
    if let Some(found) = medicine(about, value) {
        return vec![found];
    }
    let kinds = by_kinds(about, value);
    if !kinds.is_empty() {
        return kinds;
    }
    if is_bare_figure(value) {
        let of_one = about.sort == Sort::Person && !matches!(about.name.as_str(), "" | "they");
        let is_age = of_one && clause.adjuncts.is_empty();
        let name = if is_age { of_topic(about, "age") } else { String::new() };
        return vec![Reading { pointer: !is_age, ..reading(name, value) }];
    }
    if clause.subject.iter().any(|w| w.is("there")) {
        let end = clause.object.iter().position(|w| w.is("of")).unwrap_or(clause.object.len());
        return vec![reading(plain_name(clause.object.get(..end).unwrap_or_default()), value)];
    }
    if about.name == "user" && is_proper(&clause.object) && !set(value).is_empty() {
        return vec![reading("user's name", value)];
    }
    if let Some(a) = adjunct {
        let noun = head_noun(&a.words).filter(|n| LEXICON.attribute(n).is_some());
        let attribute = match (noun, a.prep.as_str()) {
            (Some(noun), _) => noun,
            (None, "in" | "at") => "location".to_owned(),
            (None, "with") => "owner".to_owned(),
            (None, prep) => format!("is {prep}"),
        };
        return vec![reading(of_topic(about, &attribute), value)];
    }
    let noun = head_noun(&clause.object).unwrap_or_default();
    if article && is_occupation(&noun) {
        return vec![reading(of_topic(about, "job"), value)];
    }
    if about.sort == Sort::Pointer {
        return vec![reading("", value)];
    }
    let name = if article {
        format!("{} as {noun}", about.name)
    } else {
        format!("{} is {}", about.name, spell(&clause.object).to_lowercase())
    };
    vec![reading(name.trim(), value)]
}

pub(super) fn is_occupation(noun: &str) -> bool {
    ["er", "or", "ist", "ian", "ant", "eer"].iter().any(|end| noun.ends_with(end))
        && noun.len() > 4
        && !matches!(
            noun,
            "member"
                | "user"
                | "customer"
                | "number"
                | "computer"
                | "server"
                | "owner"
                | "mother"
                | "father"
                | "brother"
                | "sister"
                | "partner"
                | "order"
                | "letter"
                | "paper"
        )
        || matches!(noun, "nurse" | "doctor" | "chef" | "pilot" | "lawyer" | "student" | "cook")
}

pub(super) fn allergic(clause: &Clause, about: &Topic) -> Option<Vec<Reading>> {
    let at = clause.words.iter().position(|w| w.is("allergic"))?;
    let rest = clause.words.get(at + 1..)?;
    let to: Vec<Word> = rest.iter().filter(|w| !w.is("to")).cloned().collect();
    let items = items(&to);
    Some(items.into_iter().map(|item| allergy(about, item.clone(), &item)).collect())
}

pub(super) fn allergy(about: &Topic, value: String, item: &str) -> Reading {
    let name = format!("{} {}", of_topic(about, "allergy"), item.to_lowercase());
    Reading { attribute: Some("allergy"), ..reading(name, value) }
}

/// A drug with its dose.
pub(super) fn medicine(about: &Topic, value: &str) -> Option<Reading> {
    let name = drug(value)?;
    let subject = format!("{} {name}", of_topic(about, "medication"));
    Some(Reading { attribute: Some("medication"), ..reading(subject, value) })
}

pub(super) fn possession(clause: &Clause, verb: &Verb, about: &Topic) -> Vec<Reading> {
    let value = complement_text(&clause.object, &clause.adjuncts);
    if verb.negated || clause.object.first().is_some_and(|w| w.is("no")) {
        return negated(clause, about, &value);
    }
    if verb.past {
        return vec![event(about, "had", &value)];
    }
    let Some(noun) = head_noun(&clause.object) else { return Vec::new() };
    vec![reading(of_topic(about, &noun), value)]
}
