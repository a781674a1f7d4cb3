use super::{Oidc, OidcConfig};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::{Role, Scopes, Timestamp};
use ring::rand::SystemRandom;
use ring::rsa::{KeyPair, PublicKeyComponents};
use ring::signature::RSA_PKCS1_SHA256;
use serde_json::{Value, json};
use std::time::Duration;
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

const ISSUER: &str = "https://id.example";
const AUDIENCE: &str = "memory";

/// The key of the provider. Keys for these tests alone, since the library makes none.
fn key() -> KeyPair {
    KeyPair::from_pkcs8(include_bytes!("test_keys/provider.pk8")).unwrap()
}

/// A key that the provider does not publish, or not yet.
fn other_key() -> KeyPair {
    KeyPair::from_pkcs8(include_bytes!("test_keys/stranger.pk8")).unwrap()
}

fn encoded(part: &Value) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(part.to_string())
}

fn token(key: &KeyPair, header: &Value, claims: &Value) -> String {
    let signed = format!("{}.{}", encoded(header), encoded(claims));
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature).unwrap();
    format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
}

fn jwk(key: &KeyPair, kid: &str) -> Value {
    let public = PublicKeyComponents::<Vec<u8>>::from(key.public());
    let [n, e] = [public.n, public.e].map(|part| BASE64_URL_SAFE_NO_PAD.encode(part));
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
        role_map: [("staff", Role::Member), ("root", Role::Admin), ("night shift", Role::Agent)]
            .map(|(group, role)| (group.to_owned(), role))
            .into(),
        default_role: Role::Viewer,
        role_claim: "groups".to_owned(),
        scope_claim: Some("spaces".to_owned()),
        resource_url: None,
    })
    .unwrap()
}

#[tokio::test]
async fn a_good_token_names_a_person_with_a_role_and_scopes() {
    let key = key();
    let server = provider(&[jwk(&key, "k1")], 1).await;
    let oidc = oidc(&server);
    let person = |over: Value| token(&key, &rs256("k1"), &claims(&over));
    let ann = oidc.principal(&person(json!({ "spaces": ["u1", "u2"] }))).await.unwrap();
    assert_eq!((ann.role, ann.name.as_str()), (Role::Member, "oidc:ann"));
    assert_eq!(ann.scopes, Scopes::Only(vec!["u1".to_owned(), "u2".to_owned()]));
    let both = oidc.principal(&person(json!({ "groups": ["staff", "root"] }))).await.unwrap();
    assert_eq!(both.role, Role::Admin);
    for (group, role) in [("root", Role::Admin), ("staff root", Role::Viewer), ("night shift", Role::Agent)] {
        let one = oidc.principal(&person(json!({ "groups": group }))).await.unwrap();
        assert_eq!(one.role, role, "{group}");
    }
    let unmapped = oidc.principal(&person(json!({ "groups": null }))).await.unwrap();
    assert_eq!((unmapped.role, unmapped.scopes), (Role::Viewer, Scopes::Only(Vec::new())));
    assert_eq!(ann.id, both.id);
}

#[tokio::test]
async fn a_token_that_is_not_exactly_right_is_turned_away() {
    let key = key();
    let stranger = other_key();
    let server = provider(&[jwk(&key, "k1")], 1).await;
    let oidc = oidc(&server);
    assert!(oidc.principal(&token(&key, &rs256("k1"), &claims(&json!({})))).await.is_ok());
    let past = Timestamp::now().as_second() - 1;
    let wrong = [
        json!({ "iss": "https://other.example" }),
        json!({ "iss": null }),
        json!({ "iss": [ISSUER] }),
        json!({ "iss": [ISSUER, "https://other.example"] }),
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
    let (old, new) = (key(), other_key());
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
    oidc.keys.age(Duration::from_secs(11));
    assert!(oidc.principal(&token(&new, &rs256("new"), &claims(&json!({})))).await.is_ok());
    assert!(oidc.principal(&token(&old, &rs256("old"), &claims(&json!({})))).await.is_err());
}

/// A provider that publishes this key, and answers after this time.
async fn slow_provider(key: &Value, after: Duration, asked: u64) -> MockServer {
    let server = MockServer::start().await;
    let answer = ResponseTemplate::new(200).set_body_json(json!({ "keys": [key] })).set_delay(after);
    Mock::given(path("/jwks")).respond_with(answer).expect(asked).mount(&server).await;
    server
}

#[tokio::test]
async fn all_wait_for_the_one_fetch() {
    let key = key();
    let server = slow_provider(&jwk(&key, "k1"), Duration::from_millis(200), 1).await;
    let oidc = oidc(&server);
    let good = token(&key, &rs256("k1"), &claims(&json!({})));
    let people = futures_util::future::join_all((0..20).map(|_| oidc.principal(&good))).await;
    assert_eq!(people.iter().filter(|person| person.is_ok()).count(), 20);
}

#[tokio::test]
async fn a_client_that_goes_away_does_not_end_the_fetch_for_the_others() {
    let key = key();
    let server = slow_provider(&jwk(&key, "k1"), Duration::from_millis(200), 1).await;
    let oidc = oidc(&server);
    let good = token(&key, &rs256("k1"), &claims(&json!({})));
    let left = tokio::time::timeout(Duration::from_millis(50), oidc.principal(&good)).await;
    assert!(left.is_err(), "the provider answered at once");
    assert!(oidc.principal(&good).await.is_ok());
}

#[tokio::test]
async fn keys_are_renewed_before_they_lapse() {
    let key = key();
    let server = provider(&[jwk(&key, "k1")], 2).await;
    let oidc = oidc(&server);
    let good = token(&key, &rs256("k1"), &claims(&json!({})));
    assert!(oidc.principal(&good).await.is_ok());
    oidc.keys.age(Duration::from_secs(301));
    // This one is served from what is there, and has it fetched again besides.
    assert!(oidc.principal(&good).await.is_ok());
    while server.received_requests().await.unwrap().len() < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(oidc.principal(&good).await.is_ok());
}

#[tokio::test]
async fn a_withdrawn_key_is_forgotten_when_the_set_has_lapsed() {
    let (old, new) = (key(), other_key());
    let server = provider(&[jwk(&old, "old")], 1).await;
    let oidc = oidc(&server);
    let withdrawn = token(&old, &rs256("old"), &claims(&json!({})));
    assert!(oidc.principal(&withdrawn).await.is_ok());
    server.reset().await;
    Mock::given(path("/jwks"))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!({ "keys": [jwk(&new, "new")] })))
        .mount(&server)
        .await;
    oidc.keys.age(Duration::from_secs(601));
    assert!(oidc.principal(&withdrawn).await.is_err());
}

#[tokio::test]
async fn a_failed_fetch_keeps_the_old_keys_for_an_hour() {
    let key = key();
    let server = provider(&[jwk(&key, "k1")], 1).await;
    let oidc = oidc(&server);
    let good = token(&key, &rs256("k1"), &claims(&json!({})));
    assert!(oidc.principal(&good).await.is_ok());
    server.reset().await;
    Mock::given(path("/jwks")).respond_with(ResponseTemplate::new(500)).mount(&server).await;
    for _ in 0..5 {
        oidc.keys.age(Duration::from_secs(700));
        assert!(oidc.principal(&good).await.is_ok());
    }
    oidc.keys.age(Duration::from_secs(200));
    assert!(oidc.principal(&good).await.is_err());
}
