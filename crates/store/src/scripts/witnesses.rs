//! What the witnesses say of the log, asked for when somebody checks it, and in the background after commits.

use super::witness_file::Turn;
use crate::StoreError;
use crate::script::StoreResult;
use crate::store::Store;
use crate::witness::{Endpoint, Known, Testimony, Way, Witness, Witnessed};
use evidence::SignedHead;
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// A burst of commits is shown to the witnesses as one.
const PAUSE: Duration = Duration::from_secs(1);
/// A witness that does not agree is asked again after this time, or when the log has grown.
const AGAIN: Duration = Duration::from_secs(30);
/// How long a question waits for the one before it.
const TURN_TIME: Duration = Duration::from_secs(10);

impl Store {
    /// Has these witnesses remember the head of the log from now on. Must be called within a Tokio runtime.
    pub fn witnessed_by(self, witnesses: Vec<Witness>) -> Result<Self, StoreError> {
        if witnesses.is_empty() {
            return Ok(self);
        }
        if self.keyring().is_none() {
            return Err(StoreError::Startup(
                "SVC_WITNESS: this deployment was made with SVC_SIGN=off, and a witness takes signed heads only"
                    .to_owned(),
            ));
        }
        let known =
            witnesses.into_iter().map(|witness| self.known(witness)).collect::<Result<Vec<_>, _>>()?;
        let store = self.with_witnesses(known);
        tokio::spawn(watch(store.clone()));
        Ok(store)
    }

    fn known(&self, witness: Witness) -> Result<Known, StoreError> {
        let name = witness.to_string();
        let way = match witness {
            Witness::File(path) => Way::File(self.head_file_at(path)),
            Witness::Http { address, key } => {
                let endpoint = Endpoint::new(address, *key)
                    .map_err(|error| StoreError::Startup(format!("SVC_WITNESS: {name}: {error}")))?;
                Way::Http { endpoint: Box::new(endpoint), entries: 0.into() }
            }
        };
        Ok(Known { name, way, turn: Arc::default(), heard: parking_lot::Mutex::default() })
    }

    /// Asks every witness, and has it remember the newest head where it agrees.
    pub async fn witnesses_ask(&self) -> Vec<Witnessed> {
        let asked = self.witnesses().iter().map(|known| async {
            let said = match self.ask(known).await {
                Ok(said) => said,
                Err(error) => Testimony::Away(format!("the log could not be read: {error}")),
            };
            Witnessed { witness: known.name.clone(), said }
        });
        join_all(asked).await
    }

    /// What is to be said of the witnesses where nobody can compare the log with what they remember.
    pub fn witnesses_unasked(&self, why: &str) -> Vec<Witnessed> {
        let away =
            |known: &Known| Witnessed { witness: known.name.clone(), said: Testimony::Away(why.to_owned()) };
        self.witnesses().iter().map(away).collect()
    }

    async fn ask(&self, known: &Known) -> StoreResult<Testimony> {
        let Some(turn) = turn(known).await else {
            return Ok(Testimony::Away("it has not answered an earlier question".to_owned()));
        };
        match &known.way {
            Way::File(file) => self.file_ask(file, &turn).await,
            Way::Http { endpoint, entries } => self.endpoint_ask(endpoint, entries).await,
        }
    }

    /// The heads that witnesses give out as they were signed.
    pub(super) async fn witnesses_heads(&self) -> Vec<SignedHead> {
        let mut heads = Vec::new();
        for known in self.witnesses() {
            if let (Way::File(file), Some(turn)) = (&known.way, turn(known).await) {
                heads.extend(self.file_heads(file, &turn).await);
            }
        }
        heads
    }

    /// Begins those files anew that are gone or not whole, with the log as it is now; returns their names.
    pub async fn witnesses_begin(&self) -> Result<Vec<String>, StoreError> {
        let mut begun = Vec::new();
        for known in self.witnesses() {
            if let (Way::File(file), Some(turn)) = (&known.way, turn(known).await)
                && self.file_begin_again(file, &turn).await?
            {
                begun.push(known.name.clone());
            }
        }
        Ok(begun)
    }
}

async fn turn(known: &Known) -> Option<Turn> {
    timeout(TURN_TIME, known.turn.clone().lock_owned()).await.ok().map(Arc::new)
}

/// Shows the witnesses each head that has reached the disk. It ends with the runtime.
async fn watch(store: Store) {
    loop {
        let said = store.witnesses_ask().await;
        tell(&store, &said);
        let all_agree = said.iter().all(|witnessed| witnessed.said.is_agreed());
        sleep(PAUSE).await;
        let moved = store.health().head_kept.notified();
        if all_agree {
            moved.await;
        } else {
            let _ = timeout(AGAIN, moved).await;
        }
    }
}

/// Logs what is new.
fn tell(store: &Store, said: &[Witnessed]) {
    for (known, witnessed) in store.witnesses().iter().zip(said) {
        let before = known.heard.lock().replace(witnessed.said.clone());
        let same = before.as_ref().is_some_and(|before| before.kind() == witnessed.said.kind());
        match &witnessed.said {
            _ if same => {}
            said if said.is_against() => tracing::error!("{witnessed}"),
            said if said.is_agreed() && before.is_some() => tracing::info!("{witnessed}"),
            said if said.is_agreed() => {}
            _ => tracing::warn!("{witnessed}"),
        }
    }
}
