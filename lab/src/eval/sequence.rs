//! A labelled sequence: what is said, in order, and what a careful reader would hold at the end.

use super::words::Pattern;
use clap::ValueEnum;
use serde::Deserialize;

/// One line of a file of sequences. An unknown field is an error: a mistyped label must not pass unnoticed.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sequence {
    pub id: String,
    pub trade: Trade,
    pub kind: SequenceKind,
    /// Whether the slots of the trade's preset are declared.
    #[serde(default)]
    pub slots: Slots,
    pub say: Vec<Statement>,
    /// What must be current.
    #[serde(default)]
    pub current: Vec<Label>,
    /// What must not be current.
    #[serde(default)]
    pub not_current: Vec<Label>,
    /// What must be found among the retired facts.
    #[serde(default)]
    pub history: Vec<Label>,
    /// What must wait for a person.
    #[serde(default)]
    pub flagged: Vec<Label>,
    #[serde(default)]
    pub ask: Option<Ask>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Trade {
    Assistant,
    Clinical,
    Coding,
    Finance,
    Sales,
    Support,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum SequenceKind {
    /// What lasts beside what happened once.
    StateEvent,
    /// Who does what, who is whose.
    WhoWhat,
    /// More than one fact in a sentence.
    Several,
    /// From one value to another: "moved to", "replaced", "renamed".
    Switch,
    Removal,
    /// The same thing again, in other words.
    Restatement,
    /// More detail on what is held.
    Refinement,
    /// Web and mobile, staging and production, work and personal.
    Scope,
    Past,
    Future,
    Hedged,
    Hypothetical,
    Sarcastic,
    /// A question, with a premise that is no statement.
    Asked,
    /// Typing errors, slang and chatter around the fact.
    Casual,
}

impl SequenceKind {
    /// Whether what is said did not happen, or not yet, or not for sure.
    pub const fn is_unreal(self) -> bool {
        matches!(self, Self::Future | Self::Hedged | Self::Hypothetical | Self::Sarcastic | Self::Asked)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slots {
    #[default]
    None,
    Preset,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Statement {
    Remember(String),
    Forget { forget: String },
}

impl Statement {
    pub fn text(&self) -> &str {
        match self {
            Self::Remember(text) | Self::Forget { forget: text } => text,
        }
    }
}

/// A value, where it belongs and for what it holds. Written as a bare text where only the value counts.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "LabelForm")]
pub struct Label {
    /// Words of which one must be found with the value; empty where any subject will do.
    pub about: Pattern,
    pub value: Pattern,
    /// Words of which one must be found in the scope or with the value; empty where the fact has no scope.
    pub scope: Pattern,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum LabelForm {
    Bare(Pattern),
    Full(FullLabel),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FullLabel {
    #[serde(default)]
    about: Pattern,
    value: Pattern,
    #[serde(default)]
    scope: Pattern,
}

impl From<LabelForm> for Label {
    fn from(form: LabelForm) -> Self {
        match form {
            LabelForm::Bare(value) => Self { about: Pattern::default(), value, scope: Pattern::default() },
            LabelForm::Full(FullLabel { about, value, scope }) => Self { about, value, scope },
        }
    }
}

/// A question at the end. Without words to hold, the right answer is that it is not known.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    pub question: String,
    pub answer: Vec<Pattern>,
}

/// One sequence a line; the error names the line.
pub fn parse(lines: &str) -> Result<Vec<Sequence>, String> {
    let numbered = lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    numbered
        .map(|(at, line)| serde_json::from_str(line).map_err(|error| format!("line {}: {error}", at + 1)))
        .collect()
}

/// As a name on the command line and in a report.
pub fn word(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}
