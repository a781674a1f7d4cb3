//! The HTTP server's settings.

use super::env::Env;
use super::error::SettingsError;
use secrecy::SecretString;

#[derive(Debug, Clone)]
pub struct ServerSettings {
    pub host: String,
    pub port: u16,
    /// The largest body, in bytes.
    pub max_body: u64,
    /// Requests of one client IP within 60 seconds; 0 is no limit.
    pub rate_per_min: u32,
    /// Connections at once from one client IP; 0 is no limit.
    pub connections_per_address: u32,
    pub trusted_proxy_hops: u8,
    pub allowed_hosts: Vec<String>,
    pub allowed_origins: Vec<String>,
    pub metrics_token: Option<SecretString>,
    /// Where the console is served; not at all where it is not set.
    pub console_port: Option<u16>,
    /// The console as browsers reach it, where people sign in at the identity provider; without a slash at its end.
    pub console_url: Option<String>,
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
            connections_per_address: env.whole(
                "SVC_CONNECTIONS_PER_ADDRESS",
                256,
                "a whole number of connections, 0 for no limit",
            )?,
            trusted_proxy_hops: env.whole("SVC_TRUSTED_PROXY_HOPS", 0, "a whole number from 0 to 255")?,
            allowed_hosts: checked(
                env,
                "SVC_ALLOWED_HOSTS",
                is_host,
                "hosts, such as memory.example.com, localhost:8080, *.example.com or * for all",
            )?
            .unwrap_or_else(hosts),
            allowed_origins: checked(
                env,
                "SVC_ALLOWED_ORIGINS",
                is_origin,
                "origins, such as https://app.example.com or vscode-webview://*",
            )?
            .unwrap_or_else(origins),
            metrics_token: env.secret("SVC_METRICS_TOKEN"),
            console_port: console_port(env)?,
            console_url: console_url(env)?,
        })
    }
}

fn console_port(env: &Env) -> Result<Option<u16>, SettingsError> {
    const NAME: &str = "SVC_CONSOLE_PORT";
    env.text(NAME).map(|_| env.whole(NAME, 0, "a port from 0 to 65535")).transpose()
}

fn console_url(env: &Env) -> Result<Option<String>, SettingsError> {
    const NAME: &str = "SVC_CONSOLE_URL";
    let Some(url) = env.text(NAME) else { return Ok(None) };
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    match host.map(|host| host.trim_end_matches('/')).filter(|host| is_host(host) && !host.contains('*')) {
        Some(_) => Ok(Some(url.trim_end_matches('/').to_owned())),
        None => Err(SettingsError::new(
            NAME,
            format!("takes the address of the console, such as https://memory.example.com, not '{url}'"),
        )),
    }
}

/// A list of which every entry must be of its kind: one that is not would silently never match.
fn checked(
    env: &Env,
    name: &'static str,
    is_one: fn(&str) -> bool,
    takes: &str,
) -> Result<Option<Vec<String>>, SettingsError> {
    let list = env.list(name);
    match list.iter().flatten().find(|entry| !is_one(entry)) {
        Some(entry) => Err(SettingsError::new(name, format!("takes comma-separated {takes}; not '{entry}'"))),
        None => Ok(list),
    }
}

/// A name or address, with a port or `*` for any. A `*` alone is every name, and `*.` before a name all below it.
fn is_host(entry: &str) -> bool {
    let (name, port) = match entry.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (entry, None),
    };
    let bare = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let named = match bare {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            let plain = if name == "*" { "any" } else { name.strip_prefix("*.").unwrap_or(name) };
            !plain.is_empty() && plain.chars().all(|c| c.is_alphanumeric() || "-._".contains(c))
        }
    };
    named && port.is_none_or(|port| port == "*" || port.parse::<u16>().is_ok())
}

/// A host behind the scheme of a page, or of a program that shows pages.
fn is_origin(entry: &str) -> bool {
    entry.split_once("://").is_some_and(|(scheme, host)| is_scheme(scheme) && is_host(host))
}

fn is_scheme(scheme: &str) -> bool {
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}
