//! Tenants that hold the same under the same numbers: what one does, the other never feels.

use crate::support::http::Client;
use crate::support::{Deployment, Model, Seed, Server, amount, created, said};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The first two act; the first is the operator, who may also blank audit entries. The third only looks.
const TENANTS: [&str; 3] = ["default", "acme", "globex"];
const SPACES: [(&str, &str); 3] = [("ann", ""), ("ann", "coder"), ("bob", "")];
const SUBJECTS: [&str; 5] = ["city", "budget", "code_status", "owner", "old office"];
const WRITING: [&str; 13] = [
    "remember",
    "forget",
    "update_memory",
    "record_decision",
    "attest",
    "set_reconcile_policy",
    "confirm_change",
    "reject_change",
    "create_principal",
    "revoke_principal",
    "delete",
    "delete_all",
    "purge_expired",
];
/// So many operations lie between two looks.
const LOOK_EVERY: usize = 200;
/// A little beyond the numbers that the tenants begin with.
const NUMBERS: usize = 40;

/// A deployment with three tenants that were told the same.
pub struct Twins {
    pub deployment: Deployment,
    server: Server,
    /// The id and the key of each tenant's admin.
    admins: Vec<(String, String)>,
    _model: Model,
}

impl Twins {
    pub fn new(prepare: impl FnOnce(&mut Deployment)) -> Self {
        let model = Model::start();
        let mut deployment = Deployment::new(&model)
            .with("SVC_RATE_PER_MIN", "0")
            .with("SVC_SLOT_SCHEMA", "preset:clinical")
            // Vectors are made in spaces with more facts than a question is answered from.
            .with("SVC_RECALL_CONTEXT", "2")
            .with_seats(1000);
        prepare(&mut deployment);
        let admins = TENANTS.map(|tenant| deployment.principal("root", &["--tenant", tenant])).to_vec();
        let twins = Self { server: deployment.serve(), deployment, admins, _model: model };
        let lists = TENANTS.map(|tenant| twins.fill(tenant));
        assert!(lists.iter().all(|list| *list == lists[0]), "the twins differ from the start: {lists:#?}");
        twins
    }

    fn key(&self, tenant: &str) -> &str {
        let at = TENANTS.iter().position(|known| *known == tenant).unwrap();
        &self.admins[at].1
    }

    fn client(&self, tenant: &str) -> Client {
        self.server.client(self.key(tenant))
    }

    /// Something of every kind in every space; returns what the spaces then list.
    fn fill(&self, tenant: &str) -> String {
        let mut client = self.client(tenant);
        let mut call = |space: (&str, &str), tool: &str, mut arguments: Value| {
            arguments["user_id"] = space.0.into();
            arguments["agent_id"] = space.1.into();
            client.call(tool, &arguments)
        };
        let fact = |subject: &str, value: &str, action: &str| {
            said("", &json!([{ "subject": subject, "value": value, "action": action }]))
        };
        let mut lists = String::new();
        for space in SPACES {
            for subject in SUBJECTS {
                call(space, "remember", json!({ "text": fact(subject, "first", "ADD"), "source": "ops" }));
            }
            // Long enough to be kept apart from the fact.
            let long = format!("{} {}", "At last. ".repeat(40), fact("city", "second", "SUPERSEDE"));
            call(space, "remember", json!({ "text": long }));
            call(space, "remember", json!({ "text": fact("code_status", "DNR", "SUPERSEDE") }));
            call(space, "forget", json!({ "text": fact("old office", "first", "RETRACT") }));
            call(space, "attest", json!({ "subject": "budget" }));
            call(space, "record_decision", json!({ "action_summary": "go", "question": "which city?" }));
            call(space, "set_reconcile_policy", json!({ "mode": "AUTHORITY", "authority": { "ops": 5 } }));
            lists.push_str(&call(space, "list_memories", json!({})));
        }
        lists
    }
}

/// All that a tenant can see of its own.
#[derive(Debug, PartialEq)]
struct Sight {
    /// What the tools say, and each space's export but for its audit log.
    said: Vec<(String, String)>,
    audit: Vec<Vec<Value>>,
}

