//! The service within the test itself, for callers that stdio does not have and for counting what a call reads.

use super::{Engine, Model, Sql};
use domain::{
    Caller, Identity, OwnQuotas, Principal, PrincipalKind, PrincipalOrigin, Role, Scopes, Tenant, Timestamp,
};
use model::{ChatConfig, EmbedConfig, Models, Provider};
use reconcile::SlotSchema;
use samples::postgres::{self, Database};
use serde_json::Value;
use service::{Licence, Options, Reply, Service, ToolsShown};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::keys::{KeySource, Switch};
use store::{Meter, PostgresSettings, SqliteSettings, Store, StoreSettings};
use tempfile::TempDir;

pub struct InProcess {
    pub service: Service,
    pub meter: Meter,
    folder: TempDir,
    database: Option<Database>,
}

impl InProcess {
    pub async fn start(model: &Model, slots: SlotSchema, trusted_sources: &[&str]) -> Self {
        let (folder, meter) = (tempfile::tempdir().unwrap(), Meter::default());
        let path = folder.path().join("svc.db");
        let (keys, encrypt, sign) = (KeySource::File, Switch::On, Switch::On);
        let (settings, database) = match crate::ENGINE {
            Engine::Sqlite => {
                let meter = Some(meter.clone());
                (StoreSettings::Sqlite(SqliteSettings { path, keys, encrypt, sign, meter }), None)
            }
            Engine::Postgres => {
                let database = Database::create(super::deployment::shared());
                let url = database.url(postgres::Role::Owner).into();
                let settings = PostgresSettings { url, beside: path, keys, encrypt, sign };
                (StoreSettings::Postgres(settings), Some(database))
            }
        };
        let store = Store::open(settings, Timestamp::now()).await.unwrap();
        let options = Options {
            slots: Arc::new(slots),
            trusted_sources: trusted_sources.iter().map(|source| (*source).to_owned()).collect(),
            four_eyes: false,
            bound_sources: None,
            recall_context: 40,
            reconcile_context: 40,
            critical_categories: Vec::new(),
            critical_budget: 200,
            licence: Licence::default(),
            tools: ToolsShown::All,
            quotas: service::Quotas::default(),
        };
        Self { service: Service::new(store, models(model), options), meter, folder, database }
    }

    /// The database itself, as somebody with all rights to it could open it.
    pub fn sql(&self) -> Sql {
        match &self.database {
            None => Sql::open_file(&self.folder.path().join("svc.db")),
            Some(database) => Sql::connect(database.url(postgres::Role::Superuser)),
        }
    }

    pub async fn call(&self, who: &Identity, tool: &str, arguments: &Value) -> String {
        let reply =
            self.service.call(caller(who.clone()), tool, arguments.as_object().unwrap().clone()).await;
        assert!(!reply.is_error() && !matches!(reply, Reply::Failed { .. }), "{tool}: {reply}");
        reply.text()
    }
}

impl InProcess {
    /// A call that the person at this machine made so many days ago.
    pub async fn days_ago(&self, days: u32, tool: &str, arguments: &Value) -> String {
        let now = Timestamp::now().checked_sub(Duration::from_secs(24 * 3600) * days).unwrap();
        let deadline = Instant::now() + super::PATIENCE;
        let caller = Caller::new(Identity::Local, "test".to_owned(), now, deadline);
        let reply = self.service.call(caller, tool, arguments.as_object().unwrap().clone()).await;
        assert!(!reply.is_error() && !matches!(reply, Reply::Failed { .. }), "{tool}: {reply}");
        reply.text()
    }
}

fn models(model: &Model) -> Models {
    let chat = ChatConfig {
        provider: Provider::OpenAi,
        base_url: Some(model.base_url()),
        api_key: None,
        model: None,
        read_model: None,
        timeout: Duration::from_secs(60),
        extract_retries: 0,
    };
    Models::new(chat, EmbedConfig::default()).unwrap()
}

pub fn caller(identity: Identity) -> Caller {
    Caller::new(identity, "test".to_owned(), Timestamp::now(), Instant::now() + super::PATIENCE)
}

pub fn principal(name: &str, role: Role) -> Identity {
    Identity::Principal(Principal {
        id: PrincipalOrigin::ApiKey.id(name),
        name: name.to_owned(),
        role,
        kind: PrincipalKind::Agent,
        tenant: Tenant::default(),
        scopes: Scopes::All,
        quotas: OwnQuotas::default(),
        shown: None,
    })
}
