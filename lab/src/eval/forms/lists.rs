//! Items added to a list one by one, in many wordings: none may push out another.

use crate::error::LabError;
use crate::eval::bench::Memory;
use crate::eval::exported_fact::ExportedFact;
use crate::eval::tally::Ratio;
use crate::eval::words::{Pattern, is_denial, words};
use serde::Deserialize;
use serde_json::json;

pub const SPACES: usize = 5;
const ADDITIONS: usize = 60;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lists {
    /// With `{item}` in the place of the item.
    wordings: Vec<String>,
    items: Vec<String>,
}

impl Lists {
    pub fn parse(text: &str) -> Result<Self, String> {
        let lists: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if lists.wordings.is_empty() || lists.items.is_empty() {
            return Err("there are no wordings, or no items".to_owned());
        }
        Ok(lists)
    }

    /// The additions that lost an item, their own or one that was held before, and what each of them lost. Every space
    /// begins elsewhere among the items and the wordings.
    pub async fn run(&self, space: usize, memory: &Memory) -> Result<(Ratio, Vec<String>), LabError> {
        let count = ADDITIONS.min(self.items.len());
        let items = self.items.iter().cycle().skip(space * self.items.len() / SPACES).take(count);
        let wordings = self.wordings.iter().cycle().skip(space * self.wordings.len() / SPACES);
        let mut held: Vec<&String> = Vec::new();
        let (mut losses, mut failures) = (Vec::new(), Vec::new());
        for (item, wording) in items.zip(wordings) {
            let statement = wording.replace("{item}", item);
            memory.call("remember", json!({ "text": statement })).await?;
            held.push(item);
            let facts = memory.held().await?;
            let (still, lost): (Vec<_>, Vec<_>) =
                held.into_iter().partition(|item| facts.iter().any(|fact| lists(fact, item)));
            failures.extend(lost.iter().map(|item| format!("'{item}' was lost by: {statement}")));
            losses.push(!lost.is_empty());
            held = still;
        }
        Ok((Ratio::of(losses), failures))
    }
}

fn lists(fact: &ExportedFact, item: &str) -> bool {
    let value = words(&fact.value);
    let all = [words(&fact.subject), value.clone()].concat();
    fact.is_active() && !is_denial(&value) && Pattern::from(item.to_owned()).is_in(&all)
}
