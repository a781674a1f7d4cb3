//! What became of a statement, and how that reads.

use crate::render;
use domain::{Action, Fact, FactId, When};
use reconcile::{FLAG_REASON, Outcome};
use std::fmt;
use std::sync::Arc;

/// How much of a value a person is shown when asked about it.
const VALUE_SHOWN: usize = 200;

/// What became of each fact of a statement; without any, no fact was found in it.
#[derive(Debug, Default)]
pub struct Remembered {
    pub outcomes: Vec<Outcome>,
    /// Those of them that wait for a person.
    pub waiting: Vec<Waiting>,
    /// Keys of the caller's metadata that only the service sets.
    pub not_taken: Vec<String>,
    /// What removals of subjects that nothing has may mean.
    pub perhaps: Vec<Perhaps>,
    /// Facts that are current although they, or others in their place, were put into history.
    pub still: Vec<Still>,
    /// Facts that were added, each with a held one that it may be meant to replace.
    pub close: Vec<Close>,
    /// Changes to guarded slots that wait and that the caller may approve.
    pub proposals: Vec<Proposal>,
    /// What an earlier call with the same key was answered. Then there is nothing else.
    pub again: Option<String>,
}

/// A flagged fact, which waits for a person.
#[derive(Debug)]
pub struct Waiting {
    pub fact: Fact,
}

/// A change that waits for the word of a person.
#[derive(Debug)]
pub struct Proposal {
    pub memory_id: FactId,
    /// What to ask that person.
    pub question: String,
}

impl Remembered {
    pub(super) fn again(reply: String) -> Self {
        Self { again: Some(reply), ..Self::default() }
    }

    /// Whether any fact is held now because of the statement, or was held before it.
    pub fn is_stored(&self) -> bool {
        self.outcomes.iter().any(|outcome| outcome.action != Action::Skip)
    }
}

impl Waiting {
    /// What a person is asked, where the slot is guarded.
    pub(super) fn proposal(&self) -> Option<Proposal> {
        self.fact.pending.as_ref().filter(|pending| pending.gated)?;
        let question = format!("Apply this change to a guarded fact: {}?", self.change());
        Some(Proposal { memory_id: self.fact.id, question })
    }

    /// On one line and of bounded length, so that no value can pass for what we say ourselves.
    fn change(&self) -> String {
        let pair = render::excerpt(&render::pair(&self.fact.subject, &self.fact.value), VALUE_SHOWN);
        let held = format!("{pair}{}", render::validity(&self.fact));
        let pending = self.fact.pending.as_ref();
        match (pending.map(|p| p.action), pending.and_then(|p| p.target_value.as_ref())) {
            (Some(Action::Retract), _) => format!("removal of {held}"),
            (_, Some(old)) => format!("{held} in place of {}", render::excerpt(old, VALUE_SHOWN)),
            (_, None) => held,
        }
    }
}

/// `Stored: [ADD] subject = value; …`, then a line for each fact that was not stored, and for each that waits.
impl fmt::Display for Remembered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(again) = &self.again {
            return f.write_str(again);
        }
        let (skipped, stored): (Vec<_>, Vec<_>) =
            self.outcomes.iter().partition(|o| o.action == Action::Skip);
        let mut lines = Vec::new();
        if !stored.is_empty() {
            let entries: Vec<String> = stored
                .iter()
                .map(|o| format!("[{}] {}", o.action, render::pair(&o.subject, &o.value)))
                .collect();
            lines.push(format!("Stored: {}", entries.join("; ")));
        }
        lines.extend(
            skipped
                .iter()
                .map(|o| format!("Not stored ({}): {}", o.reason, render::pair(&o.subject, &o.value))),
        );
        if lines.is_empty() {
            lines.push("No durable fact found in that, so nothing was stored.".to_owned());
        }
        lines.extend(self.waiting.iter().map(ToString::to_string));
        if !self.not_taken.is_empty() {
            let keys = self.not_taken.join(", ");
            lines.push(format!("Metadata not taken, since only the service sets it: {keys}."));
        }
        lines.extend(self.perhaps.iter().map(ToString::to_string));
        lines.extend(self.still.iter().map(ToString::to_string));
        lines.extend(self.close.iter().map(ToString::to_string));
        f.write_str(&lines.join("\n"))
    }
}

/// What waits, what settles it, and why it waits.
impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (id, what) = (self.fact.id, self.change());
        write!(f, "Waiting #{id}: {what}. confirm_change or reject_change settles it.")?;
        let why = self.fact.metadata.get(FLAG_REASON).and_then(|why| why.as_str()).map(render::line);
        why.map_or(Ok(()), |why| write!(f, " Why: {why}."))
    }
}

/// Facts that a removal may mean, though none has its subject.
#[derive(Debug, Clone)]
pub struct Perhaps {
    pub subject: String,
    pub facts: Vec<Arc<Fact>>,
}

/// As many candidates as one line names.
const CANDIDATES: usize = 5;

impl fmt::Display for Perhaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |fact: &Arc<Fact>| {
            format!("#{} {}", fact.id, render::line(&render::pair(&fact.subject, &fact.value)))
        };
        let facts: Vec<String> = self.facts.iter().take(CANDIDATES).map(named).collect();
        write!(
            f,
            "Perhaps '{}' means one of these: {}. Name it as target_id.",
            render::line(&self.subject),
            facts.join("; ")
        )
    }
}

/// A fact that is current although what was told went to history.
#[derive(Debug)]
pub enum Still {
    /// It was told as a past state.
    ToldAsPast(Arc<Fact>),
    /// It was said after what was told.
    SaidLater(Arc<Fact>),
}

impl fmt::Display for Still {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::ToldAsPast(fact) | Self::SaidLater(fact)) = self;
        let pair = render::line(&render::pair(&fact.subject, &fact.value));
        write!(f, "Still current: #{} {pair}", fact.id)?;
        match self {
            Self::ToldAsPast(_) => f.write_str(". RETRACT ends it."),
            Self::SaidLater(fact) => {
                let said = fact.said_last().unwrap_or(When::at(fact.created));
                write!(f, ", said later, on {}.", said.first().strftime("%Y-%m-%d"))
            }
        }
    }
}

/// A fact that was added, and a held one that it may be meant to replace.
#[derive(Debug)]
pub struct Close {
    pub added: FactId,
    pub held: Arc<Fact>,
}

impl fmt::Display for Close {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (added, id) = (self.added, self.held.id);
        let pair = render::line(&render::pair(&self.held.subject, &self.held.value));
        write!(f, "Close: #{added} and #{id} {pair}. If #{added} replaces #{id}, forget memory_id {id}.")
    }
}
