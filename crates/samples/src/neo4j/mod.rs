//! Neo4j for tests.
//!
//! The server is the one that `SVC_TEST_NEO4J_URL` names, or else one of our own: the community server from Maven
//! Central, which is fetched once into `target/test-tools`.

mod programs;
mod server;

use server::Server;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A server that tests are let into. If it is our own, it ends with the value or with the test program.
#[derive(Debug)]
pub struct Neo4j {
    pub uri: String,
    pub user: String,
    pub password: String,
    server: Option<Server>,
}

/// The server of this test program, or nothing on a machine that cannot have one, which is said where nobody can miss
/// it. Where a change is checked, that is a failure. Others use it too: a test needs a projection of its own.
pub fn shared() -> Option<&'static Neo4j> {
    static SHARED: LazyLock<Option<Neo4j>> = LazyLock::new(|| match std::env::var("SVC_TEST_NEO4J_URL") {
        Ok(url) => Some(Neo4j::given(&url)),
        Err(_) => own(),
    });
    SHARED.as_ref()
}

/// A server for a test that stops it.
pub fn own() -> Option<Neo4j> {
    let error = match Server::new() {
        Ok(server) => return Some(Neo4j::of(server)),
        Err(error) => error,
    };
    let notice = format!(
        "NOT RUN: A TEST ON NEO4J. This machine has no Neo4j and cannot get one. Install openssl, Java 17 or newer and \
         Maven, which fetches it, or name a server in SVC_TEST_NEO4J_URL, with user and password.\n{error}"
    );
    assert!(std::env::var_os("CI").is_none(), "{notice}");
    // Written past the test harness, which shows what a passing test prints to nobody.
    let _ = writeln!(std::io::stderr(), "\n{notice}\n");
    None
}

impl Neo4j {
    fn given(url: &str) -> Self {
        let mut url = url::Url::parse(url).expect("SVC_TEST_NEO4J_URL");
        let or_variable = |in_url: &str, variable: &str, otherwise: &str| match in_url {
            "" => std::env::var(variable).unwrap_or_else(|_| otherwise.to_owned()),
            given => given.to_owned(),
        };
        let user = or_variable(url.username(), "SVC_TEST_NEO4J_USER", "neo4j");
        let password = or_variable(url.password().unwrap_or_default(), "SVC_TEST_NEO4J_PASSWORD", "");
        url.set_username("").and_then(|()| url.set_password(None)).expect("SVC_TEST_NEO4J_URL");
        Self { uri: url.to_string(), user, password, server: None }
    }

    fn of(server: Server) -> Self {
        let uri = format!("bolt://127.0.0.1:{}", server.port());
        let password = server.password().to_owned();
        Self { uri, user: "neo4j".to_owned(), password, server: Some(server) }
    }

    /// Ends the server as an operator does. Only of a server of our own, as the next three.
    pub fn stop(&self) {
        self.server().end("TERM");
    }

    /// Ends the server as a crash does.
    pub fn kill(&self) {
        self.server().end("KILL");
    }

    /// Starts the server if it was stopped, on the port that it had. What it held is still there.
    pub fn start(&self) {
        self.server().start();
    }

    /// Where the server keeps its files.
    pub fn folder(&self) -> &Path {
        self.server().folder()
    }

    /// The certificate of a server of our own, which also speaks TLS.
    pub fn certificate(&self) -> Option<PathBuf> {
        self.server.as_ref().map(Server::certificate)
    }

    /// Runs one statement, past the code that is tested. It may have the parameter `$projection`.
    pub async fn cypher(&self, statement: &str, projection: &str) -> Vec<neo4rs::Row> {
        let driver = neo4rs::Graph::new(&self.uri, &self.user, &self.password).expect("a driver");
        let mut stream =
            driver.execute(neo4rs::query(statement).param("projection", projection)).await.unwrap();
        let mut rows = Vec::new();
        while let Some(row) = stream.next().await.unwrap() {
            rows.push(row);
        }
        rows
    }

    fn server(&self) -> &Server {
        self.server.as_ref().expect("a server of our own")
    }
}
