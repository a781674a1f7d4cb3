//! Statements of one form: about many different things, added to lists, and unrelated to anything that is held.

mod family;
mod lists;

use super::background::Backgrounds;
use super::bench::{Bench, Declared, Memory, Setup};
use super::folder::{File, Folder};
use super::report::Findings;
use super::sequence::Trade;
use super::tally::Ratio;
use crate::error::LabError;
use family::Family;
use lists::{Lists, SPACES};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{self, Write};

#[derive(Debug)]
pub struct Forms {
    families: Vec<Family>,
    lists: Option<Lists>,
    unrelated: Option<Unrelated>,
}

/// Everyday statements that have nothing to do with the facts of the assistant's trade.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unrelated {
    say: Vec<String>,
}

#[derive(Debug)]
pub struct Report {
    model: String,
    families: Vec<(String, family::Outcome)>,
    /// What is counted besides: the name for a program, the words for a person, and what failed.
    others: Vec<(&'static str, &'static str, Ratio, Vec<String>)>,
}

impl Forms {
    pub fn read(folder: &Folder) -> Result<Self, String> {
        let mut forms = Self { families: Vec::new(), lists: None, unrelated: None };
        for file in folder.files("forms", "json")? {
            forms.take(&file).map_err(|error| format!("{}: {error}", file.path.display()))?;
        }
        Ok(forms)
    }

    fn take(&mut self, file: &File) -> Result<(), String> {
        match file.stem().as_str() {
            "lists" => self.lists = Some(Lists::parse(&file.text)?),
            "unrelated" => {
                self.unrelated = Some(serde_json::from_str(&file.text).map_err(|error| error.to_string())?);
            }
            _ => self.families.push(Family::parse(&file.text)?),
        }
        Ok(())
    }

    pub async fn run(
        &self,
        bench: &mut Bench,
        backgrounds: &mut Backgrounds,
        model: String,
    ) -> Result<Report, LabError> {
        let mut report = Report { model, families: Vec::new(), others: Vec::new() };
        for family in &self.families {
            let memory = bench.memory(Setup::default(), &family.family).await?;
            report.families.push((family.family.clone(), family.run(&memory).await?));
            writeln!(io::stderr(), "{}: told", family.family)?;
        }
        if let Some(lists) = &self.lists {
            let (mut lost, mut failures) = (Ratio::default(), Vec::new());
            for space in 0..SPACES {
                let setup = Setup { slots: Some(Declared::Preset(Trade::Clinical)), ..Setup::default() };
                let memory = bench.memory(setup, &format!("list {space}")).await?;
                let (ratio, failed) = lists.run(space, &memory).await?;
                lost += ratio;
                failures.extend(failed);
                writeln!(io::stderr(), "list {space}: told")?;
            }
            report.others.push(("lists_lost", "additions to a list that lost an item", lost, failures));
        }
        if let Some(unrelated) = &self.unrelated {
            let memory = bench.memory(Setup::default(), "unrelated").await?;
            let (ratio, failures) = unrelated.run(backgrounds, &memory).await?;
            let words = "unrelated statements that flagged or retired a fact";
            report.others.push(("unrelated_harm", words, ratio, failures));
        }
        Ok(report)
    }
}

impl Unrelated {
    async fn run(
        &self,
        backgrounds: &mut Backgrounds,
        memory: &Memory,
    ) -> Result<(Ratio, Vec<String>), LabError> {
        let background = backgrounds.put(Trade::Assistant, memory).await?;
        let (mut harmed, mut known) = (Vec::new(), BTreeSet::new());
        let mut failures = Vec::new();
        for statement in &self.say {
            memory.call("remember", json!({ "text": statement })).await?;
            let held = memory.held().await?;
            let flags = background.flags(&held).map(|flag| {
                let target = flag.disputes().map_or_else(String::new, |id| format!(" on #{id}"));
                format!("flag #{}{target}", flag.id)
            });
            let harm: Vec<String> = background.damaged(&held).into_iter().chain(flags).collect();
            let new: Vec<String> = harm.into_iter().filter(|one| known.insert(one.clone())).collect();
            harmed.push(!new.is_empty());
            failures.extend(new.into_iter().map(|one| format!("{one} after: {statement}")));
        }
        Ok((Ratio::of(harmed), failures))
    }
}

impl Report {
    /// What the families come to together.
    fn total(&self) -> [(&'static str, &'static str, Ratio); 3] {
        let sum = |of: fn(&family::Outcome) -> Ratio| {
            let mut all = Ratio::default();
            self.families.iter().for_each(|(_, outcome)| all += of(outcome));
            all
        };
        [
            ("kept", "values of same-form statements that were kept", sum(|outcome| outcome.kept)),
            ("changes", "changes to them that were made right", sum(|outcome| outcome.changed)),
            ("damaged", "other values that a change lost", sum(|outcome| outcome.damaged)),
        ]
    }

    fn failures(&self) -> impl Iterator<Item = (&str, &String)> {
        let families = self.families.iter().map(|(name, outcome)| (name.as_str(), &outcome.failures));
        let others = self.others.iter().map(|(name, _, _, failures)| (*name, failures));
        families.chain(others).flat_map(|(name, failures)| failures.iter().map(move |text| (name, text)))
    }
}

impl Findings for Report {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "model: {}", self.model)?;
        writeln!(out, "share in percent, with its 95 % interval (Wilson)\n")?;
        for (_, words, ratio) in self.total() {
            writeln!(out, "{words:<54}{ratio}")?;
        }
        for (_, words, ratio, _) in &self.others {
            writeln!(out, "{words:<54}{ratio}")?;
        }
        writeln!(out, "\n{:<20}{:>8}{:>9}{:>9}", "in percent", "kept", "changes", "damaged")?;
        for (name, outcome) in &self.families {
            let [kept, changed, damaged] =
                [outcome.kept, outcome.changed, outcome.damaged].map(Ratio::percent);
            writeln!(out, "{name:<20}{kept:>8.1}{changed:>9.1}{damaged:>9.1}")?;
        }
        Ok(())
    }

    fn write_failures(&self, out: &mut dyn Write) -> io::Result<()> {
        for (name, text) in self.failures() {
            writeln!(out, "{name}: {text}")?;
        }
        writeln!(out)
    }

    fn json(&self) -> Value {
        let families = self.families.iter().map(|(name, outcome)| {
            json!({ "family": name, "kept": outcome.kept.json(), "changes": outcome.changed.json(),
                "damaged": outcome.damaged.json() })
        });
        let failures = self.failures().map(|(name, text)| json!({ "of": name, "what": text }));
        let mut whole = json!({
            "model": self.model,
            "families": families.collect::<Vec<_>>(),
            "failures": failures.collect::<Vec<_>>(),
        });
        if let Some(whole) = whole.as_object_mut() {
            whole.extend(self.total().map(|(name, _, ratio)| (name.to_owned(), ratio.json())));
            whole.extend(self.others.iter().map(|(name, _, ratio, _)| ((*name).to_owned(), ratio.json())));
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::Forms;
    use crate::eval::folder::Folder;

    #[test]
    fn the_forms_can_be_read() {
        let forms = Forms::read(&Folder::of_the_repository()).unwrap();
        assert!(forms.families.len() >= 6 && forms.lists.is_some());
        assert!(forms.unrelated.is_some_and(|unrelated| unrelated.say.len() >= 180));
    }
}
