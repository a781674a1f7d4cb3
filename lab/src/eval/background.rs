//! What a memory holds that is lived in: some hundred facts of a trade, put in before anything is told.

use super::bench::Memory;
use super::exported_fact::ExportedFact;
use super::folder::Folder;
use super::sequence::{Trade, word};
use crate::error::LabError;
use domain::FactId;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;

/// The facts of each trade that was needed so far.
#[derive(Debug)]
pub struct Backgrounds {
    folder: Folder,
    read: BTreeMap<Trade, Vec<Line>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    text: String,
    subject: String,
    value: String,
}

/// The facts that stood in a space before anything was told.
#[derive(Debug)]
pub struct Background(BTreeMap<FactId, ExportedFact>);

impl Backgrounds {
    pub const fn new(folder: Folder) -> Self {
        Self { folder, read: BTreeMap::new() }
    }

    /// Puts the facts of the trade into the space. They are brought as facts, so that no model has a say in what the
    /// memory holds to begin with.
    pub async fn put(&mut self, trade: Trade, memory: &Memory) -> Result<Background, LabError> {
        for line in self.lines(trade)? {
            let fact = json!({ "subject": line.subject, "value": line.value });
            memory.call("remember", json!({ "text": line.text, "facts": [fact] })).await?;
        }
        let held = memory.held().await?;
        Ok(Background(held.into_iter().filter(ExportedFact::is_active).map(|fact| (fact.id, fact)).collect()))
    }

    fn lines(&mut self, trade: Trade) -> Result<Vec<Line>, LabError> {
        if let Some(lines) = self.read.get(&trade) {
            return Ok(lines.clone());
        }
        let name = word(&trade);
        let files = self.folder.files("lived-in", "jsonl").map_err(LabError::Refused)?;
        let Some(file) = files.into_iter().find(|file| file.stem() == name) else {
            return Err(LabError::Refused(format!("the evaluation sets have no lived-in/{name}.jsonl")));
        };
        let numbered = file.text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let lines: Result<Vec<Line>, LabError> = numbered
            .map(|(at, line)| {
                serde_json::from_str(line).map_err(|error| {
                    LabError::Refused(format!("{}, line {}: {error}", file.path.display(), at + 1))
                })
            })
            .collect();
        let lines = lines?;
        self.read.insert(trade, lines.clone());
        Ok(lines)
    }
}

impl Background {
    pub fn has(&self, fact: &ExportedFact) -> bool {
        self.0.contains_key(&fact.id)
    }

    /// The facts of it that are no longer active, or have another value.
    pub fn damaged(&self, held: &[ExportedFact]) -> Vec<String> {
        let now: BTreeMap<FactId, &ExportedFact> = held.iter().map(|fact| (fact.id, fact)).collect();
        let change = |before: &ExportedFact| {
            let after = now.get(&before.id);
            if after.is_some_and(|after| after.is_active() && after.value == before.value) {
                return None;
            }
            let after = after.map_or("gone".to_owned(), |fact| format!("{} = {}", fact.status, fact.value));
            Some(format!("{} = {} is now {after}", before.subject, before.value))
        };
        self.0.values().filter_map(change).collect()
    }

    /// The flagged facts that wait to change or end one of these.
    pub fn flags<'a>(&self, held: &'a [ExportedFact]) -> impl Iterator<Item = &'a ExportedFact> {
        held.iter().filter(|fact| fact.disputes().is_some_and(|id| self.0.contains_key(&id)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Background, Backgrounds};
    use crate::eval::exported_fact::ExportedFact;
    use crate::eval::folder::Folder;
    use crate::eval::sequence::Trade;
    use clap::ValueEnum;
    use domain::{FactId, FactKind, Status};
    use std::collections::BTreeSet;

    fn fact(id: i64, value: &str, status: Status, target: Option<i64>) -> ExportedFact {
        ExportedFact {
            id: FactId(id),
            subject: "door code".to_owned(),
            value: value.to_owned(),
            scope: "global".to_owned(),
            status,
            kind: FactKind::State,
            refined_from: Vec::new(),
            supersedes: None,
            disputes: target.map(FactId),
            text: String::new(),
        }
    }

    #[test]
    fn every_trade_has_a_hundred_facts_and_no_subject_twice() {
        let mut backgrounds = Backgrounds::new(Folder::of_the_repository());
        for trade in Trade::value_variants() {
            let lines = backgrounds.lines(*trade).unwrap();
            let subjects: BTreeSet<String> = lines.iter().map(|line| line.subject.to_lowercase()).collect();
            assert!(lines.len() >= 100, "{trade:?}: {}", lines.len());
            assert_eq!(subjects.len(), lines.len(), "{trade:?}");
        }
    }

    #[test]
    fn a_disputed_fact_is_not_damaged() {
        let background =
            Background([1, 2, 3].map(|id| (FactId(id), fact(id, "4711", Status::Active, None))).into());
        let held = [
            fact(1, "4711", Status::Superseded, None),
            fact(2, "4712", Status::Active, None),
            fact(3, "4711", Status::Active, None),
            fact(4, "4713", Status::FlaggedConflict, Some(3)),
            fact(5, "4713", Status::FlaggedConflict, Some(9)),
        ];
        let damaged = background.damaged(&held);
        assert_eq!(damaged.len(), 2, "{damaged:?}");
        assert_eq!(damaged.last().unwrap(), "door code = 4711 is now ACTIVE = 4712");
        assert_eq!(background.flags(&held).map(|flag| flag.id).collect::<Vec<_>>(), [FactId(4)]);
    }
}
