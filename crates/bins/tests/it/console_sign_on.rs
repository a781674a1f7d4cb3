//! Signing in to the console at an identity provider, with one of our own on loopback.

use crate::support::console::Visitor;
use crate::support::http::{Answer, Connection, request as http_request};
use crate::support::{Deployment, Model};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::rsa::{KeyPair, PublicKeyComponents};
use ring::signature::RSA_PKCS1_SHA256;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use url::{Url, form_urlencoded};

const CLIENT: &str = "console-client";
const REDIRECT: &str = "http://localhost:8081/signed-on";

/// Gives out whatever ID token it was told to, and keeps what it was asked for it.
struct Provider {
    address: SocketAddr,
    key: KeyPair,
    token: Arc<Mutex<String>>,
    asked: Arc<Mutex<HashMap<String, String>>>,
}

impl Provider {
    fn start() -> Self {
        let key =
            KeyPair::from_pkcs8(include_bytes!("../../../edge/src/oidc/test_keys/provider.pk8")).unwrap();
        let public = PublicKeyComponents::<Vec<u8>>::from(key.public());
        let [n, e] = [public.n, public.e].map(|part| BASE64_URL_SAFE_NO_PAD.encode(part));
        let jwk = json!({ "kty": "RSA", "use": "sig", "alg": "RS256", "kid": "k1", "n": n, "e": e });
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (token, asked) = (Arc::new(Mutex::new(String::new())), Arc::<Mutex<HashMap<_, _>>>::default());
        let (given, kept) = (token.clone(), asked.clone());
        std::thread::spawn(move || {
            let base = format!("http://{address}");
            for mut stream in listener.incoming().map_while(Result::ok) {
                let (path, body) = request(&stream);
                let answer = match path.as_str() {
                    "/.well-known/openid-configuration" => json!({
                        "issuer": base,
                        "authorization_endpoint": format!("{base}/authorize?tenant=1"),
                        "token_endpoint": format!("{base}/token"),
                    }),
                    "/keys" => json!({ "keys": [jwk] }),
                    _ => {
                        let fields = form_urlencoded::parse(&body).into_owned();
                        *kept.lock().unwrap() = fields.collect();
                        json!({ "id_token": *given.lock().unwrap(), "token_type": "Bearer" })
                    }
                };
                let body = answer.to_string();
                let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}", body.len());
                let _ = stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes());
            }
        });
        Self { address, key, token, asked }
    }

    fn issuer(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Has it give this token out next.
    fn gives(&self, nonce: &str, audience: &str) {
        let soon = domain::Timestamp::now().as_second() + 300;
        let claims = json!({
            "iss": self.issuer(), "aud": audience, "sub": "ann", "exp": soon, "groups": ["staff"], "nonce": nonce,
        });
        let part = |part: &Value| BASE64_URL_SAFE_NO_PAD.encode(part.to_string());
        let signed =
            format!("{}.{}", part(&json!({ "alg": "RS256", "typ": "JWT", "kid": "k1" })), part(&claims));
        let mut signature = vec![0; self.key.public().modulus_len()];
        self.key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature).unwrap();
        *self.token.lock().unwrap() = format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature));
    }

    fn deployment(&self, model: &Model, features: &[&str]) -> Deployment {
        Deployment::new(model)
            .with("SVC_CONSOLE_PORT", "0")
            .with("SVC_CONSOLE_URL", "http://localhost:8081/")
            .with("SVC_OIDC_ISSUER", &self.issuer())
            .with("SVC_OIDC_AUDIENCE", "memory")
            .with("SVC_OIDC_JWKS_URL", &format!("{}/keys", self.issuer()))
            .with("SVC_OIDC_ROLE_MAP", r#"{"staff":"member"}"#)
            .with("SVC_OIDC_CLIENT_ID", CLIENT)
            .with("SVC_OIDC_CLIENT_SECRET", "hush")
            .with_licence(5, features)
    }
}

