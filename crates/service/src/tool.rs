//! What every tool declares about itself.

use crate::outcome::{Done, Stop};
use crate::place::Place;
use crate::service::Service;
use domain::{Capability, Fact, Identity, Space};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::fmt::Display;
use std::future::Future;
use store::Call;

/// What a call does to the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    ReadOnly,
    Write,
    /// Removes for good; doing it twice is doing it once.
    Destructive,
}

/// Whether a call reaches the language model or the embedder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum World {
    Open,
    Closed,
}

/// A call that has passed the gate.
pub(crate) struct Context<'a, P = Space> {
    pub service: &'a Service,
    pub call: &'a Call,
    pub space: P,
}

impl<P> Context<'_, P> {
    /// The subject under which facts are held: a declared slot's own name for its aliases.
    pub fn subject<'a>(&'a self, named: &'a str) -> &'a str {
        self.service.options.slots.fold(named).map_or(named, |slot| &slot.name)
    }
}

impl<P> Context<'_, P> {
    /// The caller's own name, where the fact is from the source of that name: a source may always correct itself.
    pub fn own_source(&self, fact: &Fact) -> Option<String> {
        let Identity::Principal(principal) = &self.call.caller.identity else { return None };
        fact.source.clone().filter(|source| source.eq_ignore_ascii_case(&principal.name))
    }
}

pub(crate) trait Tool: 'static {
    const NAME: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    const CAPABILITY: Capability;
    const EFFECT: Effect;
    const WORLD: World;
    /// Where it works.
    type Place: Place;
    type Args: DeserializeOwned + JsonSchema + Send;
    /// What it came to; its text is what a client reads.
    type Reply: Display + Send;

    fn run(
        cx: Context<'_, Self::Place>,
        args: Self::Args,
    ) -> impl Future<Output = Result<Done<Self::Reply>, Stop>> + Send;
}
