//! The rules written a second time, for a few subjects and values, without sharing any code with the engine. The
//! property test compares the two.

use domain::Action;
use std::collections::{BTreeMap, BTreeSet};

pub const SCHEMA: &str = r#"{"slots":[
    {"name":"tier","confirm":true,"aliases":["customer tier"]},
    {"name":"allergy","multi":true,"aliases":["allergies"]},
    {"name":"meds","multi":true,"confirm":true}]}"#;
/// Subjects as they are said, and the subject that is meant.
pub const SUBJECTS: [(&str, &str); 6] = [
    ("db", "db"),
    ("DB", "db"),
    ("lead", "lead"),
    ("Customer_Tier", "tier"),
    ("allergies", "allergy"),
    ("meds", "meds"),
];
pub const VALUES: [&str; 6] = ["Ash - mild", "Ash - bad", "ash", "Oak 5 mg", "Oak 10 mg", "OAK 5 mg."];
pub const SCOPES: [&str; 2] = ["global", "mobile"];
pub const SOURCES: [Option<&str>; 4] = [None, Some("hr"), Some("HR"), Some("bot")];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    Now,
    Past,
    Future,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    Recency,
    Authority,
    Review,
}

#[derive(Debug, Clone, Copy)]
pub struct Said {
    pub subject: usize,
    pub value: &'static str,
    pub scope: &'static str,
    pub event: bool,
    pub time: Time,
    pub action: Action,
    pub sure: bool,
    pub target: Option<i64>,
}

#[derive(Debug, Clone, Copy)]
pub struct Voice {
    pub source: Option<&'static str>,
    pub trusted: bool,
    pub words: Words,
    /// The words hold the value of what is aimed at.
    pub names: bool,
}

/// What the words say beside the fact itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    Plain,
    Gone,
    Doubted,
}

#[derive(Debug, Clone, Copy)]
struct Standing {
    subject: &'static str,
    scope: &'static str,
    value: &'static str,
    event: bool,
    source: Option<&'static str>,
}

#[derive(Debug, Clone, Copy)]
struct Ask {
    standing: Standing,
    action: Action,
    target: Option<i64>,
    /// What the target was when this was asked.
    against: Option<&'static str>,
}

#[derive(Debug)]
pub struct Model {
    pub policy: Policy,
    standing: BTreeMap<i64, Standing>,
    asked: BTreeMap<i64, Ask>,
    retired: BTreeSet<(&'static str, &'static str)>,
    next: i64,
}

fn folded(value: &str) -> &'static str {
    match value {
        "Ash - mild" => "ash mild",
        "Ash - bad" => "ash bad",
        "ash" => "ash",
        "Oak 5 mg" | "OAK 5 mg." => "oak 5",
        _ => "oak 10",
    }
}

fn tree(value: &str) -> &'static str {
    if value.to_lowercase().starts_with("ash") { "ash" } else { "oak" }
}

fn meant(said: &Said) -> &'static str {
    SUBJECTS[said.subject].1
}

fn is_list(subject: &str) -> bool {
    matches!(subject, "allergy" | "meds")
}

fn is_gated(subject: &str) -> bool {
    matches!(subject, "tier" | "meds")
}

fn is_declared(subject: &str) -> bool {
    is_list(subject) || is_gated(subject)
}

/// Whether the two cannot both be current in one scope.
fn rivals(a: &Standing, b: &Standing) -> bool {
    !a.event && !b.event && a.subject == b.subject && (!is_list(a.subject) || tree(a.value) == tree(b.value))
}

fn rank(source: Option<&str>) -> i32 {
    match source {
        Some("hr" | "HR") => 10,
        Some("bot") => 1,
        _ => 0,
    }
}

impl Model {
    pub fn new(policy: Policy) -> Self {
        Self { policy, standing: BTreeMap::new(), asked: BTreeMap::new(), retired: BTreeSet::new(), next: 1 }
    }

    pub fn active(&self) -> BTreeSet<(i64, &'static str, &'static str, &'static str)> {
        self.standing.iter().map(|(id, s)| (*id, s.subject, s.scope, s.value)).collect()
    }

