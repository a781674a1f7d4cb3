//! Opening a store, and finishing what a process before this one could not.

use super::erasure::finish_for_another;
use crate::StoreError;
use crate::keys::newest_master;
use crate::store::{Store, StoreSettings};
use domain::Timestamp;

impl Store {
    /// Opens the database, setting it up and making its keys where it is new. Must be called within a Tokio runtime.
    pub async fn open(settings: StoreSettings, now: Timestamp) -> Result<Self, StoreError> {
        let store = Self::with(settings, now, finish_for_another).await?;
        if let Err(error) = store.rows_list(now).await {
            // Whatever is wrong is for verify_audit to say, which needs an open database.
            tracing::warn!(%error, "the audit log does not commit to the rows that are there");
        }
        if let Err(error) = store.sources_settle().await {
            tracing::warn!(%error, "how sources are bound could not be kept anew");
        }
        if let Err(error) = store.signing_settle().await {
            tracing::warn!(%error, "what is kept of the signing keys is not in order; svc keys rotate signing puts it so");
        }
        let secrets = store.secrets();
        if newest_master(&secrets.kept)?.is_some_and(|newest| Some(newest) != secrets.sealer.current()) {
            tracing::warn!(
                "a newer master key is in the key file and seals nothing; svc keys rotate master has it seal"
            );
        }
        if let Err(error) = store.announced_resume().await {
            tracing::warn!(%error, "a user's key was destroyed, and what it sealed is still there; delete_all removes it");
        }
        let resuming = store.clone();
        tokio::spawn(async move {
            if let Err(error) = resuming.erasures_resume().await {
                tracing::warn!(%error, "an erasure that was begun earlier is not finished; the next call to its space tries again");
            }
        });
        Ok(store)
    }
}
