//! What an admin changes of a principal: the users in its scope, and the quotas of its own.

use super::principals::PrincipalState;
use domain::{Principal, Quota, Scopes};
use std::num::NonZeroU64;

/// What is not named stays.
#[derive(Debug, Clone)]
pub struct PrincipalChange {
    pub scopes: Option<Scopes>,
    /// Each with its new value; `None` removes it.
    pub quotas: Vec<(Quota, Option<NonZeroU64>)>,
}

impl PrincipalChange {
    pub(crate) fn of(&self, principal: &Principal) -> Principal {
        let mut changed = principal.clone();
        if let Some(scopes) = &self.scopes {
            changed.scopes = scopes.clone();
        }
        for (quota, most) in &self.quotas {
            changed.quotas.set(*quota, *most);
        }
        changed
    }
}

/// What came of it.
#[derive(Debug, Clone)]
pub enum Changed {
    Done {
        before: Box<Principal>,
        state: Box<PrincipalState>,
    },
    /// The principal has all of that already.
    Same(Box<PrincipalState>),
    /// No active principal of that id within the caller's reach.
    Unknown,
}

/// `scopes * → u1, u2; calls a minute none → 5`: what is different, from what to what.
pub fn differences(before: &Principal, after: &Principal) -> String {
    let scopes =
        (before.scopes != after.scopes).then(|| format!("scopes {} → {}", before.scopes, after.scopes));
    let told = |most: Option<u64>| most.map_or_else(|| "none".to_owned(), |most| most.to_string());
    let quotas = Quota::ALL.into_iter().filter_map(|quota| {
        let (was, is) = (before.quotas.get(quota), after.quotas.get(quota));
        (was != is).then(|| format!("{} {} → {}", quota.label(), told(was), told(is)))
    });
    scopes.into_iter().chain(quotas).collect::<Vec<_>>().join("; ")
}
