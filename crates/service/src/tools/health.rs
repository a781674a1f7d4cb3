//! Whether each part of the deployment answers, tried once.

use crate::outcome::{Done, Stop};
use crate::place::NoSpace;
use crate::tool::{Context, Effect, Tool, World};
use domain::Capability;
use graph::GraphError;
use model::ModelError;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use std::time::Duration;
use store::{NotReady, Record, Store, Testimony, Witnessed};

/// How long the database has for an answer: whoever asks is told within two seconds that it has none.
const DATABASE_TIME: Duration = Duration::from_millis(900);

pub(crate) struct Health;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

impl Tool for Health {
    const NAME: &'static str = "health";
    const TITLE: &'static str = "Check the deployment";
    const DESCRIPTION: &'static str = "Try the database, the embedder and the language model once each, and \
        show the configuration in short. A model is waited for as long as LLM_TIMEOUT says, 20 seconds at most.";
    const CAPABILITY: Capability = Capability::Verify;
    const EFFECT: Effect = Effect::ReadOnly;
    const WORLD: World = World::Open;
    type Place = NoSpace;
    type Args = Args;
    type Reply = HealthReport;

    async fn run(cx: Context<'_, NoSpace>, _: Args) -> Result<Done<HealthReport>, Stop> {
        let (service, models) = (cx.service, &cx.service.models);
        let graph = async {
            let projection = service.projection.as_ref()?;
            Some(projection.graph.ready().await)
        };
        let ((db, witnessed), embedder, llm, graph) =
            tokio::join!(stored(&service.store), models.probe_embedder(), models.probe_chat(), graph);
        let report = HealthReport {
            provider: models.provider(),
            model: models.chat_model().to_owned(),
            edition: service.edition(cx.call.caller.now).name,
            is_sealed: service.store.is_sealed(),
            is_signed: service.store.public_key().is_some(),
            db,
            embedder,
            llm,
            graph,
            witnessed,
        };
        // It is told also where the log takes no entry.
        Ok(Done::Alarm { reply: report, record: Record::done("checked") })
    }
}

/// Whether the database takes writes, and what the witnesses say of the log in it.
async fn stored(store: &Store) -> (Result<(), NotReady>, Vec<Witnessed>) {
    let db = store.readiness(DATABASE_TIME).await;
    let witnessed = match &db {
        Ok(()) => store.witnesses_ask().await,
        Err(not_ready) => {
            tracing::warn!(part = not_ready.part.word(), why = %not_ready.why, "not ready");
            store.witnesses_unasked(&format!("the log could not be read: {}", not_ready.why))
        }
    };
    (db, witnessed)
}

/// How the parts fare.
#[derive(Debug)]
pub struct HealthReport {
    pub provider: &'static str,
    pub model: String,
    pub edition: String,
    pub is_sealed: bool,
    pub is_signed: bool,
    pub db: Result<(), NotReady>,
    pub embedder: Result<(), ModelError>,
    pub llm: Result<(), ModelError>,
    /// `None` where the deployment has none.
    pub graph: Option<Result<(), GraphError>>,
    /// Empty where the deployment has none.
    pub witnessed: Vec<Witnessed>,
}

impl HealthReport {
    /// Which model is configured.
    pub fn config(&self) -> String {
        format!("LLM_PROVIDER={}, model={}", self.provider, self.model)
    }
}

impl fmt::Display for HealthReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let switch = |on: bool| if on { "on" } else { "off" };
        writeln!(f, "config: {}", self.config())?;
        writeln!(f, "license: {}", self.edition)?;
        writeln!(f, "encryption: {} · signing: {}", switch(self.is_sealed), switch(self.is_signed))?;
        let parts = [
            ("db", self.db.as_ref().err().map(NotReady::kind)),
            ("embedder", self.embedder.as_ref().err().map(ModelError::kind)),
            ("llm", self.llm.as_ref().err().map(ModelError::kind)),
        ];
        for (part, failure) in parts {
            match failure {
                None => writeln!(f, "{part}: ok")?,
                Some(kind) => writeln!(f, "{part}: FAIL ({kind})")?,
            }
        }
        match &self.graph {
            None => f.write_str("graph: disabled")?,
            Some(Ok(())) => f.write_str("graph: ok")?,
            Some(Err(error)) => write!(f, "graph: FAIL ({})", error.kind())?,
        }
        for Witnessed { witness, said } in &self.witnessed {
            match said {
                Testimony::Agrees { .. } => write!(f, "\nwitness {witness}: ok")?,
                said => write!(f, "\nwitness {witness}: FAIL ({})", said.kind())?,
            }
        }
        Ok(())
    }
}
