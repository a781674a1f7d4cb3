//! Stories told into a memory that is lived in: what becomes of them, and of what was there before.

use super::background::Backgrounds;
use super::bench::Bench;
use super::exported_fact::ExportedFact;
use super::report::{self, Findings};
use super::run::{self, Outcome};
use super::score::{Grade, supports};
use super::sequence::Sequence;
use super::tally::Ratio;
use crate::error::LabError;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// What one sequence did to the facts that were there before it.
#[derive(Debug)]
pub struct Harm {
    id: String,
    silently_wrong: bool,
    damaged: Vec<String>,
    /// Its statements that left a flag on one of them.
    flagging: Vec<String>,
    statements: usize,
}

pub async fn run(
    bench: &mut Bench,
    backgrounds: &mut Backgrounds,
    sequence: Sequence,
) -> Result<(Outcome, Harm), LabError> {
    let memory = bench.memory(run::setup(&sequence), &sequence.id).await?;
    let background = backgrounds.put(sequence.trade, &memory).await?;
    let labels = sequence.clone();
    let mut whole = Vec::new();
    // A sequence does not answer for what was there before, unless that is what holds its label.
    let own = |held: Vec<ExportedFact>| {
        let counts = |fact: &&ExportedFact| !background.has(fact) || supports(&labels, fact);
        let own = held.iter().filter(counts).cloned().collect();
        whole = held;
        own
    };
    let outcome = run::tell(&memory, sequence, own).await?;
    let flagging: BTreeSet<&str> = background.flags(&whole).map(|flag| flag.text.as_str()).collect();
    let harm = Harm {
        id: outcome.sequence.id.clone(),
        silently_wrong: outcome.grade() == Grade::SilentlyWrong,
        damaged: background.damaged(&whole),
        flagging: flagging.into_iter().map(str::to_owned).collect(),
        statements: outcome.sequence.say.len(),
    };
    Ok((outcome, harm))
}

#[derive(Debug)]
pub struct Report<'a> {
    pub stories: report::Report<'a>,
    pub harms: &'a [Harm],
}

impl Report<'_> {
    fn lines(&self) -> [(&'static str, &'static str, Ratio); 3] {
        let damaged = Ratio::of(self.harms.iter().map(|harm| !harm.damaged.is_empty()));
        let either = Ratio::of(self.harms.iter().map(|harm| harm.silently_wrong || !harm.damaged.is_empty()));
        let flags = Ratio {
            part: self.harms.iter().map(|harm| harm.flagging.len()).sum(),
            whole: self.harms.iter().map(|harm| harm.statements).sum(),
        };
        [
            ("silently_wrong_or_damaged", "sequences silently wrong or damaging", either),
            ("damaged", "sequences that damaged a fact of before", damaged),
            ("flagging", "statements that flagged a fact of before", flags),
        ]
    }
}

impl Findings for Report<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.stories.write(out)?;
        writeln!(out)?;
        for (_, words, ratio) in self.lines() {
            writeln!(out, "{words:<46}{ratio}")?;
        }
        Ok(())
    }

    fn write_failures(&self, out: &mut dyn Write) -> io::Result<()> {
        self.stories.write_failures(out)?;
        for harm in self.harms {
            for damaged in &harm.damaged {
                writeln!(out, "{}  damaged: {damaged}", harm.id)?;
            }
            for statement in &harm.flagging {
                writeln!(out, "{}  flagged by: {statement}", harm.id)?;
            }
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let mut whole = self.stories.json();
        if let Some(whole) = whole.as_object_mut() {
            whole.extend(self.lines().map(|(name, _, ratio)| (name.to_owned(), ratio.json())));
            let harmful = self.harms.iter().filter(|h| !h.damaged.is_empty() || !h.flagging.is_empty());
            let harms = harmful.map(|h| json!({ "id": h.id, "damaged": h.damaged, "flagging": h.flagging }));
            whole.insert("harms".to_owned(), harms.collect());
        }
        whole
    }
}
