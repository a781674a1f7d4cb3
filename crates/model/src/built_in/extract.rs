//! From a statement to proposals: the network cuts it into parts and weighs it against what is held; each part that tells
//! a fact is given a name and a value.

use super::keeping::loses_any;
use super::memory::{Stems, set, share};
use super::naming::gist;
use super::parts::{Part, parts};
use super::place::{DOUBTFUL, PLAIN, Place, with_time};
use super::sentences::sentences;
use super::told::read;
use super::verdicts::{Change, Verdict, verdicts};
use crate::ask::{Extract, SlotHint};
use domain::{Action, Fact, RawFact};
use encoder::Meant;

/// The network reads about so many words at once.
const MOST_WORDS: usize = 60;
/// Beyond this nobody is telling facts; what follows is left unread.
const MOST_WORDS_IN_ALL: usize = 4000;

/// What the statement says is so.
struct News<'a> {
    place: Place,
    part: &'a Part<'a>,
    action: Action,
    confidence: f64,
    reason: &'static str,
}

impl News<'_> {
    fn is_state(&self) -> bool {
        self.part.meant != Meant::Event
    }

    /// Whether nothing held has been found that it belongs to.
    fn is_free(&self) -> bool {
        self.is_state() && self.action == Action::Add
    }

    /// Takes the place of a held fact. What would lose a part of what was said there is kept as it was said.
    fn put_at(&mut self, held: &Fact, slotted: bool) {
        let value = std::mem::take(&mut self.place.value);
        let known = format!("{} {} {} {value}", held.subject, held.value, held.text);
        let loses = !slotted && loses_any(self.part.text, &known);
        self.place = Place::at(held).with(if loses { self.part.text.to_owned() } else { value });
    }

    fn proposal(self) -> RawFact {
        let kind = if self.is_state() { "state" } else { "event" };
        let fact = self.place.fact(self.action, self.confidence, self.reason);
        RawFact { kind: Some(kind.to_owned()), ..fact }
    }
}

pub(super) fn extract(ask: &Extract<'_>) -> Vec<RawFact> {
    stretches(ask.statement)
        .into_iter()
        .flat_map(|statement| extract_one(&Extract { statement, ..*ask }))
        .collect()
}

/// A long statement in stretches that the network can read at once, cut behind a sentence where there is one.
fn stretches(statement: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    let (mut rest, mut words, mut read) = (statement, 0, 0);
    for word in statement.split_inclusive(char::is_whitespace).take(MOST_WORDS_IN_ALL) {
        read += word.len();
        words += usize::from(!word.trim().is_empty());
        let closes = word.trim_end().ends_with(['.', '!', '?', ';']) || word.ends_with('\n');
        if words >= MOST_WORDS
            || closes && words >= MOST_WORDS / 2 && rest.split_whitespace().nth(MOST_WORDS).is_some()
        {
            let (stretch, after) = rest.split_at(read);
            found.push(stretch);
            (rest, words, read) = (after, 0, 0);
        }
    }
    found.extend(rest.get(..read).filter(|rest| !rest.trim().is_empty()));
    found
}

fn extract_one(ask: &Extract<'_>) -> Vec<RawFact> {
    if sentences(ask.statement).is_empty() {
        return Vec::new();
    }
    let mut parts = parts(&[ask.statement]).pop().unwrap_or_default();
    let endings = parts.iter().filter(|part| part.meant == Meant::End).count();
    let verdicts = verdicts(ask, &parts);
    if endings > 0 && verdicts.iter().all(|verdict| matches!(verdict.change, Change::None | Change::Refined))
    {
        // Where nothing held has ended, what was said to have ended is worth keeping by itself.
        parts.iter_mut().filter(|part| part.meant == Meant::End).for_each(|part| part.meant = Meant::So);
    }
    let mut proposals: Vec<RawFact> = parts.iter().flat_map(|part| unsettled(part, ask)).collect();
    let mut news: Vec<News<'_>> = Vec::new();
    for part in parts.iter().filter(|part| matches!(part.meant, Meant::So | Meant::Event)) {
        for place in read(part, ask) {
            let place = set_apart(place, &news, part, ask.slots);
            news.push(News { place, part, action: Action::Add, confidence: PLAIN, reason: "said plainly" });
        }
    }
    for verdict in verdicts {
        proposals.extend(settle(&verdict, &mut news, ask.slots));
    }
    proposals.extend(news.into_iter().map(News::proposal));
    proposals
}

/// What is meant in another way than as a fact of now.
fn unsettled(part: &Part<'_>, ask: &Extract<'_>) -> Vec<RawFact> {
    let (action, time, confidence, reason) = match part.meant {
        Meant::Past => (Action::Archive, "past", PLAIN, "true in the past"),
        Meant::Future => (Action::Flag, "future", DOUBTFUL, "a plan, not carried out yet"),
        Meant::Hedged => (Action::Flag, "unknown", DOUBTFUL, "not said for sure"),
        Meant::Hypothetical => (Action::Skip, "unknown", DOUBTFUL, "hypothetical"),
        Meant::Sarcastic => (Action::Skip, "unknown", DOUBTFUL, "sarcasm"),
        Meant::Nothing | Meant::So | Meant::Event | Meant::Asked | Meant::End => return Vec::new(),
    };
    read(part, ask).into_iter().map(|place| with_time(place.fact(action, confidence, reason), time)).collect()
}

