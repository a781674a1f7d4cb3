//! What the tools share: the store, the models, and the options of the deployment.

use crate::embedding::Embedding;
use crate::metrics::ToolTimes;
use crate::projection::Projection;
use crate::quota::{Meter, Quotas};
use crate::reply_desk::ReplyDesk;
use crate::spaces::{BUDGET_BYTES, Spaces};
use crate::usage_history::UsageHistory;
use domain::{Caller, OnceAMinute, PrincipalId, Space, Timestamp};
use evidence::{Claims, PublicKey, read_licence};
use graph::Graph;
use model::{Models, SlotHint};
use prometheus_client::registry::Registry;
use reconcile::{Slot, SlotSchema};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;
use store::{Store, StoreError};

/// So long the end of a process waits for the witnesses.
const WITNESSES_WAIT: Duration = Duration::from_secs(2);
/// Principals that a deployment without a licence may have.
const COMMUNITY_SEATS: i64 = 3;
const BESIDES_ONE_ATTEMPT: Duration = Duration::from_secs(90);
const COMMUNITY: &str = "community";

#[derive(Debug, Clone)]
pub struct Options {
    pub slots: Arc<SlotSchema>,
    /// Sources that skip the confirmation gate, in lower case.
    pub trusted_sources: Vec<String>,
    /// Whether nobody, whatever their role, changes a guarded slot without another one's approval.
    pub four_eyes: bool,
    /// Whether only a source itself, or an approver, writes as it where the policy tells sources apart. Not set: as
    /// the deployment was made.
    pub bound_sources: Option<bool>,
    /// Facts that a question is answered from.
    pub recall_context: usize,
    /// Facts that a statement is read against.
    pub reconcile_context: usize,
    pub critical_categories: Vec<String>,
    pub critical_budget: usize,
    pub licence: Licence,
    pub tools: ToolsShown,
    pub quotas: Quotas,
}

/// Which tools a caller is shown. What a caller may call is the gate's to say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolsShown {
    #[default]
    All,
    /// Those that the caller's role grants.
    Role,
    /// Those that every agent needs, for a small context.
    Core,
}

/// The licence as it was set; whether it holds is asked anew each time, since it can expire while we run.
#[derive(Debug, Clone, Default)]
pub struct Licence {
    pub text: Option<String>,
    pub vendor_public_key: Option<PublicKey>,
}

/// What the deployment may do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edition {
    pub name: String,
    pub seats: i64,
    pub claims: Option<Claims>,
    /// Why a licence that was set does not count.
    pub problem: Option<String>,
}

impl Licence {
    pub fn edition(&self, now: Timestamp) -> Edition {
        let community =
            |problem| Edition { name: COMMUNITY.to_owned(), seats: COMMUNITY_SEATS, claims: None, problem };
        let Some(text) = &self.text else { return community(None) };
        let Some(vendor) = &self.vendor_public_key else {
            return community(Some(
                "SVC_VENDOR_PUBKEY is not set, so the licence cannot be checked".to_owned(),
            ));
        };
        match read_licence(text, vendor, now) {
            Ok(claims) => Edition {
                name: claims.edition.clone(),
                seats: i64::from(claims.seats),
                claims: Some(claims),
                problem: None,
            },
            Err(problem) => community(Some(problem.to_string())),
        }
    }
}

impl Edition {
    pub fn grants(&self, feature: &str) -> bool {
        self.claims.as_ref().is_some_and(|claims| claims.features.iter().any(|f| f == feature))
    }
}

/// Cheap to clone; clones share everything.
#[derive(Debug, Clone)]
pub struct Service {
    pub(crate) store: Store,
    pub(crate) models: Models,
    pub(crate) options: Arc<Options>,
    /// The declared slots as the model is told of them.
    pub(crate) slot_hints: Arc<[SlotHint]>,
    pub(crate) spaces: Spaces,
    pub(crate) embedding: Embedding,
    /// The entity graph, where the deployment has one.
    pub(crate) projection: Option<Projection>,
    pub(crate) tool_times: ToolTimes,
    pub(crate) meter: Meter,
    /// Whose calls beyond a quota the log has told of in the last minute.
    pub(crate) over_quota: Arc<OnceAMinute<String>>,
    pub(crate) desk: ReplyDesk,
    pub(crate) usage: UsageHistory,
}

