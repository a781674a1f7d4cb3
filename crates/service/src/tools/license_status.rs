//! Under which edition the deployment runs.

use crate::outcome::{Done, Stop};
use crate::place::NoSpace;
use crate::service::Edition;
use crate::tool::{Context, Effect, Tool, World};
use domain::Capability;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;

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
    type Place = NoSpace;
    type Args = Args;
    type Reply = LicenceShown;

    async fn run(cx: Context<'_, NoSpace>, _: Args) -> Result<Done<LicenceShown>, Stop> {
        let edition = cx.service.edition(cx.call.caller.now);
        let principals = cx.service.store.counts().await?.active_principals;
        let detail = edition.name.clone();
        Ok(Done::read(LicenceShown { edition, principals }, detail))
    }
}

#[derive(Debug)]
pub struct LicenceShown {
    pub edition: Edition,
    /// How many are active.
    pub principals: i64,
}

impl fmt::Display for LicenceShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edition = &self.edition;
        writeln!(f, "edition: {}", edition.name)?;
        if let Some(claims) = &edition.claims {
            let features =
                if claims.features.is_empty() { "none".to_owned() } else { claims.features.join(", ") };
            writeln!(f, "customer: {}", claims.customer)?;
            writeln!(f, "features: {features}")?;
            writeln!(f, "valid: {}", claims.term())?;
        }
        if let Some(problem) = &edition.problem {
            writeln!(f, "licence not in force: {problem}")?;
        }
        write!(f, "principals in use: {} of {}", self.principals, edition.seats)
    }
}
