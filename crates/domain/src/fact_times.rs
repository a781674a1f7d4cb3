//! From when to when a fact holds.

use crate::fact::{Fact, FactKind, Status};
use crate::when::When;
use jiff::Timestamp;

impl Fact {
    /// When it was said.
    pub fn said(&self) -> Timestamp {
        self.times.said.map_or(self.created, When::first)
    }

    /// When what it says now was said, where that was told: a refinement is later than what it refines.
    pub fn said_last(&self) -> Option<When> {
        self.times.said.map(|said| self.earlier.last().map_or(said, |earlier| When::at(earlier.until)))
    }

    /// The last moment at which it may have been said: a statement of a day may be of its evening.
    pub fn said_by(&self) -> Timestamp {
        self.times.said.map_or(self.created, When::last)
    }

    /// Since when it holds, as far as anybody said.
    pub fn began(&self) -> Timestamp {
        self.times.from.map_or_else(|| self.said(), When::first)
    }

    /// When it ceased, or will cease, to hold.
    pub fn ended(&self) -> Option<Timestamp> {
        let replaced = (self.status == Status::Superseded).then_some(self.changed);
        self.times.ended.or(replaced).into_iter().chain(self.runs_out()).min()
    }

    /// When its time is over. That an event happened stays true after its last day.
    pub fn runs_out(&self) -> Option<Timestamp> {
        self.times.until.filter(|_| self.kind == FactKind::State).map(When::first)
    }

    /// Whether it is active in its row and its time is over.
    pub fn has_run_out(&self, now: Timestamp) -> bool {
        self.status == Status::Active && self.runs_out().is_some_and(|end| end <= now)
    }

    /// The fact as it counts at this moment, whatever its row says: what has run out is history.
    pub fn counted_at(mut self, now: Timestamp) -> Self {
        if self.has_run_out(now) {
            self.status = Status::Historical;
            self.times.ended = self.ended();
        }
        self
    }

    /// When it held, as far as that was told, or else when it was said; nothing where neither was. Of what happened once
    /// the first date is its day.
    pub fn dates(&self) -> Option<String> {
        let since = if self.kind == FactKind::Event { "on" } else { "since" };
        self.times.validity(since).or_else(|| Some(format!("said {}", self.said_last()?)))
    }
}
