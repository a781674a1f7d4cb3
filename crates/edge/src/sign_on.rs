//! Signing on at the identity provider, for a person with a browser: the authorization code flow with PKCE.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use parking_lot::Mutex;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt;
use std::time::{Duration, Instant};
use url::Url;
use url::form_urlencoded::Serializer;

/// Time to type a password and to find a second factor.
const LASTS: Duration = Duration::from_secs(600);
/// Who begins and does not come back takes up a place until then. The oldest makes room, so nobody is turned away; and so
/// many do not come from one address in that time.
const MOST: usize = 10_000;
/// The provider's addresses seldom change.
const KEEP_ENDPOINTS: Duration = Duration::from_secs(3600);
const ANSWER_TIME: Duration = Duration::from_secs(10);
/// What the provider answers is a few kilobytes.
const ANSWER_BYTES: usize = 256 * 1024;

#[derive(Clone)]
pub struct SignOnConfig {
    pub issuer: String,
    pub client_id: String,
    /// `None` for a client that keeps no secret, where PKCE alone shows who began.
    pub client_secret: Option<String>,
    /// Where the provider sends the browser back to.
    pub redirect_uri: String,
}

impl fmt::Debug for SignOnConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignOnConfig").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

/// Why somebody could not sign on; for the log alone.
#[derive(Debug)]
pub struct SignOnError(pub String);

/// Where the browser goes, and the state that it must bring back.
#[derive(Debug)]
pub struct Departure {
    pub address: String,
    pub state: String,
}

/// What the provider gave for the code, not yet checked.
pub struct Arrival {
    pub id_token: String,
    /// What the token must name, or it was given to somebody else.
    pub nonce: String,
}

impl fmt::Debug for Arrival {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Arrival")
    }
}

pub struct SignOn {
    config: SignOnConfig,
    client: reqwest::Client,
    endpoints: Mutex<Option<(Endpoints, Instant)>>,
    begun: Mutex<Departed>,
}

#[derive(Clone)]
struct Endpoints {
    authorization: String,
    token: String,
}

struct Begun {
    verifier: String,
    nonce: String,
    at: Instant,
}

/// Who left for the provider, by the hash of their state.
#[derive(Default)]
struct Departed(HashMap<[u8; 32], Begun>);

impl Departed {
    fn add(&mut self, state: &str, begun: Begun) {
        self.0.retain(|_, one| begun.at.saturating_duration_since(one.at) < LASTS);
        if self.0.len() >= MOST {
            let oldest = self.0.iter().min_by_key(|(_, one)| one.at).map(|(state, _)| *state);
            oldest.map(|state| self.0.remove(&state));
        }
        self.0.insert(Sha256::digest(state).into(), begun);
    }

    fn take(&mut self, state: &str, now: Instant) -> Option<Begun> {
        let begun = self.0.remove::<[u8; 32]>(&Sha256::digest(state).into())?;
        (now.saturating_duration_since(begun.at) < LASTS).then_some(begun)
    }
}

impl fmt::Debug for SignOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignOn").field("config", &self.config).finish_non_exhaustive()
    }
}

impl SignOn {
    pub fn new(config: SignOnConfig) -> std::io::Result<Self> {
        let client = tls::http_client().timeout(ANSWER_TIME).build().map_err(std::io::Error::other)?;
        Ok(Self { config, client, endpoints: Mutex::default(), begun: Mutex::default() })
    }

    /// Who signs people on.
    pub fn issuer(&self) -> &str {
        &self.config.issuer
    }

