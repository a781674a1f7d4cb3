//! What the audit log says of each call that changes something.

use crate::call::Record;
use crate::rows::erasure::ErasureSummary;
use crate::rows::principal_change::{Changed, differences};
use crate::rows::principals::{Creation, Revoked, Rotated};
use crate::rows::receipts::Attested;
use crate::rows::statements::{ChangeVerdict, Planned};
use domain::{DecisionId, FactId, Principal, PrincipalId, Proposer};
use reconcile::{Outcome, Plan, Refusal};

/// Something that a transaction came to, and that its audit entry tells.
pub(crate) trait Recorded {
    fn record(&self) -> Record;
}

impl Record {
    /// `ADD subject; SUPERSEDE subject`, with the actions for the counters.
    pub fn of_outcomes(outcomes: &[Outcome]) -> Self {
        let told: Vec<String> = outcomes.iter().map(|o| format!("{} {}", o.action, o.subject)).collect();
        Self::done(told.join("; ")).with_actions(outcomes.iter().map(|o| o.action))
    }
}

/// A statement that was reconciled.
pub(crate) struct Reconciled<'a> {
    pub plan: &'a Plan,
    pub proposer: Proposer,
}

impl Recorded for Reconciled<'_> {
    fn record(&self) -> Record {
        let mut record = Record::of_outcomes(&self.plan.outcomes);
        if self.proposer == Proposer::Caller {
            record.detail.push_str(" (proposed by the caller)");
        }
        record
    }
}

/// A fact that was given a new value.
pub(crate) struct Updated<'a> {
    pub id: FactId,
    pub planned: Option<&'a Planned>,
}

impl Recorded for Updated<'_> {
    fn record(&self) -> Record {
        match self.planned.map(|planned| &planned.plan) {
            Some(Ok(plan)) => Record::of_outcomes(&plan.outcomes),
            Some(Err(_)) => Record::done(format!("#{} cannot be updated", self.id)),
            None => Record::done(format!("no #{}", self.id)),
        }
    }
}

/// A flagged fact that was confirmed, rejected or withdrawn.
pub(crate) struct Decided<'a> {
    pub id: FactId,
    pub verdict: ChangeVerdict,
    pub planned: Option<&'a Planned>,
}

impl Recorded for Decided<'_> {
    fn record(&self) -> Record {
        let id = self.id;
        match (self.planned.map(|planned| &planned.plan), self.verdict) {
            (Some(Ok(plan)), ChangeVerdict::Confirm(_)) => {
                let mut record = Record::of_outcomes(&plan.outcomes);
                record.detail.insert_str(0, &format!("#{id} "));
                record
            }
            (Some(Ok(_)), ChangeVerdict::Reject) => Record::done(format!("#{id}")),
            (Some(Ok(_)), ChangeVerdict::Withdraw) => Record::done(format!("withdrew #{id}")),
            (Some(Err(own @ Refusal::OwnProposal { .. })), _) => {
                Record::denied(format!("confirm_change: {own}"))
            }
            (Some(Err(_)), _) => Record::done(format!("#{id} {NOT_APPLIED}")),
            (None, _) => Record::done(format!("no #{id}")),
        }
    }
}

const NOT_APPLIED: &str = "not applied";

/// Whether an entry of `confirm_change` or `reject_change` with this detail is of a change that was decided.
pub fn is_decision(detail: &str) -> bool {
    let said = detail.strip_prefix('#').map(|rest| rest.split_once(' ').map_or("", |(_, said)| said));
    said.is_some_and(|said| said != NOT_APPLIED)
}

impl Recorded for ErasureSummary {
    /// The erased subject is not named again in the log that may just have been blanked of it.
    fn record(&self) -> Record {
        let receipt = self.receipt.map_or_else(|| "no receipt".to_owned(), |id| format!("receipt #{id}"));
        Record::done(format!("{} fact(s) erased, {receipt}", self.facts))
    }
}

/// An attestation of a subject.
pub(crate) struct SubjectAttested<'a> {
    pub subject: &'a str,
    pub attested: &'a Attested,
}

impl Recorded for SubjectAttested<'_> {
    fn record(&self) -> Record {
        Record::done(format!("#{} {}", self.attested.id, self.subject))
    }
}

/// A decision that was recorded.
pub(crate) struct Taken {
    pub id: DecisionId,
    pub beliefs: usize,
}

impl Recorded for Taken {
    fn record(&self) -> Record {
        Record::done(format!("decision #{}, {} belief(s)", self.id, self.beliefs))
    }
}

/// A principal that was to be made.
pub(crate) struct Created<'a> {
    pub principal: &'a Principal,
    pub creation: Creation,
}

impl Recorded for Created<'_> {
    fn record(&self) -> Record {
        match self.creation {
            Creation::Created => Record::done(format!("{} ({})", self.principal.id, self.principal.role)),
            Creation::SeatsTaken => Record::failed("seat limit reached"),
        }
    }
}

/// A principal whose key was to end.
pub(crate) struct Ended<'a> {
    pub id: &'a PrincipalId,
    pub found: Revoked,
}

impl Recorded for Ended<'_> {
    fn record(&self) -> Record {
        let id = self.id;
        Record::done(match self.found {
            Revoked::Active => format!("{id} revoked"),
            Revoked::Before => format!("{id} erased; it was revoked before"),
            Revoked::Nothing => "no such active principal".to_owned(),
        })
    }
}

/// A principal that was to have a new key.
pub(crate) struct Renewed<'a> {
    pub id: &'a PrincipalId,
    pub rotated: &'a Rotated,
}

impl Recorded for Renewed<'_> {
    fn record(&self) -> Record {
        match self.rotated {
            Rotated::Done(_) => Record::done(format!("{} has a new key", self.id)),
            Rotated::ExpiryUnsaid => Record::failed("refused: it was not said when the new key expires"),
            Rotated::Unknown => Record::done("no such active principal"),
        }
    }
}

/// A principal of which something was to be changed.
pub(crate) struct Altered<'a> {
    pub id: &'a PrincipalId,
    pub changed: &'a Changed,
}

impl Recorded for Altered<'_> {
    fn record(&self) -> Record {
        let id = self.id;
        Record::done(match self.changed {
            Changed::Done { before, state } => format!("{id}: {}", differences(before, &state.principal)),
            Changed::Same(_) => format!("{id} has that already"),
            Changed::Unknown => "no such active principal".to_owned(),
        })
    }
}
