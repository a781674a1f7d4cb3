//! What became of every record.

use super::files::PassedOver;
use super::record::{Place, Record, Unread};
use domain::{Action, Space, counted};
use reconcile::Outcome;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use store::Arrival;

/// What became of one record.
#[derive(Debug, Clone)]
pub struct Account {
    pub place: Place,
    pub id: String,
    pub space: Option<Arc<Space>>,
    /// How many of its steps were not told yet.
    pub steps_left: usize,
    pub outcomes: Vec<Outcome>,
    /// Whether it had been brought before.
    pub was_known: bool,
    /// Why it could not be read.
    pub unread: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Taken,
    Unchanged,
    NotTaken,
    /// The import stopped before.
    NotReached,
}

impl Account {
    pub fn of(record: &Record, space: Arc<Space>) -> Self {
        Self {
            place: record.place.clone(),
            id: record.id.clone(),
            space: Some(space),
            steps_left: 0,
            outcomes: Vec::new(),
            was_known: false,
            unread: None,
        }
    }

    pub fn unread(unread: Unread) -> Self {
        let (outcomes, was_known) = (Vec::new(), false);
        Self {
            place: unread.place,
            id: String::new(),
            space: None,
            steps_left: 0,
            outcomes,
            was_known,
            unread: Some(unread.why),
        }
    }

    pub fn add(&mut self, arrival: &Arrival) {
        self.steps_left = self.steps_left.saturating_sub(1);
        match arrival {
            Arrival::Known(_) => self.was_known = true,
            Arrival::New(plan) => self.outcomes.extend(plan.outcomes.iter().cloned()),
        }
    }

    fn fate(&self) -> Fate {
        let any = |actions: &[Action]| self.outcomes.iter().any(|o| actions.contains(&o.action));
        let puts_down =
            [Action::Add, Action::Supersede, Action::Refine, Action::Coexist, Action::Flag, Action::Archive];
        // What it said before may end though what it says now is left out.
        if any(&puts_down) || any(&[Action::Retract]) && !any(&[Action::Skip]) {
            Fate::Taken
        } else if self.steps_left > 0 {
            Fate::NotReached
        } else if self.unread.is_none()
            && (self.was_known || self.outcomes.is_empty() || any(&[Action::Dedup]))
        {
            Fate::Unchanged
        } else {
            Fate::NotTaken
        }
    }

    /// Whether the record itself is at fault: it has no form, or is too long for a fact.
    fn is_refused(&self) -> bool {
        let is_refusal = |outcome: &Outcome| {
            let is_too_long =
                outcome.reason.contains(" is longer than ") && outcome.reason.ends_with(" bytes");
            outcome.action == Action::Skip && (outcome.subject.is_empty() || is_too_long)
        };
        self.unread.is_some() || self.outcomes.iter().any(is_refusal)
    }

    fn waits(&self) -> bool {
        self.outcomes.iter().any(|outcome| outcome.action == Action::Flag)
    }

    /// What was done, or why nothing was.
    fn told(&self) -> String {
        if let Some(why) = &self.unread {
            return why.clone();
        }
        let told: Vec<String> = self.outcomes.iter().filter(|o| !self.is_moot(o)).map(told).collect();
        match told.as_slice() {
            [] if self.steps_left > 0 => "the import stopped before".to_owned(),
            [] if self.was_known => "brought before".to_owned(),
            [] => "it is the end of another record".to_owned(),
            told => told.join("; "),
        }
    }

    /// That the end of something found nothing to end needs no telling where it was replaced before.
    fn is_moot(&self, outcome: &Outcome) -> bool {
        outcome.action == Action::Skip && self.fate() != Fate::NotTaken
    }

    fn json(&self) -> Value {
        let fate = match self.fate() {
            Fate::Taken => "taken",
            Fate::Unchanged => "unchanged",
            Fate::NotTaken => "not taken",
            Fate::NotReached => "not reached",
        };
        let facts: Vec<Value> = self
            .outcomes
            .iter()
            .map(|o| json!({ "action": o.action.word(), "subject": o.subject, "value": o.value, "id": o.id, "reason": o.reason }))
            .collect();
        let place = Some(&self.place).filter(|place| !place.is_nowhere());
        json!({
            "file": place.map(|place| &*place.file), "line": place.map(|place| place.line), "id": self.id, "fate": fate, "why": self.told(),
            "space": self.space.as_ref().map(|s| json!({ "user_id": s.user_id, "agent_id": s.agent_id, "run_id": s.run_id })),
            "facts": facts,
        })
    }
}

