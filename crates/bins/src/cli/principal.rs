//! Principals without a client: how a server gets its first admin.

use super::CliError;
use super::session::Session;
use crate::settings::Settings;
use clap::Subcommand;
use serde_json::{Value, json};
use std::io::Write;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a principal and print its API key, once.
    Create {
        /// Who this is.
        name: String,
        /// admin, member, agent, viewer or auditor.
        #[arg(long, default_value = "admin")]
        role: String,
        /// human, agent or service.
        #[arg(long, default_value = "human")]
        kind: String,
        /// Comma-separated user_ids that the key may touch; all where this is left out.
        #[arg(long, default_value = "")]
        scopes: String,
        /// The tenant.
        #[arg(long, default_value = domain::DEFAULT_TENANT)]
        tenant: String,
    },
    /// List the principals of all tenants.
    List,
    /// End a principal's key at once, in every process.
    Revoke {
        /// The principal's id, prin_…
        id: String,
        /// Remove the row as well.
        #[arg(long)]
        erase: bool,
    },
}

impl Command {
    /// The tool that does the work, and its arguments.
    fn call(self) -> (&'static str, Value) {
        match self {
            Self::Create { name, role, kind, scopes, tenant } => (
                "create_principal",
                json!({ "name": name, "role": role, "kind": kind, "scopes": scopes, "tenant": tenant }),
            ),
            Self::List => ("list_principals", json!({})),
            Self::Revoke { id, erase } => ("revoke_principal", json!({ "principal_id": id, "erase": erase })),
        }
    }

    pub async fn run(self, settings: Settings, out: &mut impl Write) -> Result<(), CliError> {
        let session = Session::without_model(settings).await?;
        let (tool, arguments) = self.call();
        let reply = session.call(tool, arguments).await;
        // A refusal reads as a reply to a client; to a shell it is a failure.
        let refused = ["Seat limit reached", "No active principal", "Svc couldn't", "Access denied"];
        if reply.is_error || refused.iter().any(|start| reply.text.starts_with(start)) {
            return Err(CliError::Refused(reply.text));
        }
        writeln!(out, "{}", reply.text)?;
        Ok(())
    }
}
