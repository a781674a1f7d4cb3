//! Which spaces there are for the caller to look at.

use crate::outcome::{Done, Stop};
use crate::place::NoSpace;
use crate::tool::{Context, Effect, Tool, World};
use domain::{Capability, Identity, Role, Scopes, Space};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;

pub(crate) struct ListSpaces;

/// As many as a person would look through.
const MOST: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

impl Tool for ListSpaces {
    const NAME: &'static str = "list_spaces";
    const TITLE: &'static str = "List spaces";
    const DESCRIPTION: &'static str = "List the memory spaces within your scope, the newest first.";
    const CAPABILITY: Capability = Capability::Read;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Closed;
    type Place = NoSpace;
    type Args = Args;
    type Reply = SpaceList;

    async fn run(cx: Context<'_, NoSpace>, _: Args) -> Result<Done<SpaceList>, Stop> {
        let caller = &cx.call.caller;
        let within = match &caller.identity {
            Identity::Principal(p) if p.role != Role::Admin => p.scopes.clone(),
            _ => Scopes::All,
        };
        let mut spaces = cx.service.store.space_list(caller, within, MOST + 1).await?;
        let has_more = spaces.len() > MOST;
        spaces.truncate(MOST);
        let detail = format!("{} space(s)", spaces.len());
        Ok(Done::read(SpaceList { spaces, has_more }, detail))
    }
}

#[derive(Debug)]
pub struct SpaceList {
    pub spaces: Vec<Space>,
    pub has_more: bool,
}

impl fmt::Display for SpaceList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.spaces.is_empty() {
            return f.write_str("No spaces yet.");
        }
        let mut lines: Vec<String> = self.spaces.iter().map(ToString::to_string).collect();
        if self.has_more {
            lines.push(format!("There are more; the newest {MOST} are shown."));
        }
        f.write_str(&lines.join("\n"))
    }
}
