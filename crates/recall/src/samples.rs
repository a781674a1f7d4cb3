//! Facts for tests.

use domain::{Fact, FactId, FactKind, Metadata, Status, Timestamp, Triple};

pub fn fact(id: FactId, subject: &str, value: &str) -> Fact {
    Fact {
        id,
        subject: subject.to_owned(),
        value: value.to_owned(),
        scope: "global".to_owned(),
        kind: FactKind::State,
        status: Status::Active,
        confidence: 0.95,
        source: None,
        list_item: false,
        supersedes: None,
        metadata: Metadata::new(),
        triple: Triple::default(),
        text: "".into(),
        pending: None,
        earlier: Vec::new(),
        times: domain::Times::default(),
        created: Timestamp::UNIX_EPOCH,
        changed: Timestamp::UNIX_EPOCH,
    }
}

pub fn critical_fact(id: FactId, subject: &str, value: &str, category: &str) -> Fact {
    let metadata = [("category".to_owned(), category.into())].into_iter().collect();
    Fact { metadata, ..fact(id, subject, value) }
}
