//! A deployment in a folder of its own, the calls that are made to it, and the transcript of what was said.

use crate::model::StandIn;
use domain::{
    Caller, Identity, OwnQuotas, Principal, PrincipalKind, PrincipalOrigin, Role, Scopes, Tenant, Timestamp,
};
use model::{ChatConfig, EmbedConfig, Models, Provider};
use reconcile::{CRITICAL_CATEGORIES, SlotSchema};
use serde_json::{Value, json};
use service::{Licence, Options, Service, ToolsShown};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::keys::{KeySource, Switch};
use store::{SqliteSettings, Store, StoreSettings};
use tempfile::TempDir;

/// `ward` is guarded, `allergy` is a list.
const SLOTS: &str = r#"{"slots":[{"name":"ward","confirm":true,"aliases":["station"]},
    {"name":"allergy","multi":true,"category":"allergy"}]}"#;
const DAY: Duration = Duration::from_secs(24 * 3600);
/// A longer reply is shown by its first and last lines.
const LINES_SHOWN: usize = 30;
/// A longer argument is shown by its beginning.
const ARGUMENTS_SHOWN: usize = 200;

/// What is not the same in every run, and what is shown for it.
const REDACTED: [(&str, &str); 6] = [
    ("svc_sk_[0-9a-f]{64}", "svc_sk_<key>"),
    ("prin_[0-9a-f]{16}", "prin_<id>"),
    (r"\(ref [0-9a-f]{12}\)", "(ref <ref>)"),
    ("[0-9a-f]{16}…", "<hash>…"),
    ("[0-9a-f]{32,}", "<hex>"),
    (r"[0-9.]+ ms on average", "<time> ms on average"),
];

pub struct Stage {
    service: Service,
    models: Models,
    options: Options,
    now: Timestamp,
    told: String,
    folder: TempDir,
}

/// How the model fares.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Chat {
    Answers,
    Damaged,
    NoKey,
}

impl Stage {
    pub async fn new() -> Self {
        Self::with(Chat::Answers, Switch::On).await
    }

    pub async fn with(chat: Chat, sign: Switch) -> Self {
        Self::on(tempfile::tempdir().unwrap(), chat, sign).await
    }

    /// On what the folder holds already.
    pub async fn on(folder: TempDir, chat: Chat, sign: Switch) -> Self {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let (path, keys, encrypt) = (database(folder.path()), KeySource::File, Switch::On);
        let settings = StoreSettings::Sqlite(SqliteSettings { path, keys, encrypt, sign, meter: None });
        let store = Store::open(settings, now).await.unwrap();
        let (models, options) = (models(chat), options());
        let service = Service::new(store, models.clone(), options.clone());
        Self { service, models, options, now, told: String::new(), folder }
    }

    /// The same deployment, started again with other options.
    pub fn set(&mut self, change: impl FnOnce(&mut Options)) {
        change(&mut self.options);
        self.service = Service::new(self.service.store().clone(), self.models.clone(), self.options.clone());
    }

