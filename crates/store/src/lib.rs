//! Where facts, evidence and principals are kept. Every method is a whole transaction, and takes the caller whose
//! tenant it stays within.

pub mod blind;
mod call;
mod error;
pub mod keys;
pub mod seal;
mod secrets;
mod sqlite;

pub use call::{Call, Ending, Record};
pub use error::StoreError;
pub use sqlite::{
    Also, Attested, AuditLine, AuditReach, AuditReport, Counts, Creation, DecisionRow, Edit, Erased, Expired,
    Export, Intent, KeyHash, Meter, NewDecision, Planned, PrincipalState, ReceiptRow, Revocation, Said,
    Schema, SpaceChanges, SpaceVersion, Store, StoreSettings, ToolCount, Verdict,
};
