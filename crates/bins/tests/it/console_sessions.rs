//! Who is let into the console, for how long, and what others can make it do: nothing.

use crate::support::console::{LocalConsole, Visitor, field};
use crate::support::http::{Answer, Connection, request};
use crate::support::{Deployment, Model, said, says};
use serde_json::json;

#[test]
fn the_address_of_this_machine_works_once() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    deployment.start().call("remember", &json!({ "text": says("tea", "green") }));
    let console = LocalConsole::start(&deployment);
    assert!(console.address.ip().is_loopback());
    let mut thief = Visitor::new(console.address);
    assert_eq!(thief.get("/open?token=0123").status, 410);
    assert_eq!(thief.get("/open").status, 410);
    // A browser that fetches ahead is not the person, nor is a program that looks what is behind a link.
    let ahead = request("GET", &console.path, &["Sec-Purpose: prefetch".to_owned()], b"");
    let ahead = Connection::open(console.address).ask(&ahead).unwrap();
    assert!(ahead.status == 400 && ahead.body.contains("was not used up"), "{ahead:?}");
    let mut looks = Connection::open(console.address);
    looks.send(&request("HEAD", &console.path, &[], b"")).unwrap();
    let looked = looks.head().unwrap();
    assert_eq!((looked.status, looked.header("set-cookie")), (400, None));
    let mut owner = Visitor::new(console.address);
    let opened = owner.get(&console.path);
    assert_eq!(opened.status, 200, "{opened:?}");
    assert!(owner.page("/memory").contains("green"));
    for _ in 0..2 {
        let stolen = thief.get(&console.path);
        assert_eq!((stolen.status, stolen.header("set-cookie")), (410, None), "{stolen:?}");
    }
    assert_eq!(thief.get("/memory").status, 303);
    // There is no key that would open it, and what the person does is logged as theirs.
    let (_, key) = deployment.principal("ana", &[]);
    assert_eq!(thief.post("/signin", &[("key", &key)]).status, 401);
    assert!(owner.page("/audit?action=search_memories").contains("local"));
}

/// A browser shows a cookie to every port of this machine, and takes one for it from every port.
#[test]
fn other_servers_of_this_machine_neither_see_nor_replace_a_session() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_console();
    let (_, key) = deployment.principal("ana", &[]);
    let server = deployment.serve();
    let console = LocalConsole::start(&deployment);
    let mut local = Visitor::new(console.address);
    assert_eq!(local.get(&console.path).status, 200);
    let mut ana = Visitor::signed_in(server.console(), &key);
    let paths = [local.cookie().1, ana.cookie().1];
    assert!(paths.iter().all(|path| path.len() > 32) && paths[0] != paths[1], "{paths:?}");
    for (address, visitor) in [(console.address, &mut local), (server.console(), &mut ana)] {
        let page = visitor.page("/memory");
        let links = page.split(r#"="/"#).count() - 1;
        assert_eq!(links, 0, "a link leads out of the path of the cookie: {page}");
        let (cookie, path) = visitor.cookie();
        let name = cookie.split('=').next().unwrap();
        for cookies in [format!("{name}=planted; {cookie}"), format!("{cookie}; {name}=planted")] {
            let asked = request("GET", &format!("{path}memory"), &[format!("Cookie: {cookies}")], b"");
            assert_eq!(Connection::open(address).ask(&asked).unwrap().status, 200, "{cookies}");
        }
    }
}

#[test]
fn signing_in_again_ends_the_former_session() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_ALLOWED_HOSTS", "memory.example").with_console();
    let (_, key) = deployment.principal("ana", &[]);
    let server = deployment.serve();
    let ask = |method: &str, path: &str, cookie: &str, body: &str| {
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: memory.example\r\nCookie: {cookie}\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        Connection::open(server.console()).ask(head.as_bytes()).unwrap()
    };
    let sign_in = |cookie: &str| {
        let answer = ask("POST", "/signin", cookie, &format!("key={key}"));
        answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
    };
    let former = sign_in("a=b");
    assert_eq!(ask("GET", "/memory", &former, "").status, 200);
    let now = sign_in(&former);
    assert_eq!(ask("GET", "/memory", &now, "").status, 200);
    assert_eq!(ask("GET", "/memory", &former, "").status, 303);
}

