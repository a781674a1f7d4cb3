//! Answers with a fact where one says what is asked, and otherwise says that it is not known and shows what is near.

use crate::lexicon::{LEXICON, Relation};
use crate::link::told;
use crate::mention::set;
use crate::modality;
use domain::date_terms::{asked_dates, date_terms, is_month, told_dates};
use domain::keys::subject_key;
use domain::words::is_function_word;
use domain::{Action, Fact, FactId, FactKind, Timestamp, When};
use encoder::Modality;
use model::{Answer, AnswerFact};
use std::collections::BTreeSet;
use std::fmt::Write;

/// How many of the best facts the network scores.
const WEIGHED: usize = 4;
/// The score from which on a fact answers the question. Of 108 questions about what was never said, or said of somebody
/// else, 9 have a fact above it.
const SURE: f32 = 0.83;
/// The same for a fact whose subject the question holds whole, and that has the other words of the question too.
const ASKED_FOR: f32 = 0.3;
/// Below this, and without a word in common, a fact is not near.
const NEAR: f32 = 0.2;
/// Facts with a score this close to the best answer too.
const AS_GOOD: f32 = 0.15;
const SHOWN: usize = 5;

const UNKNOWN: &str = "I do not know: nothing that is remembered comes near that.";
const UNSURE: &str = "That is not known. What comes nearest, the best first:";

const BESIDE: &str = "Also near, the best first:";
const RELATED: &str = "This is how it hangs together, the nearest first:";

/// The facts are in order of rank. Where paths were looked for, they are the answer: no sentence is made of them.
pub(crate) fn answer(ask: &Answer<'_>) -> String {
    if !ask.paths.is_empty() {
        let lines = ask.paths.iter().enumerate().map(|(at, path)| {
            let before =
                ask.paths.iter().take(at).filter(|before| path.starts_with(before)).map(Vec::len).max();
            // What goes on from a path that was shown need not show it again.
            let (shown, mark) = before.map_or((0, ""), |shown| (shown, "… → "));
            format!("\n  {mark}{}", steps(ask.facts, path.get(shown..).unwrap_or_default()))
        });
        return format!("{RELATED}{}", lines.collect::<String>());
    }
    let weighed = Weighed::of(ask);
    let mut shown: Vec<&AnswerFact<'_>> = weighed.near.iter().map(|(fact, _)| *fact).take(SHOWN).collect();
    if shown.is_empty() {
        return UNKNOWN.to_owned();
    }
    newest_of_contradicting_first(&mut shown);
    let mut text = String::new();
    match weighed.ground() {
        Some(fact) => {
            let said = with_its_list(ask.facts, fact, ask.now);
            text.push_str(&sentence(&said, ask.now));
            for fact in said.iter().take(SHOWN) {
                let _ = write!(text, "\n{}", line(fact));
            }
            shown.retain(|other| said.iter().all(|fact| other.fact.id != fact.fact.id));
            if !shown.is_empty() {
                let _ = write!(text, "\n{BESIDE}");
            }
        }
        None => text.push_str(UNSURE),
    }
    for fact in shown {
        let _ = write!(text, "\n{}", line(fact));
    }
    text
}

/// The fact that the answer asserts, if it asserts any and that fact has all the words of the question.
pub(crate) fn ground(ask: &Answer<'_>) -> Option<FactId> {
    let ground = Weighed::of(ask).ground()?.fact;
    covers(ask.question, ground).then_some(ground.id)
}

/// Words of a question that say what is asked of any fact.
const ASKING: [&str; 22] = [
    "call", "can", "current", "did", "do", "doe", "give", "go", "happen", "have", "hold", "keep", "know",
    "like", "mani", "much", "name", "now", "sort", "tell", "use", "user",
];
const PARTICLES: [Option<&str>; 6] = [None, Some("in"), Some("at"), Some("on"), Some("for"), Some("to")];

/// Whether every word that the question asks about is in the fact, or asks for its attribute: "Where does Ana live?" and
/// Ana's home.
fn covers(question: &str, fact: &Fact) -> bool {
    let known = words(fact);
    let subject = set(&fact.subject);
    let asks_for = |attribute: &str| {
        let usual = LEXICON.attribute(attribute).unwrap_or(attribute);
        let is_usual = |word: &String| LEXICON.attribute(word) == Some(usual);
        set(attribute).is_subset(&subject) || subject.iter().any(is_usual)
    };
    let fills = |verb: &str| {
        PARTICLES.iter().any(|particle| match LEXICON.relation(verb, *particle) {
            Some(Relation::Attribute(Some(attribute)) | Relation::Owner(attribute)) => asks_for(attribute),
            Some(Relation::Attribute(None)) | None => false,
        })
    };
    let denies = |text: &str| {
        text.to_lowercase().split_whitespace().any(|w| matches!(w, "not" | "never") || w.ends_with("n't"))
    };
    let is_denied = denies(&fact.subject) || denies(&fact.value) || denies(&fact.text);
    let says = |word: &String| {
        known.contains(word)
            || ASKING.contains(&word.as_str())
            || asks_for(word)
            || fills(&LEXICON.verb(word))
    };
    (is_denied || !denies(question)) && set(question).iter().all(says)
}

