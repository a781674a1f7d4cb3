//! Where the database is, and how safely it is reached.

use super::fault::explain;
use crate::StoreError;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use secrecy::{ExposeSecret, SecretString};
use std::time::Duration;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A server that is silent for longer, on a connection that is in use, is gone: without this a host that lost its power
/// would keep calls waiting for hours.
const SILENCE: Duration = Duration::from_secs(15);

/// A parsed `postgresql://` address.
pub(crate) struct Address {
    pub config: Config,
    pub tls: Tls,
}

#[derive(Clone)]
pub(crate) enum Tls {
    Off,
    /// Encrypted, with the server's certificate checked.
    On(MakeRustlsConnect),
}

fn refuse(problem: impl std::fmt::Display) -> StoreError {
    StoreError::Startup(format!("SVC_DATABASE_URL {problem}"))
}

impl Address {
    pub fn parse(url: &SecretString) -> Result<Self, StoreError> {
        let (plain, asked) = without_tls_options(url.expose_secret())?;
        // The parser's own message names the part that it does not like, and no value of it.
        let mut config: Config = plain.parse().map_err(|e| {
            refuse(format!("takes postgresql://user:password@host:port/database; it does not parse: {e}"))
        })?;
        if config.get_dbname().is_none() {
            return Err(refuse("names no database; put its name at the end, as in postgresql://host/svc"));
        }
        if config.get_hosts().iter().any(|host| matches!(host, Host::Tcp(name) if name.contains('@'))) {
            return Err(refuse("holds an '@' in its user or password; write it as %40"));
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SILENCE);
        }
        if !plain.contains("keepalives") {
            config.keepalives_idle(SILENCE).keepalives_interval(SILENCE / 3).keepalives_retries(3);
        }
        let encrypt = match asked.mode {
            Mode::Disable => false,
            Mode::Require => true,
            Mode::ByHost => !is_local(&config),
        };
        config.ssl_mode(if encrypt { SslMode::Require } else { SslMode::Disable });
        let tls = if encrypt { Tls::On(connector(asked.roots.as_deref())?) } else { Tls::Off };
        Ok(Self { config, tls })
    }

    /// Where it leads, without the password.
    pub fn shown(&self) -> String {
        let hosts: Vec<String> = self
            .config
            .get_hosts()
            .iter()
            .map(|host| match host {
                Host::Tcp(name) => name.clone(),
                Host::Unix(path) => path.display().to_string(),
            })
            .collect();
        let ports: Vec<String> = self.config.get_ports().iter().map(u16::to_string).collect();
        let port = if ports.is_empty() { "5432".to_owned() } else { ports.join(",") };
        format!("{}:{port}/{}", hosts.join(","), self.config.get_dbname().unwrap_or_default())
    }
}

enum Mode {
    Disable,
    Require,
    /// Nothing was said: in clear within the machine, encrypted beyond it.
    ByHost,
}

struct Asked {
    mode: Mode,
    /// A file of certificates to trust instead of the system's.
    roots: Option<String>,
}

/// Takes out what says how to encrypt, which is ours to decide: a certificate is always checked, as `verify-full` does.
fn without_tls_options(url: &str) -> Result<(String, Asked), StoreError> {
    let mut asked = Asked { mode: Mode::ByHost, roots: None };
    let Some((base, query)) = url.split_once('?') else { return Ok((url.to_owned(), asked)) };
    let mut kept = Vec::new();
    for option in query.split('&') {
        match option.split_once('=') {
            Some(("sslmode", "disable")) => asked.mode = Mode::Disable,
            Some(("sslmode", "require" | "verify-ca" | "verify-full")) => asked.mode = Mode::Require,
            Some(("sslmode", _)) => {
                return Err(refuse(
                    "takes sslmode=require, verify-full or disable; prefer and allow would go on in clear when \
                     encryption fails",
                ));
            }
            Some(("sslrootcert", path)) => asked.roots = Some(path.replace("%2F", "/")),
            _ => kept.push(option),
        }
    }
    let plain = if kept.is_empty() { base.to_owned() } else { format!("{base}?{}", kept.join("&")) };
    Ok((plain, asked))
}

fn is_local(config: &Config) -> bool {
    config.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
        }
        Host::Unix(_) => true,
    })
}

fn connector(roots: Option<&str>) -> Result<MakeRustlsConnect, StoreError> {
    let mut trusted = RootCertStore::empty();
    let add = |trusted: &mut RootCertStore, certificate| {
        trusted.add(certificate).map_err(|e| refuse(format!("a trusted certificate is no good: {e}")))
    };
    match roots {
        Some(path) => {
            let unreadable = |e: &dyn std::fmt::Display| refuse(format!("sslrootcert {path}: {e}"));
            for certificate in CertificateDer::pem_file_iter(path).map_err(|e| unreadable(&e))? {
                add(&mut trusted, certificate.map_err(|e| unreadable(&e))?)?;
            }
        }
        None => {
            for certificate in rustls_native_certs::load_native_certs().certs {
                // A system's store may hold certificates of no use to anybody; the others still count.
                let _ = trusted.add(certificate);
            }
        }
    }
    if trusted.is_empty() {
        return Err(refuse(
            "asks for encryption, and no certificate is trusted here; name one with sslrootcert=",
        ));
    }
    let config = ClientConfig::builder_with_provider(tls::provider())
        .with_safe_default_protocol_versions()
        .map_err(|e| refuse(format!("cannot set up encryption: {e}")))?
        .with_root_certificates(trusted)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

impl Address {
    /// A connection outside the pool, for what must end with it.
    pub async fn connect(&self) -> Result<tokio_postgres::Client, StoreError> {
        let unreachable = |e: tokio_postgres::Error| {
            StoreError::Startup(format!("SVC_DATABASE_URL: cannot reach {}: {}", self.shown(), explain(&e)))
        };
        match &self.tls {
            Tls::Off => {
                let (client, connection) = self.config.connect(NoTls).await.map_err(unreachable)?;
                tokio::spawn(connection);
                Ok(client)
            }
            Tls::On(tls) => {
                let (client, connection) = self.config.connect(tls.clone()).await.map_err(unreachable)?;
                tokio::spawn(connection);
                Ok(client)
            }
        }
    }
}