impl Service {
    /// Must be called within a Tokio runtime: facts are embedded in the background.
    pub fn new(store: Store, models: Models, options: Options) -> Self {
        let spaces = Spaces::within(BUDGET_BYTES);
        let embedding = Embedding::start(store.clone(), models.clone(), spaces.clone());
        let slot_hints = options.slots.slots().iter().map(slot_hint).collect();
        let tool_times = ToolTimes::default();
        let options = Arc::new(options);
        Self {
            store,
            models,
            options,
            slot_hints,
            spaces,
            embedding,
            projection: None,
            tool_times,
            meter: Meter::default(),
            over_quota: Arc::default(),
            desk: ReplyDesk::new(),
            usage: UsageHistory::default(),
        }
    }

    /// The same service on another store, and without a graph.
    pub fn on(&self, store: Store) -> Self {
        Self::new(store, self.models.clone(), (*self.options).clone())
    }

    /// With an entity graph that is brought up to date in the background. Must be called within a Tokio runtime.
    pub fn with_graph(self, graph: Graph) -> Self {
        let projection = Some(Projection::start(self.store.clone(), graph));
        Self { projection, ..self }
    }

    /// Waits until the graph, if there is one, has what this process wrote so far, but no longer than this.
    pub async fn graph_caught_up(&self, within: Duration) {
        if let Some(projection) = &self.projection {
            projection.catch_up(within).await;
        }
    }

    /// To be called before the process ends: waits a little for the vectors of what it stored, so that the next one
    /// need not make them, and for the witnesses to see the head of the log.
    pub async fn end(&self) {
        self.embedding.settle().await;
        // A witness that is away is shown it by the next process.
        let _ = tokio::time::timeout(WITNESSES_WAIT, self.store.witnesses_ask()).await;
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// How long one call may take: an attempt of the model as long as LLM_TIMEOUT allows, and time to try again and to
    /// finish.
    pub fn call_time(&self) -> Duration {
        self.models.attempt_time() + BESIDES_ONE_ATTEMPT
    }

    pub fn tools_shown(&self) -> ToolsShown {
        self.options.tools
    }

    /// Notes from now on how much the deployment is used. Must be called within a Tokio runtime.
    pub fn note_usage(&self) {
        self.usage.start(self.store.clone());
    }

    /// What principals are called whom the caller was shown by their ids. Those who have no name here are left out.
    pub async fn principal_names(
        &self,
        caller: &Caller,
        ids: Vec<PrincipalId>,
    ) -> Result<HashMap<String, String>, StoreError> {
        self.store.principal_names(caller, ids).await
    }

    pub fn quotas(&self) -> &Quotas {
        &self.options.quotas
    }

    pub fn edition(&self, now: Timestamp) -> Edition {
        self.options.licence.edition(now)
    }

    /// Adds what this process measures of tools and models to those who ask for it.
    pub fn register(&self, registry: &mut Registry) {
        self.tool_times.register(registry);
        registry.register(
            "svc_model_call_seconds",
            "Seconds that calls to the language model and the embedder took in this process, repetitions included",
            self.models.call_times().family(),
        );
    }

    /// The subjects of the active and flagged facts, for the person at the machine to complete. It is no tool: a key
    /// that is pressed leaves no entry in the audit log, and shows no value.
    pub async fn subjects(&self, caller: &Caller, space: &Space) -> Result<BTreeSet<String>, StoreError> {
        let open = self.spaces.current(&self.store, caller, space).await?;
        let open = open.read();
        Ok(open.index.iter().chain(open.flagged.values()).map(|fact| fact.subject.clone()).collect())
    }

    /// Has new facts embedded in the background. Vectors count only in a space with more facts than a question is
    /// answered from; from half of that on they are made, so that they are there when they are needed.
    pub(crate) async fn embed_soon(&self, caller: &Caller, space: &Space) {
        if !self.models.embedder_configured() {
            return;
        }
        let Ok(open) = self.spaces.current(&self.store, caller, space).await else { return };
        // A vector that costs a request is worth it once the space is too large to be shown whole.
        let facts = open.read().index.len();
        if self.models.embeds_in_process() || facts * 2 > self.options.recall_context {
            self.embedding.want(caller, space);
        }
    }
}

fn slot_hint(slot: &Slot) -> SlotHint {
    SlotHint {
        name: slot.name.clone(),
        aliases: slot.aliases.clone(),
        description: slot.description.clone(),
        owner: slot.owner.clone(),
        list: slot.multi,
        verbatim: slot.verbatim,
    }
}
