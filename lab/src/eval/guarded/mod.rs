//! Statements about declared slots, and whether anything false stands in one of them afterwards.

mod report;
mod score;
mod story;

pub use report::Report;
pub use score::Outcome;
pub use story::Story;

use super::bench::{Bench, Declared, Setup, failure};
use super::folder::Folder;
use super::sequence::{Trade, word};
use crate::error::LabError;
use reconcile::SlotSchema;
use score::{Checked, Found, faults};
use serde_json::json;
use service::{Reply, ToolReply};
use std::collections::BTreeMap;

/// The stories, and the slots that each trade declares.
#[derive(Debug)]
pub struct Guarded {
    pub stories: Vec<Story>,
    slots: BTreeMap<Trade, SlotSchema>,
    folder: Folder,
}

impl Guarded {
    pub fn read(folder: &Folder) -> Result<Self, String> {
        let mut stories = Vec::new();
        for file in folder.files("guarded", "jsonl")? {
            for (at, line) in file.text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                let story: Result<Story, _> = serde_json::from_str(line);
                stories.push(
                    story.map_err(|error| format!("{}, line {}: {error}", file.path.display(), at + 1))?,
                );
            }
        }
        let mut slots = BTreeMap::new();
        for trade in stories.iter().map(|story| story.trade) {
            if let std::collections::btree_map::Entry::Vacant(entry) = slots.entry(trade) {
                let file = folder.file(&slot_file(trade))?;
                let schema = SlotSchema::from_json(&file.text)
                    .map_err(|error| format!("{}: {error}", file.path.display()))?;
                entry.insert(schema);
            }
        }
        Ok(Self { stories, slots, folder: folder.clone() })
    }

    /// Each in a space of its own.
    pub async fn run(self, bench: &mut Bench, model: String) -> Result<Report, LabError> {
        let mut outcomes = Vec::new();
        for story in self.stories {
            let declared = Declared::File(self.folder.path(&slot_file(story.trade)));
            let setup = Setup { slots: Some(declared), ..Setup::default() };
            let memory = bench.memory(setup, &story.id).await?;
            let mut failures = Vec::new();
            for text in &story.say {
                let reply = memory.call("remember", json!({ "text": text })).await?;
                failures.extend(failure(&reply));
            }
            let checked = match &story.check {
                Some(check) => {
                    let reply = memory.call("check_before_act", json!({ "subject": check.subject })).await?;
                    Some(Checked { safe: is_safe(&reply), reply: reply.text() })
                }
                None => None,
            };
            let found = Found { held: memory.held().await?, checked };
            let faults = self.slots.get(&story.trade).map(|slots| faults(&story, &found, slots));
            outcomes.push(Outcome { faults: faults.unwrap_or_default(), story, found, failures });
        }
        Ok(Report { model, outcomes })
    }
}

fn slot_file(trade: Trade) -> String {
    format!("guarded/slots/{}.json", word(&trade))
}

fn is_safe(reply: &Reply) -> bool {
    matches!(reply, Reply::Done(ToolReply::CheckBeforeAct(checked)) if checked.is_safe())
}
