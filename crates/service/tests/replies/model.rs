//! A language model for these tests. A statement is read clause by clause: `subject = value`, with an action before it
//! where it is no plain statement. A question is answered with the facts that the model was shown.

use domain::{FactId, RawFact};
use model::{Answer, BuiltIn, Extract, Work};

#[derive(Debug)]
pub struct StandIn {
    pub is_whole: bool,
}

impl BuiltIn for StandIn {
    fn embedder(&self) -> &'static str {
        "stand-in"
    }

    fn is_whole(&self) -> bool {
        self.is_whole
    }

    fn extract(&self, ask: &Extract<'_>, _: &Work) -> Vec<RawFact> {
        ask.statement.split("; ").filter_map(clause).collect()
    }

    fn answer(&self, ask: &Answer<'_>) -> String {
        let shown: Vec<String> =
            ask.facts.iter().map(|f| format!("{} {}", f.fact.subject, f.fact.value)).collect();
        if shown.is_empty() { "I do not know.".to_owned() } else { format!("I know: {}.", shown.join(", ")) }
    }

    fn ground(&self, ask: &Answer<'_>) -> Option<FactId> {
        ask.facts.first().map(|fact| fact.fact.id)
    }

    fn weigh(&self, _: &str, texts: &[&str]) -> Vec<f32> {
        vec![0.5; texts.len()]
    }

    fn embed(&self, texts: &[&str], _: &Work) -> Vec<Vec<f32>> {
        texts.iter().map(|_| vec![1.0, 0.0]).collect()
    }
}

fn clause(clause: &str) -> Option<RawFact> {
    let (subject, value) = clause.split_once(" = ")?;
    let (action, subject) = match subject.split_once(' ') {
        Some((action, subject)) if action.chars().all(|c| c.is_ascii_uppercase()) => (action, subject),
        _ => ("ADD", subject),
    };
    Some(RawFact {
        subject: Some(subject.to_owned()),
        value: Some(value.to_owned()),
        action: Some(action.to_owned()),
        kind: Some("state".to_owned()),
        time_ref: Some(if action == "ARCHIVE" { "past" } else { "current" }.to_owned()),
        confidence: Some(0.95),
        reason: (action == "SKIP").then(|| "it is a joke".to_owned()),
        ..RawFact::default()
    })
}
