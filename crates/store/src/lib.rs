//! Where facts, evidence and principals are kept. Every method is a whole transaction, and takes the caller whose
//! tenant it stays within.

mod apart;
mod backup;
pub mod blind;
mod call;
mod chain_wait;
mod copy;
mod erasures;
mod error;
mod fsck;
mod head_file;
mod health;
pub mod keys;
mod load;
mod postgres;
mod records;
mod rows;
mod script;
mod scripts;
pub mod seal;
mod secrets;
mod sql;
mod sqlite;
mod state;
mod storage_quota;
mod store;
mod typed_lines;
mod unreadable;
mod user_keys;
mod verification;
mod witness;

pub use backup::{BackedUp, Moved, Restored, backup, migrate_to, restore};
pub use call::{Call, Ending, Record};
pub use chain_wait::ChainWait;
pub use copy::{Beginning, Replace, Step, Watcher};
pub use error::{Part, StoreError};
pub use fsck::{Finding, Fsck, RowName, fsck};
pub use load::{Load, PoolLoad};
pub use postgres::PostgresSettings;
pub use rows::audit::{AuditLine, AuditReport};
pub use rows::audit_list::{AuditQuery, AuditReach};
pub use rows::counters::{Counts, ToolCount};
pub use rows::decisions::{DecisionRow, NewDecision};
pub use rows::erasure::{Also, ErasureSummary, Expired};
pub use rows::export::{Export, ProvenEntry};
pub use rows::facts::SpaceChanges;
pub use rows::graph::{GraphState, Lease, Rebuild};
pub use rows::outbox::OutboxRow;
pub use rows::principals::{
    Creation, KeyHash, NewKey, NextExpiry, PrincipalState, Revocation, Revoked, Rotated, Rotation,
};
pub use rows::receipts::{Attested, ReceiptRow};
pub use rows::restorations::Missing;
pub use rows::schema::Schema;
pub use rows::spaces::{SpaceSize, SpaceVersion};
pub use rows::statements::{ChangeVerdict, Edit, Intent, Planned, Proposer, Said};
pub use scripts::extract::{ExtractEnds, ExtractedEntry};
pub use scripts::head_proofs::LogProof;
pub use scripts::left_out::LeftOut;
pub use scripts::listings::EvidenceList;
pub use scripts::readiness::NotReady;
pub use sqlite::{Meter, SqliteSettings};
pub use storage_quota::{Amount, OverStorage, StorageQuota, StorageQuotas};
pub use store::{Store, StoreSettings};
pub use typed_lines::{Added, TypedLines};
pub use witness::{Testimony, Witness, Witnessed};
