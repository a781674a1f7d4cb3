//! `svc list --as-of` and `svc recall --as-of`: what was held to be true then, from history alone.

use crate::support::console::Visitor;
use crate::support::{Deployment, Mcp, Model, amount, id, ids, random, said, says};
use domain::Timestamp;
use serde_json::{Value, json};

/// The current and the flagged facts of a list.
fn standing(list: &str) -> Vec<String> {
    let facts = list.lines().filter(|line| line.starts_with(['•', '⚠']));
    facts.map(|line| line.replace("flagged — needs confirmation", "flagged then")).collect()
}

/// The time, once the clock has gone on: what is done next is done after it.
fn now() -> Timestamp {
    let now = Timestamp::from_microsecond(Timestamp::now().as_microsecond()).unwrap();
    while Timestamp::now().as_microsecond() <= now.as_microsecond() {
        std::hint::spin_loop();
    }
    now
}

/// One change of any kind.
fn change(process: &Mcp) {
    let subject = format!("shelf {}", random(3));
    let value = format!("box {}", random(5));
    let list = process.list();
    let flagged: Vec<i64> = list.lines().filter(|line| line.starts_with('⚠')).map(id).collect();
    let active: Vec<i64> = list.lines().filter(|line| line.starts_with('•')).map(id).collect();
    let some = |ids: &[i64]| ids[random(ids.len() as u64) as usize];
    match random(8) {
        0 if !flagged.is_empty() => process.call("confirm_change", &json!({ "memory_id": some(&flagged) })),
        1 if !flagged.is_empty() => process.call("reject_change", &json!({ "memory_id": some(&flagged) })),
        2 if !active.is_empty() => {
            process.call("update_memory", &json!({ "memory_id": some(&active), "new_value": value }))
        }
        3 => {
            let gone = json!([{ "subject": subject, "value": "nothing", "action": "RETRACT" }]);
            process.call("forget", &json!({ "text": said(&subject, &gone) }))
        }
        4 => {
            let more =
                json!([{ "subject": subject, "value": format!("{value} and lid"), "action": "REFINE" }]);
            process.remember(&said(&format!("{subject} has {value} and lid"), &more))
        }
        5 | 6 => {
            let action = if random(2) == 0 { "SUPERSEDE" } else { "RETRACT" };
            let doubt = json!([{ "subject": subject, "value": value, "action": action, "confidence": 0.3 }]);
            process.remember(&said(&format!("{subject} {value}"), &doubt))
        }
        _ => process.remember(&says(&subject, &value)),
    };
}

#[test]
fn each_moment_is_as_the_list_was_then() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    let mut moments = vec![(now(), Vec::new())];
    for _ in 0..amount(40, 400) {
        change(&process);
        moments.push((now(), standing(&process.list())));
    }
    let service = |at: &Timestamp| deployment.svc(&["list", "--as-of", &at.to_string()]);
    // Each costs a process, so in a short run only some of them are asked for.
    let every = if amount(0, 1) == 0 { 4 } else { 1 };
    for (at, list) in moments.iter().step_by(every) {
        assert_eq!(standing(&service(at)), *list, "as of {at}");
    }
    let (_, last) = moments.last().unwrap();
    assert_eq!(standing(&service(&now())), *last);

    let copy = Deployment::new(&Model::start());
    let file = copy.folder().join("all.jsonl");
    std::fs::write(&file, deployment.svc(&["export"])).unwrap();
    copy.svc(&["import", "--from", "jsonl", "--as-is", file.to_str().unwrap()]);
    for (at, list) in moments.iter().step_by(every) {
        let there = copy.svc(&["list", "--as-of", &at.to_string()]);
        assert_eq!(unnumbered(&standing(&there)), unnumbered(list), "brought elsewhere, as of {at}");
    }
}

/// Without the numbers, which each memory gives anew.
fn unnumbered(facts: &[String]) -> Vec<String> {
    let mut facts: Vec<String> = facts
        .iter()
        .map(|fact| {
            fact.split_inclusive('#')
                .map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()))
                .collect()
        })
        .collect();
    facts.sort();
    facts
}

#[test]
fn a_question_is_answered_from_what_was_known_then() {
    let deployment = Deployment::bare();
    deployment.svc(&["remember", "Our database is MySQL."]);
    let then = now().to_string();
    deployment.svc(&["remember", "Our database is Postgres."]);
    let ask = |more: &[&str]| {
        let mut arguments = vec!["recall", "Which database do we use?"];
        arguments.extend(more);
        deployment.svc(&arguments)
    };
    assert!(ask(&[]).contains("Postgres"));
    let answer = ask(&["--as-of", &then]);
    assert!(answer.contains("MySQL") && !answer.contains("Postgres"), "{answer}");
    let json: Value = serde_json::from_str(&deployment.svc(&["list", "--json", "--as-of", &then])).unwrap();
    assert_eq!(
        (&json["facts"][0]["value"], &json["facts"][0]["status"]),
        (&json!("MySQL"), &json!("ACTIVE"))
    );
    assert!(
        deployment
            .svc(&["list", "--as-of", "2001-01-01"])
            .starts_with("(no memories as of 2001-01-01T00:00:00Z)")
    );
    assert!(deployment.svc_refuses(&["list", "--as-of", "yesterday"]).contains("2026-11-18T12:00:00Z"));
    let log = deployment.start().call("audit_log", &json!({}));
    assert!(
        log.contains("recall  user=default  as of ") && log.contains("list_memories  user=default  as of "),
        "{log}"
    );
}

