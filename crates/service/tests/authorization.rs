//! Who may do what, as a table that is checked in: every tool, for every role, on a space within and outside the key's
//! scope, on ids that exist and that do not, and from another tenant. A change of any cell shows up in review; a tool
//! that is missing from the table fails the test. To accept a change: UPDATE_TABLE=1 cargo test -p svc-service.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use domain::{
    Caller, Identity, Metadata, OwnQuotas, Principal, PrincipalKind, PrincipalOrigin, Proposer, RawFact,
    Role, Scopes, Space, Tenant, Timestamp,
};
use model::{ChatConfig, EmbedConfig, Models, Provider};
use reconcile::{CRITICAL_CATEGORIES, SlotSchema, Trust};
use samples::postgres::{self, Database, Postgres};
use serde_json::{Map, Value, json};
use service::{Effect, Licence, Options, Service, ToolsShown, catalogue, tools_for_people};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::keys::{KeySource, Switch};
use store::{
    Call, Intent, NewDecision, PostgresSettings, Said, SqliteSettings, StorageLimits, Store, StoreSettings,
};

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/authorization.txt");
/// An id that nothing has.
const ABSENT: i64 = 999;

/// Where a call points.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    InScope,
    AbsentId,
    OutOfScope,
    OtherTenant,
}

const TARGETS: [(Target, &str); 4] = [
    (Target::InScope, "in scope"),
    (Target::AbsentId, "absent id"),
    (Target::OutOfScope, "out of scope"),
    (Target::OtherTenant, "other tenant"),
];