impl Sight {
    fn take(client: &mut Client) -> Self {
        let mut sight = Self { said: Vec::new(), audit: Vec::new() };
        let numbers = 1..=NUMBERS;
        for (user, agent) in SPACES {
            let space = json!({ "user_id": user, "agent_id": agent });
            for tool in ["list_memories", "pending_changes", "get_reconcile_policy"] {
                sight.say(client, tool, &space);
            }
            for subject in SUBJECTS {
                for tool in ["history", "check_before_act"] {
                    sight.say(client, tool, &with(&space, "subject", subject.into()));
                }
            }
            for number in numbers.clone() {
                sight.say(client, "get_memory", &with(&space, "memory_id", number.into()));
            }
            sight.export(client, &space);
        }
        for number in numbers {
            sight.say(client, "verify_receipt", &json!({ "receipt_id": number }));
            for user in ["ann", "bob"] {
                sight.say(client, "explain_decision", &json!({ "decision_id": number, "user_id": user }));
            }
        }
        sight.say(client, "list_principals", &json!({}));
        sight
    }

    fn say(&mut self, client: &mut Client, tool: &str, arguments: &Value) {
        let text = client.call(tool, arguments);
        self.said.push((format!("{tool} {arguments}"), text));
    }

    /// The head of the audit log is one for all tenants; it moves with every call of any of them, and so do the proofs that
    /// lead to it.
    fn export(&mut self, client: &mut Client, space: &Value) {
        let mut export: Value = serde_json::from_str(&client.call("export_memory", space)).unwrap();
        let export = export.as_object_mut().unwrap();
        let mut audit = export.remove("audit").unwrap().as_array().unwrap().clone();
        for entry in &mut audit {
            assert!(entry.as_object_mut().unwrap().remove("proof").is_some());
        }
        assert!(export.remove("audit_head").is_some());
        for made in ["decisions", "receipts"] {
            for object in export[made].as_array_mut().unwrap() {
                object.as_object_mut().unwrap().remove("logged");
            }
        }
        self.audit.push(audit);
        self.said.push((format!("export_memory {space}"), Value::Object(export.clone()).to_string()));
    }

    /// Nothing may have changed since, but that looking at it has left entries of `watcher` in the log.
    fn check(&self, later: &Self, watcher: &str, done: usize) {
        for ((call, before), (_, after)) in self.said.iter().zip(&later.said) {
            assert_eq!(before, after, "after {done} operations of others: {call}");
        }
        for (before, after) in self.audit.iter().zip(&later.audit) {
            let (old, new) = after.split_at(before.len());
            assert_eq!(before, old, "after {done} operations of others");
            assert!(new.iter().all(|entry| entry["caller"] == watcher), "{new:#?}");
        }
    }
}

fn with(space: &Value, name: &str, value: Value) -> Value {
    let mut arguments = space.clone();
    arguments[name] = value;
    arguments
}

/// Somebody who does at random what their own tenant lets them do, with numbers that other tenants have too.
struct Actor<'a> {
    client: Client,
    is_operator: bool,
    others_principal: &'a str,
    /// A principal that the actor has made and not yet revoked.
    made: Option<String>,
}

