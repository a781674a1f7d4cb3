//! A story of the guarded set: what is said of declared slots, and what may stand in them afterwards.

use crate::eval::sequence::Trade;
use clap::ValueEnum;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;

/// One line of a file. An unknown field is an error: a mistyped label must not pass unnoticed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Story {
    pub id: String,
    pub trade: Trade,
    pub kind: StoryKind,
    pub say: Vec<String>,
    /// What must be current.
    #[serde(default)]
    pub holds: Vec<Expected>,
    /// What must not stand in a declared slot.
    #[serde(default)]
    pub not_holds: Vec<Expected>,
    #[serde(default)]
    pub check: Option<Check>,
    /// Whether a careful service may well ask a person.
    #[serde(default)]
    pub flag_ok: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum StoryKind {
    /// "Is not allergic to latex", "we never deploy to Heroku".
    Negation,
    /// The father's, the competitor's, that of staging.
    OtherOwner,
    /// "No longer", "discontinued", "ditched A for B".
    Stopped,
    /// "Somebody said", "there was talk".
    Hearsay,
    /// One item more, one item less.
    Lists,
    /// Plain statements, also with a question, an order or a thank-you behind them, and corrections.
    Plain,
}

/// A subject and a value, each as an expression that is looked for in any case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    pub about: Matching,
    pub value: Matching,
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Matching(Regex);

impl TryFrom<String> for Matching {
    type Error = regex::Error;

    fn try_from(written: String) -> Result<Self, Self::Error> {
        RegexBuilder::new(&written).case_insensitive(true).build().map(Self)
    }
}

impl Matching {
    pub fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl std::fmt::Display for Matching {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.as_str())
    }
}

/// What `check_before_act` must say of a slot.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    pub subject: String,
    pub verdict: Verdict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Verdict {
    #[serde(rename = "SAFE")]
    Safe,
    #[serde(rename = "BLOCKED")]
    Blocked,
    #[serde(rename = "any")]
    Any,
}
