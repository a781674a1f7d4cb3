//! Which erasures this process is finishing: one task works at each of them, and the others wait for it.

use domain::{ReceiptId, Tenant};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use tokio::sync::OwnedMutexGuard;

type Turn = tokio::sync::Mutex<()>;

#[derive(Default)]
pub(crate) struct Erasures(Mutex<HashMap<(Tenant, ReceiptId), Weak<Turn>>>);

impl Erasures {
    /// Waits until nobody else in this process works at the erasure.
    pub async fn alone(&self, tenant: &Tenant, id: ReceiptId) -> OwnedMutexGuard<()> {
        let turn = self.turn(tenant, id);
        turn.lock_owned().await
    }

    fn turn(&self, tenant: &Tenant, id: ReceiptId) -> Arc<Turn> {
        let mut turns = self.0.lock();
        turns.retain(|_, turn| turn.strong_count() > 0);
        let key = (tenant.clone(), id);
        if let Some(turn) = turns.get(&key).and_then(Weak::upgrade) {
            return turn;
        }
        let turn = Arc::new(Turn::default());
        turns.insert(key, Arc::downgrade(&turn));
        turn
    }
}