#[test]
fn cookies_and_headers_keep_others_out() {
    let model = Model::start();
    let deployment =
        Deployment::new(&model).with("SVC_ALLOWED_HOSTS", "localhost,memory.example").with_console();
    let (_, key) = deployment.principal("ana", &[]);
    let server = deployment.serve();
    let mut ana = Visitor::new(server.console());
    let cookie = ana.post("/signin", &[("key", &key)]).header("set-cookie").unwrap().to_owned();
    assert!(cookie.ends_with("/; HttpOnly; SameSite=Strict"), "{cookie}");
    // Under any other name than this machine's own the cookie is for TLS alone.
    let ask = |host: &str, method: &str, path: &str, body: &str| {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        Connection::open(server.console()).ask(head.as_bytes()).unwrap()
    };
    let secure = ask("memory.example", "POST", "/signin", &format!("key={key}"));
    let secure = secure.header("set-cookie").unwrap();
    assert!(
        secure.starts_with("__Host-") && secure.ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure"),
        "{secure}"
    );
    assert_eq!(ask("evil.example", "GET", "/signin", "").status, 421);
    for path in ["/signin", "/memory", "/nothing", "/people"] {
        let answer = ana.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        assert!(!answer.body.contains("style=") && !answer.body.contains("onclick"), "{path}");
    }
    let page = ana.page("/memory");
    for asset in page.split(['"']).filter(|word| word.starts_with("assets/")) {
        let answer = Visitor::new(server.console()).get(asset);
        assert_eq!(answer.status, 200, "{asset}");
        assert!(answer.header("cache-control").unwrap().contains("immutable"));
    }
    let outside =
        page.split(['"', ' ']).find(|word| word.starts_with("http") && !word.starts_with("http-equiv"));
    assert_eq!(outside, None, "a page asks for something outside");
}

/// Without TLS a browser keeps no session under a name other than this machine's own.
#[test]
fn a_session_that_was_not_kept_is_said() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_console();
    let (_, key) = deployment.principal("ana", &[]);
    let server = deployment.serve();
    let mut ana = Visitor::new(server.console());
    let signed_in = ana.post("/signin", &[("key", &key)]).body;
    let next = signed_in.split("0; url=").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let arrived = next.rsplit('/').next().unwrap();
    assert_eq!(ana.get(arrived).header("location"), Some("memory"));
    let lost = Visitor::new(server.console()).get(arrived);
    assert!(lost.status == 400 && lost.body.contains("open the console over https"), "{lost:?}");
    assert_eq!(Visitor::new(server.console()).get("/").header("location"), Some("/signin"));
}

/// Whoever is refused reads a page, as closed to others as every page.
#[test]
fn refusals_are_pages() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_RATE_PER_MIN", "4").with_console();
    let server = deployment.serve();
    let ask = |asked: &[u8]| Connection::open(server.console()).ask(asked).unwrap();
    let foreign = ["Sec-Fetch-Site: cross-site".to_owned()];
    let misdirected = b"GET /signin HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    let full = request("GET", "/memory", &[], b"");
    for (status, asked) in [
        (413, request("POST", "/waiting", &[], &vec![b'a'; 300 * 1024])),
        (403, request("POST", "/waiting", &foreign, b"")),
        (421, misdirected.to_vec()),
    ] {
        refusal(&ask(&asked), status);
    }
    for _ in 0..4 {
        ask(&full);
    }
    let last = ask(&full);
    refusal(&last, 429);
    assert!(last.header("retry-after").is_some());
}

