//! Principals without a client: how a server gets its first admin.

use super::CliError;
use super::session::Session;
use crate::settings::Settings;
use clap::Subcommand;
use serde_json::{Value, json};
use service::{ChangedPrincipal, Created, Reply, RotatedKey, ToolReply};
use std::io::Write;
use store::Revoked;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a principal and print its API key, once.
    Create {
        /// Who this is.
        name: String,
        /// What the key may do. The first principal of a deployment is an admin.
        #[arg(long, value_name = "admin|member|agent|viewer|auditor")]
        role: String,
        /// human, agent or service.
        #[arg(long, default_value = "human")]
        kind: String,
        /// Comma-separated user_ids that the key may touch [default: all].
        #[arg(long, default_value = "", hide_default_value = true)]
        scopes: String,
        /// The tenant.
        #[arg(long, default_value = domain::DEFAULT_TENANT)]
        tenant: String,
        /// How long the key works, such as 90d or 12h [default: until it is revoked].
        #[arg(long, value_name = "TIME", default_value = "", hide_default_value = true)]
        expires: String,
    },
    /// List the principals of all tenants.
    List,
    /// Give a principal a new API key and print it, once. The old key keeps working for a while.
    Rotate {
        /// The principal's id, prin_…
        id: String,
        /// How long the old key works beside the new one, such as 24h or 7d; 0s ends it at once.
        #[arg(long, value_name = "TIME", default_value = "24h")]
        overlap: String,
        /// How long the new key works, such as 90d, or never. Needed only if the old key expires.
        #[arg(long, value_name = "TIME", default_value = "", hide_default_value = true)]
        expires: String,
    },
    /// Change which users a principal reaches, and the quotas of its own. Its key stays; what is not named stays too.
    Change {
        /// The principal's id, prin_…
        id: String,
        /// Comma-separated user_ids that the key may touch, or '*' for all.
        #[arg(long)]
        scopes: Option<String>,
        /// Calls within 60 seconds, or none for no quota of its own.
        #[arg(long, value_name = "N|none", allow_negative_numbers = true)]
        calls_per_minute: Option<String>,
        /// Calls that are under way at once, or none.
        #[arg(long, value_name = "N|none", allow_negative_numbers = true)]
        at_once: Option<String>,
        /// Facts that are held, or none.
        #[arg(long, value_name = "N|none", allow_negative_numbers = true)]
        facts: Option<String>,
        /// Bytes that these facts take up, or none.
        #[arg(long, value_name = "N|none", allow_negative_numbers = true)]
        bytes: Option<String>,
    },
    /// End a principal's key at once, in every process.
    Revoke {
        /// The principal's id, prin_…
        id: String,
        /// Remove the principal's row too, even if it was revoked before.
        #[arg(long)]
        erase: bool,
    },
}

impl Command {
    /// The tool that does the work, and its arguments.
    fn call(self) -> (&'static str, Value) {
        match self {
            Self::Create { name, role, kind, scopes, tenant, expires } => (
                "create_principal",
                json!({
                    "name": name, "role": role, "kind": kind, "scopes": scopes, "tenant": tenant,
                    "expires": expires,
                }),
            ),
            Self::List => ("list_principals", json!({})),
            Self::Rotate { id, overlap, expires } => {
                ("rotate_principal", json!({ "principal_id": id, "overlap": overlap, "expires": expires }))
            }
            Self::Change { id, scopes, calls_per_minute, at_once, facts, bytes } => (
                "change_principal",
                json!({
                    "principal_id": id, "scopes": scopes, "calls_per_minute": calls_per_minute, "at_once": at_once,
                    "facts": facts, "bytes": bytes,
                }),
            ),
            Self::Revoke { id, erase } => ("revoke_principal", json!({ "principal_id": id, "erase": erase })),
        }
    }

    pub async fn run(self, settings: Settings, out: &mut impl Write) -> Result<(), CliError> {
        let session = Session::without_model(settings).await?;
        let (tool, arguments) = self.call();
        let reply = session.call(tool, arguments).await;
        // A refusal reads as a reply to a client; to a shell it is a failure.
        if !is_done(&reply) {
            return Err(CliError::Refused(reply.text()));
        }
        writeln!(out, "{reply}")?;
        Ok(())
    }
}

fn is_done(reply: &Reply) -> bool {
    match reply {
        Reply::Done(ToolReply::CreatePrincipal(created)) => matches!(created, Created::Made { .. }),
        Reply::Done(ToolReply::RotatePrincipal(rotated)) => matches!(rotated, RotatedKey::Done { .. }),
        Reply::Done(ToolReply::ChangePrincipal(changed)) => {
            !matches!(changed, ChangedPrincipal::Unknown { .. })
        }
        Reply::Done(ToolReply::RevokePrincipal(revoked)) => revoked.found != Revoked::Nothing,
        Reply::Done(_) => true,
        _ => false,
    }
}
