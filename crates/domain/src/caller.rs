//! Who asks, for which tenant, in which request, and until when an answer is of use.

use crate::{Account, Capability, Notice, Principal, PrincipalOrigin, Role, Tenant};
use jiff::Timestamp;
use std::time::Instant;

const LOCAL: &str = "local";
const ANONYMOUS: &str = "anonymous";
/// What the service does by itself it does within a space, so a user may have this name.
const SERVICE: &str = "service";

/// The caller that an id in the audit log names. What is done outside any space is logged under the caller's own id, so
/// no space may be made for a user whose name is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallerId {
    Local,
    Anonymous,
    Principal(PrincipalOrigin),
}

impl CallerId {
    /// `None` for the name of a user.
    pub fn of(id: &str) -> Option<Self> {
        match id {
            LOCAL => Some(Self::Local),
            ANONYMOUS => Some(Self::Anonymous),
            _ => PrincipalOrigin::of(id).map(Self::Principal),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// The person at this machine, over stdio.
    Local,
    Principal(Principal),
    /// Nobody: stdio while authentication is required.
    Anonymous,
    /// The service itself, when it finishes what a caller began. It calls no tool.
    Service,
}

/// Goes through every store call: no query can forget the tenant.
#[derive(Debug, Clone)]
pub struct Caller {
    pub identity: Identity,
    pub tenant: Tenant,
    pub request_id: String,
    pub now: Timestamp,
    pub deadline: Instant,
    /// What the call is waiting for, for those who wait for the call.
    pub notice: Notice,
    /// Of a person who decides on a change: a fingerprint of what they were shown as current. Where that has changed,
    /// nothing is decided.
    pub shown: Option<String>,
}

impl Caller {
    pub fn new(identity: Identity, request_id: String, now: Timestamp, deadline: Instant) -> Self {
        let tenant = match &identity {
            Identity::Principal(p) => p.tenant.clone(),
            Identity::Local | Identity::Anonymous | Identity::Service => Tenant::default(),
        };
        // What is stored and signed is kept to the microsecond; a finer time would not read back as it was signed.
        let now = Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now);
        Self { identity, tenant, request_id, now, deadline, notice: Notice::default(), shown: None }
    }

    /// The caller's name in the audit log.
    pub fn id(&self) -> &str {
        match &self.identity {
            Identity::Local => LOCAL,
            Identity::Principal(p) => p.id.as_str(),
            Identity::Anonymous => ANONYMOUS,
            Identity::Service => SERVICE,
        }
    }

    /// On whose account the work for this caller goes.
    pub fn account(&self) -> Account {
        Account { tenant: self.tenant.clone(), caller: self.id().to_owned() }
    }

    pub fn role(&self) -> Option<Role> {
        match &self.identity {
            Identity::Local => Some(Role::Admin),
            Identity::Principal(p) => Some(p.role),
            Identity::Anonymous | Identity::Service => None,
        }
    }

    pub fn can(&self, capability: Capability) -> bool {
        self.role().is_some_and(|r| r.grants(capability))
    }

    pub fn reaches(&self, user_id: &str) -> bool {
        match &self.identity {
            Identity::Local => true,
            Identity::Principal(p) => p.reaches(user_id),
            Identity::Anonymous | Identity::Service => false,
        }
    }

    /// The operator of the deployment: an admin of the default tenant.
    pub fn is_operator(&self) -> bool {
        self.tenant.is_default() && self.can(Capability::Admin)
    }
}
