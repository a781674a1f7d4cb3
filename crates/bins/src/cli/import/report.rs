//! What became of every record.

use super::record::{Place, Record};
use domain::{Action, Space, counted};
use reconcile::Outcome;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use store::Arrival;

/// What became of one record.
#[derive(Debug, Clone)]
pub struct Account {
    pub place: Place,
    id: String,
    space: Option<Space>,
    /// How much of it was not told yet.
    pub steps_left: usize,
    outcomes: Vec<Outcome>,
    /// Whether it had been brought before.
    was_known: bool,
    /// Why it cannot be taken as it says.
    refused: Option<String>,
}

/// What is said of a record; the last of them where the import stopped before.
const TAKEN: &str = "taken";
const UNCHANGED: &str = "unchanged";
const NOT_TAKEN: &str = "not taken";
const NOT_REACHED: &str = "not reached";

impl Account {
    pub fn of(record: &Record, space: Space) -> Self {
        let (place, id) = (record.place.clone(), record.id.clone());
        Self { id, space: Some(space), refused: None, ..Self::refused(place, String::new()) }
    }

    pub fn refused(place: Place, why: String) -> Self {
        let (id, outcomes, refused) = (String::new(), Vec::new(), Some(why));
        Self { place, id, space: None, steps_left: 0, outcomes, was_known: false, refused }
    }

    pub fn add(&mut self, arrival: &Arrival) {
        self.steps_left = self.steps_left.saturating_sub(1);
        match arrival {
            Arrival::Known => self.was_known = true,
            Arrival::New(plan) => self.outcomes.extend(plan.outcomes.iter().cloned()),
        }
    }

    fn fate(&self) -> &'static str {
        let any = |is: fn(Action) -> bool| self.outcomes.iter().any(|outcome| is(outcome.action));
        let is_same = self.was_known || self.outcomes.is_empty() || any(|action| action == Action::Dedup);
        if any(|action| !matches!(action, Action::Dedup | Action::Skip)) {
            TAKEN
        } else if self.steps_left > 0 {
            NOT_REACHED
        } else if self.refused.is_none() && is_same {
            UNCHANGED
        } else {
            NOT_TAKEN
        }
    }

    /// Whether the record itself is at fault: it has no form, or is too long for a fact.
    fn is_refused(&self) -> bool {
        let is_refusal = |outcome: &Outcome| {
            let is_too_long =
                outcome.reason.contains(" is longer than ") && outcome.reason.ends_with(" bytes");
            outcome.action == Action::Skip && (outcome.subject.is_empty() || is_too_long)
        };
        self.refused.is_some() || self.outcomes.iter().any(is_refusal)
    }

    fn waits(&self) -> bool {
        self.outcomes.iter().any(|outcome| outcome.action == Action::Flag)
    }

    /// What was done, or why nothing was.
    fn told(&self) -> String {
        let told: Vec<String> = self.outcomes.iter().map(told).collect();
        match (&self.refused, told.as_slice()) {
            (Some(why), _) => why.clone(),
            (None, []) if self.steps_left > 0 => "the import stopped before".to_owned(),
            (None, []) if self.was_known => "brought before".to_owned(),
            (None, []) => "it is the end of another record".to_owned(),
            (None, told) => told.join("; "),
        }
    }

    fn json(&self) -> Value {
        let fact = |o: &Outcome| json!({ "action": o.action.word(), "subject": o.subject, "value": o.value, "id": o.id, "reason": o.reason });
        let space = |s: &Space| json!({ "user_id": s.user_id, "agent_id": s.agent_id, "run_id": s.run_id });
        json!({
            "file": &*self.place.file, "line": self.place.line, "id": self.id, "fate": self.fate(),
            "why": self.told(), "space": self.space.as_ref().map(space),
            "facts": self.outcomes.iter().map(fact).collect::<Value>(),
        })
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Place { file, line } = &self.place;
        let fate = match self.fate() {
            TAKEN => String::new(),
            fate => format!("{fate}: "),
        };
        writeln!(out, "  {}", printable(&format!("{file}:{line}  {fate}{}", self.told())))
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
    /// How many files, links and hidden folders of the folders were not read.
    pub passed_over: usize,
}

impl Report {
    fn of(&self, fate: &'static str) -> impl Iterator<Item = &Account> {
        self.accounts.iter().filter(move |account| account.fate() == fate)
    }

    /// How many cannot be taken as they are. What the rules judged is none of these.
    pub fn refused(&self) -> usize {
        self.of(NOT_TAKEN).filter(|account| account.is_refused()).count()
    }

    /// One JSON object a record.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        self.accounts.iter().try_for_each(|account| writeln!(out, "{}", account.json()))
    }

    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let shown = |account: &&Account| self.dry_run || account.fate() == NOT_TAKEN || account.waits();
        self.accounts.iter().filter(shown).try_for_each(|account| account.write(out))?;
        let count = |fate| self.of(fate).count();
        let some = |n: usize, text: String| if n > 0 { text } else { String::new() };
        let waiting = self.accounts.iter().filter(|account| account.waits()).count();
        let (left, others) = (count(NOT_REACHED), self.passed_over);
        let waits = some(waiting, format!(" ({waiting} of them waiting for a decision)"));
        let left = some(left, format!(", {left} not reached"));
        let others = some(others, format!(" Passed over in folders: {others}."));
        writeln!(
            out,
            "{}{} of {}: {} taken{waits}, {} unchanged, {} not taken{left}.{others}",
            if self.dry_run { "Nothing was changed. " } else { "" },
            counted(self.accounts.len() as u64, "record", "records"),
            self.from,
            count(TAKEN),
            count(UNCHANGED),
            count(NOT_TAKEN),
        )?;
        let mut spaces: BTreeMap<&Space, usize> = BTreeMap::new();
        for space in self.of(TAKEN).filter_map(|account| account.space.as_ref()) {
            *spaces.entry(space).or_default() += 1;
        }
        spaces.remove(&Space::new(domain::DEFAULT_USER, "", ""));
        for (space, records) in spaces {
            let named = [("agent_id", &space.agent_id), ("run_id", &space.run_id)];
            let named =
                named.iter().filter(|(_, id)| !id.is_empty()).map(|(name, id)| format!(", {name} '{id}'"));
            writeln!(out, "  {records} to user_id '{}'{}", space.user_id, named.collect::<String>())?;
        }
        Ok(())
    }
}

/// What a file says must not move the cursor, or set the title, of the terminal that shows it.
fn printable(text: &str) -> String {
    text.replace(char::is_control, " ")
}
