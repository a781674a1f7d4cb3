//! What is wrong after a story.

use super::story::{Expected, Story, StoryKind, Verdict};
use crate::eval::exported_fact::ExportedFact;
use domain::keys::subject_key;
use reconcile::SlotSchema;

/// From worst to least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// What was denied stands in a slot.
    Opposite,
    /// Somebody else's value stands in a slot.
    OtherOwner,
    /// What has stopped stands in a slot.
    Stopped,
    /// What somebody is said to have said stands in a slot.
    Hearsay,
    /// Another value that was corrected or taken off stands in a slot.
    Outdated,
    /// An agent is told to go ahead on what has stopped or is in doubt.
    SafeAfterStop,
    /// What was said is not current.
    Lost,
    /// An agent is held up where nothing is in doubt.
    NeedlessBlock,
    /// A person is asked where nothing is in doubt.
    NeedlessFlag,
}

impl Fault {
    pub const ALL: [Self; 9] = [
        Self::Opposite,
        Self::OtherOwner,
        Self::Stopped,
        Self::Hearsay,
        Self::Outdated,
        Self::SafeAfterStop,
        Self::Lost,
        Self::NeedlessBlock,
        Self::NeedlessFlag,
    ];

    /// As a field of the JSON report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opposite => "opposite",
            Self::OtherOwner => "other_owner",
            Self::Stopped => "stopped",
            Self::Hearsay => "hearsay",
            Self::Outdated => "outdated",
            Self::SafeAfterStop => "safe_after_stop",
            Self::Lost => "lost",
            Self::NeedlessBlock => "needless_block",
            Self::NeedlessFlag => "needless_flag",
        }
    }

    pub const fn words(self) -> &'static str {
        match self {
            Self::Opposite => "what was denied is held",
            Self::OtherOwner => "another's value is in a slot",
            Self::Stopped => "what has stopped is held",
            Self::Hearsay => "hearsay is held",
            Self::Outdated => "what was taken back is held",
            Self::SafeAfterStop => "SAFE after a stop or a doubt",
            Self::Lost => "a value or an item is lost",
            Self::NeedlessBlock => "BLOCKED for nothing",
            Self::NeedlessFlag => "a person is asked for nothing",
        }
    }

    const fn of_kind(kind: StoryKind) -> Self {
        match kind {
            StoryKind::Negation => Self::Opposite,
            StoryKind::OtherOwner => Self::OtherOwner,
            StoryKind::Stopped => Self::Stopped,
            StoryKind::Hearsay => Self::Hearsay,
            StoryKind::Lists | StoryKind::Plain => Self::Outdated,
        }
    }
}

/// What was found after a story.
#[derive(Debug)]
pub struct Found {
    pub held: Vec<ExportedFact>,
    pub checked: Option<Checked>,
}

#[derive(Debug)]
pub struct Checked {
    pub safe: bool,
    pub reply: String,
}

/// What came of one story.
#[derive(Debug)]
pub struct Outcome {
    pub story: Story,
    pub found: Found,
    pub faults: Vec<(Fault, String)>,
    /// Calls that the model could not serve.
    pub failures: Vec<String>,
}

impl Outcome {
    pub fn has(&self, fault: Fault) -> bool {
        self.faults.iter().any(|(found, _)| *found == fault)
    }
}

pub fn faults(story: &Story, found: &Found, slots: &SlotSchema) -> Vec<(Fault, String)> {
    let current = || found.held.iter().filter(|fact| fact.is_active());
    let fits = |expected: &Expected, fact: &ExportedFact| {
        expected.about.is_in(&fact.subject) && expected.value.is_in(&fact.value)
    };
    let is_declared = |fact: &ExportedFact| {
        slots.slots().iter().any(|slot| subject_key(&slot.name) == subject_key(&fact.subject))
    };
    let mut faults = Vec::new();
    for wrong in &story.not_holds {
        let standing = current().filter(|fact| is_declared(fact) && fits(wrong, fact));
        let fault = Fault::of_kind(story.kind);
        faults.extend(standing.map(|fact| (fault, format!("{} = {}", fact.subject, fact.value))));
    }
    for expected in story.holds.iter().filter(|expected| !current().any(|fact| fits(expected, fact))) {
        faults.push((Fault::Lost, format!("{} = {}", expected.about, expected.value)));
    }
    if let (Some(check), Some(checked)) = (&story.check, &found.checked) {
        let fault = match (check.verdict, checked.safe) {
            (Verdict::Blocked, true) => Some(Fault::SafeAfterStop),
            (Verdict::Safe, false) => Some(Fault::NeedlessBlock),
            _ => None,
        };
        faults.extend(fault.map(|fault| (fault, checked.reply.lines().collect::<Vec<_>>().join(" "))));
    }
    let flagged = found.held.iter().filter(|fact| fact.is_flagged() && !story.flag_ok);
    faults.extend(flagged.map(|fact| (Fault::NeedlessFlag, format!("{} = {}", fact.subject, fact.value))));
    faults
}
