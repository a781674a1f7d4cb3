//! Single sign-on: RS256 ID tokens, checked against the key set that the identity provider publishes.

use domain::{Principal, PrincipalKind, Role, Scopes, Tenant};
use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use parking_lot::Mutex;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Keys that the provider has withdrawn are forgotten after this.
const KEEP: Duration = Duration::from_secs(600);
/// An unknown key id asks the provider again at most this often, whoever sends such tokens.
const ASK_AGAIN: Duration = Duration::from_secs(10);
const FETCH_TIME: Duration = Duration::from_secs(5);
/// A key set is a few kilobytes.
const KEY_SET_BYTES: usize = 256 * 1024;

#[derive(Debug, Clone)]
pub struct OidcConfig {
    pub issuer: String,
    pub audience: String,
    pub jwks_url: String,
    /// Which role a group of the identity provider has here.
    pub role_map: BTreeMap<String, Role>,
    pub default_role: Role,
    pub role_claim: String,
    pub scope_claim: Option<String>,
}

/// Why a token was turned away; for the log alone.
#[derive(Debug)]
pub(crate) struct Refused(pub String);

#[derive(Debug)]
pub(crate) struct Oidc {
    config: OidcConfig,
    client: reqwest::Client,
    cache: Mutex<Cache>,
}

#[derive(Debug, Default)]
struct Cache {
    keys: JwkSetOrEmpty,
    fetched: Option<Instant>,
    asked: Option<Instant>,
}

#[derive(Debug)]
struct JwkSetOrEmpty(JwkSet);

impl Default for JwkSetOrEmpty {
    fn default() -> Self {
        Self(JwkSet { keys: Vec::new() })
    }
}

impl Oidc {
    pub fn new(config: OidcConfig) -> Result<Self, reqwest::Error> {
        let client = reqwest::Client::builder()
            .timeout(FETCH_TIME)
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self { config, client, cache: Mutex::default() })
    }

    /// The person that the token speaks for.
    pub async fn principal(&self, token: &str) -> Result<Principal, Refused> {
        let header = decode_header(token).map_err(|e| Refused(format!("malformed header: {e}")))?;
        // Said before any key is looked up: a token must not choose how it is checked.
        if header.alg != Algorithm::RS256 {
            return Err(Refused(format!("signed with {:?}; only RS256 is taken", header.alg)));
        }
        let key = self.key(header.kid.as_deref()).await?;
        let mut validation = Validation::new(Algorithm::RS256);
        validation.set_issuer(&[&self.config.issuer]);
        validation.set_audience(&[&self.config.audience]);
        validation.set_required_spec_claims(&["iss", "aud", "exp", "sub"]);
        validation.validate_nbf = true;
        validation.leeway = 0;
        let data = decode::<Map<String, Value>>(token, &key, &validation).map_err(|e| Refused(e.to_string()))?;
        self.person(&data.claims)
    }

    async fn key(&self, kid: Option<&str>) -> Result<DecodingKey, Refused> {
        if let Some(key) = self.cached(kid) {
            return Ok(key);
        }
        self.fetch().await?;
        self.cached(kid).ok_or_else(|| Refused("no such key in the provider's key set".to_owned()))
    }

    fn cached(&self, kid: Option<&str>) -> Option<DecodingKey> {
        let cache = self.cache.lock();
        if cache.fetched.is_none_or(|at| at.elapsed() > KEEP) {
            return None;
        }
        let keys = &cache.keys.0;
        let key = match (kid, keys.keys.as_slice()) {
            (Some(kid), _) => keys.find(kid)?,
            (None, [only]) => only,
            (None, _) => return None,
        };
        DecodingKey::from_jwk(key).ok()
    }

    async fn fetch(&self) -> Result<(), Refused> {
        {
            let mut cache = self.cache.lock();
            if cache.asked.is_some_and(|at| at.elapsed() < ASK_AGAIN) {
                return Ok(());
            }
            cache.asked = Some(Instant::now());
        }
        let failed = |e: &dyn std::fmt::Display| Refused(format!("the key set could not be fetched: {e}"));
        let response = self.client.get(&self.config.jwks_url).send().await.map_err(|e| failed(&e.without_url()))?;
        let response = response.error_for_status().map_err(|e| failed(&e.without_url()))?;
        if response.content_length().is_some_and(|length| length > KEY_SET_BYTES as u64) {
            return Err(failed(&"it is too large"));
        }
        let body = response.bytes().await.map_err(|e| failed(&e.without_url()))?;
        if body.len() > KEY_SET_BYTES {
            return Err(failed(&"it is too large"));
        }
        let keys: JwkSet = serde_json::from_slice(&body).map_err(|_| failed(&"it is no key set"))?;
        let mut cache = self.cache.lock();
        cache.keys = JwkSetOrEmpty(keys);
        cache.fetched = Some(Instant::now());
        Ok(())
    }

    fn person(&self, claims: &Map<String, Value>) -> Result<Principal, Refused> {
        let subject = claims.get("sub").and_then(Value::as_str).filter(|sub| !sub.is_empty());
        let subject = subject.ok_or_else(|| Refused("without a subject".to_owned()))?;
        let mut hash = Sha256::new();
        hash.update((self.config.issuer.len() as u64).to_be_bytes());
        hash.update(&self.config.issuer);
        hash.update(subject);
        let digest = hex::encode(hash.finalize());
        let scopes = match &self.config.scope_claim {
            None => Scopes::All,
            // A person whose token names no space reaches none.
            Some(claim) => match Scopes::parse(&words(claims.get(claim)).join(",")) {
                Scopes::All if words(claims.get(claim)).is_empty() => Scopes::Only(Vec::new()),
                scopes => scopes,
            },
        };
        Ok(Principal {
            id: format!("oidc_{}", digest.get(..16).unwrap_or(&digest)),
            // The prefix keeps a person from bearing the name of a trusted source.
            name: format!("oidc:{subject}"),
            role: self.role(claims),
            kind: PrincipalKind::Human,
            tenant: Tenant::default(),
            scopes,
        })
    }

    /// The most that one of the person's groups grants.
    fn role(&self, claims: &Map<String, Value>) -> Role {
        let groups = words(claims.get(&self.config.role_claim));
        let mapped = groups.iter().filter_map(|group| self.config.role_map.get(*group).copied());
        mapped.min().unwrap_or(self.config.default_role)
    }
}

/// A claim that is a list of strings, or one string of words.
fn words(claim: Option<&Value>) -> Vec<&str> {
    match claim {
        Some(Value::String(text)) => text.split([' ', ',']).filter(|word| !word.is_empty()).collect(),
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}
