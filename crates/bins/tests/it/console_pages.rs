//! What the pages of the console say and offer: names rather than ids, what was really decided, and where facts are.

use crate::support::console::Visitor;
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
        let said = page.split("“Dr Lee”, with the key of ").nth(1).unwrap_or_else(|| panic!("{page}"));
        let name = said.split('>').nth(1).and_then(|rest| rest.split('<').next());
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
    let change = link(&waiting, "fact?user_id=p2&amp;id=").replace("fact?", "?");
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
    assert!(member.page("/decided?user_id=p1").contains("Nothing was decided for p1 yet."));
    for key in [admin, scoped] {
        let mut visitor = Visitor::signed_in(server.console(), &key);
        for address in ["/decided", "/decided?user_id="] {
            let decided = visitor.page(address);
            assert!(decided.contains("approved") && decided.contains(">member</td>"), "{decided}");
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
    assert!(page.contains("<li>dark blue ") && page.contains("<li>blue "), "{page}");
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
    member.page("/waiting");
    let own = member.submit("/waiting", &[("approve", "?user_id=p1&id=2")]);
    let gone = member.submit("/forget", &[("user_id", "p1"), ("id", "2")]);
    for (page, says) in [
        (&refused.body, "Your role, viewer, does not allow this"),
        (&outside.body, "This memory is outside the scope of your key."),
        (&own, "#2 was proposed by you, so somebody else must approve it."),
        (&gone, "Nothing was forgotten: this is no longer current."),
    ] {
        assert!(page.contains(says), "{page}");
        for tool in ["update_memory", "search_memories", "list_memories", "capability", "SVC_FOUR_EYES"] {
            assert!(!page.contains(tool), "{tool}: {page}");
        }
    }
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
