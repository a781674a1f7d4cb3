//! Relational questions: whether the paths in the entity graph hold the facts that the answer takes.

use super::bench::{Bench, Memory, Setup};
use super::bm25::Bm25;
use super::exported_fact::ExportedFact;
use super::folder::Folder;
use super::report::Findings;
use super::tally::Ratio;
use super::words::{Pattern, words};
use crate::error::LabError;
use domain::FactId;
use serde::Deserialize;
use serde_json::{Value, json};
use service::{Looked, Reply, ToolReply};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// One trade: what is told of it, and what is asked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trade {
    trade: String,
    say: Vec<Statement>,
    ask: Vec<Question>,
}

#[derive(Debug, Deserialize)]
struct Statement {
    text: String,
    #[serde(default)]
    facts: Vec<LabelledFact>,
    #[serde(default)]
    removes: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct LabelledFact {
    key: String,
    subject: String,
    value: String,
    #[serde(default)]
    head: Option<String>,
    #[serde(default)]
    relation: Option<String>,
    #[serde(default)]
    tail: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    q: String,
    kind: String,
    /// Every current fact that the answer takes, by its key.
    needs: Vec<String>,
    /// What a right answer contains, all of it.
    answer: Vec<Pattern>,
    /// What only a stale one would.
    not: Vec<Pattern>,
    set: String,
}

impl Trade {
    pub fn read(folder: &Folder) -> Result<Vec<Self>, String> {
        let files = folder.files("related", "json")?;
        let read = |file: &super::folder::File| {
            serde_json::from_str(&file.text).map_err(|error| format!("{}: {error}", file.path.display()))
        };
        files.iter().map(read).collect()
    }

    /// Tells everything, and asks the questions of the set.
    pub async fn run(&self, bench: &mut Bench, set: &str) -> Result<Vec<Outcome>, LabError> {
        let memory = bench.memory(Setup::default(), &self.trade).await?;
        let told = self.tell(&memory).await?;
        memory.graph_caught_up().await;
        let held = memory.held().await?;
        let active: Vec<&ExportedFact> = held.iter().filter(|fact| fact.is_active()).collect();
        let texts: Vec<String> =
            active.iter().map(|fact| format!("{} {} {}", fact.text, fact.subject, fact.value)).collect();
        let baseline = Bm25::new(&texts);
        let mut outcomes = Vec::new();
        for question in self.ask.iter().filter(|question| question.set == set) {
            let needs: Vec<Option<FactId>> = question
                .needs
                .iter()
                .map(|key| {
                    let label = told.get(key)?;
                    let same =
                        |fact: &&&ExportedFact| fact.subject == label.subject && fact.value == label.value;
                    active.iter().find(same).map(|fact| fact.id)
                })
                .collect();
            let related = memory.call("recall_related", json!({ "question": question.q })).await?;
            let recall = memory.call("recall", json!({ "question": question.q, "explain": true })).await?;
            let on_paths = on_paths(&related)?;
            let ranked = ranked(&recall)?;
            let found =
                |ids: &[FactId]| Ratio::of(needs.iter().map(|id| id.is_some_and(|id| ids.contains(&id))));
            let by_words = baseline.search(&question.q, on_paths.len());
            let by_words: Vec<FactId> = by_words.iter().filter_map(|at| Some(active.get(*at)?.id)).collect();
            let same_number = ranked.get(..on_paths.len()).unwrap_or(&ranked);
            let is_active: BTreeSet<FactId> = active.iter().map(|fact| fact.id).collect();
            let answer = words(&related.text());
            outcomes.push(Outcome {
                kind: question.kind.clone(),
                question: question.q.clone(),
                paths: found(&on_paths),
                recall: found(same_number),
                bm25: found(&by_words),
                context: found(&ranked),
                facts: on_paths.len(),
                retired: on_paths.iter().filter(|id| !is_active.contains(id)).count(),
                answered: question.answer.iter().all(|pattern| pattern.is_in(&answer)),
                stale: question.not.iter().any(|pattern| pattern.is_asserted_in(&answer)),
                text: related.text(),
            });
        }
        Ok(outcomes)
    }