    pub fn waiting(&self) -> BTreeSet<i64> {
        self.asked.keys().copied().collect()
    }

    pub fn remember(&mut self, said: &Said, voice: Voice) -> Vec<Action> {
        let aimed = said.target.and_then(|t| Some((t, *self.standing.get(&t)?)));
        let mut said = Said { target: aimed.map(|(t, _)| t), ..*said };
        let mut astray = false;
        match aimed {
            Some((_, at)) if at.subject == meant(&said) => said.event &= at.event,
            Some((_, at)) => {
                let free = !is_declared(meant(&said)) && at.scope == said.scope;
                let states = !said.event && !at.event;
                let same = folded(at.value) == folded(said.value);
                let unheld = Said { target: None, ..said };
                let change = match said.action {
                    Action::Supersede | Action::Refine => states && self.place(&unheld, voice).is_none(),
                    Action::Retract => states && self.removable(&unheld, voice).is_none(),
                    Action::Dedup => same && self.place(&unheld, voice).is_none(),
                    _ => false,
                };
                let unclaimed = !self.held_for(&unheld, voice, aimed);
                astray = said.action == Action::Retract && same && !(change && voice.names);
                if free && unclaimed && (astray || (change && voice.names)) {
                    said.subject = SUBJECTS.iter().position(|(_, s)| *s == at.subject).unwrap();
                } else {
                    said.target = None;
                    astray = false;
                }
            }
            None => {}
        }
        self.hear(&said, voice, astray)
    }

    /// Whether what is aimed at is what the entry would meet by its own subject anyway.
    fn held_for(&self, said: &Said, voice: Voice, aimed: Option<(i64, Standing)>) -> bool {
        let own = self.place(said, voice).or_else(|| self.removable(said, voice));
        own.is_some() && own == aimed.map(|(t, _)| t)
    }

    fn hear(&mut self, said: &Said, voice: Voice, astray: bool) -> Vec<Action> {
        let repeats = self.named(said, |s| {
            folded(s.value) == folded(said.value)
                || (is_list(s.subject) && said.value == "ash" && tree(s.value) == "ash")
        });
        let history = said.time == Time::Past || (said.action == Action::Archive && said.time == Time::Now);
        match said.action {
            Action::Skip => vec![Action::Skip],
            Action::Retract => vec![self.remove(said, voice, astray)],
            _ if history => vec![self.archive(said, voice)],
            _ if voice.words == Words::Gone && repeats.is_some() => {
                let sure = matches!(said.action, Action::Add | Action::Supersede | Action::Archive);
                vec![self.bid_farewell(repeats.unwrap(), said, voice, !sure)]
            }
            _ => self.assert(said, voice),
        }
    }

    fn archive(&mut self, said: &Said, voice: Voice) -> Action {
        if self.retired.contains(&(meant(said), folded(said.value))) {
            return Action::Dedup;
        }
        self.retired.insert((meant(said), folded(said.value)));
        self.take(said, voice);
        Action::Archive
    }

    fn remove(&mut self, said: &Said, voice: Voice, astray: bool) -> Action {
        if let Some(id) = self.removable(said, voice) {
            return self.bid_farewell(id, said, voice, astray);
        }
        match self.aimed_here(said).filter(|_| is_list(meant(said))) {
            Some(id) => self.bid_farewell(id, said, voice, true),
            None if said.time == Time::Past => self.archive(said, voice),
            None => Action::Skip,
        }
    }

    fn bid_farewell(&mut self, id: i64, said: &Said, voice: Voice, contested: bool) -> Action {
        let objected = said.event
            || contested
            || voice.words == Words::Doubted
            || said.time == Time::Future
            || (is_gated(meant(said)) && !voice.trusted)
            || !said.sure
            || self.disputed(id, voice);
        if objected { self.ask(said, voice, Action::Retract, Some(id)) } else { self.bury(id) }
    }