    pub async fn begin(&self) -> Result<Departure, SignOnError> {
        let endpoints = self.endpoints().await?;
        let (state, nonce, verifier) = (random()?, random()?, random()?);
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&verifier));
        let mut address = Url::parse(&endpoints.authorization).map_err(|e| SignOnError(e.to_string()))?;
        address.query_pairs_mut().extend_pairs([
            ("response_type", "code"),
            ("client_id", &self.config.client_id),
            ("redirect_uri", &self.config.redirect_uri),
            ("scope", "openid"),
            ("state", &state),
            ("nonce", &nonce),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ]);
        self.begun.lock().add(&state, Begun { verifier, nonce, at: Instant::now() });
        Ok(Departure { address: address.into(), state })
    }

    /// Has the code exchanged for an ID token. A state works once.
    pub async fn finish(&self, state: &str, code: &str) -> Result<Arrival, SignOnError> {
        let begun = self.begun.lock().take(state, Instant::now());
        let begun = begun.ok_or_else(|| SignOnError("nobody began this, or too long ago".to_owned()))?;
        let endpoints = self.endpoints().await?;
        let request = self
            .client
            .post(&endpoints.token)
            .header("content-type", "application/x-www-form-urlencoded")
            .header("accept", "application/json")
            .body(self.form(code, &begun.verifier));
        let answer = answer(request).await?;
        let id_token = answer.get("id_token").and_then(Value::as_str).map(str::to_owned);
        let id_token = id_token.ok_or_else(|| SignOnError("the provider gave no ID token".to_owned()))?;
        Ok(Arrival { id_token, nonce: begun.nonce })
    }

    fn form(&self, code: &str, verifier: &str) -> String {
        let mut form = Serializer::new(String::new());
        form.extend_pairs([
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &self.config.redirect_uri),
            ("client_id", &self.config.client_id),
            ("code_verifier", verifier),
        ]);
        if let Some(secret) = &self.config.client_secret {
            form.append_pair("client_secret", secret);
        }
        form.finish()
    }

    /// As the provider publishes them.
    async fn endpoints(&self) -> Result<Endpoints, SignOnError> {
        let kept = self.endpoints.lock().clone();
        if let Some((endpoints, _)) = kept.filter(|(_, at)| at.elapsed() < KEEP_ENDPOINTS) {
            return Ok(endpoints);
        }
        let issuer = self.config.issuer.trim_end_matches('/');
        let published = answer(self.client.get(format!("{issuer}/.well-known/openid-configuration"))).await?;
        let named = |name: &str| {
            let text = published.get(name).and_then(Value::as_str);
            text.map(str::to_owned).ok_or_else(|| SignOnError(format!("the provider publishes no {name}")))
        };
        if named("issuer")? != self.config.issuer {
            return Err(SignOnError("the provider publishes the addresses of another one".to_owned()));
        }
        let endpoints =
            Endpoints { authorization: named("authorization_endpoint")?, token: named("token_endpoint")? };
        *self.endpoints.lock() = Some((endpoints.clone(), Instant::now()));
        Ok(endpoints)
    }
}

async fn answer(request: reqwest::RequestBuilder) -> Result<Value, SignOnError> {
    let plain = |error: reqwest::Error| SignOnError(error.without_url().to_string());
    let response = request.send().await.map_err(plain)?.error_for_status().map_err(plain)?;
    if response.content_length().is_some_and(|length| length > ANSWER_BYTES as u64) {
        return Err(SignOnError("the provider's answer is too large".to_owned()));
    }
    let body = response.bytes().await.map_err(plain)?;
    serde_json::from_slice(&body).map_err(|_| SignOnError("the provider's answer is no JSON".to_owned()))
}

/// 32 random bytes in hexadecimal, which a verifier of PKCE may be.
fn random() -> Result<String, SignOnError> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|e| SignOnError(e.to_string()))?;
    Ok(hex::encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::{Begun, Departed, LASTS, MOST};
    use std::time::{Duration, Instant};

    #[test]
    fn the_oldest_departure_makes_room() {
        let (mut departed, start) = (Departed::default(), Instant::now());
        let begun = |at| Begun { verifier: String::new(), nonce: String::new(), at };
        for n in 0..=MOST as u32 {
            departed.add(&n.to_string(), begun(start + Duration::from_millis(1) * n));
        }
        let now = start + Duration::from_secs(60);
        assert!(departed.take("0", now).is_none());
        assert!(departed.take("1", now).is_some());
        assert!(departed.take("1", now).is_none(), "a state works once");
        assert!(departed.take(&MOST.to_string(), start + LASTS * 2).is_none());
    }
}
