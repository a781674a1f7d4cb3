//! Signs what is known of a subject now.

use crate::args::{Takes, worded};
use crate::outcome::{Done, Stop};
use crate::render;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, limits};
use schemars::JsonSchema;
use serde::Deserialize;

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
    const TAKES: Takes = Takes::Space;
    type Args = Args;

    async fn run(cx: Context<'_>, args: Args) -> Result<Done, Stop> {
        worded("subject", &args.subject, limits::SUBJECT_BYTES)?;
        let subject = render::line(cx.subject(&args.subject));
        let shown = subject.clone();
        let store = &cx.service.store;
        let attested = store.subject_attest(cx.call.clone(), cx.space.clone(), subject).await?;
        let head: String = attested.audit_head.to_string().chars().take(HASH_SHOWN).collect();
        Ok(Done::Committed {
            text: format!(
                "Attestation #{}: '{}' = {}  (as of {}).\nanchored to audit head {head}…  (verify with verify_receipt #{})",
                attested.id, shown, attested.value, cx.call.caller.now, attested.id
            ),
        })
    }
}
