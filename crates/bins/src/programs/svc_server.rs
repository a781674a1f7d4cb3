//! The memory service for a shared deployment, over HTTP.

use crate::settings::{OidcClient, ServerSettings, Settings};
use crate::startup::{self, StartupError};
use clap::Parser;
use console::{Console, Entrance};
use edge::http::{Authenticator, Config, MetricsToken, OidcConfig, Server, SignOn, SignOnConfig};
use secrecy::ExposeSecret;
use service::Service;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// Connections for pages, of which few are open at once.
const CONSOLE_CONNECTIONS: usize = 256;

/// A memory for AI agents, as an MCP server over HTTP.
///
/// Settings are environment variables. The most useful ones: SVC_HOST and SVC_PORT (127.0.0.1, 8080); SVC_DB names the
/// database file (svc.db in the current folder if there is one, otherwise svc/svc.db in your data folder), or
/// SVC_DATABASE_URL a PostgreSQL database; OPENAI_API_KEY, ANTHROPIC_API_KEY or GROQ_API_KEY choose the language model;
/// SVC_ALLOWED_HOSTS lists the host names that clients use for the server. Callers show an API key; `svc principal
/// create` makes the first one. docs/settings.md lists all settings.
#[derive(Parser)]
#[command(name = "svc-server", version, max_term_width = 80)]
struct Arguments {}

pub fn main() -> ExitCode {
    let Arguments {} = Arguments::parse();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => startup::refuse("svc-server", &error),
    }
}

fn run() -> Result<(), StartupError> {
    let settings = Settings::from_environment()?;
    crate::logging::start(settings.log);
    settings.warn_of_unknown();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = startup::block_on(&runtime, serve(settings));
    // What is still running has had its time; nothing of it was acknowledged. With the last of it the store is dropped,
    // which closes the database.
    runtime.shutdown_timeout(startup::CLOSING);
    served
}

async fn serve(settings: Settings) -> Result<(), StartupError> {
    // Listen from here on: a signal during startup must not be lost.
    let stop = stop_signal(signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let ServerSettings { host, port, console_port, console_url, .. } = settings.server.clone();
    let config = config(&settings.server, settings.oidc.clone());
    let sign_on =
        console_url.zip(settings.oidc.as_ref()).map(|(url, oidc)| sign_on(&url, oidc, &settings.oidc_client));
    let service = startup::service(settings).await?;
    tell_how_to_begin(&service).await?;
    let console = match console_port {
        Some(port) => Some(serve_console(&host, port, service.clone(), config.clone(), sign_on).await?),
        None => None,
    };
    let server = Server::bind(&host, port, service.clone(), config)
        .await
        .map_err(|error| taken(&host, port, "SVC_HOST and SVC_PORT", &error))?;
    tracing::info!(address = %server.address()?, "listening");
    let (tell, told) = watch::channel(false);
    let stopped = |mut told: watch::Receiver<bool>| async move {
        let _ = told.wait_for(|stops| *stops).await;
    };
    tokio::join!(
        async {
            stop.await;
            let _ = tell.send(true);
        },
        server.serve(stopped(told.clone())),
        async {
            if let Some(console) = console {
                console.serve(stopped(told)).await;
            }
        },
    );
    service.end().await;
    Ok(())
}

async fn serve_console(
    host: &str,
    port: u16,
    service: Service,
    config: Config,
    sign_on: Option<SignOnConfig>,
) -> Result<Server, StartupError> {
    service.note_usage();
    // The provider's tokens for the console are for its own client.
    let oidc = config.oidc.clone().zip(sign_on.clone());
    let oidc = oidc.map(|(oidc, sign_on)| OidcConfig { audience: sign_on.client_id, ..oidc });
    let authenticator = Box::new(Authenticator::new(service.clone(), oidc)?);
    let sign_on = sign_on.map(SignOn::new).transpose()?.map(Box::new);
    let config = Config { connections: config.connections.min(CONSOLE_CONNECTIONS), ..config };
    let entrance = Entrance::Credentials { authenticator, sign_on };
    let console =
        Console::new(service, entrance).map_err(|error| std::io::Error::other(error.to_string()))?;
    let server = Server::bind_site(host, port, Arc::new(console), config)
        .await
        .map_err(|error| taken(host, port, "SVC_HOST and SVC_CONSOLE_PORT", &error))?;
    tracing::info!(console = %server.address()?, "the console is served");
    Ok(server)
}

fn sign_on(url: &str, oidc: &OidcConfig, client: &OidcClient) -> SignOnConfig {
    SignOnConfig {
        issuer: oidc.issuer.clone(),
        client_id: client.id.clone().unwrap_or_else(|| oidc.audience.clone()),
        client_secret: client.secret.as_ref().map(|secret| secret.expose_secret().to_owned()),
        redirect_uri: format!("{url}/signed-on"),
    }
}

fn taken(host: &str, port: u16, settings: &str, error: &io::Error) -> io::Error {
    let text = format!("cannot listen on {host}:{port}: {error}; set {settings} to a free address");
    io::Error::new(error.kind(), text)
}

fn config(settings: &ServerSettings, oidc: Option<OidcConfig>) -> Config {
    Config {
        max_body: usize::try_from(settings.max_body).unwrap_or(usize::MAX),
        rate_per_min: usize::try_from(settings.rate_per_min).unwrap_or(usize::MAX),
        connections: crate::open_files::connections(),
        connections_per_address: usize::try_from(settings.connections_per_address).unwrap_or(usize::MAX),
        trusted_proxy_hops: usize::from(settings.trusted_proxy_hops),
        allowed_hosts: settings.allowed_hosts.clone(),
        allowed_origins: settings.allowed_origins.clone(),
        metrics_token: settings.metrics_token.as_ref().map(|token| MetricsToken::new(token.expose_secret())),
        oidc,
    }
}

/// A new database has no key, and nobody can make the first one over HTTP.
async fn tell_how_to_begin(service: &Service) -> Result<(), StartupError> {
    if service.store().counts().await?.active_principals == 0 {
        tracing::warn!(
            "no principal exists yet, so every request with a key will be refused: run 'svc principal create NAME \
             --role admin' with the same settings; it shows the first admin's key"
        );
    }
    Ok(())
}

async fn stop_signal(mut terminate: Signal, mut interrupt: Signal) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
