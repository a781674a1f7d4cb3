//! The provider's key set: fetched once however many ask, renewed before it lapses, kept for a while if it cannot be.

use jsonwebtoken::DecodingKey;
use jsonwebtoken::jwk::JwkSet;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// From this age on the set is fetched again while it is still used.
const RENEW: Duration = Duration::from_secs(300);
/// From this age on a request waits for the new set: keys that the provider has withdrawn are forgotten after this.
const LAPSE: Duration = Duration::from_secs(600);
/// How old a set may become where the provider does not answer. ID tokens usually live for an hour, so those that were
/// issued before it fell silent are served out; a stolen key that it would have withdrawn is good for no longer.
const KEEP: Duration = Duration::from_secs(3600);
/// The provider is asked at most this often, whatever key ids strangers send.
const ASK_AGAIN: Duration = Duration::from_secs(10);
const FETCH_TIME: Duration = Duration::from_secs(5);
/// A key set is a few kilobytes.
const KEY_SET_BYTES: usize = 256 * 1024;

#[derive(Debug)]
pub(super) struct KeySet {
    provider: Arc<Provider>,
    /// Held while the provider is asked. Whoever needs the answer waits for it here.
    fetching: Arc<AsyncMutex<()>>,
}

#[derive(Debug)]
struct Provider {
    url: String,
    client: reqwest::Client,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    keys: Option<Fetched>,
    /// When the provider was last asked, with or without success.
    asked: Option<Instant>,
    /// Whether it failed to answer then.
    is_silent: bool,
}

#[derive(Debug)]
struct Fetched {
    keys: JwkSet,
    at: Instant,
}

enum Held {
    Good(DecodingKey),
    /// To be used where there is no newer set.
    Old(DecodingKey),
    None,
}

impl KeySet {
    pub fn new(url: String) -> Result<Self, reqwest::Error> {
        let client = tls::http_client().timeout(FETCH_TIME).build()?;
        let provider = Provider { url, client, state: Mutex::default() };
        Ok(Self { provider: Arc::new(provider), fetching: Arc::default() })
    }

    /// `None` where the provider has no such key, or could not be asked.
    pub async fn key(&self, kid: Option<&str>) -> Option<DecodingKey> {
        if let Held::Good(key) = self.provider.held(kid) {
            if self.provider.wants_renewal()
                && let Ok(turn) = self.fetching.clone().try_lock_owned()
            {
                self.fetch(turn);
            }
            return Some(key);
        }
        let turn = self.fetching.clone().lock_owned().await;
        if self.provider.may_be_asked() {
            // A task of its own: the others wait for this answer even if the client that caused it goes away.
            let _ = self.fetch(turn).await;
        }
        match self.provider.held(kid) {
            Held::Good(key) | Held::Old(key) => Some(key),
            Held::None => None,
        }
    }

    fn fetch(&self, turn: OwnedMutexGuard<()>) -> tokio::task::JoinHandle<()> {
        let provider = self.provider.clone();
        tokio::spawn(async move {
            provider.ask().await;
            drop(turn);
        })
    }

    /// As if this much time had passed.
    #[cfg(test)]
    pub fn age(&self, by: Duration) {
        let mut state = self.provider.state.lock();
        let earlier = |at: Instant| at.checked_sub(by).expect("the machine is up for longer");
        state.asked = state.asked.map(earlier);
        if let Some(fetched) = &mut state.keys {
            fetched.at = earlier(fetched.at);
        }
    }
}

impl Provider {
    fn held(&self, kid: Option<&str>) -> Held {
        let state = self.state.lock();
        let Some(fetched) = &state.keys else { return Held::None };
        let age = fetched.at.elapsed();
        let key = match (kid, fetched.keys.keys.as_slice()) {
            (Some(kid), _) => fetched.keys.find(kid),
            (None, [only]) => Some(only),
            (None, _) => None,
        };
        match key.and_then(|key| DecodingKey::from_jwk(key).ok()) {
            // While the provider is silent nobody waits for it: one in the background asks on.
            Some(key) if age <= LAPSE || (state.is_silent && age <= KEEP) => Held::Good(key),
            Some(key) if age <= KEEP => Held::Old(key),
            _ => Held::None,
        }
    }

    fn may_be_asked(&self) -> bool {
        self.state.lock().asked.is_none_or(|at| at.elapsed() >= ASK_AGAIN)
    }

    fn wants_renewal(&self) -> bool {
        let is_due = self.state.lock().keys.as_ref().is_some_and(|fetched| fetched.at.elapsed() > RENEW);
        is_due && self.may_be_asked()
    }

    async fn ask(&self) {
        self.state.lock().asked = Some(Instant::now());
        let answer = self.answer().await;
        let mut state = self.state.lock();
        state.is_silent = answer.is_err();
        match answer {
            Ok(keys) => state.keys = Some(Fetched { keys, at: Instant::now() }),
            Err(error) => {
                tracing::warn!(%error, "the identity provider's key set could not be fetched");
            }
        }
    }

    async fn answer(&self) -> Result<JwkSet, String> {
        let plain = |error: reqwest::Error| error.without_url().to_string();
        let response = self.client.get(&self.url).send().await.map_err(plain)?;
        let response = response.error_for_status().map_err(plain)?;
        if response.content_length().is_some_and(|length| length > KEY_SET_BYTES as u64) {
            return Err("it is too large".to_owned());
        }
        let body = response.bytes().await.map_err(plain)?;
        if body.len() > KEY_SET_BYTES {
            return Err("it is too large".to_owned());
        }
        serde_json::from_slice(&body).map_err(|_| "it is no key set".to_owned())
    }
}
