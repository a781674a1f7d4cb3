//! What must be true of a memory whatever happened to it.

use crate::support::http::Client;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a client may still read of a space.
pub struct Export {
    pub facts: Vec<Value>,
    audit: Vec<Value>,
}

impl Export {
    pub fn of(client: &mut Client, user: &str) -> Self {
        Self::read(&client.call("export_memory", &json!({ "user_id": user })))
    }

    pub fn read(text: &str) -> Self {
        let export: Value = serde_json::from_str(text).unwrap_or_else(|_| panic!("no export: {text}"));
        let list = |name: &str| export[name].as_array().unwrap().clone();
        Self { facts: list("records"), audit: list("audit") }
    }

    pub fn subjects(&self) -> Vec<&str> {
        self.facts.iter().map(|fact| fact["subject"].as_str().unwrap()).collect()
    }

    /// For a space in which every fact was added once and never changed: what was acknowledged is there, and what is
    /// there has the one entry of its write.
    pub fn check_added(&self, acknowledged: &[String]) {
        let mut entries = BTreeMap::<&str, usize>::new();
        for entry in self.audit.iter().filter(|entry| entry["action"] == "remember") {
            *entries.entry(entry["detail"].as_str().unwrap_or_default()).or_default() += 1;
        }
        let stored = self.subjects();
        for subject in acknowledged {
            assert!(stored.contains(&subject.as_str()), "{subject} was acknowledged and is lost");
        }
        for subject in &stored {
            let count = entries.remove(format!("ADD {subject}").as_str());
            assert_eq!(count, Some(1), "{subject} has not the one audit entry of its write");
        }
        let unfounded: Vec<_> = entries.keys().filter(|detail| detail.starts_with("ADD ")).collect();
        assert!(unfounded.is_empty(), "entries without their fact: {unfounded:?}");
    }

    pub fn entries(&self, action: &str) -> usize {
        self.audit.iter().filter(|entry| entry["action"] == action).count()
    }
}

pub fn intact(client: &mut Client) {
    let verdict = client.call("verify_audit", &json!({}));
    assert!(verdict.contains("INTACT"), "{verdict}");
}