/// Where the deployments of a table keep their memory.
#[derive(Clone, Copy)]
enum Engine {
    Sqlite,
    Postgres(&'static Arc<Postgres>),
}

struct Deployment {
    service: Service,
    _folder: tempfile::TempDir,
    _database: Option<Database>,
}

fn principal(role: Role, tenant: &str, scopes: Scopes) -> Identity {
    Identity::Principal(Principal {
        id: PrincipalOrigin::ApiKey.id("0123456789abcdef"),
        name: "tester".to_owned(),
        role,
        kind: PrincipalKind::Agent,
        tenant: Tenant::new(tenant),
        scopes,
        quotas: OwnQuotas::default(),
        shown: None,
    })
}

fn caller(identity: Identity) -> Caller {
    Caller::new(identity, "test".to_owned(), Timestamp::now(), Instant::now() + Duration::from_secs(60))
}

/// A deployment in which the default tenant holds, for u1 and for u2: two facts, a flagged one, a decision, a receipt.
async fn deployment(engine: Engine) -> Deployment {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let (keys, encrypt, sign) = (KeySource::File, Switch::On, Switch::On);
    let (settings, database) = match engine {
        Engine::Sqlite => {
            (StoreSettings::Sqlite(SqliteSettings { path, keys, encrypt, sign, meter: None }), None)
        }
        Engine::Postgres(server) => {
            let database = Database::create(server);
            let url = database.url(postgres::Role::Owner).into();
            let settings = PostgresSettings { url, beside: path, keys, encrypt, sign };
            (StoreSettings::Postgres(settings), Some(database))
        }
    };
    let store = Store::open(settings, Timestamp::now()).await.unwrap();
    // Without a key every question to the model is turned down before it is asked: being allowed shows all the same.
    let chat = ChatConfig {
        provider: Provider::Anthropic,
        base_url: None,
        api_key: None,
        model: None,
        read_model: None,
        timeout: Duration::from_secs(1),
        extract_retries: 0,
    };
    let models = Models::new(chat, EmbedConfig::default()).unwrap();
    for user in ["u1", "u2"] {
        seed(&store, user).await;
    }
    let options = Options {
        slots: Arc::new(SlotSchema::none()),
        trusted_sources: Vec::new(),
        four_eyes: false,
        bound_sources: None,
        recall_context: 40,
        reconcile_context: 40,
        critical_categories: CRITICAL_CATEGORIES.map(str::to_owned).to_vec(),
        critical_budget: 200,
        licence: Licence::default(),
        tools: ToolsShown::All,
        quotas: service::Quotas::default(),
    };
    Deployment { service: Service::new(store, models, options), _folder: folder, _database: database }
}

async fn seed(store: &Store, user: &str) {
    let space = Space::new(user, "", "");
    let call = |tool| Call::new(caller(Identity::Local), tool, Some(space.clone()));
    let raw = |subject: &str, value: &str, action: &str| RawFact {
        subject: Some(subject.to_owned()),
        value: Some(value.to_owned()),
        action: Some(action.to_owned()),
        confidence: Some(0.95),
        ..RawFact::default()
    };
    let said = Said {
        intent: Intent::Remember,
        text: format!("what {user} said").into(),
        source: None,
        trust: Trust::Ordinary,
        metadata: Metadata::new(),
        proposer: Proposer::Model,
        facts: vec![
            raw("database", "Postgres", "ADD").into(),
            raw("cache", "Redis", "ADD").into(),
            raw("database", "MySQL", "FLAG").into(),
        ],
        said: None,
        due: Vec::new(),
        limits: StorageLimits::default(),
        once: None,
    };
    let slots = Arc::new(SlotSchema::none());
    store.statement_commit(call("remember"), space.clone(), slots, said).await.unwrap().unwrap();
    let decision = NewDecision { summary: "act".to_owned(), beliefs: Vec::new() };
    store.decision_record(call("record_decision"), space.clone(), decision).await.unwrap();
    let subject = "database".to_owned();
    store.subject_attest(call("attest"), space.clone(), subject).await.unwrap();
}

/// Ids are sequential within the tenant: u1 has facts 1 to 3, u2 4 to 6; the third of each is the flagged one.
fn arguments(tool: &str, target: Target) -> Map<String, Value> {
    let user = if target == Target::OutOfScope { "u2" } else { "u1" };
    let theirs = |first: i64, second: i64| match target {
        Target::AbsentId => ABSENT,
        Target::OutOfScope => second,
        Target::InScope | Target::OtherTenant => first,
    };
    let subject = if target == Target::AbsentId { "nothing of the kind" } else { "database" };
    let mut arguments = match tool {
        "remember" | "forget" => json!({ "text": "we use Postgres" }),
        "recall" | "recall_related" | "safe_recall" => json!({ "question": "which database?" }),
        "record_decision" => json!({ "action_summary": "act", "question": "which database?" }),
        "history" | "check_before_act" | "attest" | "delete" => json!({ "subject": subject }),
        "get_memory" => json!({ "memory_id": theirs(1, 4) }),
        "numbered_memories" => json!({ "memory_ids": [theirs(1, 4)] }),
        "search_memories" => json!({ "text": subject }),
        "update_memory" => json!({ "memory_id": theirs(1, 4), "new_value": "Oracle" }),
        "confirm_change" | "reject_change" => json!({ "memory_id": theirs(3, 6) }),
        "explain_decision" => json!({ "decision_id": theirs(1, 2) }),
        "verify_receipt" => json!({ "receipt_id": theirs(1, 2) }),
        "purge_expired" => json!({ "older_than_days": 30 }),
        "import_records" => json!({ "from": "tests", "records": [] }),
        "list_as_of" => json!({ "as_of": "2026-01-01T00:00:00Z" }),
        "create_principal" => json!({ "name": "new", "role": "viewer" }),
        "revoke_principal" => json!({ "principal_id": "prin_unknown" }),
        "change_principal" => json!({ "principal_id": "prin_unknown", "at_once": 1 }),
        "rotate_principal" => json!({ "principal_id": "prin_unknown", "overlap": "0s" }),
        _ => json!({}),
    };
    let spaceless = [
        "verify_receipt",
        "verify_audit",
        "export_public_key",
        "create_principal",
        "revoke_principal",
        "list_principals",
        "license_status",
        "stats",
        "health",
        "list_spaces",
        "numbered_memories",
        "log_head",
        "usage_over_time",
        "rotate_principal",
        "change_principal",
    ];
    if !spaceless.contains(&tool) {
        arguments["user_id"] = user.into();
    }
    arguments.as_object().cloned().unwrap_or_default()
}

async fn reply(deployment: &Deployment, tool: &str, role: Role, target: Target) -> String {
    let identity = match target {
        Target::OtherTenant => principal(role, "acme", Scopes::All),
        _ => principal(role, "default", Scopes::Only(vec!["u1".to_owned()])),
    };
    let reply = deployment.service.operate(caller(identity), tool, arguments(tool, target)).await;
    assert!(!reply.is_error(), "{tool}: the test's own arguments are refused: {reply}");
    reply.text()
}

/// The verdict in a word, so that the table does not change with every wording.
fn verdict(text: &str) -> &'static str {
    let begins = |starts: &[&str]| starts.iter().any(|start| text.starts_with(start));
    if text.contains("capability; your role(s)") {
        "no capability"
    } else if text.contains("outside your assigned scope") {
        "no scope"
    } else if begins(&["Access denied"]) {
        "denied"
    } else if begins(&["Svc couldn't"]) {
        "FAILED"
    } else if begins(&["No ", "Nothing", "(no memories"]) {
        "nothing there"
    } else {
        "allowed"
    }
}

