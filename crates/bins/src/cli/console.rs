//! The console for the memory of this machine.

use super::CliError;
use crate::settings::Settings;
use crate::startup::{self, StartupError};
use clap::Args;
use console::{Console, Entrance};
use edge::http::{Config, Server};
use std::io::Write;
use std::sync::Arc;
use tokio::signal::unix::{SignalKind, signal};

const HOST: &str = "127.0.0.1";

/// Serve pages for this memory: what it holds, what waits for a decision, and the evidence.
///
/// Prints the address to open in a browser. It works once, within five minutes, and on this machine only. Ctrl-C ends the
/// console and everybody's session in it.
#[derive(Debug, Args)]
pub struct Command {
    /// The port to serve it on [default: any free one].
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,
}

impl Command {
    pub async fn run(self, settings: Settings, out: &mut impl Write) -> Result<(), CliError> {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let service = startup::service(settings).await?;
        service.note_usage();
        let no_randomness =
            |_| CliError::Refused("the system has no random bytes to make an address from".to_owned());
        let console = Console::new(service, Entrance::OneTimeAddress).map_err(no_randomness)?;
        let path = console.one_time_address().map_err(no_randomness)?;
        let server =
            Server::bind_site(HOST, self.port, Arc::new(console), config()).await.map_err(|error| {
                let text = format!("cannot listen on {HOST}:{}: {error}; choose another --port", self.port);
                StartupError::from(std::io::Error::new(error.kind(), text))
            })?;
        // It is only printed: given to a program that opens browsers, every account here could read it among its arguments.
        let address = format!("http://{}{}", server.address()?, path.0);
        writeln!(
            out,
            "The console is open at this address, once and for five minutes:\n\n  {address}\n\nCtrl-C ends it."
        )?;
        out.flush()?;
        let stop = async {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        };
        server.serve(stop).await;
        Ok(())
    }
}

/// For one person, who is at this machine: no limit on how often they ask.
fn config() -> Config {
    Config {
        max_body: 0,
        rate_per_min: 0,
        connections: 256,
        connections_per_address: 0,
        trusted_proxy_hops: 0,
        allowed_hosts: vec![HOST.to_owned(), "localhost".to_owned()],
        allowed_origins: Vec::new(),
        metrics_token: None,
        oidc: None,
    }
}