/// The path and the body of what was sent.
fn request(stream: &TcpStream) -> (String, Vec<u8>) {
    let mut reader = BufReader::new(stream);
    let (mut path, mut length, mut line) = (String::new(), 0, String::new());
    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
        if path.is_empty() {
            path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    (path, body)
}

/// Leaves for the provider; what the browser was sent there with.
fn leave(visitor: &mut Visitor) -> HashMap<String, String> {
    let answer = visitor.get("/sign-on");
    assert_eq!(answer.status, 303, "{answer:?}");
    assert!(answer.header("set-cookie").unwrap().contains("HttpOnly; SameSite=Lax"), "{answer:?}");
    Url::parse(answer.header("location").unwrap()).unwrap().query_pairs().into_owned().collect()
}

fn arrive(visitor: &mut Visitor, state: &str) -> Answer {
    visitor.get(&format!("/signed-on?code=c0de&state={state}"))
}

#[test]
fn a_person_signs_in_at_the_provider() {
    let (model, provider) = (Model::start(), Provider::start());
    let deployment = provider.deployment(&model, &["sso"]);
    let server = deployment.serve();
    let mut ann = Visitor::new(server.console());
    assert!(ann.page("/signin").contains(&format!("Sign in at {}", provider.issuer())));
    let sent = leave(&mut ann);
    for (name, value) in [
        ("tenant", "1"),
        ("response_type", "code"),
        ("client_id", CLIENT),
        ("redirect_uri", REDIRECT),
        ("scope", "openid"),
        ("code_challenge_method", "S256"),
    ] {
        assert_eq!(sent[name], value, "{sent:?}");
    }
    provider.gives(&sent["nonce"], CLIENT);
    let arrived = arrive(&mut ann, &sent["state"]);
    assert_eq!(arrived.status, 200, "{arrived:?}");
    let asked = provider.asked.lock().unwrap().clone();
    assert_eq!((asked["code"].as_str(), asked["client_secret"].as_str()), ("c0de", "hush"));
    assert_eq!(
        (asked["redirect_uri"].as_str(), asked["grant_type"].as_str()),
        (REDIRECT, "authorization_code")
    );
    let challenge = BASE64_URL_SAFE_NO_PAD.encode(digest(&SHA256, asked["code_verifier"].as_bytes()));
    assert_eq!(sent["code_challenge"], challenge);
    assert!(ann.page("/memory").contains("oidc:ann (member)"));
    assert_eq!(ann.get("/people").status, 403);
    // What was brought back works once.
    let mut again = Visitor::new(server.console());
    assert_eq!(arrive(&mut again, &sent["state"]).status, 401);
    // Nothing of it is in the log.
    assert!(server.log().iter().all(|line| !line.contains("hush") && !line.contains(&sent["state"])));
}

#[test]
fn what_was_not_given_for_this_sign_on_lets_nobody_in() {
    let (model, provider) = (Model::start(), Provider::start());
    let deployment = provider.deployment(&model, &["sso"]);
    let server = deployment.serve();
    let is_out = |visitor: &mut Visitor, answer: &Answer| {
        assert_eq!(answer.status, 401, "{answer:?}");
        assert_eq!(visitor.get("/memory").status, 303);
    };
    // A link that puts somebody else's sign-on into this browser.
    let (mut thief, mut victim) = (Visitor::new(server.console()), Visitor::new(server.console()));
    let sent = leave(&mut thief);
    provider.gives(&sent["nonce"], CLIENT);
    let put = arrive(&mut victim, &sent["state"]);
    is_out(&mut victim, &put);
    leave(&mut victim);
    let put = arrive(&mut victim, &sent["state"]);
    is_out(&mut victim, &put);
    // A token of another sign-on, and one for another client.
    for (nonce, audience) in [(None, CLIENT), (Some(()), "memory")] {
        let mut visitor = Visitor::new(server.console());
        let sent = leave(&mut visitor);
        provider.gives(nonce.map_or("another", |()| &sent["nonce"]), audience);
        let answer = arrive(&mut visitor, &sent["state"]);
        is_out(&mut visitor, &answer);
    }
    assert_eq!(victim.get("/signed-on?error=access_denied").status, 401);
}

/// As many as one address begins in ten minutes at the default rate.
#[test]
fn those_who_never_come_back_lock_nobody_out() {
    let (model, provider) = (Model::start(), Provider::start());
    let deployment = provider.deployment(&model, &["sso"]).with("SVC_RATE_PER_MIN", "0");
    let server = deployment.serve();
    let mut ann = Visitor::new(server.console());
    let sent = leave(&mut ann);
    let mut many = Connection::open(server.console());
    let begin = http_request("GET", "/sign-on", &[], b"");
    for _ in 0..1200 {
        assert_eq!(many.ask(&begin).unwrap().status, 303);
    }
    provider.gives(&sent["nonce"], CLIENT);
    assert_eq!(arrive(&mut ann, &sent["state"]).status, 200);
}

#[test]
fn without_a_licence_for_it_nobody_signs_on() {
    let (model, provider) = (Model::start(), Provider::start());
    let deployment = provider.deployment(&model, &[]);
    let server = deployment.serve();
    let mut ann = Visitor::new(server.console());
    let sent = leave(&mut ann);
    provider.gives(&sent["nonce"], CLIENT);
    assert_eq!(arrive(&mut ann, &sent["state"]).status, 401);
    assert_eq!(ann.get("/memory").status, 303);
}
