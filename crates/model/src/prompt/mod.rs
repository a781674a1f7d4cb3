//! The prompts. Stored facts, statements and questions are data from strangers: they are put between fences that nobody
//! can foresee, and the rules before them say that nothing within is an instruction.

mod answer;
mod extraction;
mod fact_line;
mod fence;

pub(crate) use extraction::Reminder;

use crate::completion::Prompt;
use crate::error::ModelError;
use crate::request::{Answer, Extract};
use fence::Fence;

pub(crate) fn extraction(ask: &Extract<'_>, reminder: Reminder) -> Result<Prompt, ModelError> {
    Ok(extraction::prompt(ask, reminder, &Fence::new()?))
}

pub(crate) fn answer(ask: &Answer<'_>) -> Result<Prompt, ModelError> {
    Ok(answer::prompt(ask, &Fence::new()?))
}

pub(crate) fn ping() -> Prompt {
    Prompt { system: "Reply with one word.".to_owned(), user: "Are you there?".to_owned() }
}

#[cfg(test)]
mod tests;
