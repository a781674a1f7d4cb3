//! What reads and writes have in common.

use super::known::Known;
use super::waited::Waited;
use crate::head_file::{HeadFile, Lag};
use crate::rows::log_end::LastEnd;
use crate::secrets::Secrets;
use deadpool_postgres::Pool;
use domain::Places;
use std::sync::Arc;

pub(crate) struct Shared {
    pub reading: Pool,
    /// The places in which the connections for reading are used.
    pub places: Places,
    pub writing: Pool,
    /// For single statements on what is of the whole deployment.
    pub desk: Pool,
    pub verification: Pool,
    pub secrets: Arc<Secrets>,
    pub head_file: HeadFile,
    pub head_lag: Lag,
    /// Heads that the log was seen to pass through.
    pub known: Known,
    pub last_end: LastEnd,
    pub waited: Waited,
}
