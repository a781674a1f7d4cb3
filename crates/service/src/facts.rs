//! Facts as they are, for the person at the machine: what a script reads as JSON, and the subjects that a prompt
//! completes. It is no tool, so nothing of it is in the audit log; whoever shows values calls the tool first.

use crate::service::Service;
use domain::{Caller, Fact, Space};
use std::sync::Arc;
use store::StoreError;

impl Service {
    /// What is active, then what is flagged, each in the order of their numbers.
    pub async fn standing(&self, caller: &Caller, space: &Space) -> Result<Vec<Arc<Fact>>, StoreError> {
        let open = self.spaces.current(&self.store, caller, space).await?;
        let open = open.read();
        Ok(open.index.iter().chain(open.flagged.values()).cloned().collect())
    }

    /// Every row of the subject, oldest first.
    pub async fn history(
        &self,
        caller: &Caller,
        space: &Space,
        subject: &str,
    ) -> Result<Vec<Fact>, StoreError> {
        self.store.fact_history(caller, space, self.subject(subject)).await
    }

    /// The subject under which facts are held: a declared slot's own name for its aliases.
    pub(crate) fn subject<'a>(&'a self, named: &'a str) -> &'a str {
        self.options.slots.fold(named).map_or(named, |slot| &slot.name)
    }
}
