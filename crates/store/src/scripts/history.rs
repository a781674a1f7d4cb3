//! All that a space has ever held, as far as it was not erased.

use super::spaces::SpaceQuery;
use super::{facts, receipts};
use crate::StoreError;
use crate::rows::spaces::SpaceVersion;
use crate::script::{Db, StoreResult};
use crate::store::Store;
use domain::{Caller, Fact, ReceiptId, Space, SpaceKey, Timestamp};
use evidence::ReceiptKind;

/// Every fact of a space, whatever its status, and when something was erased from it.
#[derive(Debug, Default)]
pub struct SpaceHistory {
    /// By number.
    pub facts: Vec<Fact>,
    pub erasures: Vec<(ReceiptId, Timestamp)>,
}

struct History;

impl SpaceQuery for History {
    type Output = SpaceHistory;

    fn is_large(&self) -> bool {
        true
    }

    async fn run<D: Db>(
        &self,
        db: &mut D,
        space: SpaceKey<'_>,
        _: SpaceVersion,
    ) -> StoreResult<SpaceHistory> {
        let (facts, _) = facts::of_space(db, space).await?;
        let mut erasures = Vec::new();
        for row in receipts::of_space(db, space).await? {
            match receipts::open(db, space.tenant, &row).await {
                Ok(signed) if matches!(signed.statement.kind, ReceiptKind::Erasure(_)) => {
                    erasures.push((signed.statement.id, signed.statement.ts));
                }
                Ok(_) => {}
                Err(error) if error.is_of_content() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(SpaceHistory { facts, erasures })
    }
}

impl Store {
    pub async fn space_history(&self, caller: &Caller, space: &Space) -> Result<SpaceHistory, StoreError> {
        Ok(self.read_in(caller, space, History).await?.unwrap_or_default())
    }
}