/// The facts that are near to a question, best first, each with the likelihood that it answers it.
struct Weighed<'a> {
    question: &'a str,
    near: Vec<(&'a AnswerFact<'a>, f32)>,
}

impl<'a> Weighed<'a> {
    fn of(ask: &Answer<'a>) -> Self {
        let dates = asked_dates(ask.question);
        let is_date = |word: &String| {
            !dates.is_empty() && (is_month(word) || word.starts_with(|c: char| c.is_ascii_digit()))
        };
        let asked: BTreeSet<String> = set(ask.question).into_iter().filter(|word| !is_date(word)).collect();
        let texts: Vec<String> = ask.facts.iter().take(WEIGHED).map(|fact| told(fact.fact)).collect();
        let pairs: Vec<(&str, &str)> = texts.iter().map(|text| (ask.question, text.as_str())).collect();
        let likely = if pairs.is_empty() { Vec::new() } else { encoder::answers(&pairs) };
        let weights = likely.into_iter().chain(std::iter::repeat(0.0));
        let is_of_then = |fact: &Fact| {
            let known = known_dates(fact);
            !dates.is_empty() && dates.iter().all(|date| known.contains(date))
        };
        let shares = |fact: &AnswerFact<'_>| !words(fact.fact).is_disjoint(&asked) || is_of_then(fact.fact);
        let near = ask.facts.iter().zip(weights).filter(|(fact, weight)| *weight >= NEAR || shares(fact));
        Self { question: ask.question, near: near.collect() }
    }

    /// The likeliest fact that fits the question, where it is likely enough; before all others one whose subject the
    /// question holds whole. Of facts of one subject that answer about equally well the newest.
    fn ground(&self) -> Option<&'a AnswerFact<'a>> {
        let fitting = |(fact, weight): &&(&'a AnswerFact<'a>, f32)| {
            let is_whole = self.asks_for(fact.fact) && covers(self.question, fact.fact);
            let enough = if is_whole { ASKED_FOR } else { SURE };
            *weight >= enough && fits(self.question, fact.fact)
        };
        type Likely<'a> = (&'a AnswerFact<'a>, f32);
        let (asked, others): (Vec<Likely<'a>>, Vec<Likely<'a>>) =
            self.near.iter().filter(fitting).copied().partition(|(fact, _)| self.asks_for(fact.fact));
        let fitting = if asked.is_empty() { others } else { asked };
        let (first, best) = *fitting.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let subject = set(&first.fact.subject);
        let says_so_too = |(fact, weight): &&(&'a AnswerFact<'a>, f32)| {
            *weight >= best - AS_GOOD && !fact.retired && set(&fact.fact.subject) == subject
        };
        let newest = fitting.iter().filter(says_so_too).map(|(fact, _)| *fact);
        let newest = newest.max_by_key(|fact| (fact.fact.said(), fact.fact.id));
        newest.or(Some(first)).filter(|fact| tells_what_is_so(fact.fact))
    }

    fn asks_for(&self, fact: &Fact) -> bool {
        let subject = set(&fact.subject);
        !subject.is_empty() && subject.is_subset(&set(self.question))
    }
}

fn words(fact: &Fact) -> BTreeSet<String> {
    set(&format!("{} {} {}", fact.subject, fact.value, fact.text))
}

/// Every date of the fact, told or given.
fn known_dates(fact: &Fact) -> BTreeSet<String> {
    let texts = [&*fact.text, fact.subject.as_str(), fact.value.as_str()];
    let given = [fact.times.said, fact.times.from, fact.times.until];
    let told = texts.into_iter().flat_map(told_dates);
    told.chain(given.into_iter().flatten().flat_map(date_terms)).collect()
}

/// Whether every name, number and date of the question is in the fact.
fn fits(question: &str, fact: &Fact) -> bool {
    let dates = known_dates(fact);
    let asked = asked_dates(question);
    let known = words(fact);
    let is_known = |name: &str| dates.contains(name) || set(name).is_subset(&known);
    asked.iter().all(|date| dates.contains(date)) && names(question, !asked.is_empty()).all(is_known)
}

/// The words of a question with a capital, but for the first, and those with a digit. A month and the figures beside it
/// are a date.
fn names(question: &str, has_dates: bool) -> impl Iterator<Item = &str> {
    let words = question.split_whitespace().enumerate();
    words.filter_map(move |(at, word)| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_figure = word.starts_with(|c: char| c.is_ascii_digit());
        let is_name =
            at > 0 && word.starts_with(char::is_uppercase) || word.contains(|c: char| c.is_ascii_digit());
        let is_date = has_dates && (is_figure || is_month(word));
        (is_name && !is_date && !is_function_word(&word.to_lowercase())).then_some(word)
    })
}

