//! The console through its front door: what each role sees and does, and that it is the same gate as everybody's.

use crate::support::console::{Visitor, field};
use crate::support::{Deployment, Model, Server, amount, said, says};
use serde_json::json;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

const ALL_PAGES: [&str; 10] = [
    "/memory",
    "/waiting",
    "/decided?user_id=default",
    "/graph",
    "/decisions",
    "/receipts",
    "/audit?user_id=default",
    "/people",
    "/health",
    ERASE,
];
const ERASE: &str = "/erase?subject=code_status";

fn clinic(model: &Model) -> Deployment {
    Deployment::new(model).with("SVC_SLOT_SCHEMA", "preset:clinical").with_console()
}

/// A key of this role, on a server that serves the console, where a dose of 5 mg is current and one of 7.5 mg waits.
fn ward(deployment: &Deployment, role: &str) -> (Server, SocketAddr, String) {
    let (_, key) = deployment.principal(role, &["--role", role]);
    let (_, writer) = deployment.principal("writer", &["--role", "member"]);
    let server = deployment.serve();
    let mut writer = server.client(&writer);
    writer.remember(&says("code_status", "full code"));
    let change = json!([{ "subject": "code_status", "value": "DNR", "action": "SUPERSEDE" }]);
    assert!(writer.remember(&said("The wife says DNR.", &change)).starts_with("Stored: [FLAG]"));
    let console = server.console();
    (server, console, key)
}

#[test]
fn pages_are_for_those_who_signed_in() {
    let model = Model::start();
    let deployment = clinic(&model);
    let (server, console, key) = ward(&deployment, "viewer");
    let mut stranger = Visitor::new(console);
    for page in ALL_PAGES {
        let answer = stranger.get(page);
        assert_eq!((answer.status, answer.header("location")), (303, Some("/signin")), "{page}");
        assert!(!answer.body.contains("full code"));
    }
    for wrong in ["", "svc_sk_wrong", "x.y.z", &key[..key.len() - 1]] {
        let answer = stranger.post("/signin", &[("key", wrong)]);
        assert_eq!(answer.status, 401, "{wrong}");
        assert_eq!(answer.header("set-cookie"), None);
    }
    assert_eq!(stranger.post("/waiting", &[("approve", "id=2")]).status, 303);
    let mut viewer = Visitor::signed_in(console, &key);
    assert!(viewer.page("/memory").contains("full code"));
    // The key opens the pages, and the cookie of the pages opens nothing else.
    assert!(server.log().iter().all(|line| !line.contains(&key)));
}

#[test]
fn each_role_sees_what_its_tools_show() {
    let model = Model::start();
    let deployment = clinic(&model);
    let (server, console, admin) = ward(&deployment, "admin");
    let seen = |key: &str| -> Vec<&str> {
        let mut visitor = Visitor::signed_in(console, key);
        ALL_PAGES.into_iter().filter(|page| visitor.get(page).status == 200).collect()
    };
    assert_eq!(seen(&admin), ALL_PAGES);
    for (role, hidden) in
        [("member", &["/people"][..]), ("agent", &["/people", ERASE]), ("viewer", &["/people", ERASE])]
    {
        let pages: Vec<&str> = ALL_PAGES.into_iter().filter(|page| !hidden.contains(page)).collect();
        assert_eq!(seen(&deployment.principal(role, &["--role", role]).1), pages, "{role}");
    }
    let (_, auditor) = deployment.principal("auditor", &["--role", "auditor"]);
    let evidence =
        ["/decided?user_id=default", "/decisions", "/receipts", "/audit?user_id=default", "/health"];
    assert_eq!(seen(&auditor), evidence);
    // Somebody of another memory sees that one, and nothing of this.
    let (_, scoped) = deployment.principal("scoped", &["--role", "member", "--scopes", "u2"]);
    let mut scoped = Visitor::signed_in(console, &scoped);
    assert!(scoped.page("/memory").contains("Memory of <bdi>u2</bdi>"));
    assert_eq!(scoped.get("/memory?user_id=default").status, 403);
    assert!(!scoped.page("/waiting").contains("DNR"));
    // Every refusal is in the log, as that of a tool call is.
    let log = server.client(&admin).call("audit_log", &json!({ "action": "access_denied" }));
    assert!(log.contains("search_memories: 'search_memories' targets a memory space outside"), "{log}");
    assert!(log.contains("list_principals: 'list_principals' requires the 'admin' capability"), "{log}");
}

