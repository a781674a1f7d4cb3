//! From settings to a running service.

use crate::line_wrap::wrapped;
use crate::settings::{ModelSettings, Settings, SettingsError};
use domain::{Fault, Timestamp};
use graph::{Graph, GraphError, GraphSettings};
use model::{ChatConfig, EmbedConfig, Models, Provider};
use service::Service;
use std::pin::Pin;
use std::time::Duration;
use store::{Store, StoreError, StoreSettings, Witness};
use tokio::runtime::Runtime;

#[derive(Debug, thiserror::Error)]
pub enum StartupError {
    #[error("{0}")]
    Settings(#[from] SettingsError),
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Model(#[from] Fault),
    #[error("{0}")]
    Graph(#[from] GraphError),
    #[error("cannot start: {0}")]
    Io(#[from] std::io::Error),
}

/// How long the end of the process waits for what it has told to stop.
pub const CLOSING: Duration = Duration::from_secs(2);

/// Does the work of a program. The runtime is compiled again for each type of future that it is given, with copies of all
/// that the future does, so it is given one type.
pub fn block_on<T>(runtime: &Runtime, work: impl Future<Output = T>) -> T {
    let work: Pin<Box<dyn Future<Output = T> + '_>> = Box::pin(work);
    runtime.block_on(work)
}

/// Opens the store and puts the service together. Must be called within a Tokio runtime.
pub async fn service(settings: Settings) -> Result<Service, StartupError> {
    let models = models(settings.models)?;
    let options = &settings.options;
    if !options.four_eyes && options.slots.slots().iter().any(|slot| slot.confirm) {
        tracing::warn!("{ALONE}");
    }
    settings.database_file.make_folder()?;
    let store = store(settings.storage, settings.witnesses).await?;
    let service = Service::new(store.clone(), models, settings.options);
    let Some(graph_settings) = settings.graph else { return Ok(service) };
    let graph = graph(&store, &graph_settings).await?;
    store.graph_turn_on().await?;
    tracing::warn!("{IN_THE_CLEAR}");
    Ok(service.with_graph(graph))
}

/// The store, with the witnesses of its audit log. Must be called within a Tokio runtime.
pub async fn store(storage: StoreSettings, witnesses: Vec<Witness>) -> Result<Store, StartupError> {
    Ok(Store::open(storage, Timestamp::now()).await?.witnessed_by(witnesses)?)
}

/// The graph of this deployment. Neo4j need not be there yet.
pub async fn graph(store: &Store, settings: &GraphSettings) -> Result<Graph, StartupError> {
    Ok(Graph::new(settings, store.graph_projection().await?)?)
}

/// What is said once where slots are guarded, and one person may decide on them.
const ALONE: &str = "Slots are guarded and SVC_FOUR_EYES is off: whoever may approve can also change a guarded value, or \
    erase it and say another, alone.";

/// What is said once when the entity graph is on.
const IN_THE_CLEAR: &str = "The entity graph is on. Neo4j holds no name and no value, but in the clear which tenants \
    and spaces there are, the numbers of their facts, and which of these speak of the same thing: docs/security.md.";

/// For work that asks no model: the model settings are neither needed nor mentioned.
pub async fn service_without_model(settings: Settings) -> Result<Service, StartupError> {
    let none = ChatConfig {
        provider: Provider::OpenAi,
        base_url: None,
        api_key: None,
        model: None,
        read_model: None,
        timeout: CLOSING,
        extract_retries: 0,
    };
    let models = Models::new(none, EmbedConfig { base_url: None, api_key: None, model: None })?;
    settings.database_file.make_folder()?;
    let store = store(settings.storage, settings.witnesses).await?;
    Ok(Service::new(store, models, settings.options))
}

fn models(settings: ModelSettings) -> Result<Models, Fault> {
    match settings.chat {
        Some(chat) => Models::new(chat, settings.embed),
        None => built_in(settings.embed),
    }
}

#[cfg(feature = "reader")]
fn built_in(embed: EmbedConfig) -> Result<Models, Fault> {
    tracing::warn!("{BUILT_IN}");
    Models::built_in(std::sync::Arc::new(reader::Reader), embed)
}

#[cfg(not(feature = "reader"))]
fn built_in(_: EmbedConfig) -> Result<Models, Fault> {
    Err(Fault::new(
        "NoModel",
        "no language model is configured, and this program was built without the built-in one: set OPENAI_API_KEY, \
         ANTHROPIC_API_KEY or GROQ_API_KEY, or OPENAI_BASE_URL for a model of your own",
    ))
}

/// What is said once when no language model is configured.
#[cfg(feature = "reader")]
const BUILT_IN: &str = "No language model is configured, so the built-in one reads statements and answers questions. \
    It is a stand-in that knows plain English only; set OPENAI_API_KEY, ANTHROPIC_API_KEY or GROQ_API_KEY, or \
    OPENAI_BASE_URL for a model of your own.";

/// Says why the program does not start, and ends it.
pub fn refuse(program: &str, error: &dyn std::error::Error) -> std::process::ExitCode {
    use std::io::{IsTerminal, Write};
    let (mut out, text) = (std::io::stderr(), format!("{program}: {error}"));
    let text = if out.is_terminal() { wrapped(&text) } else { text };
    let _ = writeln!(out, "{text}");
    std::process::ExitCode::FAILURE
}
