//! Where a fact lives: a tenant, and a space within it.

use serde::{Deserialize, Serialize};
use std::fmt;

pub const DEFAULT_TENANT: &str = "default";
/// The user of a call that names none.
pub const DEFAULT_USER: &str = "default";

/// The outermost partition: no query crosses it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Tenant(String);

impl Tenant {
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The tenant of the deployment's operator.
    pub fn is_default(&self) -> bool {
        self.0 == DEFAULT_TENANT
    }
}

impl Default for Tenant {
    fn default() -> Self {
        Self(DEFAULT_TENANT.to_owned())
    }
}

impl fmt::Display for Tenant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Facts of one space are reconciled against each other and against nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Space {
    pub user_id: String,
    pub agent_id: String,
    pub run_id: String,
}

impl Space {
    pub fn new(user_id: impl Into<String>, agent_id: impl Into<String>, run_id: impl Into<String>) -> Self {
        Self { user_id: user_id.into(), agent_id: agent_id.into(), run_id: run_id.into() }
    }

    /// Whether this names the user as a whole, rather than one agent or run of theirs.
    pub fn is_whole_user(&self) -> bool {
        self.agent_id.is_empty() && self.run_id.is_empty()
    }
}

/// The form in receipts: `user_id/agent_id/run_id`.
impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.user_id, self.agent_id, self.run_id)
    }
}
