//! What the pages of the console say and offer: names rather than ids, what was really decided, and where facts are.

use crate::support::console::{Visitor, field};
use crate::support::{Deployment, Model, Server};
use serde_json::json;

fn clinic(model: &Model) -> Deployment {
    Deployment::new(model).with("SVC_SLOT_SCHEMA", "preset:clinical").with_console()
}

/// A key of this role.
fn key(deployment: &Deployment, role: &str) -> String {
    deployment.principal(role, &["--role", role]).1
}

/// A dose of one patient is current, and another one waits, which the agent told in a doctor's name.
fn patient(server: &Server, agent: &str, user: &str) {
    let mut agent = server.client(agent);
    for (value, action) in [("full code", "ADD"), ("DNR", "SUPERSEDE")] {
        let facts =
            json!([{ "subject": "code_status", "value": format!("{value} of {user}"), "action": action }]);
        agent
            .call("remember", &json!({ "text": value, "user_id": user, "source": "Dr Lee", "facts": facts }));
    }
}

/// The link on a page whose address begins with this.
fn link(page: &str, begins: &str) -> String {
    let found = page.split(r#"href=""#).skip(1).filter_map(|rest| rest.split('"').next());
    let found = found.into_iter().find(|address| address.starts_with(begins));
    found.unwrap_or_else(|| panic!("no link to {begins}: {page}")).replace("&amp;", "&")
}

/// What approves the change of this user that a page shows.
fn approval(page: &str, user: &str) -> String {
    let values = page.split(r#"name="approve" value=""#).skip(1).filter_map(|rest| rest.split('"').next());
    let of_user = values.into_iter().find(|value| value.contains(&format!("user_id={user}&amp;")));
    of_user.unwrap_or_else(|| panic!("nothing of {user} waits: {page}")).replace("&amp;", "&")
}

#[test]
fn an_approver_sees_whose_key_spoke_in_another_name() {
    let model = Model::start();
    let deployment = clinic(&model);
    let (agent, member) = (key(&deployment, "agent"), key(&deployment, "member"));
    let server = deployment.serve();
    patient(&server, &agent, "p1");
    let mut member = Visitor::signed_in(server.console(), &member);
    for page in ["/waiting", "/memory?user_id=p1", "/fact?user_id=p1&id=2"] {
        let page = member.page(page);
        let claim = r#"<span class="claimed">“<bdi>Dr Lee</bdi>”</span><span class="by">with the key of "#;
        let said = page.split(claim).nth(1).unwrap_or_else(|| panic!("{page}"));
        let name = said.split("<bdi>").nth(1).and_then(|rest| rest.split('<').next());
        assert_eq!(name, Some("agent"), "{page}");
    }
}

#[test]
fn what_was_decided_is_shown_and_nothing_else() {
    let model = Model::start();
    let deployment = clinic(&model);
    let [agent, member, admin] = ["agent", "member", "admin"].map(|role| key(&deployment, role));
    let (_, scoped) = deployment.principal("scoped", &["--role", "viewer", "--scopes", "p1,p2"]);
    let server = deployment.serve();
    patient(&server, &agent, "p1");
    patient(&server, &agent, "p2");
    let mut member = Visitor::signed_in(server.console(), &member);
    let waiting = member.page("/waiting");
    let change = approval(&waiting, "p2");
    // Two attempts that decide nothing.
    for change in ["?user_id=p2&id=77", "?user_id=p2&id=1"] {
        member.post("/waiting", &[("approve", change)]);
    }
    let after = member.submit("/waiting", &[("approve", &change)]);
    assert!(after.contains("SUPERSEDE code_status = DNR of p2"), "{after}");
    // Whoever sees the log of one user at a time says whose; an empty field is the same as none.
    for address in [link(&after, "decided"), "decided?user_id=".to_owned()] {
        assert_eq!(address.split('?').next(), Some("decided"));
        assert!(member.page(&address).contains("Name the user whose changes you want to see."));
    }
    let of_chosen = member.page("/waiting?user_id=p2");
    let decided = member.page(&link(&of_chosen, "decided"));
    assert_eq!(decided.matches("approved").count(), 1, "{decided}");
    assert!(!decided.contains("#77") && !decided.contains("not applied"), "{decided}");
    // The change is shown as it was decided on, with a link to it.
    for shown in ["<bdi>full code of p2</bdi></span> → ", "<bdi>DNR of p2</bdi>"] {
        assert!(decided.contains(shown), "{shown}: {decided}");
    }
    assert!(member.page(&link(&decided, "fact?user_id=p2")).contains("DNR of p2"));
    // An auditor, who may not see the memory, sees what the log says.
    let auditor = key(&deployment, "auditor");
    let log = Visitor::signed_in(server.console(), &auditor).page("/decided?user_id=p2");
    assert!(log.contains("SUPERSEDE code_status") && !log.contains("DNR of p2"), "{log}");
    assert!(member.page("/decided?user_id=p1").contains("Nothing was decided for <bdi>p1</bdi> yet."));
    for key in [admin, scoped] {
        let mut visitor = Visitor::signed_in(server.console(), &key);
        for address in ["/decided", "/decided?user_id="] {
            let decided = visitor.page(address);
            assert!(decided.contains("approved") && decided.contains(">member</bdi></td>"), "{decided}");
        }
    }
}

#[test]
fn what_an_agent_of_a_user_holds_is_found() {
    let model = Model::start();
    let deployment = clinic(&model);
    let admin = key(&deployment, "admin");
    let server = deployment.serve();
    let mut client = server.client(&admin);
    let nurse = |mut arguments: serde_json::Value| {
        arguments["user_id"] = "p3".into();
        arguments["agent_id"] = "nurse".into();
        arguments
    };
    let facts = json!([{ "subject": "theme", "value": "dark" }]);
    client.call("remember", &nurse(json!({ "text": "dark theme", "facts": facts })));
    let decision = json!({ "action_summary": "Painted it", "question": "theme?" });
    client.call("record_decision", &nurse(decision));
    let mut admin = Visitor::signed_in(server.console(), &admin);
    let page = admin.page("/memory?user_id=p3");
    assert!(page.contains("Nothing found."), "{page}");
    let there = admin.page(&link(&page, "memory?user_id=p3&amp;agent_id=nurse"));
    assert!(there.contains("dark"), "{there}");
    let decisions = admin.page("/decisions?user_id=p3");
    let decision = admin.page(&link(&decisions, "decision?"));
    assert!(admin.page(&link(&decision, "fact?")).contains("dark theme"));
}

#[test]
fn erasing_is_offered_where_it_can_be_done() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_console();
    let [member, viewer] = ["member", "viewer"].map(|role| key(&deployment, role));
    let server = deployment.serve();
    let mut client = server.client(&member);
    for (value, action) in [("blue", "ADD"), ("dark blue", "REFINE")] {
        let facts = json!([{ "subject": "colour", "value": value, "action": action }]);
        client.call("remember", &json!({ "text": "said", "facts": facts }));
    }
    let mut viewer = Visitor::signed_in(server.console(), &viewer);
    let refused = viewer.get("/erase?subject=colour");
    assert!(refused.status == 403 && !refused.body.contains("Erase for good"), "{refused:?}");
    let mut member = Visitor::signed_in(server.console(), &member);
    // What was refined goes too, and is named before.
    let page = member.page("/erase?subject=colour");
    assert!(page.contains("<li><bdi>dark blue</bdi> ") && page.contains("<li><bdi>blue</bdi> "), "{page}");
    let nothing = member.page("/erase?subject=unheard+of");
    assert!(nothing.contains("nothing to erase") && !nothing.contains("Erase for good"), "{nothing}");
}

#[test]
fn pages_speak_of_people_and_not_of_tools() {
    let model = Model::start();
    let deployment = clinic(&model).with("SVC_FOUR_EYES", "on");
    let [member, viewer] = ["member", "viewer"].map(|role| key(&deployment, role));
    let (_, scoped) = deployment.principal("scoped", &["--role", "viewer", "--scopes", "p9"]);
    let server = deployment.serve();
    patient(&server, &member, "p1");
    let mut viewer = Visitor::signed_in(server.console(), &viewer);
    let page = viewer.page("/memory?user_id=p1&status=nonsense");
    assert!(page.contains("full code of p1"), "{page}");
    let refused = viewer.post("/correct", &[("user_id", "p1"), ("id", "1"), ("value", "x")]);
    let mut scoped = Visitor::signed_in(server.console(), &scoped);
    let outside = scoped.get("/memory?user_id=p1");
    let mut member = Visitor::signed_in(server.console(), &member);
    let change = approval(&member.page("/waiting"), "p1");
    let own = member.submit("/waiting", &[("approve", &change)]);
    let gone = member.submit("/forget", &[("user_id", "p1"), ("id", "2")]);
    for (page, says) in [
        (&refused.body, "Your role, viewer, does not allow this"),
        (&outside.body, "This memory is outside the scope of your key."),
        (&own, "#2 was proposed by you, so somebody else must approve it."),
        (&gone, "Withdrawn, the change no longer waits: code_status = DNR of p1"),
    ] {
        assert!(page.contains(says), "{page}");
        for tool in ["update_memory", "search_memories", "list_memories", "capability", "SVC_FOUR_EYES"] {
            assert!(!page.contains(tool), "{tool}: {page}");
        }
    }
}

/// What is not there is said in the words of the page, with a way on.
#[test]
fn what_is_not_there_is_named() {
    let model = Model::start();
    let deployment = clinic(&model);
    let [admin, viewer] = ["admin", "viewer"].map(|role| key(&deployment, role));
    let server = deployment.serve();
    patient(&server, &admin, "p1");
    let mut admin = Visitor::signed_in(server.console(), &admin);
    for (path, told, leads_to) in [
        ("/fact?user_id=p1&id=77", "There is no fact #77 in the memory of p1.", "memory?user_id=p1"),
        ("/fact?user_id=p2&id=1", "There is no fact #1 in the memory of p2.", "memory?user_id=p2"),
        ("/fact?user_id=p1&id=abc", "'abc' is not the number of a fact.", "memory?user_id=p1"),
        ("/decision?user_id=p1&id=5", "There is no decision #5 of p1.", "decisions?user_id=p1"),
        ("/decision?user_id=p1&id=abc", "'abc' is not the number of a decision.", "decisions?user_id=p1"),
    ] {
        let answer = admin.get(path);
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.body.contains(told), "{path}: {answer:?}");
        assert_eq!(link(&answer.body, leads_to), leads_to);
    }
    admin.post("/forget", &[("user_id", "p1"), ("id", "77")]);
    let told = admin.page("/memory");
    assert!(told.contains("Nothing was forgotten: #77 is no memory of this space."), "{told}");
    let long = "n".repeat(257);
    for (name, told) in [("", "give it a name"), (long.as_str(), "It takes 257 bytes, and may take 256.")] {
        let answer = admin.post("/create-key", &[("name", name), ("role", "viewer")]);
        assert!(answer.status == 400 && answer.body.contains(told), "{answer:?}");
    }
    let mut viewer = Visitor::signed_in(server.console(), &viewer);
    let waiting = viewer.page("/waiting");
    assert!(waiting.contains("No changes are waiting in the memory of <bdi>default</bdi>."), "{waiting}");
}