#[test]
fn a_member_approves_and_the_log_says_who() {
    let model = Model::start();
    let deployment = clinic(&model);
    let (server, console, key) = ward(&deployment, "member");
    let mut member = Visitor::signed_in(console, &key);
    let page = member.page("/waiting");
    for shown in ["full code", "DNR", "The wife says DNR.", ">writer</bdi></strong>"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let change = field(&page, "approve");
    let after = member.submit("/waiting", &[("note", "Dr Lee"), ("approve", &change)]);
    assert!(
        after.contains("SUPERSEDE code_status = DNR") && after.contains("No changes are waiting."),
        "{after}"
    );
    assert!(!member.page("/waiting").contains("SUPERSEDE"), "a notice is told once");
    let history = member.page("/fact?id=2");
    assert!(history.contains("Dr Lee") && history.contains("full code"), "{history}");
    let decided = member.page("/decided?user_id=default");
    assert!(decided.contains("approved") && decided.contains(">member</bdi></td>"), "{decided}");
    let log =
        server.client(&key).call("audit_log", &json!({ "user_id": "default", "action": "confirm_change" }));
    assert!(log.contains("SUPERSEDE code_status by=prin_") && log.lines().count() == 1, "{log}");
}

#[test]
fn many_changes_are_decided_at_once() {
    let model = Model::start();
    let deployment = clinic(&model);
    let (server, console, key) = ward(&deployment, "member");
    let mut agent = server.client(&key);
    let change = json!([{ "subject": "code_status", "value": "DNI", "action": "SUPERSEDE" }]);
    agent.remember(&said("or DNI", &change));
    let mut member = Visitor::signed_in(console, &key);
    let page = member.page("/waiting");
    let changes: Vec<&str> =
        page.split(r#"name="change" value=""#).skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(changes.len(), 2, "{page}");
    let changes: Vec<String> = changes.iter().map(|change| change.replace("&amp;", "&")).collect();
    let fields =
        [("marked", "reject"), ("change", &changes[0]), ("change", &changes[1]), ("note", "not now")];
    let after = member.submit("/waiting", &fields);
    assert_eq!(after.matches("Rejected #").count(), 2, "{after}");
    assert!(agent.list().starts_with("• code_status = full code"));
}

#[test]
fn those_who_may_not_decide_change_nothing() {
    let model = Model::start();
    let deployment = clinic(&model);
    let (server, console, member) = ward(&deployment, "member");
    let change = field(&Visitor::signed_in(console, &member).page("/waiting"), "approve");
    for role in ["viewer", "agent", "auditor"] {
        let (_, key) = deployment.principal(role, &["--role", role]);
        let mut visitor = Visitor::signed_in(console, &key);
        let page = visitor.get("/waiting").body;
        assert!(!page.contains(">Approve<"), "{role}: {page}");
        let told = visitor.post("/waiting", &[("approve", &change)]);
        assert_eq!(told.status, 303);
        for (path, fields) in [
            ("/correct", &[("id", "1"), ("value", "x")][..]),
            ("/forget", &[("id", "1")]),
            ("/erase", &[("subject", "code_status")]),
            ("/create-key", &[("name", "x"), ("role", "admin")]),
        ] {
            let answer = visitor.post(path, fields);
            // An agent may write; what it writes to a guarded slot waits.
            let may_write = role == "agent" && ["/correct", "/forget"].contains(&path);
            assert_eq!(answer.status, if may_write { 303 } else { 403 }, "{role} {path}: {answer:?}");
        }
    }
    let mut client = server.client(&member);
    assert!(client.list().contains("• code_status = full code"), "{}", client.list());
    assert!(client.call("pending_changes", &json!({})).contains("DNR"));
}

#[test]
fn facts_are_found_corrected_forgotten_and_erased() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_console();
    let (_, key) = deployment.principal("ana", &["--role", "member"]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    let remember = |subject: &str, value: &str, source: &str| json!({ "text": format!("{subject} is {value}"), "source": source, "facts": [{ "subject": subject, "value": value }] });
    client.call("remember", &remember("billing database", "Postgres", "ops"));
    client.call("remember", &remember("cache", "Redis", "dev"));
    let mut ana = Visitor::signed_in(server.console(), &key);
    let rows = |page: &str| page.matches(r#"data-label="Value""#).count();
    assert_eq!(rows(&ana.page("/memory")), 2);
    // A word that is still being typed, and what facts have in common.
    assert!(ana.page("/memory?text=postg&piece=1").contains("billing database"));
    assert_eq!(rows(&ana.page("/memory?source=OPS")), 1);
    assert_eq!(rows(&ana.page("/memory?since=2999-01-01")), 0);
    assert_eq!(ana.get("/memory?since=soon").status, 400);
    let corrected = ana.submit("/correct", &[("id", "1"), ("value", "MySQL")]);
    assert!(corrected.contains("now #3") && corrected.contains("MySQL"), "{corrected}");
    assert!(ana.page("/memory?status=past").contains("Postgres"));
    let forgotten = ana.submit("/forget", &[("id", "2")]);
    assert!(forgotten.contains("Retracted (retained in history for audit): cache = Redis"), "{forgotten}");
    client.call(
        "record_decision",
        &json!({ "action_summary": "Bought a licence", "question": "Which database?" }),
    );
    let fact = ana.page("/fact?id=3");
    assert!(fact.contains("Bought a licence") && fact.contains("Takes the place of"), "{fact}");
    let erase = ana.page("/erase?subject=billing+database");
    assert!(erase.contains("2 facts") && erase.contains("What stays"), "{erase}");
    let shown = field(&erase, "shown");
    let erased = ana.submit("/erase", &[("subject", "billing database"), ("shown", &shown)]);
    assert!(erased.contains("Deleted 2 fact(s)") && !erased.contains("MySQL"), "{erased}");
    assert!(ana.page("/decision?id=1").contains("redacted: erased since"));
    assert!(ana.page("/receipts").contains("✓ valid"));
    assert_eq!(ana.get("/fact?id=3").status, 404);
}

#[test]
fn a_large_memory_is_shown_page_by_page() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_console();
    let (_, key) = deployment.principal("ana", &[]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    let facts: Vec<_> =
        (0..60).map(|n| json!({ "subject": format!("part {n}"), "value": format!("shelf {n}") })).collect();
    for some in facts.chunks(20) {
        client.call("remember", &json!({ "text": "stock", "facts": some }));
    }
    let mut ana = Visitor::signed_in(server.console(), &key);
    let first = ana.page("/memory");
    assert_eq!(first.matches(r#"data-label="Value""#).count(), 50);
    assert!(first.contains("shelf 59") && !first.contains("shelf 9<"));
    let next = first.split(r#"rel="next" href=""#).nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let second = ana.page(&next.replace("&amp;", "&"));
    assert_eq!(second.matches(r#"data-label="Value""#).count(), 10);
    assert!(second.contains("shelf 9<") && second.contains(r#"rel="prev""#));
}

/// In full it takes 100,000 facts, and the first page and a search of them in less than a fifth of a second.
#[test]
fn a_large_memory_is_shown_and_searched_quickly() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_RATE_PER_MIN", "0").with_console();
    let (_, key) = deployment.principal("ana", &[]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    let all = amount(500, 100_000);
    let facts: Vec<_> = (0..all)
        .map(|n| json!({ "subject": format!("part {n} of line {}", n % 97), "value": format!("shelf {n}, bay {}", n % 13) }))
        .collect();
    for (n, some) in facts.chunks(50).enumerate() {
        client.call("remember", &json!({ "text": format!("delivery {n}"), "facts": some }));
    }
    let mut ana = Visitor::signed_in(server.console(), &key);
    ana.page("/memory");
    for page in
        ["/memory", "/memory?text=shelf+499&piece=1", "/memory?text=bay&source=nobody", "/graph", "/waiting"]
    {
        let began = Instant::now();
        let shown = ana.page(page);
        let took = began.elapsed();
        assert!(!page.contains("499") || shown.contains("shelf 499,"), "{shown}");
        assert!(all < 100_000 || took < Duration::from_millis(200), "{page} took {took:?}");
    }
}

#[test]
fn an_admin_gives_and_takes_keys() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_QUOTA_KEY_FACTS", "4711").with_console();
    let (_, key) = deployment.principal("root", &[]);
    let server = deployment.serve();
    let mut admin = Visitor::signed_in(server.console(), &key);
    assert!(admin.page("/people").contains("4711"));
    let shown = admin
        .post("/create-key", &[("name", "ben"), ("role", "viewer"), ("kind", "human"), ("scopes", "u1")]);
    // The answer to the form leads to the page that shows the key, and that shows it once.
    assert_eq!((shown.status, shown.header("location")), (303, Some("new-key")));
    let made = key_on(&admin.page("/new-key"));
    let again = admin.get("/new-key");
    assert_eq!((again.status, again.header("location")), (303, Some("people")));
    assert!(admin.page("/people").contains("A key is shown once."));
    assert!(server.client(&made).call("list_memories", &json!({ "user_id": "u1" })).contains("no memories"));
    let page = admin.page("/people");
    assert!(page.contains("ben") && page.contains("viewer") && page.contains("u1") && !page.contains(&made));
    let ben = id_beside(&page, "ben");
    let new = key_on(&admin.submit("/rotate-key", &[("id", &ben), ("overlap", "0s")]));
    assert_eq!(server.client(&made).ask("list_memories", &json!({})).unwrap().status, 401);
    let revoked = admin.submit("/revoke-key", &[("id", &ben)]);
    assert!(revoked.contains("Revoked principal") && revoked.contains("revoked <time"), "{revoked}");
    assert_eq!(server.client(&new).ask("list_memories", &json!({})).unwrap().status, 401);
}

#[test]
fn evidence_is_checked_on_the_page() {
    let model = Model::start();
    let deployment = clinic(&model);
    let elsewhere = tempfile::tempdir().unwrap();
    let witness = elsewhere.path().join("witness");
    let deployment = deployment.with("SVC_WITNESS", witness.to_str().unwrap());
    let (server, console, key) = ward(&deployment, "admin");
    server.client(&key).call("attest", &json!({ "subject": "code_status" }));
    let mut admin = Visitor::signed_in(console, &key);
    assert!(admin.page("/receipts").contains("✓ valid"));
    admin.page("/audit");
    let mut verdict = admin.submit("/audit-check", &[]);
    while verdict.contains("is being checked") {
        verdict = admin.page("/audit-check");
    }
    assert!(verdict.contains("✓ Audit chain INTACT"), "{verdict}");
    let witnesses = admin.page("/witnesses");
    assert!(witnesses.contains(witness.to_str().unwrap()) && witnesses.contains("✓ "), "{witnesses}");
    let health = admin.page("/health");
    for shown in ["Calls a minute", "Facts held", "<polyline", "encryption", "verify_audit"] {
        assert!(health.contains(shown), "{shown}: {health}");
    }
    let graph = admin.page("/graph");
    assert!(graph.contains("<circle") && graph.contains("full code"), "{graph}");
    assert!(admin.page("/audit?action=attest").contains("code_status"));
}

#[test]
fn users_whose_names_differ_by_a_space_are_two() {
    let model = Model::start();
    let deployment = clinic(&model);
    let (_, key) = deployment.principal("root", &[]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    for user in ["bob", "bob "] {
        for value in ["full code", "DNR"] {
            let action = if value == "DNR" { "SUPERSEDE" } else { "ADD" };
            let facts = json!([{ "subject": "code_status", "value": format!("{value} of '{user}'"), "action": action }]);
            client.call("remember", &json!({ "text": "said", "user_id": user, "facts": facts }));
        }
    }
    let mut admin = Visitor::signed_in(server.console(), &key);
    let page = admin.page("/memory?user_id=bob+");
    assert!(page.contains("full code of 'bob '") && !page.contains("full code of 'bob'"), "{page}");
    assert!(page.contains("Memory of <bdi>“bob ”</bdi>"), "{page}");
    let waiting = admin.page("/waiting");
    let change =
        waiting.split(r#"name="approve" value=""#).find(|rest| rest.starts_with("?user_id=bob+&amp;"));
    let change = change.and_then(|rest| rest.split('"').next()).unwrap().replace("&amp;", "&");
    let after = admin.submit("/waiting", &[("approve", &change)]);
    assert!(after.contains("SUPERSEDE code_status = DNR of 'bob '"), "{after}");
    assert!(admin.page("/audit?user_id=bob+&action=confirm_change").contains("SUPERSEDE code_status"));
    let shown = field(&admin.page("/erase?user_id=bob+&subject=code_status"), "shown");
    admin.submit("/erase", &[("user_id", "bob "), ("subject", "code_status"), ("shown", &shown)]);
    assert!(client.call("list_memories", &json!({ "user_id": "bob " })).contains("no memories"));
    assert!(client.call("list_memories", &json!({ "user_id": "bob" })).contains("full code of 'bob'"));
}

/// What came of a form is told by the page that follows it, also where that one cannot be shown.
#[test]
fn a_refusal_is_told_at_once() {
    let model = Model::start();
    let deployment = clinic(&model);
    let (_server, console, member) = ward(&deployment, "member");
    let (_, auditor) = deployment.principal("auditor", &["--role", "auditor"]);
    let mut auditor = Visitor::signed_in(console, &auditor);
    auditor.page("/health");
    auditor.post("/waiting", &[("approve", "?id=2")]);
    let next = auditor.get("/waiting");
    assert!(next.status == 403 && next.body.contains(r#"class="notice""#), "{next:?}");
    assert!(!auditor.page("/health").contains(r#"class="notice""#));
    let mut member = Visitor::signed_in(console, &member);
    member.page("/memory");
    let answer = member.post("/correct", &[("id", "77"), ("value", "x")]);
    let next = member.get(answer.header("location").unwrap());
    assert!(next.status == 404 && next.body.contains("#77"), "{next:?}");
}

fn key_on(page: &str) -> String {
    let at = page.find("svc_sk_").unwrap_or_else(|| panic!("no key: {page}"));
    page[at..].split('<').next().unwrap().to_owned()
}

fn id_beside(page: &str, name: &str) -> String {
    let after = &page[page.find(&format!(">{name}<")).unwrap_or_else(|| panic!("no {name}: {page}"))..];
    let at = after.find("prin_").unwrap();
    after[at..].split(['<', ',']).next().unwrap().to_owned()
}