async fn table(engine: Engine) -> String {
    let mut table = String::from(
        "# tool, role: what a key with scope u1 gets for user u1; for an id or subject that is absent; for user u2;\n\
         # and what an unscoped key of another tenant gets for what u1 has here.\n",
    );
    let untouched = deployment(engine).await;
    for tool in catalogue().iter().chain(tools_for_people()) {
        for role in Role::ALL {
            let mut cells = Vec::new();
            for (target, name) in TARGETS {
                // A tool that changes something gets a deployment of its own each time.
                let fresh =
                    if tool.effect == Effect::ReadOnly { None } else { Some(deployment(engine).await) };
                let text = reply(fresh.as_ref().unwrap_or(&untouched), tool.name, role, target).await;
                cells.push(format!("{name}: {}", verdict(&text)));
            }
            table.push_str(&format!("{:<22}{:<9}{}\n", tool.name, role.word(), cells.join(" | ")));
        }
    }
    table
}

#[tokio::test(flavor = "multi_thread")]
async fn the_authorization_table_is_the_one_that_is_checked_in() {
    let table = table(Engine::Sqlite).await;
    if std::env::var_os("UPDATE_TABLE").is_some() {
        std::fs::write(TABLE, &table).unwrap();
    }
    compare(&table);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_authorization_table_is_the_same_on_postgresql() {
    let Some(server) = postgres::shared() else { return };
    compare(&table(Engine::Postgres(server)).await);
}

fn compare(table: &str) {
    let checked_in = std::fs::read_to_string(Path::new(TABLE)).unwrap_or_default();
    let differing: Vec<_> =
        table.lines().filter(|line| !checked_in.lines().any(|known| known == *line)).collect();
    assert!(
        table == checked_in,
        "the table differs from tests/authorization.txt in:\n{}",
        differing.join("\n")
    );
}

/// What another tenant has answers exactly as what does not exist.
#[tokio::test(flavor = "multi_thread")]
async fn what_another_tenant_has_answers_as_what_does_not_exist() {
    check_that_it_answers_as_absent(Engine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_tenant_has_answers_as_what_does_not_exist_on_postgresql() {
    let Some(server) = postgres::shared() else { return };
    check_that_it_answers_as_absent(Engine::Postgres(server)).await;
}

async fn check_that_it_answers_as_absent(engine: Engine) {
    for tool in [
        "get_memory",
        "history",
        "update_memory",
        "confirm_change",
        "reject_change",
        "explain_decision",
        "verify_receipt",
        "delete",
        "check_before_act",
        "list_memories",
        "pending_changes",
        "get_reconcile_policy",
        "search_memories",
        "list_decisions",
        "list_receipts",
        "space_graph",
        "brief",
    ] {
        let deployment = deployment(engine).await;
        let ask = async |user: &str, target: Target| {
            let mut arguments = arguments(tool, target);
            if arguments.contains_key("user_id") {
                arguments.insert("user_id".to_owned(), user.into());
            }
            if arguments.contains_key("subject") {
                arguments.insert("subject".to_owned(), "database".into());
            }
            let identity = principal(Role::Admin, "acme", Scopes::All);
            deployment.service.operate(caller(identity), tool, arguments).await.text()
        };
        let theirs = ask("u1", Target::OtherTenant).await;
        let absent = ask("nobody", Target::AbsentId).await;
        let unnumbered =
            |text: &str| text.replace(&format!("#{ABSENT}"), "#").replace("#1", "#").replace("#3", "#");
        assert_eq!(unnumbered(&theirs), unnumbered(&absent), "{tool}");
    }
}
