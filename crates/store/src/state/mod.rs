//! Authenticated state: every row has a mac under a key that only the deployment holds, and each entry of the audit log
//! commits to the macs of the rows that its call wrote and removed. Walking the log gives the mac that each row must have,
//! so that one that was put back, added or taken away without the service is found.

mod changes;
mod key;
mod tables;
mod told;

pub(crate) use changes::{Change, Changes, Ledger};
pub(crate) use key::{RowKey, RowMac, StateKey};
pub(crate) use tables::{covered, table_of};
pub(crate) use told::{LastWords, Teller, Told};
