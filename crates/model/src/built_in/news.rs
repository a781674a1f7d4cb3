//! What a statement says is so, on its way to a proposal.

use super::comparing::{Stems, around, set, share};
use super::naming::gist;
use super::parts::Part;
use super::place::{DOUBTFUL, PLAIN, Place};
use super::told::name;
use crate::ask::Extract;
use domain::{Action, Fact, RawFact};
use encoder::Meant;

/// What the statement says is so.
pub(super) struct News<'a> {
    pub place: Place,
    pub part: &'a Part<'a>,
    pub action: Action,
    pub confidence: f64,
    pub reason: &'static str,
    /// Whether it is not known which words give its value.
    pub is_unclear: bool,
}

impl<'a> News<'a> {
    pub fn plain(place: Place, part: &'a Part<'a>) -> Self {
        let (action, confidence, reason) = (Action::Add, PLAIN, "said plainly");
        Self { place, part, action, confidence, reason, is_unclear: false }
    }

    /// Stands nowhere until a person has looked at it.
    pub fn wait(&mut self, reason: &'static str) {
        (self.action, self.confidence, self.reason) = (Action::Flag, DOUBTFUL, reason);
    }

    pub fn wait_unclear(&mut self) {
        self.is_unclear = true;
        self.wait("it is not clear which words give the new value");
    }

    /// Takes the place of a held fact once a person has agreed.
    pub fn may_replace(&mut self) {
        (self.action, self.confidence, self.reason) =
            (Action::Supersede, DOUBTFUL, "it may be meant to replace this");
    }

    pub fn skip(&mut self, reason: &'static str) {
        (self.action, self.reason) = (Action::Skip, reason);
    }

    pub fn is_state(&self) -> bool {
        self.part.meant != Meant::Event
    }

    /// Whether nothing held has been found that it belongs to.
    pub fn is_free(&self) -> bool {
        self.is_state() && self.action == Action::Add
    }

    /// Whether it may take the place of a held fact: of several that one part tells, the one with the value may.
    pub fn tells_value(&self) -> bool {
        let has = |value: &str| set(&self.place.value).is_superset(&set(value));
        self.is_free() && self.part.value.is_none_or(has)
    }

    /// Its value alone where the words around it may name the old one, else all that was said. Nothing where the old one
    /// is named and it is not clear which words give the new one.
    fn without_old(&self, old: &str, held: &Fact) -> Option<String> {
        let known = set(&format!("{} {}", held.subject, held.value));
        let naming = |word: &&str| word.contains(|c: char| c.is_uppercase() || c.is_ascii_digit());
        let gone = set(old);
        let text = self.part.text.as_ref();
        let clear = self.part.value.filter(|value| !set(value).is_superset(&gone));
        if let Some((value, (before, after))) = clear.and_then(|value| Some((value, around(text, value)?))) {
            let rest = format!("{before} {after}");
            let names_held =
                rest.split_whitespace().filter(naming).any(|word| !set(word).is_disjoint(&known));
            let names_old = !(&gone - &set(value)).is_disjoint(&set(&rest));
            return Some(if names_held || names_old { value } else { text }.to_owned());
        }
        if gone.is_disjoint(&set(text)) {
            return Some(text.to_owned());
        }
        let fresh = |value: &&&str| set(value).is_disjoint(&gone) && !set(value).is_empty();
        self.part.maybe.iter().find(fresh).map(|value| (*value).to_owned())
    }

    /// Names what has gone no more, if it can be told apart from what has come.
    pub fn clear_of(&mut self, old: &str, held: &Fact) -> bool {
        let named = set(&self.place.subject);
        self.place.subject = if !named.is_empty() && named.is_subset(&set(old)) {
            without(&held.subject, old)
        } else {
            without(&self.place.subject, old)
        };
        // Where only a part of what was said is the value, it is known which.
        let all = share(&set(&self.part.text), &set(&self.place.value)) >= 0.8;
        if !all || set(old).is_empty() {
            return true;
        }
        let cleared = self.without_old(old, held);
        let is_clear = cleared.is_some();
        self.place.value = cleared.unwrap_or_else(|| std::mem::take(&mut self.place.value));
        is_clear
    }

    /// Is named by the words, too, by which the statement names what it replaces: "the line there", where it speaks of Hull.
    pub fn name_as(&mut self, held: &Fact, old: &str, statement: &str) {
        let own = set(&format!("{} {} {} {old}", self.place.subject, self.place.value, self.place.scope));
        let said = set(statement);
        let common = |word: &&str| {
            let stems = set(word);
            !stems.is_empty() && stems.is_subset(&said) && stems.is_disjoint(&own)
        };
        let named: Vec<&str> = held.subject.split_whitespace().filter(common).collect();
        if !named.is_empty() {
            self.place.subject = format!("{} {}", named.join(" "), self.place.subject);
        }
    }

    /// Puts it together with what is held.
    pub fn refine(&mut self, held: &Fact) {
        let told = self.part.text.as_ref();
        let more = set(told).is_superset(&set(&held.value));
        let value = if more { told.to_owned() } else { format!("{}; {told}", held.value) };
        self.place = Place::at(held).with(value);
        (self.action, self.reason) = (Action::Refine, "more is told of it");
    }

    /// Waits for a person, together with the end of what it may have replaced.
    pub fn unclear(&mut self, held: &Fact) -> RawFact {
        self.wait_unclear();
        ended(held, DOUBTFUL, "it may have been replaced")
    }

    pub fn proposal(self) -> RawFact {
        let kind = if self.is_state() { "state" } else { "event" };
        let fact = self.place.fact(self.action, self.confidence, self.reason);
        RawFact { kind: Some(kind.to_owned()), ..fact }
    }
}

pub(super) fn ended(held: &Fact, confidence: f64, reason: &str) -> RawFact {
    Place::at(held).with(held.value.clone()).fact(Action::Retract, confidence, reason)
}

pub(super) fn may_have_ended(held: &Fact) -> RawFact {
    ended(held, DOUBTFUL, "what was said may have ended it")
}

/// A name without the words of a value that has gone.
pub(super) fn without(subject: &str, value: &str) -> String {
    let words: Vec<&str> = value.split_whitespace().collect();
    let telling =
        |word: &&&str| words.len() <= 4 || word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    let gone: Stems = words.iter().filter(telling).flat_map(|word| set(word)).collect();
    let left: Vec<&str> = subject.split_whitespace().filter(|word| set(word).is_disjoint(&gone)).collect();
    if left.is_empty() { subject.to_owned() } else { left.join(" ") }
}

/// A name that nothing else goes by, if there is one short of all that was said.
pub(super) fn own_name(part: &Part<'_>, news: &[News<'_>], ask: &Extract<'_>) -> String {
    let free = |named: &String| {
        let held = ask.held.iter().map(|fact| &fact.subject);
        !named.is_empty() && held.chain(news.iter().map(|new| &new.place.subject)).all(|name| name != named)
    };
    let names = [name(part), gist(&part.text)];
    names.into_iter().find(free).unwrap_or_else(|| part.text.to_lowercase())
}
