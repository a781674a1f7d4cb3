//! Who may do what.

use crate::OwnQuotas;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Capability {
    Read,
    Write,
    Delete,
    Verify,
    Approve,
    Admin,
}

impl Capability {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
            Self::Verify => "verify",
            Self::Approve => "approve",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Role {
    Admin,
    Member,
    Agent,
    Viewer,
    Auditor,
}

impl Role {
    pub const ALL: [Self; 5] = [Self::Admin, Self::Member, Self::Agent, Self::Viewer, Self::Auditor];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Member => "member",
            Self::Agent => "agent",
            Self::Viewer => "viewer",
            Self::Auditor => "auditor",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|r| r.word() == word)
    }

    pub const fn grants(self, capability: Capability) -> bool {
        use Capability::{Approve, Delete, Read, Verify, Write};
        match self {
            Self::Admin => true,
            Self::Member => matches!(capability, Read | Write | Delete | Verify | Approve),
            Self::Agent => matches!(capability, Read | Write | Verify),
            Self::Viewer => matches!(capability, Read | Verify),
            Self::Auditor => matches!(capability, Verify),
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum PrincipalKind {
    Human,
    #[default]
    Agent,
    Service,
}

impl PrincipalKind {
    pub const ALL: [Self; 3] = [Self::Human, Self::Agent, Self::Service];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Agent => "agent",
            Self::Service => "service",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.word() == word)
    }
}

/// The `user_id`s that a key may touch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scopes {
    All,
    Only(Vec<String>),
}

impl Scopes {
    /// Comma-separated. Nothing, or `*` alone, is every space; `None` for a list that could mean every space by
    /// accident: a `*` among others, or nothing but separators.
    pub fn parse(text: &str) -> Option<Self> {
        let ids: Vec<String> =
            text.split(',').map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned).collect();
        match ids.as_slice() {
            [] => text.trim().is_empty().then_some(Self::All),
            [all] if all == "*" => Some(Self::All),
            _ if ids.iter().any(|id| id == "*") => None,
            _ => Some(Self::Only(ids)),
        }
    }

    pub fn holds(&self, user_id: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(ids) => ids.iter().any(|id| id == user_id),
        }
    }

    fn cover(&self, others: &Self) -> bool {
        match (self, others) {
            (Self::All, _) => true,
            (Self::Only(_), Self::All) => false,
            (Self::Only(_), Self::Only(ids)) => ids.iter().all(|id| self.holds(id)),
        }
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("*"),
            Self::Only(ids) => f.write_str(&ids.join(", ")),
        }
    }
}

/// How a principal proves who they are. Their id begins with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrincipalOrigin {
    ApiKey,
    SingleSignOn,
}

impl PrincipalOrigin {
    pub fn id(self, unique: &str) -> PrincipalId {
        PrincipalId(format!("{}{unique}", self.prefix()))
    }

    /// `None` where it is not the id of a principal.
    pub fn of(id: &str) -> Option<Self> {
        [Self::ApiKey, Self::SingleSignOn].into_iter().find(|origin| id.starts_with(origin.prefix()))
    }

    const fn prefix(self) -> &'static str {
        match self {
            Self::ApiKey => "prin_",
            Self::SingleSignOn => "oidc_",
        }
    }
}

/// As [`PrincipalOrigin::id`] makes it, or as somebody names it who wants to end or rotate a key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PrincipalId(pub String);

impl PrincipalId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PrincipalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    pub id: PrincipalId,
    pub name: String,
    pub role: Role,
    pub kind: PrincipalKind,
    pub tenant: crate::Tenant,
    pub scopes: Scopes,
    pub quotas: OwnQuotas,
    /// What a caller showed to be taken for this principal. There is none where nobody calls, and after single sign-on.
    pub shown: Option<Box<ShownKey>>,
}

impl Principal {
    /// Admins reach every space of their tenant, whatever scopes their key was given.
    pub fn reaches(&self, user_id: &str) -> bool {
        self.role == Role::Admin || self.scopes.holds(user_id)
    }

    /// Whether it may still do, when a call commits, all that it might do when the call began. How often it may call was
    /// counted then.
    pub fn still_allows(&self, began: &Self) -> bool {
        self.role == began.role
            && (self.role == Role::Admin || self.scopes.cover(&began.scopes))
            && self.quotas.store_as_much_as(&began.quotas)
    }
}

/// An API key that was good when a call began. Whether it still is, is asked again where the call commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownKey {
    /// SHA-256 of the whole key.
    pub hash: [u8; 32],
    /// When the key ends by itself; the end of time where it does not.
    pub ends: Timestamp,
    /// The principals among which it was found.
    pub version: PrincipalsVersion,
}

/// Names a state of all principals of the deployment: every change to any of them gives it another value, never one
/// that it had before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PrincipalsVersion(pub u128);

#[cfg(test)]
mod tests {
    use super::{Principal, PrincipalKind, PrincipalOrigin, Role, Scopes};
    use crate::{OwnQuotas, Quota, Tenant};
    use std::num::NonZeroU64;

    fn principal(role: Role, scopes: &str, facts: Option<u64>) -> Principal {
        let mut quotas = OwnQuotas::default();
        quotas.set(Quota::Facts, facts.and_then(NonZeroU64::new));
        Principal {
            id: PrincipalOrigin::ApiKey.id("1"),
            name: "ana".to_owned(),
            role,
            kind: PrincipalKind::Human,
            tenant: Tenant::default(),
            scopes: Scopes::parse(scopes).unwrap(),
            quotas,
            shown: None,
        }
    }

    #[test]
    fn a_call_commits_only_where_nothing_that_it_might_do_was_taken_away() {
        let agent = |scopes, facts| principal(Role::Agent, scopes, facts);
        let began = agent("u1, u2", Some(10));
        for (now, allowed) in [
            (agent("u1, u2", Some(10)), true),
            (agent("u2, u3, u1", None), true),
            (agent("*", Some(11)), true),
            (agent("u1", Some(10)), false),
            (agent("*", Some(9)), false),
            (principal(Role::Member, "u1, u2", Some(10)), false),
        ] {
            assert_eq!(now.still_allows(&began), allowed, "{} {}", now.scopes, now.quotas);
        }
        assert!(!agent("u1", None).still_allows(&agent("*", None)));
        assert!(!agent("*", Some(1)).still_allows(&agent("*", None)));
        let admin = |scopes| principal(Role::Admin, scopes, None);
        assert!(admin("u1").still_allows(&admin("*")), "an admin reaches everybody all the same");
    }

    #[test]
    fn only_nothing_or_a_star_alone_means_every_space() {
        let only = |ids: &[&str]| Some(Scopes::Only(ids.iter().map(|id| (*id).to_owned()).collect()));
        for (text, scopes) in [
            ("", Some(Scopes::All)),
            (" * ", Some(Scopes::All)),
            ("u1, u2", only(&["u1", "u2"])),
            ("u1,", only(&["u1"])),
            (",", None),
            (" , ,", None),
            ("u1,*", None),
            ("*,*", None),
        ] {
            assert_eq!(Scopes::parse(text), scopes, "{text}");
        }
    }
}
