//! The facts that the rules need to decide. The store fetches them by key and never scans.

use crate::proposal::Proposal;
use crate::statement::Statement;
use domain::keys::{subject_key, subject_keys, value_key};
use domain::{Action, Fact, FactId, Proposer, TimeRef};
use std::collections::BTreeSet;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// Keys of the subjects whose ACTIVE and FLAGGED_CONFLICT facts are needed.
    pub subjects: BTreeSet<String>,
    /// Facts needed whatever their status.
    pub ids: BTreeSet<FactId>,
    /// Pairs of subject key and value key: is there a SUPERSEDED or HISTORICAL fact of that value?
    pub retired: BTreeSet<(String, String)>,
    /// Pairs of subject key and value key, of which the SUPERSEDED and HISTORICAL facts themselves are needed.
    pub past: BTreeSet<(String, String)>,
    /// Keys of the subjects whose SUPERSEDED facts are needed, of each the last ones.
    pub superseded: BTreeSet<String>,
}

/// The answer to `Needs`, from one space.
#[derive(Debug, Clone, Default)]
pub struct HeldFacts {
    pub facts: Vec<Fact>,
    /// The pairs that were asked for and exist.
    pub retired: BTreeSet<(String, String)>,
}

/// `due` are facts that have run out and changes that are settled: whoever writes next puts them into history.
pub fn needs(proposals: &[Proposal], statement: &Statement, due: &[FactId]) -> Needs {
    let mut needs = Needs { ids: due.iter().copied().collect(), ..Needs::default() };
    // Where it is told when something was said, it may be older than what is held; and a caller's subject that was a list
    // is one.
    let is_dated = statement.said.is_some() || statement.proposer == Proposer::Caller;
    for proposal in proposals.iter().filter(|p| p.unusable.is_none()) {
        if is_dated {
            let key = subject_key(&proposal.subject);
            needs.past.insert((key.clone(), value_key(&proposal.value)));
            needs.superseded.insert(key);
        }
        // A value may be stored under the subject of the fact that it changes.
        let aimed = proposal.wording.target.iter().map(|named| &named.subject);
        for subject in std::iter::once(&proposal.subject).chain(aimed) {
            needs.subjects.extend(subject_keys(subject));
            if proposal.time_ref == TimeRef::Past
                || proposal.action == Action::Archive
                || proposal.wording.removal
            {
                needs.retired.insert((subject_key(subject), value_key(&proposal.value)));
            }
        }
        needs.ids.extend(proposal.target);
    }
    needs
}

/// For an update of the fact, or a decision on it.
pub fn needs_of(fact: &Fact) -> Needs {
    let target = fact.pending.as_ref().and_then(|p| p.target);
    Needs {
        subjects: BTreeSet::from(subject_keys(&fact.subject)),
        ids: std::iter::once(fact.id).chain(target).collect(),
        ..Needs::default()
    }
}