    pub fn store(&self) -> &Store {
        self.service.store()
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Done to the database file, behind the service's back.
    pub fn sql(&mut self, statements: &str) {
        self.told.push_str(&format!("sql> {statements}\n\n"));
        self.run_sql(statements);
    }

    pub fn run_sql(&self, statements: &str) {
        rusqlite::Connection::open(database(self.folder.path())).unwrap().execute_batch(statements).unwrap();
    }

    pub fn days_later(&mut self, days: u32) {
        self.now = self.now.checked_add(DAY * days).unwrap();
    }

    /// A minute passes between two calls.
    pub fn caller(&mut self, who: &Identity) -> Caller {
        self.now = self.now.checked_add(Duration::from_secs(60)).unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        Caller::new(who.clone(), "test".to_owned(), self.now, deadline)
    }

    /// A call by the person at this machine.
    pub async fn local(&mut self, tool: &str, arguments: Value) -> String {
        self.call(&Identity::Local, tool, arguments).await
    }

    /// A fact that the person at this machine brings with a statement.
    pub async fn told(&mut self, text: &str, fact: Value) -> String {
        self.local("remember", json!({ "text": text, "facts": [fact] })).await
    }

    pub async fn call(&mut self, who: &Identity, tool: &str, arguments: Value) -> String {
        let said = shortened(&arguments.to_string());
        self.told.push_str(&format!("{}> {tool} {said}\n", name(who)));
        let Value::Object(arguments) = arguments else { panic!("{tool}: the arguments are no object") };
        let caller = self.caller(who);
        // What only the operator may do is a call like any other here.
        let reply = self.service.operate(caller, tool, arguments).await;
        if reply.is_error() {
            self.told.push_str("(refused) ");
        }
        let text = reply.text();
        self.told.push_str(&cut(&text));
        for proposal in reply.proposals() {
            self.told.push_str(&format!("\n(asks about #{}) {}", proposal.memory_id, proposal.question));
        }
        self.told.push_str("\n\n");
        text
    }

    /// What is done from here on is not in the transcript, until the text is put back.
    pub fn silently(&mut self) -> String {
        std::mem::take(&mut self.told)
    }

    pub fn aloud(&mut self, told: String) {
        self.told = told;
    }

    pub fn note(&mut self, text: &str) {
        self.told.push_str(&format!("— {text}\n\n"));
    }

    /// The transcript, with what the audit log has of it, must be the one that is checked in.
    pub async fn check(mut self, name: &str) {
        self.note("what the audit log has of this deployment");
        self.local("audit_log", json!({ "limit": 0 })).await;
        let mut settings = insta::Settings::new();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        for (pattern, shown) in REDACTED {
            settings.add_filter(pattern, shown);
        }
        settings.bind(|| insta::assert_snapshot!(name, self.told));
    }
}

pub fn principal(name: &str, role: Role) -> Identity {
    member_of(name, role, "default", Scopes::All)
}

pub fn member_of(name: &str, role: Role, tenant: &str, scopes: Scopes) -> Identity {
    Identity::Principal(Principal {
        id: PrincipalOrigin::ApiKey.id(name),
        name: name.to_owned(),
        role,
        kind: PrincipalKind::Agent,
        tenant: Tenant::new(tenant),
        scopes,
        quotas: OwnQuotas::default(),
        shown: None,
    })
}

pub fn database(folder: &Path) -> PathBuf {
    folder.join("svc.db")
}

fn name(who: &Identity) -> &str {
    match who {
        Identity::Local => "local",
        Identity::Principal(principal) => &principal.name,
        Identity::Anonymous => "nobody",
        Identity::Service => "the service",
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(ARGUMENTS_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn cut(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    match lines.as_slice() {
        [first, second, between @ .., before, last] if lines.len() > LINES_SHOWN => {
            format!("{first}\n{second}\n… {} lines …\n{before}\n{last}", between.len())
        }
        _ => text.to_owned(),
    }
}

fn models(chat: Chat) -> Models {
    if chat != Chat::NoKey {
        let model = StandIn { is_whole: chat == Chat::Answers };
        return Models::built_in(Arc::new(model), EmbedConfig::default()).unwrap();
    }
    let chat = ChatConfig {
        provider: Provider::Anthropic,
        base_url: None,
        api_key: None,
        model: None,
        read_model: None,
        timeout: Duration::from_secs(1),
        extract_retries: 0,
    };
    Models::new(chat, EmbedConfig::default()).unwrap()
}

fn options() -> Options {
    Options {
        slots: Arc::new(SlotSchema::from_json(SLOTS).unwrap()),
        trusted_sources: vec!["ehr".to_owned()],
        four_eyes: false,
        bound_sources: None,
        recall_context: 40,
        reconcile_context: 40,
        critical_categories: CRITICAL_CATEGORIES.map(str::to_owned).to_vec(),
        critical_budget: 200,
        licence: Licence::default(),
        tools: ToolsShown::All,
        quotas: service::Quotas::default(),
    }
}
