//! The rules of a guarded slot with one value, as small as they can be said.

/// Who acts, by role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    Ana,
    Ben,
    Bot,
    Eve,
}

impl Who {
    pub const ALL: [Self; 4] = [Self::Ana, Self::Ben, Self::Bot, Self::Eve];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Ana => "ana",
            Self::Ben => "ben",
            Self::Bot => "bot",
            Self::Eve => "eve",
        }
    }

    pub const fn role(self) -> &'static str {
        match self {
            Self::Ana | Self::Ben => "member",
            Self::Bot => "agent",
            Self::Eve => "viewer",
        }
    }

    const fn may_write(self) -> bool {
        !matches!(self, Self::Eve)
    }

    /// Members also delete.
    const fn may_approve(self) -> bool {
        matches!(self, Self::Ana | Self::Ben)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    Replace(&'static str),
    Remove,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Proposal {
    pub change: Change,
    /// Which of the values that the slot has had it would change.
    target: usize,
    by: Who,
}

/// One slot of one space.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// The value, and how many the slot has had before it.
    current: Option<(&'static str, usize)>,
    /// Oldest first.
    pub waiting: Vec<Proposal>,
    had: usize,
    /// Under four eyes a first value waits after an erasure or a removal; the walk ends there.
    is_removed: bool,
}

/// All about a state that can matter for what follows.
pub type Shape = (Option<&'static str>, Vec<(Change, Who)>, bool);

impl State {
    pub fn shape(&self) -> Shape {
        let waiting = self.waiting.iter().map(|p| (p.change, p.by));
        (self.current_value(), waiting.collect(), self.is_removed)
    }

    pub fn current_value(&self) -> Option<&'static str> {
        self.current.map(|(value, _)| value)
    }

    /// What would change a value that is no longer current waits no longer.
    fn settle(&mut self) {
        let current = self.current.map(|(_, number)| number);
        self.waiting.retain(|proposal| current == Some(proposal.target));
    }

    fn set(&mut self, value: &'static str) {
        self.had += 1;
        self.current = Some((value, self.had));
    }

    /// A change that waits already is not queued twice, whoever proposes it.
    fn propose(&mut self, change: Change, by: Who) {
        let Some((_, target)) = self.current else { return };
        if !self.waiting.iter().any(|p| p.change == change && p.target == target) {
            self.waiting.push(Proposal { change, target, by });
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub enum Step {
    Remember(Who, &'static str),
    Forget(Who),
    Update(Who, &'static str),
    /// The number is the place among those that wait.
    Confirm(Who, usize),
    Reject(Who, usize),
    Delete(Who),
}

impl Step {
    pub const VALUES: [&'static str; 2] = ["full code", "DNR"];

    /// What can be done in a state, by everybody whose doing could differ.
    pub fn all(state: &State) -> Vec<Self> {
        let mut steps = Vec::new();
        if state.is_removed {
            return steps;
        }
        for value in Self::VALUES {
            steps.extend([Who::Ana, Who::Bot, Who::Eve].map(|who| Self::Remember(who, value)));
            if state.current.is_some() {
                steps.extend([Who::Ana, Who::Bot, Who::Eve].map(|who| Self::Update(who, value)));
            }
        }
        steps.extend([Who::Ana, Who::Bot, Who::Eve].map(Self::Forget));
        for which in 0..state.waiting.len() {
            steps.extend(Who::ALL.map(|who| Self::Confirm(who, which)));
            steps.extend([Who::Ana, Who::Bot].map(|who| Self::Reject(who, which)));
        }
        steps.extend([Who::Ana, Who::Bot].map(Self::Delete));
        steps
    }
}

pub struct Rules {
    pub four_eyes: bool,
}

impl Rules {
    pub fn denies(&self, state: &State, step: Step) -> bool {
        match step {
            Step::Remember(who, _) | Step::Forget(who) | Step::Update(who, _) => !who.may_write(),
            Step::Confirm(who, which) => {
                !who.may_approve() || (self.four_eyes && state.waiting[which].by == who)
            }
            Step::Reject(who, _) => !who.may_approve(),
            // Nobody erases a guarded value alone.
            Step::Delete(who) => !who.may_approve() || (self.four_eyes && state.current.is_some()),
        }
    }

    pub fn after(&self, state: &State, step: Step) -> State {
        let mut after = state.clone();
        if self.denies(state, step) {
            return after;
        }
        match step {
            // The first value of a guarded slot needs nobody's word.
            Step::Remember(_, value) if state.current.is_none() => after.set(value),
            Step::Remember(_, value) | Step::Update(_, value) if state.current_value() == Some(value) => {}
            Step::Remember(who, value) => after.propose(Change::Replace(value), who),
            // Whoever may approve edits at once, unless a second person has to look at it.
            Step::Update(who, value) if who.may_approve() && !self.four_eyes => after.set(value),
            Step::Update(who, value) => after.propose(Change::Replace(value), who),
            Step::Forget(who) => after.propose(Change::Remove, who),
            Step::Confirm(_, which) => match after.waiting.remove(which).change {
                Change::Replace(value) => after.set(value),
                Change::Remove => {
                    after.current = None;
                    after.is_removed = self.four_eyes;
                }
            },
            Step::Reject(_, which) => drop(after.waiting.remove(which)),
            Step::Delete(_) => {
                let is_removed = self.four_eyes && state.had > 0;
                after = State { had: state.had, is_removed, ..State::default() };
            }
        }
        after.settle();
        after
    }
}
