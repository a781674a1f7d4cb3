//! Tells a sequence to the service and reads back what it holds.

use super::bench::{Bench, Declared, Memory, Setup, failure};
use super::exported_fact::ExportedFact;
use super::score::{Finding, Grade, findings, grade};
use super::sequence::{Sequence, Slots, Statement};
use crate::error::LabError;
use serde_json::json;

/// What came of one sequence.
#[derive(Debug)]
pub struct Outcome {
    pub sequence: Sequence,
    pub findings: Vec<Finding>,
    pub held: Vec<ExportedFact>,
    pub answer: Option<String>,
    /// Calls that the model could not serve.
    pub failures: Vec<String>,
}

impl Outcome {
    pub fn grade(&self) -> Grade {
        grade(&self.findings)
    }
}

/// In a space of its own.
pub async fn run(bench: &mut Bench, sequence: Sequence) -> Result<Outcome, LabError> {
    let memory = bench.memory(setup(&sequence), &sequence.id).await?;
    tell(&memory, sequence, |held| held).await
}

pub fn setup(sequence: &Sequence) -> Setup {
    let declares = sequence.slots == Slots::Preset;
    Setup { slots: declares.then_some(Declared::Preset(sequence.trade)), ..Setup::default() }
}

/// Of what is held afterwards, `own` is what the sequence answers for.
pub async fn tell(
    memory: &Memory,
    sequence: Sequence,
    own: impl FnOnce(Vec<ExportedFact>) -> Vec<ExportedFact>,
) -> Result<Outcome, LabError> {
    let mut failures = Vec::new();
    for statement in &sequence.say {
        let tool = match statement {
            Statement::Remember(_) => "remember",
            Statement::Forget { .. } => "forget",
        };
        let reply = memory.call(tool, json!({ "text": statement.text() })).await?;
        failures.extend(failure(&reply).map(|text| format!("{tool}: {text}")));
    }
    let held = own(memory.held().await?);
    let mut answer = None;
    if let Some(ask) = &sequence.ask {
        let reply = memory.call("recall", json!({ "question": ask.question })).await?;
        match failure(&reply) {
            Some(text) => failures.push(format!("recall: {text}")),
            None => answer = Some(reply.text()),
        }
    }
    let mut findings = findings(&sequence, &held, answer.as_deref());
    findings.extend(failures.iter().map(|text| Finding { grade: Grade::Safe, text: text.clone() }));
    Ok(Outcome { sequence, findings, held, answer, failures })
}
