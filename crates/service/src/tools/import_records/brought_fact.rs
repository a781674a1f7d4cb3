//! A fact that is put down as it is in another memory.

use crate::outcome::Stop;
use domain::{
    APPROVED_BY, Action, DECIDED_AT, Earlier, Fact, FactId, FactKind, IMPORTED_DECIDED_AT, Metadata, Pending,
    REJECTED_BY, SETTLED, Status, Times, Timestamp, Triple, WITHDRAWN_BY, When, limits,
};
use reconcile::{DECISION_KEYS, SlotSchema};
use schemars::JsonSchema;
use serde::Deserialize;
use store::BroughtFact;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FactAsIs {
    subject: String,
    value: String,
    #[serde(default)]
    scope: Option<String>,
    /// `state` or `event`.
    #[serde(default)]
    kind: Option<String>,
    /// ACTIVE where it is left out.
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    confidence: Option<f64>,
    #[serde(default)]
    head: String,
    #[serde(default)]
    relation: String,
    #[serde(default)]
    tail: String,
    /// Whether it is one value of several.
    #[serde(default)]
    list_item: bool,
    /// The id of the record that it replaced.
    #[serde(default)]
    supersedes: Option<String>,
    #[serde(default)]
    pending: Option<PendingAsIs>,
    #[serde(default)]
    refined_from: Vec<EarlierAsIs>,
    /// When it last changed; empty: when it was told.
    #[serde(default)]
    changed: String,
    /// When it was said and holds, where that was told.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    said_at: Option<When>,
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    valid_from: Option<When>,
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    valid_until: Option<When>,
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    ended: Option<Timestamp>,
    /// Whether the rules judge what it ends.
    #[serde(default)]
    ends_by_rules: bool,
    /// Whether it only says that the record has ended, so that nothing is put down.
    #[serde(default)]
    is_end_alone: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PendingAsIs {
    action: String,
    /// The id of the record that it would change.
    #[serde(default)]
    target: Option<String>,
    #[serde(default)]
    target_value: Option<String>,
    #[serde(default)]
    gated: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EarlierAsIs {
    value: String,
    until: String,
}

impl FactAsIs {
    /// Whether it is to hold now.
    pub fn is_current(&self) -> bool {
        status(self.status.as_deref(), self.pending.is_some()).is_ok_and(|status| status == Status::Active)
    }

    /// With the words that it is from and the time at which it was told.
    pub fn brought(
        self,
        slots: &SlotSchema,
        text: &str,
        source: Option<String>,
        mut metadata: Metadata,
        (created, now): (Timestamp, Timestamp),
    ) -> Result<BroughtFact, Stop> {
        let (subject, value) = (self.subject.trim(), self.value.trim());
        within("subject", subject, limits::SUBJECT_BYTES)?;
        within("value", value, limits::VALUE_BYTES)?;
        let slot = slots.fold(subject);
        keep_decision(&mut metadata);
        let scope = self.scope.map(|scope| line(&scope)).filter(|scope| !scope.is_empty());
        let scope = scope.unwrap_or_else(|| "global".to_owned());
        within("scope", &scope, limits::SCOPE_BYTES)?;
        let part = |what: &str, text: &str| {
            let text = line(text);
            if text.is_empty() { Ok(text) } else { within(what, &text, limits::SUBJECT_BYTES).map(|()| text) }
        };
        let triple = Triple {
            head: part("head", &self.head)?,
            relation: part("relation", &self.relation)?,
            tail: part("tail", &self.tail)?,
        };
        if let Some(category) = slot.and_then(|slot| slot.category.clone()) {
            metadata.entry("category").or_insert_with(|| category.into());
        }
        let changed = if self.changed.is_empty() { created } else { moment(&self.changed, now)? };
        let earlier = self.refined_from.into_iter().map(|earlier| {
            let value = line(&earlier.value);
            within("earlier value", &value, limits::VALUE_BYTES)?;
            Ok(Earlier { value, until: moment(&earlier.until, now)? })
        });
        let (pending, target) = match self.pending {
            Some(pending) => (Some(pending.read()?), pending.target),
            None => (None, None),
        };
        let fact = Fact {
            // The store gives the number.
            id: FactId(0),
            subject: slot.map_or_else(|| line(subject), |slot| slot.name.clone()),
            value: line(value),
            scope,
            kind: kind(self.kind.as_deref())?,
            status: status(self.status.as_deref(), pending.is_some())?,
            confidence: self.confidence.unwrap_or(limits::CALLER_CONFIDENCE).clamp(0.0, 1.0),
            source,
            list_item: slot.map_or(self.list_item, |slot| slot.multi),
            supersedes: None,
            metadata,
            triple,
            text: text.into(),
            pending,
            earlier: earlier.collect::<Result<_, Stop>>()?,
            times: Times {
                said: self.said_at,
                from: self.valid_from,
                until: self.valid_until,
                ended: self.ended,
            },
            created,
            changed: changed.max(created),
        };
        let Self { supersedes, ends_by_rules, is_end_alone, .. } = self;
        Ok(BroughtFact { fact, supersedes, target, ends_by_rules, is_end_alone })
    }
}

/// Who decided on it elsewhere is not taken, and when that was is.
fn keep_decision(metadata: &mut Metadata) {
    let is_decided =
        [APPROVED_BY, REJECTED_BY, SETTLED, WITHDRAWN_BY].iter().any(|key| metadata.contains_key(*key));
    let at = metadata.get(DECIDED_AT).filter(|_| is_decided).cloned();
    for key in DECISION_KEYS {
        metadata.remove(key);
    }
    if let Some(at) = at {
        metadata.insert(IMPORTED_DECIDED_AT.to_owned(), at);
    }
}

impl PendingAsIs {
    fn read(&self) -> Result<Pending, Stop> {
        let action = Action::from_word(&self.action).ok_or_else(|| wrong("pending.action", &self.action))?;
        let target_value = self.target_value.as_deref().map(line);
        if let Some(value) = &target_value {
            within("pending.target_value", value, limits::VALUE_BYTES)?;
        }
        Ok(Pending { action, target: None, target_value, gated: self.gated })
    }
}

fn kind(word: Option<&str>) -> Result<FactKind, Stop> {
    match word.unwrap_or_default() {
        "" | "state" => Ok(FactKind::State),
        "event" => Ok(FactKind::Event),
        other => Err(wrong("kind", other)),
    }
}

/// A change that waits must say which change it is.
fn status(word: Option<&str>, is_pending: bool) -> Result<Status, Stop> {
    let word = word.filter(|word| !word.is_empty()).unwrap_or(Status::Active.word());
    let all = [Status::Active, Status::Superseded, Status::Historical, Status::FlaggedConflict];
    let status = all.into_iter().find(|status| status.word().eq_ignore_ascii_case(word));
    let fits = status.filter(|status| is_pending == (*status == Status::FlaggedConflict));
    fits.ok_or_else(|| wrong("status", word))
}

fn moment(text: &str, now: Timestamp) -> Result<Timestamp, Stop> {
    let time: Timestamp = text.parse().map_err(|_| wrong("time", text))?;
    Ok(Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time).min(now))
}

fn within(what: &str, text: &str, most: usize) -> Result<(), Stop> {
    if text.is_empty() {
        return Err(Stop::refused(format!("the {what} is empty")));
    }
    if text.len() > most {
        return Err(Stop::refused(format!("the {what} is longer than {most} bytes")));
    }
    Ok(())
}

/// Replies are read line by line.
fn line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim().to_owned()
}

fn wrong(what: &str, got: &str) -> Stop {
    Stop::refused(format!("the {what} '{got}' is not one that is known here"))
}
