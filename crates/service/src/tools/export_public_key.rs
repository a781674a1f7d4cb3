//! The key that signatures are checked with.

use crate::args::Takes;
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::Capability;
use schemars::JsonSchema;
use serde::Deserialize;

pub(crate) struct ExportPublicKey;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

impl Tool for ExportPublicKey {
    const NAME: &'static str = "export_public_key";
    const TITLE: &'static str = "Export the public key";
    const DESCRIPTION: &'static str = "Print the Ed25519 public key with which everything signed can be \
        verified offline.";
    const CAPABILITY: Capability = Capability::Verify;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    const TAKES: Takes = Takes::NoSpace;
    type Args = Args;

    async fn run(cx: Context<'_>, _: Args) -> Result<Done, Stop> {
        let text = match cx.service.store.public_key() {
            Some(key) => format!("Ed25519 public key (hex):\n{key}"),
            None => "No signer configured (SVC_SIGN is off).".to_owned(),
        };
        Ok(Done::read(text, "exported"))
    }
}