    pub fn forget(&mut self, said: &Said) -> Action {
        let voice = Voice { source: None, trusted: false, words: Words::Plain, names: false };
        match self.removable(said, voice).or_else(|| self.aimed_here(said)) {
            None => Action::Skip,
            Some(id) if is_gated(meant(said)) || self.disputed(id, voice) => {
                self.ask(said, voice, Action::Retract, Some(id))
            }
            Some(id) => self.bury(id),
        }
    }

    fn assert(&mut self, said: &Said, voice: Voice) -> Vec<Action> {
        let place = self.place(said, voice);
        let same = match place {
            Some(id) => folded(self.standing[&id].value) == folded(said.value),
            None => self.here(said).any(|(_, s)| folded(s.value) == folded(said.value)),
        };
        if same && said.time != Time::Future {
            return vec![Action::Dedup];
        }
        let doubtful = said.time == Time::Future || voice.words == Words::Doubted;
        let replaced = self.states_aimed_at(said).filter(|_| place.is_none() && is_list(meant(said)));
        if let Some(other) = replaced {
            if doubtful || !said.sure || (is_gated(meant(said)) && !voice.trusted) {
                return vec![self.ask(said, voice, Action::Supersede, Some(other))];
            }
            let action = if self.beside(said) { Action::Coexist } else { Action::Add };
            let (id, standing) = self.take(said, voice);
            self.standing.insert(id, standing);
            return vec![action, self.ask(said, voice, Action::Retract, Some(other))];
        }
        let keeps_identity =
            |id: i64| !is_list(meant(said)) || tree(self.standing[&id].value) == tree(said.value);
        let action = match place {
            Some(id) if said.action == Action::Refine && keeps_identity(id) => Action::Refine,
            Some(_) => Action::Supersede,
            None if self.beside(said) => Action::Coexist,
            None => Action::Add,
        };
        let stored_event = said.event && !is_declared(meant(said));
        let called =
            matches!(said.action, Action::Supersede | Action::Coexist | Action::Refine) && !stored_event;
        let waits = [
            doubtful,
            said.action == Action::Flag,
            said.action == Action::Dedup && place.is_some(),
            !said.sure && (called || action != Action::Add),
            place.is_some() && said.event,
            action != Action::Add && is_gated(meant(said)) && !voice.trusted,
            place.is_some_and(|id| self.disputed(id, voice)),
        ];
        if waits.contains(&true) {
            return vec![self.ask(said, voice, action, place)];
        }
        match (action, place) {
            (Action::Refine, Some(id)) => self.sharpen(id, said.value, voice.source),
            (_, place) => {
                if let Some(id) = place {
                    self.retire(id);
                }
                let (id, standing) = self.take(said, voice);
                self.standing.insert(id, standing);
            }
        }
        vec![action]
    }

    fn ask(&mut self, said: &Said, voice: Voice, action: Action, target: Option<i64>) -> Action {
        let repeat = self.asked.values().any(|a| {
            let same_words = a.standing.scope == said.scope && folded(a.standing.value) == folded(said.value);
            let same_subject = a.standing.subject == meant(said);
            same_subject
                && a.action == action
                && a.target == target
                && !self.is_stale(a)
                && (action == Action::Retract || same_words)
        });
        if repeat {
            return Action::Dedup;
        }
        let (id, mut standing) = self.take(said, voice);
        if let Some(held) = target.filter(|_| action == Action::Retract).map(|t| self.standing[&t]) {
            standing = Standing { value: held.value, scope: held.scope, event: held.event, ..standing };
        }
        let against = target.map(|t| self.standing[&t].value);
        self.asked.insert(id, Ask { standing, action, target, against });
        Action::Flag
    }

