//! What facts must have in common for a person who looks through a list of them.

use crate::moment::moment;
use crate::outcome::Stop;
use domain::{Fact, Timestamp};

/// The conditions as the arguments give them; what is empty is no condition.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    /// All of these must occur.
    pub words: &'a str,
    pub source: &'a str,
    pub scope: &'a str,
    pub category: &'a str,
    pub since: &'a str,
    pub until: &'a str,
}

#[derive(Debug)]
pub(crate) struct Conditions {
    words: Vec<String>,
    source: String,
    scope: String,
    category: String,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl Conditions {
    pub fn of(wanted: &Wanted<'_>) -> Result<Self, Stop> {
        let plain = |text: &str| text.trim().to_lowercase();
        Ok(Self {
            words: wanted.words.split_whitespace().map(str::to_lowercase).collect(),
            source: plain(wanted.source),
            scope: plain(wanted.scope),
            category: plain(wanted.category),
            since: moment("since", wanted.since)?.map(|(first, _)| first),
            until: moment("until", wanted.until)?.map(|(_, last)| last),
        })
    }

    pub fn hold(&self, fact: &Fact) -> bool {
        let is = |wanted: &str, has: &str| wanted.is_empty() || has.to_lowercase() == wanted;
        is(&self.source, fact.source.as_deref().unwrap_or_default())
            && is(&self.scope, &fact.scope)
            && is(&self.category, fact.category().unwrap_or_default())
            && self.since.is_none_or(|since| fact.created >= since)
            && self.until.is_none_or(|until| fact.created <= until)
            && self.words_occur(fact)
    }

    fn words_occur(&self, fact: &Fact) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let all = format!("{} {} {}", fact.subject, fact.value, fact.text).to_lowercase();
        self.words.iter().all(|word| all.contains(word))
    }
}
