//! The quotas of one principal. They only narrow what the operator allows every key.

use crate::counted;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroU64;

/// What a quota is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quota {
    CallsPerMinute,
    AtOnce,
    Facts,
    Bytes,
}

impl Quota {
    pub const ALL: [Self; 4] = [Self::CallsPerMinute, Self::AtOnce, Self::Facts, Self::Bytes];

    /// The argument that sets it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::CallsPerMinute => "calls_per_minute",
            Self::AtOnce => "at_once",
            Self::Facts => "facts",
            Self::Bytes => "bytes",
        }
    }

    /// What it counts, as a person reads it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::CallsPerMinute => "calls a minute",
            Self::AtOnce => "calls at once",
            Self::Facts => "facts",
            Self::Bytes => "bytes",
        }
    }

    const fn of_one(self) -> &'static str {
        match self {
            Self::CallsPerMinute => "call a minute",
            Self::AtOnce => "call at once",
            Self::Facts => "fact",
            Self::Bytes => "byte",
        }
    }
}

/// `None` is no quota of its own; those of the deployment apply all the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnQuotas {
    #[serde(skip_serializing_if = "Option::is_none")]
    calls_per_minute: Option<NonZeroU64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_once: Option<NonZeroU64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    facts: Option<NonZeroU64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<NonZeroU64>,
}

impl OwnQuotas {
    pub fn are_none(&self) -> bool {
        *self == Self::default()
    }

    pub fn get(&self, quota: Quota) -> Option<u64> {
        let held = match quota {
            Quota::CallsPerMinute => self.calls_per_minute,
            Quota::AtOnce => self.at_once,
            Quota::Facts => self.facts,
            Quota::Bytes => self.bytes,
        };
        held.map(NonZeroU64::get)
    }

    pub const fn set(&mut self, quota: Quota, most: Option<NonZeroU64>) {
        let held = match quota {
            Quota::CallsPerMinute => &mut self.calls_per_minute,
            Quota::AtOnce => &mut self.at_once,
            Quota::Facts => &mut self.facts,
            Quota::Bytes => &mut self.bytes,
        };
        *held = most;
    }

    /// The lower of what the deployment allows and this.
    pub fn narrow<T: TryFrom<u64> + PartialOrd>(
        &self,
        quota: Quota,
        deployment: Option<T>,
    ) -> Option<(T, SetBy)> {
        let own = self.get(quota).and_then(|own| T::try_from(own).ok());
        match (deployment, own) {
            (Some(most), Some(own)) if own < most => Some((own, SetBy::Principal)),
            (Some(most), _) => Some((most, SetBy::Deployment)),
            (None, own) => own.map(|own| (own, SetBy::Principal)),
        }
    }

    /// Whether as much may be stored as under those others.
    pub(crate) fn store_as_much_as(&self, others: &Self) -> bool {
        [Quota::Facts, Quota::Bytes].into_iter().all(|quota| match (self.get(quota), others.get(quota)) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(most), Some(other)) => most >= other,
        })
    }
}

/// Whose quota counts. Where both are the same it is the deployment's, since to lift the other would not help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetBy {
    Deployment,
    Principal,
}

/// `5 calls a minute, 100 facts`.
impl fmt::Display for OwnQuotas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = Quota::ALL.into_iter().filter_map(|quota| Some((quota, self.get(quota)?)));
        let told: Vec<String> =
            set.map(|(quota, most)| counted(most, quota.of_one(), quota.label())).collect();
        f.write_str(&told.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::{OwnQuotas, Quota, SetBy};
    use std::num::NonZeroU64;

    #[test]
    fn the_lower_of_both_counts() {
        let own = |facts: Option<u64>| {
            let facts = facts.and_then(NonZeroU64::new);
            OwnQuotas { facts, ..OwnQuotas::default() }
        };
        for (own, deployment, counts) in [
            (own(None), None, None),
            (own(Some(3)), None, Some((3, SetBy::Principal))),
            (own(Some(3)), Some(4), Some((3, SetBy::Principal))),
            (own(Some(3)), Some(3), Some((3, SetBy::Deployment))),
            (own(Some(4)), Some(3), Some((3, SetBy::Deployment))),
            (own(None), Some(3), Some((3, SetBy::Deployment))),
            (own(Some(u64::MAX)), None, None),
        ] {
            assert_eq!(own.narrow::<i64>(Quota::Facts, deployment), counts);
        }
    }

    #[test]
    fn only_what_is_set_is_written_and_told() {
        let mut quotas = OwnQuotas::default();
        assert_eq!(serde_json::to_string(&quotas).unwrap(), "{}");
        quotas.set(Quota::AtOnce, NonZeroU64::new(1));
        quotas.set(Quota::Bytes, NonZeroU64::new(5000));
        let written = r#"{"at_once":1,"bytes":5000}"#;
        assert_eq!(serde_json::to_string(&quotas).unwrap(), written);
        assert_eq!(serde_json::from_str::<OwnQuotas>(written).unwrap(), quotas);
        assert_eq!(quotas.to_string(), "1 call at once, 5000 bytes");
    }
}
