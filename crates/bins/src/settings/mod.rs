//! Every setting of the service, typed. A bad one stops startup with its name and what it takes.

mod database_file;
mod env;
mod error;
mod graph;
mod models;
mod names;
mod oidc;
mod quotas;
mod server;
mod storage;
mod witnesses;

pub use database_file::DatabaseFile;
pub use error::SettingsError;
pub use models::ModelSettings;
pub use names::NAMES;
pub use oidc::OidcClient;
pub use server::ServerSettings;

use ::graph::GraphSettings;
use edge::http::OidcConfig;
use env::Env;
use evidence::PublicKey;
use reconcile::{CRITICAL_CATEGORIES, PRESETS, SlotSchema};
use secrecy::SecretString;
use service::{Licence, Options, ToolsShown};
use std::sync::Arc;
use store::{StoreSettings, Witness};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    Debug,
    Info,
    Warning,
    Error,
    Critical,
}

#[derive(Debug, Clone, Copy)]
pub struct LogSettings {
    pub level: LogLevel,
    pub format: LogFormat,
}

#[derive(Debug)]
pub struct Settings {
    pub database_file: DatabaseFile,
    pub storage: StoreSettings,
    /// The passphrase that is to lock the keys, for moving them.
    pub new_passphrase: Option<SecretString>,
    /// Who remembers the head of the audit log elsewhere.
    pub witnesses: Vec<Witness>,
    pub models: ModelSettings,
    pub server: ServerSettings,
    pub oidc: Option<OidcConfig>,
    /// As whom the console signs people on; where nothing is set, as the audience.
    pub oidc_client: OidcClient,
    pub log: LogSettings,
    /// Whether stdio, which cannot show a key, is turned away.
    pub auth_required: bool,
    /// The entity graph, where it is on.
    pub graph: Option<GraphSettings>,
    pub options: Options,
    /// Variables that look like settings and are none.
    pub unknown: Vec<String>,
}

/// The variables of this process; one whose name is not valid Unicode cannot be a setting.
pub fn environment() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned())))
}

impl DatabaseFile {
    pub fn from_environment() -> Self {
        Self::of(&Env::new(environment()))
    }
}

impl Settings {
    pub fn from_environment() -> Result<Self, SettingsError> {
        Self::from_variables(environment())
    }

    pub fn from_variables(
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, SettingsError> {
        let env = Env::new(variables);
        let unknown = names::unknown(&env)?;
        let database_file = DatabaseFile::of(&env);
        Ok(Self {
            storage: storage::read(&env, &database_file)?,
            new_passphrase: env.secret("SVC_NEW_KEY"),
            witnesses: witnesses::read(&env)?,
            database_file,
            models: ModelSettings::read(&env)?,
            server: ServerSettings::read(&env)?,
            oidc: oidc::read(&env)?,
            oidc_client: OidcClient::read(&env),
            log: log(&env)?,
            auth_required: env.switch("SVC_AUTH_REQUIRED", false)?,
            graph: graph::read(&env)?,
            options: options(&env)?,
            unknown,
        })
    }

    /// For the log, once it is open.
    pub fn warn_of_unknown(&self) {
        for variable in &self.unknown {
            tracing::warn!(variable, "no setting has this name; it is ignored");
        }
    }
}

const BOUND_SOURCES: &str = "SVC_BOUND_SOURCES";

fn options(env: &Env) -> Result<Options, SettingsError> {
    let critical = env.list("SVC_CRITICAL_CATEGORIES");
    Ok(Options {
        slots: Arc::new(slots(env)?),
        trusted_sources: env
            .list("SVC_TRUSTED_SOURCES")
            .unwrap_or_default()
            .iter()
            .map(|source| source.to_lowercase())
            .collect(),
        four_eyes: env.switch("SVC_FOUR_EYES", false)?,
        bound_sources: env.text(BOUND_SOURCES).map(|_| env.switch(BOUND_SOURCES, true)).transpose()?,
        recall_context: count(env, "SVC_RECALL_CONTEXT", 40)?,
        reconcile_context: count(env, "SVC_RECONCILE_CONTEXT", 40)?,
        critical_categories: critical.unwrap_or_else(|| CRITICAL_CATEGORIES.map(str::to_owned).to_vec()),
        critical_budget: count(env, "SVC_CRITICAL_BUDGET", 200)?,
        licence: licence(env)?,
        tools: tools(env)?,
        quotas: quotas::read(env)?,
    })
}

/// Numbers of facts: none, or as many as a model can be shown.
fn count(env: &Env, name: &'static str, default: u16) -> Result<usize, SettingsError> {
    const TAKES: &str = "a whole number from 0 to 10000";
    let number = env.whole::<u16>(name, default, TAKES)?;
    if number > 10_000 {
        return Err(SettingsError::new(name, format!("takes {TAKES}, not '{number}'")));
    }
    Ok(usize::from(number))
}

fn slots(env: &Env) -> Result<SlotSchema, SettingsError> {
    const NAME: &str = "SVC_SLOT_SCHEMA";
    let Some(text) = env.text(NAME) else { return Ok(SlotSchema::none()) };
    if let Some(preset) = text.strip_prefix("preset:") {
        return SlotSchema::preset(preset.trim()).ok_or_else(|| {
            SettingsError::new(NAME, format!("knows no preset '{preset}'; there are {}", PRESETS.join(", ")))
        });
    }
    let json = std::fs::read_to_string(&text).map_err(|e| {
        SettingsError::new(NAME, format!("cannot read the file {text}: {e}; give a file, or preset:<name>"))
    })?;
    SlotSchema::from_json(&json).map_err(|e| SettingsError::new(NAME, format!("file {text}: {e}")))
}

fn tools(env: &Env) -> Result<ToolsShown, SettingsError> {
    match env.text_or("SVC_TOOLS", "all").to_lowercase().as_str() {
        "all" => Ok(ToolsShown::All),
        "role" => Ok(ToolsShown::Role),
        "core" => Ok(ToolsShown::Core),
        other => Err(SettingsError::new("SVC_TOOLS", format!("takes all, role or core, not '{other}'"))),
    }
}

fn licence(env: &Env) -> Result<Licence, SettingsError> {
    const VENDOR: &str = "SVC_VENDOR_PUBKEY";
    let vendor_public_key =
        env.text(VENDOR).map(|hex| PublicKey::from_hex(&hex)).transpose().map_err(|_| {
            SettingsError::new(VENDOR, "takes an Ed25519 public key of 64 hexadecimal digits")
        })?;
    Ok(Licence { text: env.text("SVC_LICENSE"), vendor_public_key })
}

fn log(env: &Env) -> Result<LogSettings, SettingsError> {
    let level = match env.text_or("SVC_LOG_LEVEL", "WARNING").as_str() {
        "DEBUG" => LogLevel::Debug,
        "INFO" => LogLevel::Info,
        "WARNING" => LogLevel::Warning,
        "ERROR" => LogLevel::Error,
        "CRITICAL" => LogLevel::Critical,
        other => {
            let problem = format!("takes DEBUG, INFO, WARNING, ERROR or CRITICAL, not '{other}'");
            return Err(SettingsError::new("SVC_LOG_LEVEL", problem));
        }
    };
    let format = match env.text_or("SVC_LOG_FORMAT", "text").to_lowercase().as_str() {
        "text" => LogFormat::Text,
        "json" => LogFormat::Json,
        other => {
            return Err(SettingsError::new("SVC_LOG_FORMAT", format!("takes text or json, not '{other}'")));
        }
    };
    Ok(LogSettings { level, format })
}
