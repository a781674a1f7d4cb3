//! Asks the questions of a conversation: is a turn that holds the answer among what recall shows, and among what plain
//! BM25 over the raw turns finds?

use super::conversation::{Conversation, Question};
use crate::error::LabError;
use crate::eval::bench::{Memory, failure};
use crate::eval::bm25::Bm25;
use crate::eval::cost::{Clock, Cost, rest};
use crate::eval::exported_fact::ExportedFact;
use crate::eval::words::{Pattern, words};
use domain::{FactId, Timestamp};
use serde_json::json;
use service::{Reply, ToolReply};
use std::collections::{BTreeMap, BTreeSet};

/// How many of the first facts are searched for the evidence.
pub const DEPTHS: [usize; 2] = [10, 40];

/// How much of a question's evidence was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    pub any: bool,
    pub all: bool,
}

#[derive(Debug)]
pub struct Asked {
    pub question: String,
    pub evidence: Vec<String>,
    /// At each depth.
    pub recall: Vec<Found>,
    pub bm25: Vec<Found>,
    /// Whether the reply to the deepest recall holds every word of the labelled answer.
    pub answered: bool,
    pub reply: String,
    /// Of the deepest recall.
    pub cost: Cost,
    pub failures: usize,
}

/// With a memory for each depth, all of the same space, in which the conversation was told.
pub async fn ask(
    memories: &[Memory],
    conversation: &Conversation,
    facts: &BTreeMap<FactId, ExportedFact>,
) -> Result<Vec<Asked>, LabError> {
    let Some(now) = conversation.timed().last().map(|(at, _)| at) else { return Ok(Vec::new()) };
    let mut lines: Vec<String> = Vec::new();
    for turn in conversation.turns() {
        // Who says the same words again adds nothing that could be found.
        if !lines.contains(&turn.line()) {
            lines.push(turn.line());
        }
    }
    let turns = Turns { index: Bm25::new(&lines), lines, facts };
    let ids: BTreeMap<&str, String> = conversation.turns().map(|t| (t.id.as_str(), t.line())).collect();
    if let Some(first) = conversation.questions.first() {
        for memory in memories {
            // The first recall of a space has its facts embedded.
            recall(memory, first, now).await?;
        }
        rest().await;
    }
    let mut all = Vec::new();
    for question in &conversation.questions {
        let evidence: Vec<String> =
            question.evidence.iter().filter_map(|id| ids.get(id.as_str())).cloned().collect();
        all.push(turns.ask(memories, question, evidence, now).await?);
    }
    Ok(all)
}

struct Turns<'a> {
    lines: Vec<String>,
    index: Bm25,
    facts: &'a BTreeMap<FactId, ExportedFact>,
}

impl Turns<'_> {
    async fn ask(
        &self,
        memories: &[Memory],
        question: &Question,
        evidence: Vec<String>,
        now: Timestamp,
    ) -> Result<Asked, LabError> {
        let mut recalls = Vec::new();
        let (mut reply, mut failures) = (String::new(), 0);
        let mut clock = Clock::start();
        let mut cost = clock.stop();
        for (memory, depth) in memories.iter().zip(DEPTHS) {
            clock = Clock::start();
            let said = recall(memory, question, now).await?;
            cost = clock.stop();
            failures += usize::from(failure(&said).is_some());
            let shown = shown(&said).take(depth).filter_map(|id| self.facts.get(&id));
            recalls.push(found(&evidence, &shown.map(|fact| fact.text.as_str()).collect()));
            reply = answer(&said);
        }
        let bm25 = DEPTHS.map(|depth| {
            let ranked = self.index.search(&question.question, depth);
            let ranked = ranked.into_iter().filter_map(|at| self.lines.get(at));
            found(&evidence, &ranked.map(String::as_str).collect())
        });
        let answered = Pattern::from(question.answer.clone()).is_in(&words(&reply));
        let (question, bm25) = (question.question.clone(), bm25.to_vec());
        Ok(Asked { question, evidence, recall: recalls, bm25, answered, reply, cost, failures })
    }
}

async fn recall(memory: &Memory, question: &Question, now: Timestamp) -> Result<Reply, LabError> {
    memory.call_at(now, "recall", json!({ "question": question.question, "explain": true })).await
}

fn found(evidence: &[String], shown: &BTreeSet<&str>) -> Found {
    let is_shown = |line: &String| shown.contains(line.as_str());
    Found { any: evidence.iter().any(is_shown), all: evidence.iter().all(is_shown) }
}

/// The reply without the facts that it is explained with.
fn answer(reply: &Reply) -> String {
    match reply {
        Reply::Done(ToolReply::Recall(answered)) => answered.answer.clone(),
        other => other.text(),
    }
}

/// The numbers of the facts that a reply is explained with, in order.
fn shown(reply: &Reply) -> impl Iterator<Item = FactId> {
    let grounds = match reply {
        Reply::Done(ToolReply::Recall(answered)) => answered.grounds.as_deref().unwrap_or_default(),
        _ => &[],
    };
    grounds.iter().map(|ground| ground.fact.id)
}

#[cfg(test)]
mod tests {
    use super::found;

    #[test]
    fn one_turn_of_two_is_some_evidence_and_not_all() {
        let evidence = ["a".to_owned(), "b".to_owned()];
        let some = found(&evidence, &["b", "c"].into());
        assert!(some.any && !some.all);
        assert!(found(&evidence, &["b", "a"].into()).all && !found(&evidence, &["c"].into()).any);
    }
}
