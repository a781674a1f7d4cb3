//! Single sign-on: RS256 ID tokens, checked against the key set that the identity provider publishes.

use domain::{Principal, PrincipalKind, PrincipalOrigin, Role, Scopes, Tenant};
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
    /// The address of `/mcp` as clients reach it. Where it is set, a client without a credential is told where to get
    /// one.
    pub resource_url: Option<String>,
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
    /// The key set, and when it was fetched.
    keys: Option<(JwkSet, Instant)>,
    /// When the provider was last asked, with or without success.
    asked: Option<Instant>,
}

impl Oidc {
    pub fn new(config: OidcConfig) -> Result<Self, reqwest::Error> {
        let client = reqwest::Client::builder()
            .timeout(FETCH_TIME)
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self { config, client, cache: Mutex::default() })
    }

    /// The person whom the token identifies.
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
        let data =
            decode::<Map<String, Value>>(token, &key, &validation).map_err(|e| Refused(e.to_string()))?;
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
        let (keys, _) = cache.keys.as_ref().filter(|(_, fetched)| fetched.elapsed() <= KEEP)?;
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
        let response =
            self.client.get(&self.config.jwks_url).send().await.map_err(|e| failed(&e.without_url()))?;
        let response = response.error_for_status().map_err(|e| failed(&e.without_url()))?;
        if response.content_length().is_some_and(|length| length > KEY_SET_BYTES as u64) {
            return Err(failed(&"it is too large"));
        }
        let body = response.bytes().await.map_err(|e| failed(&e.without_url()))?;
        if body.len() > KEY_SET_BYTES {
            return Err(failed(&"it is too large"));
        }
        let keys: JwkSet = serde_json::from_slice(&body).map_err(|_| failed(&"it is no key set"))?;
        self.cache.lock().keys = Some((keys, Instant::now()));
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
            Some(claim) => match words(claims.get(claim)) {
                named if named.is_empty() => Scopes::Only(Vec::new()),
                named => Scopes::parse(&named.join(",")).unwrap_or_else(|| Scopes::Only(Vec::new())),
            },
        };
        Ok(Principal {
            id: PrincipalOrigin::SingleSignOn.id(digest.get(..16).unwrap_or(&digest)),
            // The prefix keeps a person from having the name of a trusted source.
            name: format!("oidc:{subject}"),
            role: self.role(claims),
            kind: PrincipalKind::Human,
            tenant: Tenant::default(),
            scopes,
            shown: None,
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

#[cfg(test)]
mod tests {
    use super::{Oidc, OidcConfig};
    use aws_lc_rs::rand::SystemRandom;
    use aws_lc_rs::rsa::{KeyPair, KeySize};
    use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA256};
    use base64::Engine as _;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD;
    use domain::{Role, Scopes, Timestamp};
    use serde_json::{Value, json};
    use wiremock::matchers::path;
    use wiremock::{Mock, MockServer, ResponseTemplate};

    const ISSUER: &str = "https://id.example";
    const AUDIENCE: &str = "memory";

    fn encoded(part: &Value) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(part.to_string())
    }

    fn token(key: &KeyPair, header: &Value, claims: &Value) -> String {
        let signed = format!("{}.{}", encoded(header), encoded(claims));
        let mut signature = vec![0; key.public_modulus_len()];
        key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature).unwrap();
        format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
    }

    fn jwk(key: &KeyPair, kid: &str) -> Value {
        let public = key.public_key();
        let part = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
        let n = part(public.modulus().big_endian_without_leading_zero());
        let e = part(public.exponent().big_endian_without_leading_zero());
        json!({ "kty": "RSA", "use": "sig", "alg": "RS256", "kid": kid, "n": n, "e": e })
    }

    fn rs256(kid: &str) -> Value {
        json!({ "alg": "RS256", "typ": "JWT", "kid": kid })
    }

    fn claims(over: &Value) -> Value {
        let soon = Timestamp::now().as_second() + 300;
        let mut claims =
            json!({ "iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "exp": soon, "groups": ["staff"] });
        for (name, value) in over.as_object().unwrap() {
            match value {
                Value::Null => claims.as_object_mut().unwrap().remove(name),
                value => claims.as_object_mut().unwrap().insert(name.clone(), value.clone()),
            };
        }
        claims
    }

    /// A provider that publishes these keys, and how often it is asked.
    async fn provider(keys: &[Value], asked: u64) -> MockServer {
        let server = MockServer::start().await;
        Mock::given(path("/jwks"))
            .respond_with(ResponseTemplate::new(200).set_body_json(json!({ "keys": keys })))
            .expect(asked)
            .mount(&server)
            .await;
        server
    }

    fn oidc(server: &MockServer) -> Oidc {
        Oidc::new(OidcConfig {
            issuer: ISSUER.to_owned(),
            audience: AUDIENCE.to_owned(),
            jwks_url: format!("{}/jwks", server.uri()),
            role_map: [("staff".to_owned(), Role::Member), ("root".to_owned(), Role::Admin)].into(),
            default_role: Role::Viewer,
            role_claim: "groups".to_owned(),
            scope_claim: Some("spaces".to_owned()),
            resource_url: None,
        })
        .unwrap()
    }

    #[tokio::test]
    async fn a_good_token_names_a_person_with_a_role_and_scopes() {
        let key = KeyPair::generate(KeySize::Rsa2048).unwrap();
        let server = provider(&[jwk(&key, "k1")], 1).await;
        let oidc = oidc(&server);
        let person = |over: Value| token(&key, &rs256("k1"), &claims(&over));
        let ann = oidc.principal(&person(json!({ "spaces": ["u1", "u2"] }))).await.unwrap();
        assert_eq!((ann.role, ann.name.as_str()), (Role::Member, "oidc:ann"));
        assert_eq!(ann.scopes, Scopes::Only(vec!["u1".to_owned(), "u2".to_owned()]));
        let both = oidc.principal(&person(json!({ "groups": "staff root" }))).await.unwrap();
        assert_eq!(both.role, Role::Admin);
        let unmapped = oidc.principal(&person(json!({ "groups": null }))).await.unwrap();
        assert_eq!((unmapped.role, unmapped.scopes), (Role::Viewer, Scopes::Only(Vec::new())));
        assert_eq!(ann.id, both.id);
    }

    #[tokio::test]
    async fn a_token_that_is_not_exactly_right_is_turned_away() {
        let key = KeyPair::generate(KeySize::Rsa2048).unwrap();
        let stranger = KeyPair::generate(KeySize::Rsa2048).unwrap();
        let server = provider(&[jwk(&key, "k1")], 1).await;
        let oidc = oidc(&server);
        assert!(oidc.principal(&token(&key, &rs256("k1"), &claims(&json!({})))).await.is_ok());
        let past = Timestamp::now().as_second() - 1;
        let wrong = [
            json!({ "iss": "https://other.example" }),
            json!({ "iss": null }),
            json!({ "aud": "another" }),
            json!({ "aud": null }),
            json!({ "exp": past }),
            json!({ "exp": null }),
            json!({ "sub": null }),
            json!({ "nbf": past + 600 }),
        ];
        for over in wrong {
            assert!(oidc.principal(&token(&key, &rs256("k1"), &claims(&over))).await.is_err(), "{over}");
        }
        let forged = token(&stranger, &rs256("k1"), &claims(&json!({})));
        assert!(oidc.principal(&forged).await.is_err());
        for alg in ["none", "HS256", "RS384", "PS256"] {
            let header = json!({ "alg": alg, "kid": "k1" });
            assert!(oidc.principal(&token(&key, &header, &claims(&json!({})))).await.is_err(), "{alg}");
        }
        for garbage in ["", "a.b.c", "...", "\u{0}"] {
            assert!(oidc.principal(garbage).await.is_err());
        }
    }

    #[tokio::test]
    async fn an_unknown_key_asks_the_provider_again_but_not_at_once() {
        let (old, new) =
            (KeyPair::generate(KeySize::Rsa2048).unwrap(), KeyPair::generate(KeySize::Rsa2048).unwrap());
        let server = provider(&[jwk(&old, "old")], 1).await;
        let oidc = oidc(&server);
        assert!(oidc.principal(&token(&old, &rs256("old"), &claims(&json!({})))).await.is_ok());
        // Right after the first fetch strangers' key ids cause no more requests, however many there are.
        for n in 0..20 {
            let kid = format!("new{n}");
            assert!(oidc.principal(&token(&new, &rs256(&kid), &claims(&json!({})))).await.is_err());
        }
        server.verify().await;
        server.reset().await;
        Mock::given(path("/jwks"))
            .respond_with(ResponseTemplate::new(200).set_body_json(json!({ "keys": [jwk(&new, "new")] })))
            .expect(1)
            .mount(&server)
            .await;
        oidc.cache.lock().asked = None;
        assert!(oidc.principal(&token(&new, &rs256("new"), &claims(&json!({})))).await.is_ok());
        assert!(oidc.principal(&token(&old, &rs256("old"), &claims(&json!({})))).await.is_err());
    }
}
