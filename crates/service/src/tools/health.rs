//! Whether each part of the deployment answers, tried once.

use crate::args::Takes;
use crate::outcome::{Done, Stop};
use crate::tool::{Context, Effect, Tool, World};
use domain::Capability;
use schemars::JsonSchema;
use serde::Deserialize;

pub(crate) struct Health;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

impl Tool for Health {
    const NAME: &'static str = "health";
    const TITLE: &'static str = "Check the deployment";
    const DESCRIPTION: &'static str = "Try the database, the embedder and the language model once each, and \
        show the configuration in short.";
    const CAPABILITY: Capability = Capability::Verify;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Open;
    const TAKES: Takes = Takes::NoSpace;
    type Args = Args;

    async fn run(cx: Context<'_>, _: Args) -> Result<Done, Stop> {
        let (service, models) = (cx.service, &cx.service.models);
        let (db, embedder, llm) =
            tokio::join!(service.store.ready(), models.probe_embedder(), models.probe_chat());
        let switch = |on: bool| if on { "on" } else { "off" };
        let lines = [
            format!("config: LLM_PROVIDER={}, model={}", models.provider(), models.chat_model()),
            format!("license: {}", service.edition(cx.call.caller.now).name),
            format!(
                "encryption: {} · signing: {}",
                switch(service.store.is_sealed()),
                switch(service.store.public_key().is_some())
            ),
            format!("db: {}", state(db.as_ref().map_err(|e| e.kind()))),
            format!("embedder: {}", state(embedder.as_ref().map_err(|e| e.kind()))),
            format!("llm: {}", state(llm.as_ref().map_err(|e| e.kind()))),
            "graph: disabled".to_owned(),
        ];
        Ok(Done::read(lines.join("\n"), "checked"))
    }
}

fn state(result: Result<&(), &'static str>) -> String {
    match result {
        Ok(()) => "ok".to_owned(),
        Err(kind) => format!("FAIL ({kind})"),
    }
}
