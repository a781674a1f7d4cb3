//! Which language model and which embedder.

use super::env::Env;
use super::error::SettingsError;
use model::{ChatConfig, EmbedConfig, Provider};
use std::time::Duration;

#[derive(Debug)]
pub struct ModelSettings {
    /// None if no language model is configured: then the built-in one is used.
    pub chat: Option<ChatConfig>,
    pub embed: EmbedConfig,
}

impl ModelSettings {
    pub(super) fn read(env: &Env) -> Result<Self, SettingsError> {
        let timeout = Duration::from_secs(seconds(env, "LLM_TIMEOUT", 60)?);
        let extract_retries = env.whole("SVC_EXTRACT_RETRIES", 2, "a whole number from 0 on")?;
        let chat = provider(env)?.map(|provider| {
            let (key, model, base) = variables(provider);
            ChatConfig {
                provider,
                base_url: env.text(base),
                api_key: env.secret(key),
                model: env.text(model),
                read_model: env.text("SVC_READ_MODEL"),
                timeout,
                extract_retries,
            }
        });
        let embed = EmbedConfig {
            base_url: env.text("EMBED_BASE_URL").or_else(|| env.text("OPENAI_BASE_URL")),
            api_key: env.secret("EMBED_API_KEY").or_else(|| env.secret("OPENAI_API_KEY")),
            model: env.text("EMBED_MODEL"),
        };
        Ok(Self { chat, embed })
    }
}

/// The provider that is named, or else the one whose key or address is set.
fn provider(env: &Env) -> Result<Option<Provider>, SettingsError> {
    const NAME: &str = "LLM_PROVIDER";
    if let Some(text) = env.text(NAME) {
        return Provider::from_word(&text.to_lowercase()).map(Some).ok_or_else(|| {
            SettingsError::new(NAME, format!("takes anthropic, openai or groq, not '{text}'"))
        });
    }
    let present = [Provider::Anthropic, Provider::OpenAi, Provider::Groq].into_iter().find(|provider| {
        let (key, _, base) = variables(*provider);
        env.text(key).is_some() || env.text(base).is_some()
    });
    Ok(present)
}

/// Where a provider's key, model and address are set.
const fn variables(provider: Provider) -> (&'static str, &'static str, &'static str) {
    match provider {
        Provider::OpenAi => ("OPENAI_API_KEY", "OPENAI_MODEL", "OPENAI_BASE_URL"),
        Provider::Anthropic => ("ANTHROPIC_API_KEY", "ANTHROPIC_MODEL", "ANTHROPIC_BASE_URL"),
        Provider::Groq => ("GROQ_API_KEY", "GROQ_MODEL", "GROQ_BASE_URL"),
    }
}

fn seconds(env: &Env, name: &'static str, default: u64) -> Result<u64, SettingsError> {
    const TAKES: &str = "a number of seconds from 1 to 3600";
    let Some(text) = env.text(name) else { return Ok(default) };
    // Fractions of a second are rounded up: 0.5 must not become no time at all.
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 3600.0 => Ok(seconds.ceil() as u64),
        _ => Err(SettingsError::new(name, format!("takes {TAKES}, not '{text}'"))),
    }
}
