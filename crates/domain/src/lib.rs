//! The types and words that all other crates share. No input or output, and nothing of the wire format.

pub mod caller;
mod counted;
pub mod date_terms;
pub mod fact;
mod fact_then;
mod fact_times;
pub mod fair_queue;
pub mod fault;
pub mod ids;
pub mod keys;
pub mod limits;
mod moment;
mod notice;
mod once_a_minute;
mod own_quotas;
pub mod places;
pub mod policy;
pub mod principal;
pub mod proposal;
mod share;
pub mod space;
mod times;
mod when;
pub mod wording;
pub mod words;

pub use caller::{Caller, CallerId, Identity};
pub use counted::counted;
pub use fact::{Action, Earlier, Fact, FactKind, Metadata, Pending, REJECTED_BY, Status, Triple};
pub use fact_then::{APPROVED_BY, DECIDED_AT, IMPORTED_DECIDED_AT, SETTLED, WITHDRAWN_BY};
pub use fair_queue::{Account, Capacity, FairQueue};
pub use fault::Fault;
pub use ids::{DecisionId, EntityKey, EntryNumber, FactId, ProjectionId, ReceiptId, SpaceId, SpaceKey};
pub use jiff::Timestamp;
pub use moment::{moment, moment_span};
pub use notice::Notice;
pub use once_a_minute::OnceAMinute;
pub use own_quotas::{OwnQuotas, Quota, SetBy};
pub use places::{Place, Places};
pub use policy::{PolicyMode, SourcePolicy};
pub use principal::{
    Capability, Principal, PrincipalId, PrincipalKind, PrincipalOrigin, PrincipalsVersion, Role, Scopes,
    ShownKey,
};
pub use proposal::{Proposer, RawFact, TimeRef};
pub use share::Share;
pub use space::{DEFAULT_TENANT, DEFAULT_USER, Space, Tenant};
pub use times::Times;
pub use when::{DATE_FORMS, NoDate, When};
pub use wording::{Doubt, Named, Proposed, Wording};
