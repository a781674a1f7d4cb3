//! The key that signatures are checked with.

use crate::outcome::{Done, Stop};
use crate::place::NoSpace;
use crate::tool::{Context, Effect, Tool, World};
use domain::Capability;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;

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
    type Place = NoSpace;
    type Args = Args;
    type Reply = PublicKeyShown;

    async fn run(cx: Context<'_, NoSpace>, _: Args) -> Result<Done<PublicKeyShown>, Stop> {
        cx.service.store.keys_learn().await?;
        Ok(Done::read(PublicKeyShown(cx.service.store.public_key()), "exported"))
    }
}

/// The key in hexadecimal; `None` while signing is off.
#[derive(Debug)]
pub struct PublicKeyShown(pub Option<String>);

impl fmt::Display for PublicKeyShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(key) => write!(f, "Ed25519 public key (hex):\n{key}"),
            None => f.write_str("No signer configured (SVC_SIGN is off)."),
        }
    }
}