/// A note may be a plan, a guess or a question. It is then shown, but does not count as an answer.
fn tells_what_is_so(fact: &Fact) -> bool {
    fact.kind == FactKind::State || {
        let labelled = modality::label(&[fact.value.as_str()]);
        let meant = labelled.first().map(|labelled| labelled.modality(&(0..fact.value.len())));
        matches!(meant, Some(Modality::Asserted | Modality::Event | Modality::Ended))
    }
}

/// Of two facts of one subject the newer one comes first.
fn newest_of_contradicting_first(shown: &mut [&AnswerFact<'_>]) {
    for at in 1..shown.len() {
        for before in 0..at {
            let (Some(a), Some(b)) = (shown.get(before), shown.get(at)) else { continue };
            let same = set(&a.fact.subject) == set(&b.fact.subject) && a.fact.scope == b.fact.scope;
            let age = |fact: &AnswerFact<'_>| (fact.fact.said(), fact.fact.id);
            if same && a.retired == b.retired && age(a) < age(b) {
                shown.swap(before, at);
            }
        }
    }
}

/// The fact; where it is an item of a list, with the other items that hold by now.
fn with_its_list<'a>(
    facts: &'a [AnswerFact<'a>],
    ground: &'a AnswerFact<'a>,
    now: Timestamp,
) -> Vec<&'a AnswerFact<'a>> {
    let holds = |item: &AnswerFact<'_>| item.fact.list_item && !item.retired && begins(item, now).is_none();
    let is_beside = |other: &&AnswerFact<'_>| {
        let (item, beside) = (ground.fact, other.fact);
        holds(other)
            && item.id != beside.id
            && subject_key(&item.subject) == subject_key(&beside.subject)
            && subject_key(&item.scope) == subject_key(&beside.scope)
    };
    let others = facts.iter().filter(|_| holds(ground)).filter(is_beside);
    std::iter::once(ground).chain(others).collect()
}

/// From when on a state holds that does not hold yet.
fn begins(fact: &AnswerFact<'_>, now: Timestamp) -> Option<When> {
    let is_state = fact.fact.kind == FactKind::State;
    fact.fact.times.from.filter(|from| is_state && !fact.retired && from.first() > now)
}

/// One fact, or the items of one list.
fn sentence(facts: &[&AnswerFact<'_>], now: Timestamp) -> String {
    let Some(fact) = facts.first() else { return String::new() };
    let value = |fact: &&AnswerFact<'_>| fact.fact.value.trim_end_matches(['.', '!']).to_owned();
    let values = facts.iter().map(value).collect::<Vec<_>>().join("; ");
    let is_one = facts.len() == 1;
    let waits = |(fact, change): (&AnswerFact<'_>, &&Fact)| {
        let what = match change.pending.as_ref().map(|pending| pending.action) {
            Some(Action::Retract) if is_one => "Its removal".to_owned(),
            Some(Action::Retract) => format!("The removal of '{}'", fact.fact.value),
            _ if is_one => format!("A change to it, '{}',", change.value),
            _ => format!("A change of '{}' to '{}'", fact.fact.value, change.value),
        };
        format!(" {what} waits for confirmation (#{}).", change.id)
    };
    let changes = facts.iter().flat_map(|fact| fact.changes.iter().map(|change| (*fact, change)));
    let waits: String = changes.map(waits).collect();
    let when = match begins(fact, now) {
        Some(from) => format!("From {from} on: "),
        None if fact.retired => "Earlier: ".to_owned(),
        None => String::new(),
    };
    let subject = &fact.fact.subject;
    let not = if subject.ends_with(" is not") { "not " } else { "" };
    if is_one {
        format!("{when}{not}{values} ({subject} = {values}).{waits}")
    } else {
        format!("{not}{values} ({subject}).{waits}")
    }
}

/// `payments database = ledger-pg → ledger-pg region = Frankfurt`
fn steps(facts: &[AnswerFact<'_>], path: &[FactId]) -> String {
    let steps = path.iter().filter_map(|id| facts.iter().find(|fact| fact.fact.id == *id)).map(|fact| {
        let waits = if !fact.changes.is_empty() { " (a change waits)" } else { "" };
        let scope = scope_note(fact.fact);
        format!("{} = {}{scope}{waits}", fact.fact.subject, fact.fact.value)
    });
    steps.collect::<Vec<_>>().join(" → ")
}

fn scope_note(fact: &Fact) -> String {
    if fact.scope == "global" { String::new() } else { format!(" [{}]", fact.scope) }
}

fn line(fact: &AnswerFact<'_>) -> String {
    let scope = scope_note(fact.fact);
    let history = fact.retired.then(|| "history".to_owned());
    let waits =
        fact.changes.iter().map(|change| match change.pending.as_ref().map(|pending| pending.action) {
            Some(Action::Retract) => format!("its removal waits, #{}", change.id),
            _ => format!("a change to '{}' waits, #{}", change.value, change.id),
        });
    let notes: Vec<String> = fact.fact.dates().into_iter().chain(history).chain(waits).collect();
    let notes = if notes.is_empty() { String::new() } else { format!("  ({})", notes.join(", ")) };
    format!("  #{} {} = {}{scope}{notes}", fact.fact.id, fact.fact.subject, fact.fact.value)
}
