//! The page of what waits: nobody approves what they have not seen, and nobody's changes are pushed off it.

use crate::support::console::Visitor;
use crate::support::http::Client;
use crate::support::{Deployment, Model};
use serde_json::json;

/// Tells a value as a guess, which waits.
fn guess(client: &mut Client, user: &str, subject: &str, value: &str) {
    let said = format!("Maybe the {subject} is {value}.");
    let fact = json!({ "subject": subject, "value": value, "action": "FLAG" });
    let reply = client.call("remember", &json!({ "text": said, "user_id": user, "facts": [fact] }));
    assert!(reply.starts_with("Stored: [FLAG]"), "{reply}");
}

fn tell(client: &mut Client, user: &str, subject: &str, value: &str) {
    let fact = json!({ "subject": subject, "value": value });
    let said = format!("The {subject} is {value}.");
    client.call("remember", &json!({ "text": said, "user_id": user, "facts": [fact] }));
}

/// The part of a page that is about this value.
fn row<'a>(page: &'a str, value: &str) -> &'a str {
    let found =
        page.split("<tr>").find(|row| row.contains(&format!(r#"label="Proposed"><bdi>{value}</bdi>"#)));
    found.unwrap_or_else(|| panic!("{value} does not wait: {page}"))
}

/// What is shown as current beside this value.
fn now(page: &str, value: &str) -> String {
    let cell = row(page, value).split(r#"data-label="Now">"#).nth(1).unwrap();
    cell.split("</td>").next().unwrap().to_owned()
}

/// What approves this value.
fn approval(page: &str, value: &str) -> String {
    let found = row(page, value).split(r#"name="approve" value=""#).nth(1).unwrap();
    found.split('"').next().unwrap().replace("&amp;", "&")
}

#[test]
fn a_change_is_shown_beside_what_it_would_replace_now() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_console();
    let (_, key) = deployment.principal("ana", &["--role", "member"]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    let mut ana = Visitor::signed_in(server.console(), &key);
    guess(&mut client, "u1", "office", "York");
    let before = ana.page("/waiting");
    assert_eq!(now(&before, "York"), "<em>nothing</em>");
    tell(&mut client, "u1", "office", "Paris");
    let pending = client.call("pending_changes", &json!({ "user_id": "u1" }));
    assert!(pending.contains("REPLACE office: 'Paris' → 'York'"), "{pending}");
    // The page that showed nothing approves nothing, and the one that follows shows what there is.
    let refused = ana.submit("/waiting", &[("approve", &approval(&before, "York"))]);
    assert!(refused.contains("has changed since it was shown"), "{refused}");
    assert_eq!(now(&refused, "York"), "<p><bdi>Paris</bdi></p>");
    let list = client.call("list_memories", &json!({ "user_id": "u1" }));
    assert!(list.contains("• office = Paris"), "{list}");
    let approved = ana.submit("/waiting", &[("approve", &approval(&refused, "York"))]);
    assert!(approved.contains("Approved #1: SUPERSEDE office = York"), "{approved}");
}

#[test]
fn of_two_changes_the_second_is_approved_only_when_seen_beside_the_first() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_console();
    let (_, key) = deployment.principal("ana", &["--role", "member"]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    let mut ana = Visitor::signed_in(server.console(), &key);
    for city in ["York", "Leeds"] {
        guess(&mut client, "u1", "office", city);
    }
    let page = ana.page("/waiting");
    let [york, leeds] = ["York", "Leeds"].map(|city| approval(&page, city));
    let both = [("marked", "approve"), ("change", york.as_str()), ("change", &leeds)];
    let after = ana.submit("/waiting", &both);
    assert!(after.contains("Approved #1: ADD office = York"), "{after}");
    assert!(after.contains("what #2 would replace has changed since it was shown"), "{after}");
    assert_eq!(now(&after, "Leeds"), "<p><bdi>York</bdi></p>");
    // Whoever sends a number alone was shown nothing.
    let after = ana.submit("/waiting", &[("approve", "?user_id=u1&id=2")]);
    assert!(after.contains("has changed since it was shown"), "{after}");
    assert!(client.call("list_memories", &json!({ "user_id": "u1" })).contains("• office = York"));
    // Rejecting changes nothing that is current, so it needs no such care.
    let after = ana.submit("/waiting", &[("reject", &leeds)]);
    assert!(after.contains("Rejected #2: office = Leeds"), "{after}");
}

#[test]
fn a_change_that_is_settled_meanwhile_changes_nothing() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_SLOT_SCHEMA", "preset:clinical").with_console();
    let (_, key) = deployment.principal("ana", &["--role", "member"]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    tell(&mut client, "p1", "code_status", "full code");
    tell(&mut client, "p1", "code_status", "DNR");
    let mut ana = Visitor::signed_in(server.console(), &key);
    let page = ana.page("/waiting");
    let approval = approval(&page, "DNR");
    client.call("update_memory", &json!({ "user_id": "p1", "memory_id": 1, "new_value": "DNI" }));
    let pending = client.call("pending_changes", &json!({ "user_id": "p1" }));
    assert!(!pending.contains('#'), "{pending}");
    let after = ana.submit("/waiting", &[("approve", &approval)]);
    assert!(after.contains("Nothing was changed: #2 is settled already"), "{after}");
    assert!(!ana.page("/waiting").contains("DNR"));
    assert!(client.call("list_memories", &json!({ "user_id": "p1" })).contains("• code_status = DNI"));
}

#[test]
fn every_change_that_waits_is_reached_page_by_page() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_RATE_PER_MIN", "0").with_console();
    let (_, key) = deployment.principal("ana", &["--role", "member"]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    for n in 0..60 {
        guess(&mut client, "noisy", &format!("thing {n}"), &format!("value {n}"));
    }
    guess(&mut client, "quiet", "office", "York");
    let mut ana = Visitor::signed_in(server.console(), &key);
    let shown = |page: &str| page.matches(r#"data-label="Proposed""#).count();
    let first = ana.page("/waiting");
    assert_eq!(shown(&first), 50);
    let next = link(&first, "next");
    let second = ana.page(&next);
    assert_eq!(shown(&second), 11);
    assert_eq!(now(&second, "York"), "<em>nothing</em>");
    assert_eq!(shown(&ana.page(&link(&second, "prev"))), 50);
    // Whoever decides on a page stays on it.
    let change = approval(&second, "York");
    let passed = next.split("offset=").nth(1).unwrap();
    let after = ana.submit("/waiting", &[("reject", &change), ("offset", passed)]);
    assert!(after.contains("Rejected #61") && shown(&after) == 10, "{after}");
}

/// Of as many memories as one page looks into, and one more.
#[test]
fn changes_in_many_memories_are_reached() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_RATE_PER_MIN", "0").with_console();
    let (_, key) = deployment.principal("ana", &["--role", "member"]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    for n in 0..201 {
        guess(&mut client, &format!("user {n}"), "office", &format!("room {n}"));
    }
    let mut ana = Visitor::signed_in(server.console(), &key);
    let (mut address, mut rooms) = ("/waiting".to_owned(), std::collections::BTreeSet::new());
    while !address.is_empty() {
        let page = ana.page(&address);
        let cells = page.split(r#"data-label="Proposed"><bdi>"#).skip(1);
        rooms.extend(cells.filter_map(|rest| rest.split('<').next()).map(str::to_owned));
        address = if page.contains(r#"rel="next""#) { link(&page, "next") } else { String::new() };
    }
    assert_eq!(rooms.len(), 201);
}

#[test]
fn a_note_that_is_too_long_is_not_lost() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with_console();
    let (_, key) = deployment.principal("ana", &["--role", "member"]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    for city in ["York", "Leeds"] {
        guess(&mut client, "u1", "office", city);
    }
    let mut ana = Visitor::signed_in(server.console(), &key);
    let page = ana.page("/waiting");
    assert!(page.contains(r#"name="note" value="" maxlength="256""#), "{page}");
    let note = "é".repeat(150);
    let change = approval(&page, "Leeds");
    let fields = [("marked", "approve"), ("change", change.as_str()), ("note", &note)];
    let answer = ana.post("/waiting", &fields);
    assert_eq!(answer.status, 400);
    let told = "the note is too long. It takes 300 bytes, and at most 256 are kept";
    assert_eq!(answer.body.matches(told).count(), 1, "{answer:?}");
    assert!(!answer.body.contains("decided_by") && answer.body.contains(&note), "{answer:?}");
    assert_eq!(answer.body.matches(" checked").count(), 1);
    assert!(row(&answer.body, "Leeds").contains(" checked"), "{answer:?}");
    assert_eq!(ana.page("/waiting").matches(r#"data-label="Proposed""#).count(), 2);
}

/// The address of the page before or after this one.
fn link(page: &str, rel: &str) -> String {
    let found = page.split(&format!(r#"rel="{rel}" href=""#)).nth(1).and_then(|rest| rest.split('"').next());
    found.unwrap_or_else(|| panic!("no {rel}: {page}")).replace("&amp;", "&")
}
