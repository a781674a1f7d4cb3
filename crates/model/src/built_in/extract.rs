//! From a statement to proposals: the network cuts it into parts and weighs it against what is held; each part that tells
//! a fact is given a name and a value.

use super::comparing::{Stems, around, set, share};
use super::keeping::loses_any;
use super::naming::gist;
use super::parts::{Part, parts};
use super::place::{DOUBTFUL, PLAIN, Place, with_time};
use super::sentences::sentences;
use super::told::{name, read};
use super::verdicts::{Change, Verdict, verdicts};
use crate::ask::Extract;
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

    /// Whether it may take the place of a held fact: of several that one part tells, the one with the value may.
    fn tells_value(&self) -> bool {
        let has = |value: &str| set(&self.place.value).is_superset(&set(value));
        self.is_free() && self.part.value.is_none_or(has)
    }

    /// Its value alone where the words around it may name the old one, else all that was said.
    fn without_old(&self, old: &str, held: &Fact) -> String {
        let known = set(&format!("{} {}", held.subject, held.value));
        let cut = self.part.value.and_then(|value| Some((value, around(&self.part.text, value)?)));
        let Some((value, (before, after))) = cut else {
            return self.part.text.to_string();
        };
        let rest = format!("{before} {after}");
        let naming = |word: &&str| word.contains(|c: char| c.is_uppercase() || c.is_ascii_digit());
        let named = rest.split_whitespace().filter(naming).any(|word| !set(word).is_disjoint(&known));
        let gone = &set(old) - &set(value);
        let old_named = !gone.is_empty() && gone.is_subset(&set(&rest));
        if named || old_named { value.to_owned() } else { self.part.text.to_string() }
    }

    /// Names what has gone no more.
    fn clear_of(&mut self, old: &str, held: &Fact) {
        self.place.subject = without(&self.place.subject, old);
        if set(&self.place.value).is_superset(&set(&self.part.text)) {
            self.place.value = self.without_old(old, held);
        }
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
    if parts.iter().any(|part| part.meant == Meant::Sarcastic) {
        // Who mocks may mock throughout.
        let plain = |part: &&mut Part<'_>| matches!(part.meant, Meant::So | Meant::Event | Meant::End);
        parts.iter_mut().filter(plain).for_each(|part| part.meant = Meant::Hedged);
    }
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
            let place = set_apart(place, &news, part, ask);
            news.push(News { place, part, action: Action::Add, confidence: PLAIN, reason: "said plainly" });
        }
    }
    let filed = |n: &News<'_>| ask.slots.iter().find(|s| s.name == n.place.subject).map(|s| s.name.as_str());
    let filed: Vec<Option<&str>> = news.iter().filter(|n| n.is_state()).map(filed).collect();
    for verdict in verdicts {
        let slot = ask.slots.iter().any(|slot| slot.name == verdict.fact.subject);
        let elsewhere = |name: &Option<&str>| name.is_some_and(|name| name != verdict.fact.subject);
        let named = || !set(&verdict.fact.value).is_disjoint(&set(ask.statement));
        if slot && !filed.is_empty() && filed.iter().all(elsewhere) {
            // What is all filed in other slots says nothing of this one for sure, unless it names what was there.
            match verdict.change {
                Change::Replaced if named() => proposals.extend(settle(&verdict, &mut news, ask)),
                Change::Replaced => {
                    proposals.push(ended(verdict.fact, DOUBTFUL, "it may have been replaced"))
                }
                Change::Ended if endings > 0 => proposals.push(ended(verdict.fact, PLAIN, "it has ended")),
                _ => {}
            }
        } else {
            proposals.extend(settle(&verdict, &mut news, ask));
        }
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
fn set_apart(place: Place, before: &[News<'_>], part: &Part<'_>, ask: &Extract<'_>) -> Place {
    let listed = ask.slots.iter().any(|slot| slot.list && slot.name == place.subject);
    let same = |n: &News<'_>| n.place.subject == place.subject && n.place.scope == place.scope;
    if listed || !before.iter().any(same) {
        return place;
    }
    Place { subject: own_name(part, before, ask), ..place }
}

/// Does to a held fact what the statement does to it, and gives the news that concerns it its place.
fn settle(verdict: &Verdict<'_>, news: &mut [News<'_>], ask: &Extract<'_>) -> Option<RawFact> {
    let held = verdict.fact;
    let slot = ask.slots.iter().find(|slot| slot.name == held.subject);
    let here = |n: &News<'_>| n.is_free() && n.place.subject == held.subject && n.place.scope == held.scope;
    let old = verdict.value.as_deref().unwrap_or(&held.value);
    let in_slot = slot.filter(|slot| !slot.list).and_then(|_| news.iter().position(here));
    let concerning = verdict.part(news.iter().map(|n| n.tells_value().then_some(n.part.text.as_ref())));
    match verdict.change {
        Change::Replaced => {
            let at = in_slot.or(concerning);
            let Some(new) = at.and_then(|at| news.get_mut(at)) else {
                news.iter_mut().filter(|new| new.is_free()).for_each(|new| new.clear_of(old, held));
                return Some(ended(held, PLAIN, "replaced"));
            };
            let loses = |value: &str| {
                loses_any(&new.part.text, &format!("{} {} {} {value}", held.subject, held.value, held.text))
            };
            let exchanged = exchanged(held, old, new.part).filter(|value| !loses(value));
            if slot.is_some() || exchanged.is_some() || takes_over(held, old, new) {
                let value = match exchanged {
                    _ if slot.is_some() => {
                        new.clear_of(old, held);
                        new.place.value.clone()
                    }
                    Some(exchanged) => exchanged,
                    None if loses(&new.place.value) => new.without_old(old, held),
                    None => new.place.value.clone(),
                };
                new.place = Place::at(held).with(value);
                (new.action, new.reason) = (Action::Supersede, "replaces the former value");
                return None;
            }
            new.clear_of(old, held);
            new.reason = "takes the place of another";
            Some(ended(held, PLAIN, "replaced"))
        }
        Change::Ended => {
            news.iter_mut().filter(|new| new.is_free()).for_each(|new| new.clear_of(old, held));
            Some(ended(held, PLAIN, "it has ended"))
        }
        Change::Doubtful => {
            let at = in_slot.or(concerning);
            if let Some(new) = at.filter(|_| slot.is_some()).and_then(|at| news.get_mut(at)) {
                new.place = Place::at(held).with(std::mem::take(&mut new.place.value));
                (new.action, new.confidence, new.reason) =
                    (Action::Supersede, DOUBTFUL, "it may be meant to replace this");
                return None;
            }
            if slot.is_none() {
                apart(news, here, ask);
            }
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
                let more = set(&new.part.text).is_superset(&set(&held.value));
                let told = new.part.text.as_ref();
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
                apart(news, here, ask);
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
fn apart(news: &mut [News<'_>], here: impl Fn(&News<'_>) -> bool, ask: &Extract<'_>) {
    for at in 0..news.len() {
        let Some(part) = news.get(at).filter(|new| here(new)).map(|new| new.part) else { continue };
        let named = own_name(part, news, ask);
        if let Some(new) = news.get_mut(at) {
            new.place.subject = named;
        }
    }
}

/// A name that nothing else goes by.
fn own_name(part: &Part<'_>, news: &[News<'_>], ask: &Extract<'_>) -> String {
    let named = name(part);
    let mut taken =
        ask.held.iter().map(|fact| &fact.subject).chain(news.iter().map(|new| &new.place.subject));
    if taken.any(|name| *name == named) { gist(&part.text) } else { named }
}

/// Whether the new value can stand under the name of the old one: both are short, and the name does not speak of the old.
fn takes_over(held: &Fact, old: &str, new: &News<'_>) -> bool {
    let short = |value: &str| value.split_whitespace().count() <= 4;
    let value = new.part.value.unwrap_or(&new.place.value);
    short(&held.value) && short(value) && share(&set(old), &set(&held.subject)) == 0.0
}

/// "12 pounds a seat in the UK" with 13 for 12: the held value with the new one in it, where what stands around it is said
/// of the new one, too.
fn exchanged(held: &Fact, old: &str, part: &Part<'_>) -> Option<String> {
    let (before, after) = around(&held.value, old)?;
    let holds = set(&format!("{before} {after}")).is_subset(&set(&part.text));
    let apart = share(&set(old), &set(&held.subject)) == 0.0;
    let value = part.value.filter(|_| holds && apart)?;
    Some(format!("{before}{value}{after}"))
}
