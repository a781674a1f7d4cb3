//! Where the value of a reading belongs, and what is proposed for it.

use super::reading::Reading;
use crate::ask::SlotHint;
use domain::{Action, Fact, RawFact};

pub(super) const PLAIN: f64 = 0.95;

pub(super) const DOUBTFUL: f64 = 0.5;

#[derive(Debug, Clone)]
pub(super) struct Place {
    pub subject: String,
    pub scope: String,
    pub value: String,
    pub target: Option<i64>,
    /// Whether its words name the slot that it is filed in.
    pub named: bool,
}

impl Place {
    pub fn new(reading: &Reading, slot: Option<&SlotHint>) -> Self {
        let subject = slot.map_or_else(|| reading.subject.clone(), |slot| slot.name.clone());
        let scope = reading.scope.clone().unwrap_or_else(|| "global".to_owned());
        Self { subject, scope, value: reading.value.clone(), target: None, named: false }
    }

    /// In the place of a held fact.
    pub fn at(fact: &Fact) -> Self {
        let (subject, scope) = (fact.subject.clone(), fact.scope.clone());
        Self { subject, scope, value: String::new(), target: Some(fact.id), named: false }
    }

    pub fn with(mut self, value: String) -> Self {
        self.value = value;
        self
    }

    pub fn fact(self, action: Action, confidence: f64, reason: &str) -> RawFact {
        RawFact {
            subject: Some(self.subject),
            value: Some(self.value),
            kind: Some("state".to_owned()),
            scope: Some(self.scope),
            time_ref: Some("current".to_owned()),
            action: Some(action.word().to_owned()),
            confidence: Some(confidence),
            reason: Some(reason.to_owned()),
            target_id: self.target,
            ..RawFact::default()
        }
    }
}

pub(super) fn with_time(mut fact: RawFact, time: &str) -> RawFact {
    fact.time_ref = Some(time.to_owned());
    fact
}