#[test]
fn what_was_decided_goes_on_page_by_page() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_RATE_PER_MIN", "0").with_console();
    let member = key(&deployment, "member");
    let server = deployment.serve();
    let mut client = server.client(&member);
    for n in 1..=60 {
        let facts = json!([{ "subject": format!("thing {n}"), "value": "x", "action": "FLAG" }]);
        client.call("remember", &json!({ "text": format!("Maybe thing {n} is x."), "facts": facts }));
        client.call("reject_change", &json!({ "memory_id": n }));
        // Of calls that decide nothing there may be any number.
        client.call("confirm_change", &json!({ "memory_id": n }));
    }
    let mut member = Visitor::signed_in(server.console(), &member);
    let rows = |page: &str| page.matches(r#"data-label="Verdict""#).count();
    let first = member.page("/decided?user_id=default");
    assert_eq!(rows(&first), 50);
    let second = member.page(&link(&first, "decided?user_id=default&amp;before="));
    assert_eq!(rows(&second), 10, "{second}");
    assert!(!second.contains(r#"rel="next""#));
}

/// Looking at pages leaves one entry a page in the log, not another one for the names to choose from.
#[test]
fn spaces_are_listed_once_for_many_pages() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_console();
    let admin = key(&deployment, "admin");
    let server = deployment.serve();
    let mut visitor = Visitor::signed_in(server.console(), &admin);
    for page in ["/memory", "/waiting", "/graph", "/memory"] {
        visitor.page(page);
    }
    let listed = server.client(&admin).call("audit_log", &json!({ "action": "list_spaces" }));
    assert_eq!(listed.lines().count(), 1, "{listed}");
}

/// Nobody erases what they have not seen.
#[test]
fn what_was_added_after_a_confirmation_was_shown_is_not_erased() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_console();
    let member = key(&deployment, "member");
    let server = deployment.serve();
    let mut client = server.client(&member);
    let mut remember = |value: &str, scope: &str| {
        let fact = json!({ "subject": "database", "value": value, "scope": scope });
        client.call("remember", &json!({ "text": value, "facts": [fact] }));
    };
    remember("Postgres", "billing");
    let mut member = Visitor::signed_in(server.console(), &member);
    let shown = field(&member.page("/erase?subject=database"), "shown");
    remember("MySQL", "search");
    for shown in [shown.as_str(), ""] {
        let answer = member.post("/erase", &[("subject", "database"), ("shown", shown)]);
        assert_eq!(answer.status, 409);
        for said in ["Nothing was erased: what would go has changed", "2 facts", "MySQL", "<bdi>search</bdi>"]
        {
            assert!(answer.body.contains(said), "{said}: {answer:?}");
        }
    }
    let shown = field(&member.page("/erase?subject=database"), "shown");
    let erased = member.submit("/erase", &[("subject", "database"), ("shown", &shown)]);
    assert!(erased.contains("Deleted 2 fact(s)"), "{erased}");
}

