//! Asking a witness over HTTP. It is shown the newest head of the log that is on the disk, with the proof that it continues
//! what the witness has cosigned before. What that was, the witness says itself: its answer is what a log that was rolled
//! back together with all our files is found by.

use super::head_proofs::Consistency;
use super::log::standing;
use crate::script::{Db, Query, Reach, StoreResult};
use crate::store::Store;
use crate::witness::{Answer, Endpoint, Testimony};
use evidence::{AddCheckpoint, SignedHead};
use std::sync::atomic::{AtomicU64, Ordering};

/// Other processes move the witness on too; after this many tries the next time is as good.
const TRIES: usize = 4;

/// Whether the operator has confirmed that the entries up to this one are lost.
struct Excused(u64);

impl Query for Excused {
    type Output = bool;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<bool> {
        Ok(standing(db, Vec::new()).await?.excuses(self.0, db.secrets()))
    }
}

impl Store {
    pub(super) async fn endpoint_ask(
        &self,
        endpoint: &Endpoint,
        entries: &AtomicU64,
    ) -> StoreResult<Testimony> {
        let said = self.endpoint_show(endpoint, entries).await?;
        if let Testimony::Longer { entries, .. } | Testimony::Forked { entries } = said
            && self.read(Excused(entries)).await?
        {
            return Ok(Testimony::Outdated { entries });
        }
        Ok(said)
    }

    async fn endpoint_show(&self, endpoint: &Endpoint, entries: &AtomicU64) -> StoreResult<Testimony> {
        let mut has = entries.load(Ordering::Relaxed);
        for _ in 0..TRIES {
            let Some(head) = self.head_on_disk().await? else { return Ok(Testimony::Agrees { entries: 0 }) };
            let size = head.statement.at.size;
            // A witness never goes back, and neither does the head on the disk.
            if has > size {
                return Ok(Testimony::Longer { entries: has, log: size });
            }
            let Some(proof) = self.read(Consistency { old: has, size }).await? else {
                return Ok(Testimony::Purged { entries: has });
            };
            let Some(request) = self.request(&head, has, proof) else {
                let why = "the head is of an earlier version; make any call, and try again";
                return Ok(Testimony::Away(why.to_owned()));
            };
            match endpoint.ask(&request, &head.statement).await {
                Answer::Cosigned => {
                    entries.store(size, Ordering::Relaxed);
                    return Ok(Testimony::Agrees { entries: size });
                }
                // The very size that was asked for: it has another root.
                Answer::Has(it_has) if it_has == has && has == size => {
                    return Ok(Testimony::Forked { entries: has });
                }
                Answer::Has(it_has) if it_has == has => {
                    let why = format!("it has {has} entries, and denies it");
                    return Ok(Testimony::Unbelieved(why));
                }
                Answer::Has(it_has) => has = it_has,
                Answer::NotConsistent => return Ok(Testimony::Forked { entries: has }),
                Answer::Unbelieved(why) => return Ok(Testimony::Unbelieved(why)),
                Answer::Away(why) => return Ok(Testimony::Away(why)),
            }
        }
        Ok(Testimony::Away("others kept moving it on while it was asked".to_owned()))
    }

    fn request(&self, head: &SignedHead, old: u64, proof: Vec<evidence::Hash>) -> Option<AddCheckpoint> {
        let note = head.note(&self.keyring()?)?;
        Some(AddCheckpoint { old, proof, note })
    }
}
