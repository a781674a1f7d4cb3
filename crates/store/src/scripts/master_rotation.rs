//! A new master key. It is added to the keys that are kept, then the database says that it seals, and then everything is
//! sealed anew. The keys before it are kept on: backups that were made before need them, and lookups and the macs of rows
//! are derived from the first.

use super::{deployment, master_view, policies, reseal};
use crate::StoreError;
use crate::call::{Call, Record};
use crate::keys::{KeySource, NewMaster, newest_master, shareable};
use crate::rows::deployment::{Claim, KEY_CHECK, KEYS_AT};
use crate::rows::principals::next_version;
use crate::script::{Alone, Db, Ground, Reach, Rows, Script, StoreResult, Touches};
use crate::seal::KeyId;
use crate::store::Store;
use domain::Caller;

/// The action of the entries that tell of it.
const ACTION: &str = "master_key_rotated";

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MasterRotated {
    /// The key is made, and the other hosts need its file before it is used.
    ToBeCopied,
    Rotated {
        key: KeyId,
        /// Values that were sealed anew.
        values: u64,
        /// Whether it finished a rotation that was interrupted, and began none.
        is_resumed: bool,
    },
}

/// Has the newest master key seal; where that one seals already, a new one.
struct Begin {
    call: Call,
    made: NewMaster,
    /// Whether each host has a file of its own that nobody but a person can bring up to date.
    has_copies: bool,
}

impl Script for Begin {
    type Output = Begun;

    fn ground(&self) -> Ground<'_> {
        Ground::of(&self.call)
    }

    fn touches(&self) -> Touches {
        Touches::RowsApart
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<Begun> {
        rows.reach(Reach::Deployment).await?;
        rows.alone(Alone::KeepingApart).await?;
        master_view::follow(rows.db()).await?;
        let secrets = rows.db().secrets();
        let (kept, Some(current)) = (secrets.kept.clone(), secrets.sealer.current()) else {
            return Err(StoreError::Closed);
        };
        if newest_master(&kept)?.is_none_or(|newest| newest == current) {
            self.made.keep(&kept, current)?;
        }
        if self.has_copies && newest_master(&kept)? == Some(self.made.id) {
            return Ok(Begun::ToBeCopied);
        }
        let sealer = rows.db().ring().await?.sealer()?;
        let Some(next) = sealer.current() else { return Err(StoreError::Closed) };
        let sources = policies::sources(rows.db()).await?;
        deployment::set(rows, KEY_CHECK, &Claim::key_check(&sealer, sources)?).await?;
        for (name, file) in shareable(&kept) {
            if let Some(text) = file.text()? {
                deployment::set(rows, name, text.as_bytes()).await?;
            }
        }
        reseal::begin(rows, &next.0).await?;
        deployment::set(rows, KEYS_AT, &next_version()?).await?;
        rows.keys_changed().await?;
        rows.note(&self.call, &Record::done(format!("master key {next} follows {current}"))).await?;
        Ok(Begun::Seals)
    }
}

enum Begun {
    ToBeCopied,
    Seals,
}

impl Store {
    /// Has a new master key seal everything, in pieces between which others are served. A rotation that was interrupted is
    /// finished first, and is then all that is done.
    pub async fn master_rotate(&self, caller: Caller) -> Result<MasterRotated, StoreError> {
        if !self.is_sealed() {
            return Err(StoreError::Startup(
                "SVC_ENCRYPT is off for this deployment, so there is no master key to rotate".to_owned(),
            ));
        }
        let call = Call::new(caller, ACTION, None);
        let is_resumed = self.reseal_is_under_way().await?;
        if !is_resumed {
            let kept = &self.secrets().kept;
            let has_copies = self.is_shared() && matches!(kept.source, KeySource::File);
            let begin = Begin { call: call.clone(), made: NewMaster::make(kept).await?, has_copies };
            if let Begun::ToBeCopied = self.write_now(begin).await? {
                return Ok(MasterRotated::ToBeCopied);
            }
        }
        let values = self.reseal_to_the_end(&call).await?;
        let Some(key) = self.secrets().sealer.current() else { return Err(StoreError::Closed) };
        Ok(MasterRotated::Rotated { key, values, is_resumed })
    }
}
