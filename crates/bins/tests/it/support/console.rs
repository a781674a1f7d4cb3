//! The console as tests reach it, and a person at it as far as HTTP goes: cookies, and forms with what they must show.

use super::http::{Answer, Connection, request};
use super::{Deployment, Server, program};
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Stdio};
use url::form_urlencoded;

/// Runs no script.
pub struct Visitor {
    address: SocketAddr,
    cookie: Option<String>,
    /// Below which path the cookie is shown, without the last `/`.
    home: String,
    form: String,
}

impl Server {
    /// Where the console of this server is.
    pub fn console(&self) -> SocketAddr {
        let line = self.wait_for_log("the console is served");
        let address = line.split("console=").nth(1).and_then(|rest| rest.split_whitespace().next());
        address.unwrap_or_else(|| panic!("no address: {line}")).parse().unwrap()
    }
}

impl Deployment {
    /// With a console on any free port, and enough seats for all that come.
    pub fn with_console(self) -> Self {
        self.with("SVC_CONSOLE_PORT", "0").with_seats(20)
    }
}

impl Visitor {
    pub const fn new(address: SocketAddr) -> Self {
        Self { address, cookie: None, home: String::new(), form: String::new() }
    }

    pub fn signed_in(address: SocketAddr, key: &str) -> Self {
        let mut visitor = Self::new(address);
        let answer = visitor.post("/signin", &[("key", key)]);
        assert_eq!(answer.status, 200, "{answer:?}");
        visitor
    }

    pub fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    /// The page, which must be there.
    pub fn page(&mut self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.body
    }

    /// Sends a form as a page of ours would, with what the last page gave for it.
    pub fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let form = self.form.clone();
        self.post_as(path, fields, &form, &["Origin: http://localhost", "Sec-Fetch-Site: same-origin"])
    }

    /// Sends a form with this token and these headers.
    pub fn post_as(&mut self, path: &str, fields: &[(&str, &str)], form: &str, headers: &[&str]) -> Answer {
        let mut body = form_urlencoded::Serializer::new(String::new());
        body.extend_pairs(fields).append_pair("form", form);
        let mut lines = vec!["Content-Type: application/x-www-form-urlencoded".to_owned()];
        lines.extend(headers.iter().map(|line| (*line).to_owned()));
        self.send("POST", path, &lines, body.finish().as_bytes())
    }

    /// Sends a form, and returns the page that follows it.
    pub fn submit(&mut self, path: &str, fields: &[(&str, &str)]) -> String {
        let answer = self.post(path, fields);
        assert_eq!(answer.status, 303, "{path} {fields:?}: {answer:?}");
        let next = answer.header("location").unwrap().to_owned();
        self.page(&next)
    }

    /// The cookie, and the path that it is for.
    pub fn cookie(&self) -> (&str, String) {
        (self.cookie.as_deref().unwrap_or_default(), format!("{}/", self.home))
    }

    pub fn form_token(&self) -> &str {
        &self.form
    }

    fn send(&mut self, method: &str, path: &str, headers: &[String], body: &[u8]) -> Answer {
        let mut lines = headers.to_vec();
        lines.extend(self.cookie.iter().map(|cookie| format!("Cookie: {cookie}")));
        let mut connection = Connection::open(self.address);
        let path = format!("{}/{}", self.home, path.trim_start_matches('/'));
        let answer = connection.ask(&request(method, &path, &lines, body)).unwrap();
        if let Some(cookie) = answer.header("set-cookie") {
            self.cookie = cookie.split(';').next().map(str::to_owned);
            let path = cookie.split("; Path=").nth(1).and_then(|rest| rest.split(';').next()).unwrap();
            path.trim_end_matches('/').clone_into(&mut self.home);
        }
        let token =
            answer.body.split(r#"name="form" value=""#).nth(1).and_then(|rest| rest.split('"').next());
        if let Some(token) = token {
            token.clone_into(&mut self.form);
        }
        answer
    }
}

/// What a page gives for a field of a form.
pub fn field(page: &str, name: &str) -> String {
    let value =
        page.split(&format!(r#"name="{name}" value=""#)).nth(1).and_then(|rest| rest.split('"').next());
    value.unwrap_or_else(|| panic!("no field {name}: {page}")).replace("&amp;", "&")
}

/// A running `svc console`, with the path that it printed.
pub struct LocalConsole {
    child: Child,
    /// Held open: a program that cannot tell anybody anything ends.
    _output: BufReader<ChildStdout>,
    pub address: SocketAddr,
    pub path: String,
}

impl LocalConsole {
    pub fn start(deployment: &Deployment) -> Self {
        let mut command = deployment.command(&program("svc"));
        let mut child = command.arg("console").stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let printed = output.by_ref().lines().map_while(Result::ok);
        let url = printed.filter_map(|line| line.trim().strip_prefix("http://").map(str::to_owned)).next();
        let url = url.expect("no address was printed");
        let (address, path) = url.split_once('/').unwrap();
        Self { child, _output: output, address: address.parse().unwrap(), path: format!("/{path}") }
    }
}

impl Drop for LocalConsole {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
