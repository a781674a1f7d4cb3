//! The HTTP server's settings.

use super::SettingsError;
use super::env::Env;
use secrecy::SecretString;

#[derive(Debug, Clone)]
pub struct ServerSettings {
    pub host: String,
    pub port: u16,
    /// The largest body, in bytes.
    pub max_body: u64,
    /// Requests of one client IP within 60 seconds; 0 is no limit.
    pub rate_per_min: u32,
    pub trusted_proxy_hops: u8,
    pub allowed_hosts: Vec<String>,
    pub allowed_origins: Vec<String>,
    pub metrics_token: Option<SecretString>,
}

const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

impl ServerSettings {
    pub(super) fn read(env: &Env) -> Result<Self, SettingsError> {
        let hosts = || LOOPBACK.map(str::to_owned).to_vec();
        let origins = || LOOPBACK.map(|host| format!("http://{host}")).to_vec();
        Ok(Self {
            host: env.text_or("SVC_HOST", "127.0.0.1"),
            port: env.whole("SVC_PORT", 8080, "a port from 0 to 65535")?,
            max_body: env.whole("SVC_MAX_BODY", 1024 * 1024, "a number of bytes")?,
            rate_per_min: env.whole("SVC_RATE_PER_MIN", 120, "a whole number of requests, 0 for no limit")?,
            trusted_proxy_hops: env.whole("SVC_TRUSTED_PROXY_HOPS", 0, "a whole number from 0 to 255")?,
            allowed_hosts: env.list("SVC_ALLOWED_HOSTS").unwrap_or_else(hosts),
            allowed_origins: env.list("SVC_ALLOWED_ORIGINS").unwrap_or_else(origins),
            metrics_token: env.secret("SVC_METRICS_TOKEN"),
        })
    }
}