fn told(outcome: &Outcome) -> String {
    let Outcome { action, subject, value, reason, .. } = outcome;
    match action {
        Action::Skip if subject.is_empty() => reason.clone(),
        Action::Skip | Action::Flag if !reason.is_empty() => {
            format!("{action} {subject} = {value} ({reason})")
        }
        _ => format!("{action} {subject} = {value}"),
    }
}

/// Every record of an import, in the order of the files.
#[derive(Debug)]
pub struct Report {
    pub from: String,
    pub accounts: Vec<Account>,
    pub dry_run: bool,
    /// What was in folders and is not in the form.
    pub passed_over: PassedOver,
}

impl Report {
    fn of(&self, fate: Fate) -> impl Iterator<Item = &Account> {
        self.accounts.iter().filter(move |account| account.fate() == fate)
    }

    /// How many could not be read, or cannot be taken as they are. What the rules judged is none of these.
    pub fn refused(&self) -> usize {
        self.of(Fate::NotTaken).filter(|account| account.is_refused()).count()
    }

    /// One JSON object a record.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        self.accounts.iter().try_for_each(|account| writeln!(out, "{}", account.json()))
    }

    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        if self.dry_run {
            self.accounts.iter().try_for_each(|account| line(account, out))?;
        }
        let count = |fate| self.of(fate).count();
        let waiting = self.accounts.iter().filter(|account| account.waits()).count();
        let waits =
            if waiting > 0 { format!(" ({waiting} of them waiting for a decision)") } else { String::new() };
        let left = match count(Fate::NotReached) {
            0 => String::new(),
            n => format!(", {n} not reached"),
        };
        writeln!(
            out,
            "{}{} of {}: {} taken{waits}, {} unchanged, {} not taken{left}.",
            if self.dry_run { "Nothing was changed. " } else { "" },
            counted(self.accounts.len() as u64, "record", "records"),
            self.from,
            count(Fate::Taken),
            count(Fate::Unchanged),
            count(Fate::NotTaken),
        )?;
        let vanished = self.accounts.iter().filter(|account| account.place.is_nowhere()).count();
        if vanished > 0 {
            let ends = if self.dry_run { "would end" } else { "ended" };
            writeln!(out, "  {vanished} no longer in the files, and {ends}.")?;
        }
        let mut spaces: BTreeMap<&Space, usize> = BTreeMap::new();
        for space in self.of(Fate::Taken).filter_map(|account| account.space.as_deref()) {
            *spaces.entry(space).or_default() += 1;
        }
        for (space, records) in spaces.into_iter().filter(|(space, _)| **space != own_space()) {
            writeln!(out, "  {records} to user_id '{}'{}", space.user_id, besides(space))?;
        }
        if !self.passed_over.is_empty() {
            let kinds: Vec<String> =
                self.passed_over.iter().map(|(what, n)| format!("{n} × {what}")).collect();
            writeln!(out, "Passed over in folders: {}.", printable(&kinds.join(", ")))?;
        }
        if self.dry_run {
            return Ok(());
        }
        let mut left = self.of(Fate::NotTaken).peekable();
        if left.peek().is_some() {
            writeln!(out, "Not taken:")?;
        }
        left.try_for_each(|account| line(account, out))?;
        let mut waiting = self.accounts.iter().filter(|account| account.waits()).peekable();
        if waiting.peek().is_some() {
            writeln!(out, "Waiting for a decision:")?;
        }
        waiting.try_for_each(|account| line(account, out))
    }
}

fn line(account: &Account, out: &mut impl Write) -> io::Result<()> {
    let place = match &account.place {
        place if place.is_nowhere() => format!("record {}, in no file", account.id),
        Place { file, line } => format!("{file}:{line}"),
    };
    let fate = match account.fate() {
        Fate::Taken => "",
        Fate::Unchanged => "unchanged: ",
        Fate::NotTaken => "not taken: ",
        Fate::NotReached => "not reached: ",
    };
    writeln!(out, "  {}", printable(&format!("{place}  {fate}{}", account.told())))
}

/// What a file says must not move the cursor, or set the title, of the terminal that shows it.
fn printable(text: &str) -> String {
    text.replace(char::is_control, " ")
}

fn own_space() -> Space {
    Space::new(domain::DEFAULT_USER, "", "")
}

fn besides(space: &Space) -> String {
    let named = [("agent_id", &space.agent_id), ("run_id", &space.run_id)];
    named.iter().filter(|(_, id)| !id.is_empty()).map(|(name, id)| format!(", {name} '{id}'")).collect()
}
