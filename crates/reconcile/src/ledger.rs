//! The facts that a plan is made on. Each proposal sees what the earlier ones changed.

use crate::needs::HeldFacts;
use crate::plan::Write;
use crate::settled::{settle, settled_by};
use crate::slot_key::{scope_key, slot_key};
use crate::standing::standing;
use domain::keys::{subject_key, value_key};
use domain::{Fact, FactId, FactKind, Pending, Status, Timestamp};
use std::collections::BTreeSet;

/// A fact with its keys, which every lookup compares.
pub(crate) struct Row {
    pub fact: Fact,
    pub subject: String,
    pub scope: String,
}

pub(crate) struct Ledger {
    rows: Vec<Row>,
    retired: BTreeSet<(String, String)>,
    inserted: BTreeSet<FactId>,
    updated: BTreeSet<FactId>,
    next_id: FactId,
}

impl Ledger {
    /// What has run out by now is history, and is written so.
    pub fn open(held: &HeldFacts, next_id: FactId, now: Timestamp) -> Self {
        let mut ledger = Self {
            rows: Vec::with_capacity(held.facts.len()),
            retired: held.retired.clone(),
            inserted: BTreeSet::new(),
            updated: BTreeSet::new(),
            next_id,
        };
        let mut seen = BTreeSet::new();
        // A fact may have been fetched twice, by its subject and by its id.
        for fact in held.facts.iter().filter(|f| seen.insert(f.id)) {
            let counted = fact.clone().counted_at(now);
            if counted.status != fact.status {
                ledger.updated.insert(fact.id);
            }
            ledger.push(counted);
        }
        ledger
    }

    pub fn get(&self, id: FactId) -> Option<&Fact> {
        self.rows.iter().map(|r| &r.fact).find(|f| f.id == id)
    }

    /// Whether this statement has already written the fact.
    pub fn is_touched(&self, id: FactId) -> bool {
        self.inserted.contains(&id) || self.updated.contains(&id)
    }

    pub fn active<'a>(&'a self, subject: &str) -> impl Iterator<Item = &'a Row> {
        self.with_status(subject, Status::Active)
    }

    pub fn flagged<'a>(&'a self, subject: &str) -> impl Iterator<Item = &'a Row> {
        self.with_status(subject, Status::FlaggedConflict)
    }

    /// The current facts of a subject that the statement has not written.
    pub fn untouched<'a>(&'a self, subject: &str) -> impl Iterator<Item = &'a Row> {
        self.active(subject).filter(|row| !self.is_touched(row.fact.id))
    }

    /// All that is known of a subject: what has gone only as far as it was asked for.
    pub fn of_subject(&self, subject: String) -> impl Iterator<Item = &Fact> {
        self.rows.iter().filter(move |row| row.subject == subject).map(|row| &row.fact)
    }

    /// The current facts with the slot key that the fact would have if it were current too.
    pub fn occupants(&self, fact: &Fact) -> Vec<FactId> {
        let Some(place) = slot_key(&Fact { status: Status::Active, ..fact.clone() }) else {
            return Vec::new();
        };
        self.active(&subject_key(&fact.subject))
            .filter(|r| slot_key(&r.fact).as_ref() == Some(&place))
            .map(|r| r.fact.id)
            .collect()
    }

    /// What approving the flagged fact would replace, refine or remove.
    pub fn standing(&self, flag: &Fact, pending: &Pending) -> Vec<&Fact> {
        standing(flag, pending, self.rows.iter().map(|row| &row.fact))
    }

    /// The spelling that the subject already has: one subject is not listed under two.
    pub fn spelling(&self, subject: &str) -> Option<&str> {
        self.active(subject).chain(self.flagged(subject)).map(|r| r.fact.subject.as_str()).next()
    }

    pub fn is_retired(&self, subject: &str, value: &str) -> bool {
        self.retired.contains(&(subject.to_owned(), value_key(value)))
    }

    /// Gives the fact the next id.
    pub fn insert(&mut self, mut fact: Fact) -> FactId {
        let id = self.next_id;
        self.next_id.0 += 1;
        fact.id = id;
        self.inserted.insert(id);
        if matches!(fact.status, Status::Historical | Status::Superseded) {
            self.note_retired(&fact);
        }
        self.push(fact);
        id
    }

    pub fn change(&mut self, id: FactId, now: Timestamp, edit: impl FnOnce(&mut Fact)) {
        if let Some(row) = self.rows.iter_mut().find(|r| r.fact.id == id) {
            edit(&mut row.fact);
            row.fact.changed = now;
            self.updated.insert(id);
        }
    }

    /// Every value of the subject is an item of a list from now on.
    pub fn make_list(&mut self, subject: &str, scope: &str) {
        let single = |row: &Row| {
            let fact = &row.fact;
            row.subject == subject
                && row.scope == scope
                && fact.status == Status::Active
                && fact.kind == FactKind::State
        };
        for row in self.rows.iter_mut().filter(|row| single(row) && !row.fact.list_item) {
            row.fact.list_item = true;
            self.updated.insert(row.fact.id);
        }
    }

    /// Another value holds since then, or nothing does. It cannot have ended before it began.
    pub fn supersede(&mut self, id: FactId, since: Timestamp, now: Timestamp) {
        self.change(id, now, |f| {
            f.status = Status::Superseded;
            if since != now {
                f.times.ended = Some(since.max(f.began()));
            }
        });
        if let Some(fact) = self.get(id).cloned() {
            self.note_retired(&fact);
        }
    }

    /// Flagged facts that nobody need decide on any more become history, with a note why.
    pub fn settle_waiting(&mut self, now: Timestamp) {
        let settled = |row: &Row| {
            let pending = row.fact.pending.as_ref()?;
            let target = pending.target.and_then(|id| self.get(id));
            let current = self.active(&row.subject).map(|held| &held.fact);
            Some((row.fact.id, settled_by(&row.fact, pending, target, current, now)?))
        };
        let settled: Vec<(FactId, &str)> = self.rows.iter().filter_map(settled).collect();
        for (id, why) in settled {
            self.change(id, now, |flag| settle(flag, why, now));
        }
    }

    /// Facts that leave a slot come before those that take one. Otherwise the unique index could be violated in
    /// between.
    pub fn into_writes(self) -> Vec<Write> {
        let Self { rows, inserted, updated, .. } = self;
        let mut writes: Vec<Write> = rows
            .into_iter()
            .filter_map(|row| match row.fact.id {
                id if inserted.contains(&id) => Some(Write::Insert(row.fact)),
                id if updated.contains(&id) => Some(Write::Update(row.fact)),
                _ => None,
            })
            .collect();
        writes.sort_by_key(|write| match write {
            Write::Update(fact) if fact.status != Status::Active => 0,
            Write::Update(_) => 1,
            Write::Insert(_) => 2,
        });
        writes
    }

    fn with_status<'a>(&'a self, subject: &str, status: Status) -> impl Iterator<Item = &'a Row> {
        self.rows.iter().filter(move |r| r.fact.status == status && r.subject == subject)
    }

    fn note_retired(&mut self, fact: &Fact) {
        self.retired.insert((subject_key(&fact.subject), value_key(&fact.value)));
    }

    fn push(&mut self, fact: Fact) {
        let (subject, scope) = (subject_key(&fact.subject), scope_key(&fact.scope));
        self.rows.push(Row { fact, subject, scope });
    }
}
