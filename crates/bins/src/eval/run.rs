//! Tells a sequence to the real service, in process and on a database of its own, and reads back what it holds.

use super::score::{Finding, Held, Verdict, findings, verdict};
use super::sequence::{Sequence, Slots, Statement, Trade, word};
use crate::cli::CliError;
use crate::settings::Settings;
use crate::startup::{self, StartupError};
use domain::{Caller, Identity, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};
use service::Service;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long one call may take. LLM_TIMEOUT is what ends a request to the model; this must not cut in before it, even
/// where it is set as high as it goes.
const CALL: Duration = Duration::from_secs(2 * 3600);

/// The settings that say where memory is kept and what is declared. An evaluation has its own.
const OWN: [&str; 6] =
    ["SVC_DB", "SVC_DATABASE_URL", "SVC_KEY", "SVC_KMS", "SVC_SLOT_SCHEMA", "SVC_AUTH_REQUIRED"];

/// What came of one sequence.
#[derive(Debug)]
pub struct Outcome {
    pub sequence: Sequence,
    pub findings: Vec<Finding>,
    pub held: Vec<Held>,
    pub answer: Option<String>,
    /// Calls that the model could not serve.
    pub failures: Vec<String>,
}

impl Outcome {
    pub fn verdict(&self) -> Verdict {
        verdict(&self.findings)
    }
}

/// The service, once with each set of slots that was needed so far.
#[derive(Debug)]
pub struct Bench {
    variables: BTreeMap<String, String>,
    services: BTreeMap<Option<Trade>, Service>,
    folder: TempDir,
}

#[derive(Deserialize)]
struct Export {
    records: Vec<Held>,
}

impl Bench {
    /// With the model that these variables configure.
    pub fn new(variables: impl IntoIterator<Item = (String, String)>) -> Result<Self, CliError> {
        let variables = variables.into_iter().filter(|(name, _)| !OWN.contains(&name.as_str())).collect();
        Ok(Self { variables, services: BTreeMap::new(), folder: TempDir::new()? })
    }

    /// The model in use, by name. One that cannot be reached is refused; one that is merely slower than the check of
    /// health allows is given its time.
    pub async fn model(&mut self) -> Result<String, CliError> {
        let service = self.service(None).await?;
        let health = call(&service, "health", "health", json!({})).await?;
        let line = |start: &str| health.lines().find_map(|line| line.strip_prefix(start)).unwrap_or_default();
        if !["ok", "FAIL (Timeout)"].contains(&line("llm: ")) {
            return Err(CliError::Refused(format!(
                "the model does not answer, so there is nothing to evaluate:\n{health}"
            )));
        }
        Ok(line("config: ").to_owned())
    }

    pub async fn run(&mut self, sequence: Sequence) -> Result<Outcome, CliError> {
        let service = self.service((sequence.slots == Slots::Preset).then_some(sequence.trade)).await?;
        let user = sequence.id.as_str();
        let mut failures = Vec::new();
        for statement in &sequence.say {
            let tool = match statement {
                Statement::Remember(_) => "remember",
                Statement::Forget { .. } => "forget",
            };
            let reply = call(&service, user, tool, json!({ "text": statement.text() })).await?;
            if could_not(&reply) {
                failures.push(format!("{tool}: {reply}"));
            }
        }
        let export = call(&service, user, "export_memory", json!({})).await?;
        let Export { records: held } = serde_json::from_str(&export)
            .map_err(|error| CliError::Refused(format!("export_memory gave what cannot be read: {error}")))?;
        let mut answer = None;
        if let Some(ask) = &sequence.ask {
            let reply = call(&service, user, "recall", json!({ "question": ask.question })).await?;
            if could_not(&reply) {
                failures.push(format!("recall: {reply}"));
            } else {
                answer = Some(reply);
            }
        }
        let mut findings = findings(&sequence, &held, answer.as_deref());
        findings.extend(failures.iter().map(|text| Finding { verdict: Verdict::Safe, text: text.clone() }));
        Ok(Outcome { sequence, findings, held, answer, failures })
    }

    async fn service(&mut self, slots: Option<Trade>) -> Result<Service, CliError> {
        if let Some(service) = self.services.get(&slots) {
            return Ok(service.clone());
        }
        let name = slots.as_ref().map_or_else(|| "none".to_owned(), word);
        let mut variables = self.variables.clone();
        variables.insert("SVC_DB".to_owned(), self.folder.path().join(&name).display().to_string());
        if slots.is_some() {
            variables.insert("SVC_SLOT_SCHEMA".to_owned(), format!("preset:{name}"));
        }
        let settings = Settings::from_variables(variables).map_err(StartupError::from)?;
        let service = startup::service(settings).await?;
        self.services.insert(slots, service.clone());
        Ok(service)
    }
}

/// A failed call is told to a client in words; the memory is then what it was before.
fn could_not(reply: &str) -> bool {
    reply.starts_with("Svc couldn't")
}

async fn call(service: &Service, user: &str, tool: &str, mut arguments: Value) -> Result<String, CliError> {
    let caller = Caller::new(Identity::Local, "eval".to_owned(), Timestamp::now(), Instant::now() + CALL);
    let Some(arguments) = arguments.as_object_mut() else { return Ok(String::new()) };
    if tool != "health" {
        arguments.insert("user_id".to_owned(), user.into());
    }
    let reply = service.call(caller, tool, std::mem::take(arguments)).await;
    if reply.is_error || reply.text.starts_with("Svc config error") {
        return Err(CliError::Refused(format!("{tool}: {}", reply.text)));
    }
    Ok(reply.text)
}