/// What one statement says twice of one subject is two facts, not a change of mind.
fn set_apart(place: Place, before: &[News<'_>], part: &Part<'_>, slots: &[SlotHint]) -> Place {
    let listed = slots.iter().any(|slot| slot.list && slot.name == place.subject);
    let same = |n: &News<'_>| n.place.subject == place.subject && n.place.scope == place.scope;
    if !listed && before.iter().any(same) { Place { subject: gist(part.text), ..place } } else { place }
}

/// Does to a held fact what the statement does to it, and gives the news that concerns it its place.
fn settle(verdict: &Verdict<'_>, news: &mut [News<'_>], slots: &[SlotHint]) -> Option<RawFact> {
    let held = verdict.fact;
    let slot = slots.iter().find(|slot| slot.name == held.subject);
    let here = |n: &News<'_>| n.is_free() && n.place.subject == held.subject && n.place.scope == held.scope;
    let elsewhere = |n: &News<'_>| slots.iter().any(|s| s.name == n.place.subject && s.name != held.subject);
    let in_slot = slot.filter(|slot| !slot.list).and_then(|_| news.iter().position(here));
    let concerning = verdict.part(news.iter().map(|n| n.is_free().then_some(n.part.text)));
    let other_slots = news.iter().filter(|n| n.is_state()).all(elsewhere) && news.iter().any(News::is_state);
    match verdict.change {
        // What is filed elsewhere says nothing of this slot.
        _ if slot.is_some() && other_slots => None,
        Change::Replaced => {
            let at = in_slot.or(concerning);
            let Some(new) = at.and_then(|at| news.get_mut(at)) else {
                return Some(ended(held, PLAIN, "replaced"));
            };
            if slot.is_some() || takes_over(held, new) {
                new.put_at(held, slot.is_some());
                (new.action, new.reason) = (Action::Supersede, "replaces the former value");
                return None;
            }
            new.place.subject = without(&new.place.subject, &held.value);
            new.reason = "takes the place of another";
            Some(ended(held, PLAIN, "replaced"))
        }
        Change::Ended => {
            for new in news.iter_mut().filter(|new| new.is_free()) {
                new.place.subject = without(&new.place.subject, &held.value);
            }
            Some(ended(held, PLAIN, "it has ended"))
        }
        Change::Doubtful => {
            let at = in_slot.or(concerning);
            if let Some(new) = at.filter(|_| slot.is_some()).and_then(|at| news.get_mut(at)) {
                new.put_at(held, true);
                (new.action, new.confidence, new.reason) =
                    (Action::Supersede, DOUBTFUL, "it may be meant to replace this");
                return None;
            }
            apart(news, here);
            Some(ended(held, DOUBTFUL, "what was said may have ended it"))
        }
        Change::Repeated => {
            if let Some(new) = concerning.and_then(|at| news.get_mut(at)) {
                new.place = Place::at(held).with(held.value.clone());
                (new.action, new.reason) = (Action::Dedup, "said before");
            }
            None
        }
        Change::Refined => {
            if let Some(new) = concerning.and_then(|at| news.get_mut(at)) {
                let more = set(new.part.text).is_superset(&set(&held.value));
                let told = new.part.text;
                new.place = Place::at(held).with(if more {
                    told.to_owned()
                } else {
                    format!("{}; {told}", held.value)
                });
                (new.action, new.reason) = (Action::Refine, "more is told of it");
            }
            None
        }
        Change::None => {
            if let Some(new) = in_slot.and_then(|at| news.get_mut(at)) {
                new.place.target = Some(held.id);
                (new.action, new.confidence, new.reason) =
                    (Action::Supersede, DOUBTFUL, "it may be meant to replace this");
            } else if slot.is_none() {
                apart(news, here);
            }
            None
        }
    }
}

fn ended(held: &Fact, confidence: f64, reason: &str) -> RawFact {
    Place::at(held).with(held.value.clone()).fact(Action::Retract, confidence, reason)
}

/// A name without the words of a value that has gone.
fn without(subject: &str, value: &str) -> String {
    let words: Vec<&str> = value.split_whitespace().collect();
    let telling =
        |word: &&&str| words.len() <= 4 || word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    let gone: Stems = words.iter().filter(telling).flat_map(|word| set(word)).collect();
    let left: Vec<&str> = subject.split_whitespace().filter(|word| set(word).is_disjoint(&gone)).collect();
    if left.is_empty() { subject.to_owned() } else { left.join(" ") }
}

/// Facts that stand beside each other need names of their own.
fn apart(news: &mut [News<'_>], here: impl Fn(&News<'_>) -> bool) {
    for new in news.iter_mut() {
        if here(new) {
            new.place.subject = gist(new.part.text);
        }
    }
}

/// Whether the new value can stand under the name of the old one: that one is short, and its name does not speak of it.
fn takes_over(held: &Fact, new: &News<'_>) -> bool {
    let short = |value: &str| value.split_whitespace().count() <= 4;
    short(&held.value) && short(&new.place.value) && share(&set(&held.value), &set(&held.subject)) == 0.0
}
