//! A small witness for audit logs.

use super::CliError;
use crate::witness_book::WitnessBook;
use clap::Args;
use edge::http::WitnessServer;
use evidence::LogKey;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Run a witness: it remembers the newest head of audit logs, and finds one that was cut back or rewritten.
///
/// Run it on another host, where whoever can write the database cannot write. It speaks the C2SP witness protocol, needs no
/// database, and keeps its key and what it remembers in one folder. When it starts it shows what SVC_WITNESS has to be set
/// to. Put TLS in front of it where the network is not yours.
#[derive(Debug, Args)]
pub struct Command {
    /// Where it keeps its key and the newest checkpoint of each log. It is made if it does not exist.
    folder: PathBuf,
    /// The key of a log, as `svc head --key` shows it there. Give the option once for each key.
    #[arg(long = "log", value_name = "KEY", required = true)]
    logs: Vec<String>,
    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8765")]
    listen: String,
}

impl Command {
    pub async fn run(self, out: &mut impl Write) -> Result<(), CliError> {
        let logs = self.logs.iter().map(|text| {
            LogKey::parse(text).map_err(|error| CliError::Refused(format!("--log {text}: {error}")))
        });
        let logs = logs.collect::<Result<Vec<_>, _>>()?;
        let book = WitnessBook::open(&self.folder, logs)
            .map_err(|error| CliError::Refused(format!("{}: {error}", self.folder.display())))?;
        let listens = |error| {
            CliError::Refused(format!("cannot listen on {}: {error}; give a free address", self.listen))
        };
        let server = WitnessServer::bind(&self.listen).await.map_err(listens)?;
        let address = server.address()?;
        writeln!(out, "The witness listens on http://{address}. Set this where the log is:")?;
        writeln!(out, "SVC_WITNESS=http://{address}#{}", book.key())?;
        out.flush()?;
        let book = Arc::new(book);
        server.serve(Arc::new(move |request: &str| book.answer(request))).await?;
        Ok(())
    }
}