/// Characters that nobody sees, and those that turn words around, are shown by a sign, whoever wrote them and where.
#[test]
fn words_of_others_hide_nothing() {
    let hidden = |words: &str| format!("{words} \u{202e}gm 05\u{202c} 10\u{200b}0");
    let model = Model::start();
    let deployment = Deployment::new(&model).with_console();
    let (_, admin) = deployment.principal(&hidden("key"), &["--role", "admin"]);
    let server = deployment.serve();
    let mut client = server.client(&admin);
    let user = hidden("user");
    let remember = |value: &str, confidence: f64| {
        let metadata = serde_json::Map::from_iter([(hidden("name"), hidden("entry").into())]);
        let (subject, value) = (hidden("subject"), hidden(value));
        let fact = json!({ "subject": subject, "value": value, "confidence": confidence, "scope": hidden("scope"), "head": hidden("head"), "relation": hidden("relation"), "tail": hidden("tail") });
        json!({ "text": hidden("words"), "user_id": user, "source": hidden("source"), "metadata": metadata, "facts": [fact] })
    };
    client.call("remember", &remember("value", 0.9));
    client.call("remember", &remember("other", 0.2));
    client.call(
        "record_decision",
        &json!({ "user_id": user, "action_summary": hidden("did"), "question": "value?" }),
    );
    client.call("attest", &json!({ "user_id": user, "subject": hidden("subject") }));
    let mut visitor = Visitor::signed_in(server.console(), &admin);
    let encoded = |text: &str| -> String { url::form_urlencoded::byte_serialize(text.as_bytes()).collect() };
    let (of_user, subject) = (format!("user_id={}", encoded(&user)), encoded(&hidden("subject")));
    for (path, shows) in [
        ("memory", &["user", "subject", "value", "scope", "source", "key"][..]),
        ("fact", &["user", "subject", "value", "scope", "source", "key", "words", "name", "entry"]),
        ("waiting", &["user", "subject", "other", "value", "scope", "source", "key", "words"]),
        ("graph", &["user", "head", "relation", "tail"]),
        ("decisions", &["user", "did"]),
        ("decision", &["user", "did", "subject", "value", "source"]),
        ("receipts", &["user"]),
        ("audit", &["user", "key", "subject"]),
        ("people", &["key"]),
        ("erase", &["user", "subject", "value"]),
    ] {
        let page = visitor.page(&format!("/{path}?{of_user}&id=1&subject={subject}"));
        // What a form sends back must be what it is.
        let seen: String = page
            .split("value=\"")
            .enumerate()
            .map(|(n, part)| match n {
                0 => part,
                _ => part.split_once('"').map_or("", |(_, rest)| rest),
            })
            .collect();
        for c in ['\u{202e}', '\u{202c}', '\u{200b}'] {
            assert!(!seen.contains(c), "{path}: {c:?} in {seen}");
        }
        let sign =
            |c: &str| format!(r#"<span class="unseen" title="Characters that cannot be seen">⟨{c}⟩</span>"#);
        for words in shows {
            let shown = format!("{words} {}gm 05{} 10{}0", sign("U+202E"), sign("U+202C"), sign("U+200B"));
            let in_picture = format!("{words} ⟨U+202E⟩gm 05");
            assert!(seen.contains(&shown) || seen.contains(&in_picture), "{path}: {words} in {seen}");
        }
    }
}

/// However a source is worded, whose key it was stands on a line of its own.
#[test]
fn no_source_passes_for_a_key() {
    let model = Model::start();
    let deployment = clinic(&model);
    let member = key(&deployment, "member");
    let server = deployment.serve();
    let source = "Dr Lee”, with the key of Dr Lee, 2026-11-19. “x";
    let facts = json!([{ "subject": "dose", "value": "5 mg", "action": "FLAG" }]);
    let said = json!({ "text": "Maybe the dose is 5 mg.", "source": source, "facts": facts });
    server.client(&member).call("remember", &said);
    let mut member = Visitor::signed_in(server.console(), &member);
    for page in ["/waiting", "/fact?id=1", "/memory?status=waiting"] {
        let page = member.page(page);
        let claim =
            format!(r#"<span class="claimed">“<bdi>{source}</bdi>”</span><span class="by">with the key of "#);
        assert!(page.contains(&claim), "{page}");
    }
}
