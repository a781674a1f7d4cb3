//! Signs what is known of a subject now.

use crate::args::worded;
use crate::outcome::{Done, Stop};
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Space, Timestamp, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use store::Attested;

pub(crate) struct Attest;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    subject: String,
}

/// How much of the audit head a reply shows.
const HASH_SHOWN: usize = 16;

impl Tool for Attest {
    const NAME: &'static str = "attest";
    const TITLE: &'static str = "Attest what is known";
    const DESCRIPTION: &'static str = "Issue a signed receipt of what is known about a subject now, to be \
        verified later, also offline.";
    const CAPABILITY: Capability = Capability::Write;
    const EFFECT: Effect = Effect::Write;
    const WORLD: World = World::Closed;
    type Place = Space;
    type Args = Args;
    type Reply = SignedAttestation;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done<SignedAttestation>, Stop> {
        worded("subject", &args.subject, limits::SUBJECT_BYTES)?;
        let subject = render::line(cx.subject(&args.subject));
        let store = &cx.service.store;
        let attested = store.subject_attest(cx.call.clone(), cx.space.clone(), subject.clone()).await?;
        Ok(Done::Committed(SignedAttestation { subject, attested, at: cx.call.caller.now }))
    }
}

/// What was signed of a subject.
#[derive(Debug)]
pub struct SignedAttestation {
    pub subject: String,
    pub attested: Attested,
    pub at: Timestamp,
}

impl fmt::Display for SignedAttestation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Attested { id, value, audit_head } = &self.attested;
        let head: String = audit_head.to_string().chars().take(HASH_SHOWN).collect();
        write!(
            f,
            "Attestation #{id}: '{}' = {value}  (as of {}).\n\
             anchored to audit head {head}…  (verify with verify_receipt #{id})",
            self.subject, self.at
        )
    }
}
