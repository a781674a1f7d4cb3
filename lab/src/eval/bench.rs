//! The real service with the model that is configured, in process and on databases of its own that are thrown away.

use super::exported_fact::ExportedFact;
use super::sequence::{Trade, word};
use crate::error::LabError;
use domain::{Caller, Identity, Timestamp};
use model::ModelError;
use serde_json::{Map, Value, json};
use service::{Reply, Service, ToolReply};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use svc::settings::Settings;
use svc::startup::{self, StartupError};
use tempfile::TempDir;

/// How long one call may take. LLM_TIMEOUT is what ends a request to the model; this must not cut in before it, even
/// where it is set as high as it goes.
const CALL: Duration = Duration::from_secs(2 * 3600);

/// The settings that say where memory is kept and what is declared. An evaluation has its own.
const OWN: [&str; 7] = [
    "SVC_DB",
    "SVC_DATABASE_URL",
    "SVC_WITNESS",
    "SVC_KEY",
    "SVC_KMS",
    "SVC_SLOT_SCHEMA",
    "SVC_AUTH_REQUIRED",
];

/// The service, once with each setup that was needed so far.
#[derive(Debug)]
pub struct Bench {
    variables: BTreeMap<String, String>,
    services: BTreeMap<Setup, Service>,
    folder: TempDir,
}

/// Setups with the same slots share a database.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Setup {
    pub slots: Option<Declared>,
    /// How many facts an answer is drawn from, where the settings are not to decide.
    pub context: Option<usize>,
}

/// Where the declared slots come from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Declared {
    /// The preset of the trade.
    Preset(Trade),
    File(PathBuf),
}

impl Declared {
    /// As SVC_SLOT_SCHEMA takes it.
    fn setting(&self) -> String {
        match self {
            Self::Preset(trade) => format!("preset:{}", word(trade)),
            Self::File(path) => path.display().to_string(),
        }
    }
}

/// One space of a service.
#[derive(Debug)]
pub struct Memory {
    service: Service,
    user: String,
}

impl Bench {
    /// With the model that these variables configure.
    pub fn new(variables: impl IntoIterator<Item = (String, String)>) -> Result<Self, LabError> {
        let variables = variables.into_iter().filter(|(name, _)| !OWN.contains(&name.as_str())).collect();
        Ok(Self { variables, services: BTreeMap::new(), folder: TempDir::new()? })
    }

    /// The settings for a process of its own, with its database in this folder.
    pub fn variables(&self, folder: &Path) -> BTreeMap<String, String> {
        let mut variables = self.variables.clone();
        variables.insert("SVC_DB".to_owned(), folder.join("own").display().to_string());
        variables
    }

    /// The model in use, by name. One that cannot be reached is refused; one that is merely slower than the check of
    /// health allows is given its time.
    pub async fn model(&mut self) -> Result<String, LabError> {
        let service = self.service(Setup::default()).await?;
        let reply = call(&service, "health", json!({}), Timestamp::now()).await?;
        match &reply {
            Reply::Done(ToolReply::Health(health))
                if matches!(health.llm, Ok(()) | Err(ModelError::Timeout)) =>
            {
                Ok(health.config())
            }
            _ => Err(LabError::Refused(format!(
                "the model does not answer, so there is nothing to evaluate:\n{reply}"
            ))),
        }
    }

    pub async fn memory(&mut self, setup: Setup, user: &str) -> Result<Memory, LabError> {
        Ok(Memory { service: self.service(setup).await?, user: user.to_owned() })
    }

    async fn service(&mut self, setup: Setup) -> Result<Service, LabError> {
        if let Some(service) = self.services.get(&setup) {
            return Ok(service.clone());
        }
        let name = match &setup.slots {
            Some(Declared::Preset(trade)) => word(trade),
            Some(Declared::File(path)) => format!("file-{}", path.file_stem().unwrap_or_default().display()),
            None => "none".to_owned(),
        };
        let mut variables = self.variables.clone();
        variables.insert("SVC_DB".to_owned(), self.folder.path().join(&name).display().to_string());
        if let Some(declared) = &setup.slots {
            variables.insert("SVC_SLOT_SCHEMA".to_owned(), declared.setting());
        }
        if let Some(context) = setup.context {
            variables.insert("SVC_RECALL_CONTEXT".to_owned(), context.to_string());
        }
        let settings = Settings::from_variables(variables).map_err(StartupError::from)?;
        let service = startup::service(settings).await?;
        self.services.insert(setup, service.clone());
        Ok(service)
    }
}

impl Memory {
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Reply, LabError> {
        self.call_at(Timestamp::now(), tool, arguments).await
    }

    /// As if the call came at that time.
    pub async fn call_at(&self, now: Timestamp, tool: &str, mut arguments: Value) -> Result<Reply, LabError> {
        if let Some(arguments) = arguments.as_object_mut() {
            arguments.insert("user_id".to_owned(), self.user.as_str().into());
        }
        call(&self.service, tool, arguments, now).await
    }

    /// Waits until the entity graph has what was told.
    pub async fn graph_caught_up(&self) {
        self.service.graph_caught_up(CALL).await;
    }

    /// Every fact of the space, retired and flagged ones as well.
    pub async fn held(&self) -> Result<Vec<ExportedFact>, LabError> {
        match self.call("export_memory", json!({})).await? {
            Reply::Done(ToolReply::ExportMemory(exported)) => {
                Ok(exported.export.records.into_iter().map(ExportedFact::from).collect())
            }
            reply => Err(LabError::Refused(format!("export_memory: {reply}"))),
        }
    }
}

async fn call(service: &Service, tool: &str, arguments: Value, now: Timestamp) -> Result<Reply, LabError> {
    let caller = Caller::new(Identity::Local, "eval".to_owned(), now, Instant::now() + CALL);
    let arguments = match arguments {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    };
    match service.call(caller, tool, arguments).await {
        reply @ (Reply::Refused { .. } | Reply::Misconfigured { .. }) => {
            Err(LabError::Refused(format!("{tool}: {reply}")))
        }
        reply => Ok(reply),
    }
}

/// What a failed call says; the memory is then what it was before.
pub fn failure(reply: &Reply) -> Option<String> {
    matches!(reply, Reply::Failed { .. }).then(|| reply.text())
}