    /// None when it is refused.
    pub fn confirm(&mut self, id: i64) -> Option<Action> {
        let ask = *self.asked.get(&id)?;
        let target = ask.target.filter(|t| self.standing.contains_key(t));
        if self.is_stale(&ask) || (ask.action == Action::Retract && target.is_none()) {
            return None;
        }
        self.asked.remove(&id);
        match (ask.action, target) {
            (Action::Retract, Some(target)) => {
                self.retire(target);
                return Some(Action::Retract);
            }
            (Action::Refine, Some(target)) => {
                self.retired.insert((ask.standing.subject, folded(ask.standing.value)));
                self.sharpen(target, ask.standing.value, ask.standing.source);
                return Some(Action::Refine);
            }
            _ => {}
        }
        let new = ask.standing;
        let rival = |s: &Standing| rivals(s, &new);
        let ousted: Vec<i64> = self
            .standing
            .iter()
            .filter(|(at, s)| Some(**at) == target || (rival(s) && s.scope == new.scope))
            .map(|(at, _)| *at)
            .collect();
        let beside = self.standing.values().any(|s| rival(s) && s.scope != new.scope);
        ousted.iter().for_each(|at| self.retire(*at));
        self.standing.insert(id, new);
        Some(match (ousted.is_empty(), beside) {
            (false, _) => Action::Supersede,
            (true, true) => Action::Coexist,
            (true, false) => Action::Add,
        })
    }

    /// What waits is settled once its value is current, or what it would change is not.
    pub fn settle(&mut self) {
        let held = &self.standing;
        let settled = |ask: &Ask| {
            let new = ask.standing;
            let says_the_same = |s: &Standing| {
                (s.subject, s.scope, s.event) == (new.subject, new.scope, new.event)
                    && folded(s.value) == folded(new.value)
            };
            let is_news = ask.against.is_none_or(|old| folded(old) != folded(new.value));
            let is_current = ask.action != Action::Retract && is_news && held.values().any(says_the_same);
            is_current || ask.target.is_some_and(|target| !held.contains_key(&target))
        };
        let gone: Vec<i64> = self.asked.iter().filter(|(_, ask)| settled(ask)).map(|(id, _)| *id).collect();
        for id in gone {
            self.reject(id);
        }
    }

    fn is_stale(&self, ask: &Ask) -> bool {
        let taken =
            || self.standing.values().any(|s| rivals(s, &ask.standing) && s.scope == ask.standing.scope);
        is_gated(ask.standing.subject)
            && match (ask.target, ask.action) {
                (Some(target), _) => self.standing.get(&target).map(|s| s.value) != ask.against,
                (None, Action::Coexist) => taken(),
                (None, _) => false,
            }
    }

    pub fn reject(&mut self, id: i64) -> Option<Action> {
        let ask = self.asked.remove(&id)?;
        if ask.action != Action::Retract {
            self.retired.insert((ask.standing.subject, folded(ask.standing.value)));
        }
        Some(ask.action)
    }

    pub fn update(&mut self, id: i64, value: &'static str, approver: bool) -> Option<Action> {
        let old = *self.standing.get(&id)?;
        if old.value == value {
            return Some(Action::Dedup);
        }
        let taken = is_list(old.subject)
            && self.standing.iter().any(|(at, s)| {
                *at != id && (s.subject, s.scope) == (old.subject, old.scope) && tree(s.value) == tree(value)
            });
        if taken {
            return None;
        }
        let new = Standing { value, source: None, ..old };
        let nobody = Voice { source: None, trusted: false, words: Words::Plain, names: false };
        if (is_gated(old.subject) && !approver) || self.disputed(id, nobody) {
            let repeat = self.asked.values().any(|a| {
                (a.standing.value, a.standing.scope) == (value, old.scope)
                    && (a.action, a.target, a.against) == (Action::Supersede, Some(id), Some(old.value))
            });
            if repeat {
                return Some(Action::Dedup);
            }
            let ask =
                Ask { standing: new, action: Action::Supersede, target: Some(id), against: Some(old.value) };
            self.asked.insert(self.next, ask);
            self.next += 1;
            return Some(Action::Flag);
        }
        self.retire(id);
        self.standing.insert(self.next, new);
        self.next += 1;
        Some(Action::Supersede)
    }

