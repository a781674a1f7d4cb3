//! Under which edition the deployment runs.

use crate::args::Takes;
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::Capability;
use schemars::JsonSchema;
use serde::Deserialize;

pub(crate) struct LicenseStatus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

impl Tool for LicenseStatus {
    const NAME: &'static str = "license_status";
    const TITLE: &'static str = "Show the licence";
    const DESCRIPTION: &'static str = "Show the edition, its features, until when, and how many principals \
        are in use.";
    const CAPABILITY: Capability = Capability::Verify;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    const TAKES: Takes = Takes::NoSpace;
    type Args = Args;

    async fn run(cx: Context<'_>, _: Args) -> Result<Done, Stop> {
        let edition = cx.service.edition(cx.call.caller.now);
        let used = cx.service.store.counts().await?.active_principals;
        let mut lines = vec![format!("edition: {}", edition.name)];
        if let Some(claims) = &edition.claims {
            let features =
                if claims.features.is_empty() { "none".to_owned() } else { claims.features.join(", ") };
            lines.push(format!("customer: {}", claims.customer));
            lines.push(format!("features: {features}"));
            lines.push(format!("valid: {}", claims.term()));
        }
        lines.extend(edition.problem.iter().map(|problem| format!("licence not in force: {problem}")));
        lines.push(format!("principals in use: {used} of {}", edition.seats));
        Ok(Done::read(lines.join("\n"), edition.name))
    }
}