fn refusal(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{answer:?}");
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
        ("x-frame-options", "DENY"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{status}");
    }
    assert!(answer.header("content-security-policy").unwrap().contains("default-src 'none'"));
    assert!(answer.body.contains(r#"role="alert""#) && answer.body.contains("To the console"), "{answer:?}");
}

#[test]
fn a_forged_form_does_nothing() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_SLOT_SCHEMA", "preset:clinical").with_console();
    let (_, key) = deployment.principal("ana", &[]);
    let (_, other) = deployment.principal("ben", &[]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    client.remember(&says("code_status", "full code"));
    client.remember(&said("", &json!([{ "subject": "code_status", "value": "DNR", "action": "SUPERSEDE" }])));
    let mut ana = Visitor::signed_in(server.console(), &key);
    let change = field(&ana.page("/waiting"), "approve");
    let good = ana.form_token().to_owned();
    let mut ben = Visitor::signed_in(server.console(), &other);
    ben.page("/waiting");
    let bens = ben.form_token().to_owned();
    let own = ["Origin: http://localhost", "Sec-Fetch-Site: same-origin"];
    let change = [("approve", change.as_str())];
    for (form, headers) in [
        ("", &own[..]),
        ("0", &own),
        (&bens, &own),
        (&good, &["Origin: http://evil.example"]),
        (&good, &["Origin: null"]),
        (&good, &["Origin: http://localhost:9999"]),
        (&good, &["Sec-Fetch-Site: cross-site"]),
        (&good, &["Sec-Fetch-Site: same-site"]),
        (&good, &["Origin: http://localhost", "Origin: http://localhost"]),
    ] {
        let answer = ana.post_as("/waiting", &change, form, headers);
        assert_eq!(answer.status, 403, "{form} {headers:?}: {answer:?}");
    }
    // An address changes nothing, whoever makes somebody open it.
    ana.get(&format!("/waiting?approve=id%3D2&form={good}"));
    assert_eq!(ana.get("/signout").status, 404);
    assert!(client.call("pending_changes", &json!({})).contains("DNR"));
    assert_eq!(ana.post_as("/waiting", &change, &good, &own).status, 303);
    assert!(client.list().starts_with("• code_status = DNR"), "{}", client.list());
}

#[test]
fn a_session_ends_with_its_key() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_console();
    let (id, key) = deployment.principal("ana", &["--role", "member"]);
    let (_, admin) = deployment.principal("root", &[]);
    let server = deployment.serve();
    let mut ana = Visitor::signed_in(server.console(), &key);
    ana.page("/memory");
    server.client(&admin).call("revoke_principal", &json!({ "principal_id": id }));
    let answer = ana.get("/memory");
    assert_eq!((answer.status, answer.header("location")), (303, Some("/signin")));
    assert!(answer.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert_eq!(ana.post("/signin", &[("key", &key)]).status, 401);
    let mut root = Visitor::signed_in(server.console(), &admin);
    root.page("/memory");
    assert_eq!(root.post("/signout", &[]).status, 303);
    assert_eq!(root.get("/memory").status, 303);
}

#[test]
fn what_a_fact_says_is_text_and_nothing_else() {
    const SCRIPT: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>";
    let model = Model::start();
    let deployment = Deployment::new(&model).with_console();
    let (_, key) = deployment.principal(SCRIPT, &[]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    let fact = json!({ "subject": SCRIPT, "value": SCRIPT, "scope": SCRIPT });
    client.call(
        "remember",
        &json!({ "text": SCRIPT, "source": SCRIPT, "facts": [fact], "metadata": { SCRIPT: SCRIPT } }),
    );
    client.call("record_decision", &json!({ "action_summary": SCRIPT, "question": SCRIPT }));
    client.call("attest", &json!({ "subject": SCRIPT }));
    let mut ana = Visitor::signed_in(server.console(), &key);
    let encoded: String = url::form_urlencoded::byte_serialize(SCRIPT.as_bytes()).collect();
    for page in [
        "/memory".to_owned(),
        format!("/memory?text={encoded}"),
        "/fact?id=1".to_owned(),
        format!("/erase?subject={encoded}"),
        "/decisions".to_owned(),
        "/decision?id=1".to_owned(),
        "/receipts".to_owned(),
        "/audit".to_owned(),
        "/graph".to_owned(),
        "/people".to_owned(),
        format!("/audit?action={encoded}"),
    ] {
        let answer = ana.get(&page);
        let body = &answer.body;
        assert!(!body.contains("<script>alert") && !body.contains("<img"), "{page}: {body}");
        assert!(body.contains("alert(1)") || page == "/receipts", "{page} does not show it: {body}");
    }
}

#[test]
fn strangers_are_counted_and_large_forms_refused() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_RATE_PER_MIN", "5").with_console();
    let (_, key) = deployment.principal("ana", &[]);
    let server = deployment.serve();
    let mut ana = Visitor::signed_in(server.console(), &key);
    let mut stranger = Visitor::new(server.console());
    let statuses: Vec<u16> =
        (0..6).map(|_| stranger.post("/signin", &[("key", "svc_sk_guess")]).status).collect();
    assert_eq!(statuses, [401, 401, 401, 401, 429, 429]);
    assert_eq!(ana.get("/memory").status, 200);
    // Behind the same address, who has a key still gets in.
    let mut ben = Visitor::new(server.console());
    assert_eq!((ben.get("/signin").status, ben.post("/signin", &[("key", &key)]).status), (200, 200));
    assert_eq!(ben.get("/memory").status, 200);
    assert_eq!(stranger.post("/signin", &[("key", "svc_sk_guess")]).status, 429);
    let large = request("POST", "/memory", &[], &vec![b'a'; 300 * 1024]);
    assert_eq!(Connection::open(server.console()).ask(&large).unwrap().status, 413);
}

#[test]
fn without_the_setting_there_is_no_console() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let server = deployment.serve();
    assert!(server.log().iter().all(|line| !line.contains("console")));
    let answer = server.connect().ask(&request("GET", "/signin", &[], b"")).unwrap();
    assert_eq!(answer.status, 401);
}