impl Actor<'_> {
    /// Returns the name of the tool that was called.
    fn act(&mut self, seed: &mut Seed) -> &'static str {
        // What erases much is rarer, or there would be nothing to erase.
        let tool = if seed.chance(3) { *seed.pick(&WRITING) } else { *seed.pick(&WRITING[..8]) };
        let arguments = self.arguments(tool, seed);
        let text = self.client.call(tool, &arguments);
        assert!(!text.starts_with("Svc couldn't"), "{tool} {arguments}: {text}");
        if tool == "create_principal" {
            self.made = Some(created(&text).0);
        }
        tool
    }

    fn arguments(&mut self, tool: &str, seed: &mut Seed) -> Value {
        let (user, agent) = *seed.pick(&SPACES);
        let space = json!({ "user_id": user, "agent_id": agent });
        let subject = *seed.pick(&SUBJECTS);
        match tool {
            "remember" => with(&space, "text", statement(seed, subject).into()),
            "forget" => {
                let fact = json!([{ "subject": subject, "value": value(seed), "action": "RETRACT" }]);
                with(&space, "text", said("", &fact).into())
            }
            "update_memory" => {
                with(&with(&space, "memory_id", number(seed)), "new_value", value(seed).into())
            }
            "record_decision" => {
                with(&with(&space, "action_summary", "act".into()), "question", "what?".into())
            }
            "attest" => with(&space, "subject", subject.into()),
            "set_reconcile_policy" => {
                with(&space, "mode", (*seed.pick(&["RECENCY", "AUTHORITY", "REVIEW"])).into())
            }
            "confirm_change" | "reject_change" => with(&space, "memory_id", number(seed)),
            "create_principal" => json!({ "name": value(seed), "role": "viewer" }),
            "revoke_principal" => {
                // An operator who revokes somebody else's principal does what operators may.
                let tries_theirs = !self.is_operator && seed.chance(2);
                let made = self.made.take_if(|_| !tries_theirs);
                let unknown = if self.is_operator { "prin_none" } else { self.others_principal };
                json!({ "principal_id": made.as_deref().unwrap_or(unknown), "erase": seed.chance(2) })
            }
            "delete" => with(&self.also(seed, space), "subject", subject.into()),
            "delete_all" => self.also(seed, space),
            "purge_expired" => {
                // An operator who cuts off the log does so for every tenant, which is what they asked for.
                let mut also = self.also(seed, space);
                also["include_audit"] = (!self.is_operator).into();
                with(&also, "older_than_days", 0.into())
            }
            _ => panic!("{tool}"),
        }
    }

    fn also(&self, seed: &mut Seed, mut arguments: Value) -> Value {
        for name in ["include_decisions", "include_receipts", "include_audit"] {
            arguments[name] = seed.chance(2).into();
        }
        arguments
    }
}

fn statement(seed: &mut Seed, subject: &str) -> String {
    let actions = ["ADD", "SUPERSEDE", "REFINE", "COEXIST", "FLAG", "ARCHIVE", "RETRACT", "DEDUP"];
    let fact = json!([{
        "subject": subject, "value": value(seed), "action": *seed.pick(&actions),
        "scope": *seed.pick(&["global", "work"]), "confidence": *seed.pick(&[0.95, 0.5]),
        "target_id": number(seed),
    }]);
    let words = *seed.pick(&["", "we no longer say so", "maybe"]);
    said(words, &fact)
}

fn value(seed: &mut Seed) -> String {
    (*seed.pick(&["first", "second", "third", "DNR", "a long way off"])).to_owned()
}

fn number(seed: &mut Seed) -> Value {
    (1 + seed.below(NUMBERS)).into()
}

/// What every deployment must show, however its database is guarded.
pub fn check_that_nothing_crosses(twins: &Twins) {
    let watcher = twins.admins[2].0.as_str();
    let mut watching = twins.client("globex");
    let before = Sight::take(&mut watching);
    let mut actors = ["default", "acme"].map(|tenant| Actor {
        client: twins.client(tenant),
        is_operator: tenant == "default",
        others_principal: watcher,
        made: None,
    });
    let (mut seed, mut called) = (Seed::new(7), BTreeSet::new());
    let operations = amount(600, 5000);
    for done in 1..=operations {
        called.insert(seed.pick_mut(&mut actors).act(&mut Seed::new(done as u64)));
        if done % LOOK_EVERY == 0 || done == operations {
            before.check(&Sight::take(&mut watching), watcher, done);
        }
    }
    assert_eq!(called, BTreeSet::from(WRITING), "a tool was never called");
    // A server that has kept nothing in memory shows what is in the database.
    let fresh = twins.deployment.serve();
    let mut watching = fresh.client(twins.key("globex"));
    before.check(&Sight::take(&mut watching), watcher, operations);
    let verdict = watching.call("verify_audit", &json!({}));
    assert!(verdict.contains("INTACT"), "{verdict}");
    let own = watching.call("audit_log", &json!({ "limit": 1000 }));
    assert!(own.lines().all(|line| !line.contains("tenant=")), "{own}");
}

#[test]
fn twin_tenants_never_see_each_other() {
    check_that_nothing_crosses(&Twins::new(|_| {}));
}