    /// Returns the labels by their keys. The facts go with their statements, as an agent that reads well brings them, and
    /// what then waits for a person is confirmed.
    async fn tell(&self, memory: &Memory) -> Result<BTreeMap<String, LabelledFact>, LabError> {
        let mut told: BTreeMap<String, LabelledFact> = BTreeMap::new();
        for statement in &self.say {
            let new = statement.facts.iter().map(|fact| {
                json!({ "subject": fact.subject, "value": fact.value, "head": fact.head,
                    "relation": fact.relation, "tail": fact.tail })
            });
            let ended = statement
                .removes
                .iter()
                .filter_map(|key| told.get(key))
                .map(|fact| json!({ "subject": fact.subject, "value": fact.value, "action": "RETRACT" }));
            let facts: Vec<Value> = new.chain(ended).collect();
            if !facts.is_empty() {
                let reply =
                    memory.call("remember", json!({ "text": statement.text, "facts": facts })).await?;
                let Reply::Done(ToolReply::Remember(told)) = &reply else {
                    return Err(LabError::Refused(format!("remember: {reply}")));
                };
                for waiting in &told.waiting {
                    memory.call("confirm_change", json!({ "memory_id": waiting.fact.id.0 })).await?;
                }
            }
            told.extend(statement.facts.iter().map(|fact| (fact.key.clone(), fact.clone())));
        }
        Ok(told)
    }
}

/// The facts on the paths, each once.
fn on_paths(reply: &Reply) -> Result<Vec<FactId>, LabError> {
    let Reply::Done(ToolReply::RecallRelated(related)) = reply else {
        return Err(LabError::Refused(format!("recall_related: {reply}")));
    };
    let mut seen = BTreeSet::new();
    match &related.looked {
        Looked::Found(paths) => {
            Ok(paths.iter().flatten().map(|fact| fact.id).filter(|id| seen.insert(*id)).collect())
        }
        Looked::Nothing | Looked::Behind => Ok(Vec::new()),
        Looked::No => Err(LabError::Refused(
            "there is no entity graph to evaluate; set SVC_GRAPH=on, and NEO4J_URI, NEO4J_USER and NEO4J_PASSWORD"
                .to_owned(),
        )),
        Looked::Away(error) => Err(LabError::Refused(error.to_string())),
    }
}

/// What `recall` would answer from, best first.
fn ranked(reply: &Reply) -> Result<Vec<FactId>, LabError> {
    match reply {
        Reply::Done(ToolReply::Recall(answered)) => {
            Ok(answered.grounds.iter().flatten().map(|ground| ground.fact.id).collect())
        }
        _ => Err(LabError::Refused(format!("recall: {reply}"))),
    }
}

/// What became of one question.
#[derive(Debug)]
pub struct Outcome {
    kind: String,
    question: String,
    /// Needed facts that were on the paths, among as many facts that `recall` and BM25 rank first, and in all that
    /// `recall` answers from.
    paths: Ratio,
    recall: Ratio,
    bm25: Ratio,
    context: Ratio,
    facts: usize,
    retired: usize,
    answered: bool,
    stale: bool,
    text: String,
}

#[derive(Debug)]
pub struct Report<'a> {
    pub model: &'a str,
    pub set: &'a str,
    pub outcomes: &'a [Outcome],
}

impl Report<'_> {
    fn sum(&self, ratio: fn(&Outcome) -> Ratio, kind: Option<&str>) -> Ratio {
        let mut sum = Ratio::default();
        let asked = self.outcomes.iter().filter(|outcome| kind.is_none_or(|kind| outcome.kind == kind));
        asked.for_each(|outcome| sum += ratio(outcome));
        sum
    }

    fn lines(&self) -> [(&'static str, &'static str, Ratio); 8] {
        let count = |is: fn(&Outcome) -> bool| Ratio::of(self.outcomes.iter().map(is));
        let retired = self.outcomes.iter().map(|outcome| outcome.retired).sum();
        let facts = self.outcomes.iter().map(|outcome| outcome.facts).sum();
        [
            ("paths", "needed facts on the paths", self.sum(|o| o.paths, None)),
            ("recall", "  among as many that recall ranks first", self.sum(|o| o.recall, None)),
            ("bm25", "  among as many that BM25 ranks first", self.sum(|o| o.bm25, None)),
            ("context", "  in all that recall answers from", self.sum(|o| o.context, None)),
            (
                "whole",
                "questions with every needed fact on the paths",
                count(|o| o.paths.part == o.paths.whole),
            ),
            ("answered", "answers that hold all that was asked for", count(|o| o.answered)),
            ("stale", "answers that assert what no longer holds", count(|o| o.stale)),
            ("retired", "facts on the paths that are not active", Ratio { part: retired, whole: facts }),
        ]
    }
}

impl Findings for Report<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}, set {}, {} questions\n", self.model, self.set, self.outcomes.len())?;
        for (_, words, ratio) in self.lines() {
            writeln!(out, "{words:<48}{ratio}")?;
        }
        writeln!(out)?;
        let kinds: BTreeSet<&str> = self.outcomes.iter().map(|outcome| outcome.kind.as_str()).collect();
        for kind in kinds {
            let (paths, recall) = (self.sum(|o| o.paths, Some(kind)), self.sum(|o| o.recall, Some(kind)));
            writeln!(out, "{kind:<48}{paths}   recall {:.1} %", recall.percent())?;
        }
        Ok(())
    }

    fn write_failures(&self, out: &mut dyn Write) -> io::Result<()> {
        for outcome in self.outcomes {
            if outcome.paths.part < outcome.paths.whole || !outcome.answered || outcome.stale {
                let Outcome { kind, question, paths, answered, stale, text, .. } = outcome;
                writeln!(out, "{kind}: {question}\n  {} of {} needed facts", paths.part, paths.whole)?;
                writeln!(out, "  answered: {answered}, stale: {stale}\n{text}\n")?;
            }
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let lines = self.lines().map(|(name, _, ratio)| (name.to_owned(), ratio.json()));
        let mut whole: serde_json::Map<String, Value> = lines.into_iter().collect();
        whole.insert("model".to_owned(), self.model.into());
        whole.insert("set".to_owned(), self.set.into());
        whole.into()
    }
}
