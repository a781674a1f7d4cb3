//! Where the value of a reading belongs, and what is proposed for it.

use super::linking::{alike, by_kind, by_name, by_pattern, by_unit, pointed};
use super::memory::{Known, set, share};
use super::mood::Tone;
use super::reading::Reading;
use super::slots::slot_of;
use crate::ask::SlotHint;
use domain::{Action, RawFact};

pub(super) const PLAIN: f64 = 0.95;

/// Clearly implied, but not by the very words.
pub(super) const LINKED: f64 = 0.85;

pub(super) const DOUBTFUL: f64 = 0.5;

#[derive(Debug, Clone)]
pub(super) struct Place {
    pub subject: String,
    pub scope: String,
    pub value: String,
    pub target: Option<i64>,
}

impl Place {
    pub fn new(reading: &Reading, slots: &[SlotHint]) -> Self {
        let subject = slot_of(reading, slots).unwrap_or_else(|| reading.subject.clone());
        let scope = reading.scope.clone().unwrap_or_else(|| "global".to_owned());
        Self { subject, scope, value: reading.value.clone(), target: None }
    }

    pub fn at(known: &Known) -> Self {
        Self {
            subject: known.subject.clone(),
            scope: known.scope.clone(),
            value: String::new(),
            target: known.id,
        }
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

/// Where the reading's value belongs: the place of a held fact about the same thing, a declared slot, or a new one.
pub(super) fn place(reading: &Reading, known: &[Known], slots: &[SlotHint], tone: &Tone) -> Place {
    let known = &fitting(reading, known, slots);
    let held = if reading.pointer && (reading.subject.is_empty() || tone.corrects) {
        pointed(reading, tone.corrects, known).or_else(|| by_name(reading, known))
    } else {
        let fresh = Place::new(reading, slots);
        known
            .iter()
            .find(|k| {
                k.subject == fresh.subject
                    && k.scope == fresh.scope
                    && !slots.iter().any(|s| s.list && s.name == k.subject)
            })
            .or_else(|| by_name(reading, known).filter(|k| k.same_shape(&reading.value) || tone.corrects))
            .or_else(|| by_pattern(reading, known))
            .or_else(|| {
                if tone.corrects {
                    by_kind(&reading.value, known)
                        .or_else(|| alike(reading, known))
                        .or_else(|| by_unit(&reading.value, known))
                } else {
                    None
                }
            })
    };
    match held.filter(|k| !k.event) {
        Some(held) => Place::at(held).with(reading.value.clone()),
        None => Place::new(reading, slots),
    }
}

/// The held facts that a value can take the place of. In a list only the item that shares a word with it can be meant.
pub(super) fn fitting(reading: &Reading, known: &[Known], slots: &[SlotHint]) -> Vec<Known> {
    let value = set(&reading.value);
    let in_list = |k: &Known| slots.iter().any(|s| s.list && s.name == k.subject);
    known.iter().filter(|k| !in_list(k) || share(&k.values, &value) > 0.0).cloned().collect()
}

pub(super) fn with_time(mut fact: RawFact, time: &str) -> RawFact {
    fact.time_ref = Some(time.to_owned());
    fact
}
