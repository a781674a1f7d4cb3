//! The words that every other crate speaks. No input or output, and nothing of the wire.

pub mod caller;
pub mod fact;
pub mod fault;
pub mod keys;
pub mod limits;
pub mod look;
pub mod policy;
pub mod principal;
pub mod proposal;
pub mod space;

pub use caller::{Caller, Identity, is_caller_id, is_principal_id};
pub use fact::{Action, Earlier, Fact, FactId, FactKind, Metadata, Pending, REJECTED_BY, Status, Triple};
pub use fault::Fault;
pub use jiff::Timestamp;
pub use look::{Doubt, Look, Named, Proposed};
pub use policy::{PolicyMode, SourcePolicy};
pub use principal::{Capability, Principal, PrincipalKind, Role, Scopes};
pub use proposal::{RawFact, TimeRef};
pub use space::{DEFAULT_TENANT, DEFAULT_USER, Space, Tenant};
