//! Single sign-on through the front door, with a provider of our own on loopback.

use crate::support::http::{Answer, call, text};
use crate::support::{Deployment, Model, Server};
use serde_json::json;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const MODULUS: &str = "qtpzOiKner4lObMMHcVVp9s7-9UUUf3UhjV4iw62V_UMQbMe38EwciCeANhe47CE8qlbGKqkv6KCxKwrHmVLmyEc7XoqlspeB5LEZLbe9V5Ku2plcsiZmlg6F5LuDjONz2P1q-diOZjX7-rrqo-LKvPAxYn6NDRTDJhmVWCw3qQ6gfBKTG5SzhDKuDPn3esdwt5XWzA_yeqPghFwy5XUVjlsitHjJgqNrAXRmtMpNAxrE1eS_V_Pznq9JUbu4hXxqAb_lMUs4c2AThJ2Em7DOcrm61lKu_VqE-t7wrM4IIEqsD3ghRRdTzQnAjFh5ndY2PLZWytZWJXKsMC3m_seSQ";
/// Tokens that were signed with the key above, and its secret half thrown away. They run out in the year 2100. The
/// first is of the group `staff`.
const GOOD: &str = "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImsxIn0.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJtZW1vcnkiLCJzdWIiOiJhbm4iLCJleHAiOjQxMDI0NDQ4MDAsImdyb3VwcyI6WyJzdGFmZiJdfQ.aDs66_IbJCgjBRjQeaG3J3wXNmUmUG72tbiCjiQeY737X9d0sW3svhpLgocKtv3XLTmL7GaIUY4svfwz25gljT1K8i50GFaV157ErtDigGxrWHbVVDyfey7aDktQ50BF991w2a2Qdj4tkbS3p335Z-Tol2SIKv-5Q2vlAEDDmT7ub_mPagh0Z9SeYxLb4VuYrMsYi6NvMZ5c0ov3BC2g6cG93uRD7irG0bYpkoIp666kjO69RGA5d0UMu_SM-_543yqvgFztt901qVBrnnMwwF74Jb6ZfxgeR8tqfaETmhhMZ253QH2wmQK74RBCwyJVPnmeiAcQH0OT0i72MiWcgQ";
/// Its groups claim is the string `night shift`.
const ONE_GROUP: &str = "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImsxIn0.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLCJhdWQiOiJtZW1vcnkiLCJzdWIiOiJhbm4iLCJleHAiOjQxMDI0NDQ4MDAsImdyb3VwcyI6Im5pZ2h0IHNoaWZ0In0.dJ_66yer-WpVK-I_Z1v6Bpepq2voO1s030Op8M_RWVTUEXU-s7I8rLWOyJCAxXDnAcny8q07wmKyI2dfNGf6ZypOHvRBFuWbOuEE2s9tYuiuI_4B-NSnu-pgw5aaqCTviFjRXKfuLPt-Rn_vNv5WGjqp2HT9xqbrQX3JIU4D0gARYzUCmfp5w45xGhd0vRlitj0FrmxjwmHGuuOAtHTFvpJqRhc3RdLEud-S48athwdvOuxCxsSBniTEaZ8h-KwC8dJMaCNBkFF7AR2TWy8nuEfAkQ4qR_8tmJvJnMpz2RjpGpkYXkpzF-ox5WE29YOLmAUv7lZVnRDE4CdsOyi8Ag";
/// Its issuer is a list that holds the right one.
const ISSUER_LIST: &str = "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImsxIn0.eyJpc3MiOlsiaHR0cHM6Ly9pZC5leGFtcGxlIl0sImF1ZCI6Im1lbW9yeSIsInN1YiI6ImFubiIsImV4cCI6NDEwMjQ0NDgwMCwiZ3JvdXBzIjpbInN0YWZmIl19.hheHdV742qHg04R4JAUnmPIZbQmHK6HQr6Wvn2rVwfKtuSYeGhkz15srZR4B5O8yaVW6lsCkaAvc8zyTN-zNrg50U6PGC5e-bI0T5ZNeDRrmwdqDk4svdj3Y_aXvD8fRIkQO6pBCwiDcId9NYHAMODg-qqm0ynURllK43PH4wuE9E2GRPPBoHfTMx5iuC_TK-Hn0uvq9S8Wipm-2I7O71rxmgiX2DhvWofJVSMX0gRtQB9s9h73jk0Yu35dpLAMd06txjcyGinVlLqLlIXFaKBsAwwnUx2-PeyDf75tYsIVg5Z8HpKI8Lu43ek-QpnXV5ur0gLu8u6tATz2NN55b1w";

/// A provider that takes its time, and counts how often it is asked.
struct Provider {
    address: SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl Provider {
    fn start(takes: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, asked) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
        let counted = asked.clone();
        std::thread::spawn(move || {
            let key =
                json!({ "kty": "RSA", "use": "sig", "alg": "RS256", "kid": "k1", "n": MODULUS, "e": "AQAB" });
            let body = json!({ "keys": [key] }).to_string();
            for mut stream in listener.incoming().map_while(Result::ok) {
                let _ = stream.read(&mut [0; 4096]);
                counted.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(takes);
                let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}", body.len());
                let _ = stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes());
            }
        });
        Self { address, asked }
    }

    fn deployment(&self, model: &Model) -> Deployment {
        let mut deployment = Deployment::new(model)
            .with("SVC_OIDC_ISSUER", "https://id.example")
            .with("SVC_OIDC_AUDIENCE", "memory")
            .with("SVC_OIDC_JWKS_URL", &format!("http://{}/keys", self.address))
            .with("SVC_OIDC_ROLE_MAP", r#"{"staff":"member","night":"admin","night shift":"agent"}"#);
        let svc = |arguments: &[&str]| {
            let output = deployment.run(env!("CARGO_BIN_EXE_svc"), arguments);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        let vendor = svc(&["license", "keygen", "vendor.key"]).replace("SVC_VENDOR_PUBKEY=", "");
        let licence = svc(&[
            "license",
            "mint",
            "--key",
            "vendor.key",
            "--customer",
            "Acme",
            "--seats",
            "5",
            "--features",
            "sso",
        ]);
        deployment.set("SVC_LICENSE", &licence);
        deployment.set("SVC_VENDOR_PUBKEY", &vendor);
        deployment
    }
}

fn ask(server: &Server, token: &str, tool: &str) -> Answer {
    server.connect().ask(&call(token, tool, &json!({}))).unwrap()
}

#[test]
fn everybody_waits_for_the_one_fetch_of_the_keys() {
    let model = Model::start();
    let provider = Provider::start(Duration::from_millis(500));
    let deployment = provider.deployment(&model);
    let server = deployment.serve();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let people: Vec<_> =
            (0..20).map(|_| scope.spawn(|| ask(&server, GOOD, "list_memories").status)).collect();
        people.into_iter().map(|person| person.join().unwrap()).collect()
    });
    assert_eq!(statuses, [200; 20]);
    assert_eq!(provider.asked.load(Ordering::Relaxed), 1);
}

#[test]
fn the_issuer_is_one_string_and_a_string_of_groups_is_one_group() {
    let model = Model::start();
    let provider = Provider::start(Duration::ZERO);
    let deployment = provider.deployment(&model);
    let server = deployment.serve();
    assert_eq!(ask(&server, ISSUER_LIST, "list_memories").status, 401);
    // An agent may write, and may not list the principals, which an admin may.
    let denied = text(&ask(&server, ONE_GROUP, "list_principals")).unwrap();
    assert!(denied.contains("your role(s) ['agent']"), "{denied}");
}