    fn here<'a>(&'a self, said: &'a Said) -> impl Iterator<Item = (i64, &'a Standing)> {
        let same = |s: &Standing| s.subject == meant(said) && s.scope == said.scope;
        self.standing.iter().filter(move |(_, s)| same(s)).map(|(id, s)| (*id, s))
    }

    /// The facts that would have to go for the value to become current.
    fn place(&self, said: &Said, voice: Voice) -> Option<i64> {
        let list = is_list(meant(said));
        if said.event && !is_declared(meant(said)) {
            return None;
        }
        let states = || self.here(said).filter(|(_, s)| !s.event);
        if !list {
            let aimed = self.aimed_here(said).filter(|id| self.standing[id].scope == said.scope);
            return states().next().map(|(id, _)| id).or(aimed);
        }
        let twin = states().find(|(_, s)| tree(s.value) == tree(said.value)).map(|(id, _)| id);
        let aims = voice.names || said.action == Action::Flag;
        twin.or_else(|| self.states_aimed_at(said).filter(|_| aims))
    }

    /// What is aimed at, where it is of the same subject.
    fn aimed_here(&self, said: &Said) -> Option<i64> {
        said.target.filter(|t| self.standing.get(t).is_some_and(|s| s.subject == meant(said)))
    }

    fn states_aimed_at(&self, said: &Said) -> Option<i64> {
        let aims = matches!(said.action, Action::Supersede | Action::Refine | Action::Flag);
        self.aimed_here(said).filter(|id| {
            let at = self.standing[id];
            aims && !at.event && at.scope == said.scope
        })
    }

    fn beside(&self, said: &Said) -> bool {
        (!said.event || is_declared(meant(said)))
            && self.standing.values().any(|s| {
                s.subject == meant(said)
                    && s.scope != said.scope
                    && !s.event
                    && (!is_list(s.subject) || tree(s.value) == tree(said.value))
            })
    }

    fn removable(&self, said: &Said, voice: Voice) -> Option<i64> {
        let aimed = self.aimed_here(said);
        let told = self.named(said, |s| {
            folded(s.value) == folded(said.value) || (is_list(s.subject) && tree(s.value) == tree(said.value))
        });
        if is_list(meant(said)) { told.or(aimed.filter(|_| voice.names)) } else { aimed.or(told) }
    }

    /// The first such of the scope said, or the only such of another.
    fn named(&self, said: &Said, such: impl Fn(&Standing) -> bool) -> Option<i64> {
        let all: Vec<(i64, &Standing)> = self
            .standing
            .iter()
            .filter(|(_, s)| s.subject == meant(said) && such(s))
            .map(|(i, s)| (*i, s))
            .collect();
        match all.iter().find(|(_, s)| s.scope == said.scope) {
            Some((id, _)) => Some(*id),
            None if all.len() == 1 => Some(all[0].0),
            None => None,
        }
    }

    fn disputed(&self, id: i64, voice: Voice) -> bool {
        let held = self.standing[&id].source;
        let same = held.map(str::to_lowercase) == voice.source.map(str::to_lowercase);
        match self.policy {
            Policy::Recency => false,
            Policy::Authority => !same && rank(voice.source) <= rank(held),
            Policy::Review => !same,
        }
    }

    fn take(&mut self, said: &Said, voice: Voice) -> (i64, Standing) {
        let id = self.next;
        self.next += 1;
        let standing = Standing {
            subject: meant(said),
            scope: said.scope,
            value: said.value,
            event: said.event && !is_declared(meant(said)),
            source: voice.source,
        };
        (id, standing)
    }

    fn sharpen(&mut self, id: i64, value: &'static str, source: Option<&'static str>) {
        self.standing.entry(id).and_modify(|s| *s = Standing { value, source, event: false, ..*s });
    }

    fn retire(&mut self, id: i64) {
        if let Some(s) = self.standing.remove(&id) {
            self.retired.insert((s.subject, folded(s.value)));
        }
    }

    fn bury(&mut self, id: i64) -> Action {
        self.retire(id);
        self.next += 1;
        Action::Retract
    }
}
