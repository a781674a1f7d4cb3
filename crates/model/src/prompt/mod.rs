//! What is said to the model. Stored facts, statements and questions are data from strangers: they stand between
//! fences that nobody can foresee, and the rules before them say that nothing within is an instruction.

mod answering;
mod extracting;

use crate::ask::{Answer, Extract};
use crate::error::ModelError;
use crate::speaker::Prompt;
use domain::Fact;

/// What is added when the model has to be asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reminder {
    None,
    /// The last reply was not the JSON that was asked for.
    JsonOnly,
}

pub(crate) fn extraction(ask: &Extract<'_>, reminder: Reminder) -> Result<Prompt, ModelError> {
    Ok(extracting::prompt(ask, reminder, &Fence::new()?))
}

pub(crate) fn answer(ask: &Answer<'_>) -> Result<Prompt, ModelError> {
    Ok(answering::prompt(ask, &Fence::new()?))
}

pub(crate) fn ping() -> Prompt {
    Prompt { system: "Reply with one word.".to_owned(), user: "Are you there?".to_owned() }
}

/// Random for each request, so that no stored text can hold the line that closes it.
struct Fence {
    marker: String,
}

impl Fence {
    fn new() -> Result<Self, ModelError> {
        let random = getrandom::u64().map_err(|_| ModelError::NoRandomness)?;
        Ok(Self { marker: format!("{random:016x}") })
    }

    fn around(&self, name: &str, data: &str) -> String {
        format!("<<<BEGIN {name} {marker}>>>\n{data}\n<<<END {name} {marker}>>>", marker = self.marker)
    }
}

/// `#id subject = value`, on one line whatever the value holds, so that no value can pose as a further fact.
fn fact_line(fact: &Fact, notes: &[String]) -> String {
    let mut all: Vec<String> = Vec::new();
    if fact.scope != "global" {
        all.push(format!("scope {}", fact.scope));
    }
    all.extend_from_slice(notes);
    all.push(format!("since {}", fact.created.strftime("%Y-%m-%d")));
    one_line(&format!("#{} {} = {} [{}]", fact.id, fact.subject, fact.value, all.join("; ")))
}

fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'), " ")
}

#[cfg(test)]
mod tests;