#[test]
fn what_was_erased_since_is_gone_and_that_is_said() {
    let deployment = Deployment::new(&Model::start());
    let process = deployment.start();
    process.remember(&says("shoe size", "forty-four"));
    process.remember(&says("colour", "blue"));
    let then = now().to_string();
    let receipt = ids(&process.call("delete", &json!({ "subject": "shoe size" })));
    let list = deployment.svc(&["list", "--as-of", &then]);
    assert!(list.contains("• colour = blue") && !list.contains("forty-four"), "{list}");
    let told = format!("Not shown, because it was erased since then: receipt #{}.", receipt.last().unwrap());
    assert!(list.contains(&told), "{list}");
    assert!(!deployment.svc(&["list", "--as-of", &now().to_string()]).contains("Not shown"));
}

#[test]
fn the_console_shows_a_memory_as_it_was() {
    let deployment = Deployment::new(&Model::start()).with_console();
    let (_, key) = deployment.principal("ward", &["--role", "viewer"]);
    let process = deployment.start();
    process.remember(&says("colour", "blue"));
    let then = now().to_string();
    process.remember(&says("colour", "green"));
    let server = deployment.serve();
    let mut viewer = Visitor::signed_in(server.console(), &key);
    let now = now().to_string();
    let page = viewer.page(&format!("/memory?as_of={then}"));
    assert!(page.contains("1 fact.") && page.contains("blue") && !page.contains("green"), "{page}");
    // As a browser gives a time, without an offset.
    assert!(viewer.page("/memory?as_of=2001-01-01T00:00").contains("0 facts."));
    assert!(viewer.page(&format!("/memory?as_of={now}")).contains("green"));
    // What else the form asks for holds for that time too.
    assert!(viewer.page(&format!("/memory?as_of={now}&text=Gree")).contains("1 fact."));
    for other in ["text=blue", "source=nobody", "since=2098-01-01", "status=waiting"] {
        assert!(viewer.page(&format!("/memory?as_of={now}&{other}")).contains("0 facts."), "{other}");
    }
    // What cannot be shown is said, and the form keeps what was asked for.
    for (asked, told) in [
        (
            "as_of=now",
            "'now' is no time. Give one such as 2026-11-17T08:00:00Z, or a day such as 2026-11-17.",
        ),
        ("as_of=19.11.2026", "'19.11.2026' is no time. Give one such as"),
        ("as_of=2099-01-01T00:00", "'2099-01-01T00:00' is yet to come."),
        ("as_of=2001-01-01&status=past", "it is shown what was current then, or what waited."),
        ("since=soon", "'soon' is no time. Give one such as"),
    ] {
        let answer = viewer.get(&format!("/memory?{asked}&source=ward"));
        assert_eq!(answer.status, 400, "{asked}");
        assert!(answer.body.contains(told), "{asked}: {answer:?}");
        assert!(answer.body.contains(r#"name="source" value="ward""#), "{asked}: {answer:?}");
    }
}

#[test]
fn a_large_memory_as_it_was_is_shown_page_by_page() {
    let deployment = Deployment::new(&Model::start()).with_console();
    let (_, key) = deployment.principal("ward", &["--role", "member"]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    for half in 0..2 {
        let fact = |n| json!({ "subject": format!("part {half} {n}"), "value": format!("shelf {n}") });
        let facts: Vec<_> = (0..30).map(fact).collect();
        client.call("remember", &json!({ "text": "stock", "facts": facts }));
    }
    let mut ward = Visitor::signed_in(server.console(), &key);
    let rows = |page: &str| page.matches(r#"data-label="Value""#).count();
    let first = ward.page(&format!("/memory?as_of={}", now()));
    assert!(first.contains("60 facts, of which this is 1 to 50") && rows(&first) == 50, "{first}");
    let next = first.split(r#"rel="next" href=""#).nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let second = ward.page(&next.replace("&amp;", "&"));
    assert!(second.contains("60 facts, of which this is 51 to 60") && rows(&second) == 10, "{second}");
    assert!(second.contains(r#"rel="prev""#) && !second.contains(r#"rel="next""#));
}
