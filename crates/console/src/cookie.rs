//! The session cookie: its name, its attributes, and reading it.

use hyper::HeaderMap;
use hyper::header::{COOKIE, HOST, HeaderValue};

/// How a browser reaches us, which decides what its cookie is called and may ask for.
pub(crate) struct CookieJar {
    name: String,
    path: String,
    same_site: &'static str,
    is_secure: bool,
}

impl CookieJar {
    /// A browser drops a `Secure` cookie that comes over plain HTTP, some even from this machine; there the cookie goes
    /// without. Everywhere else TLS must be in front of us.
    ///
    /// Cookies do not tell ports apart: on this machine a browser would show ours to every other server on it. So there the
    /// cookie is for a path that only we know.
    pub fn of(headers: &HeaderMap, private_path: &str) -> Self {
        let jar = Self::named("svc_console", "Strict", headers);
        if jar.is_secure { jar } else { Self { path: private_path.to_owned(), ..jar } }
    }

    /// For what somebody must bring back from the identity provider, whose site sends them here.
    pub fn for_sign_on(headers: &HeaderMap) -> Self {
        Self::named("svc_sign_on", "Lax", headers)
    }

    /// The pages that the browser shows this cookie to.
    pub fn path(&self) -> &str {
        &self.path
    }

    fn named(name: &str, same_site: &'static str, headers: &HeaderMap) -> Self {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let (host, port) = match host.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => (host, port),
            _ => (host, ""),
        };
        let is_secure = !["localhost", "127.0.0.1", "[::1]"].contains(&host);
        let name = if is_secure { format!("__Host-{name}") } else { format!("{name}_{port}") };
        Self { name, path: "/".to_owned(), same_site, is_secure }
    }

    /// What the browser shows under the name. Others on this machine can have it show more than what we gave it.
    pub fn tokens<'a>(&'a self, headers: &'a HeaderMap) -> impl Iterator<Item = &'a str> {
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        lines.flat_map(|line| line.split(';')).filter_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == self.name).then_some(value)
        })
    }

    pub fn set(&self, token: &str) -> Option<HeaderValue> {
        self.line(token, "")
    }

    pub fn clear(&self) -> Option<HeaderValue> {
        self.line("", "; Max-Age=0")
    }

    fn line(&self, token: &str, end: &str) -> Option<HeaderValue> {
        let secure = if self.is_secure { "; Secure" } else { "" };
        let Self { name, path, same_site, .. } = self;
        let text = format!("{name}={token}; Path={path}; HttpOnly; SameSite={same_site}{secure}{end}");
        HeaderValue::from_str(&text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::CookieJar;
    use hyper::HeaderMap;

    fn jar(host: &str) -> CookieJar {
        let mut headers = HeaderMap::new();
        headers.insert("host", host.parse().expect("a header value"));
        CookieJar::of(&headers, "/5ec7e7/")
    }

    #[test]
    fn only_this_machine_may_do_without_tls() {
        let line = |host: &str| jar(host).set("t").expect("a cookie").to_str().expect("text").to_owned();
        assert_eq!(line("127.0.0.1:8081"), "svc_console_8081=t; Path=/5ec7e7/; HttpOnly; SameSite=Strict");
        assert_eq!(line("[::1]:9"), "svc_console_9=t; Path=/5ec7e7/; HttpOnly; SameSite=Strict");
        for host in ["memory.example", "memory.example:8443", "localhost.evil.example", "10.0.0.7"] {
            let expected = "__Host-svc_console=t; Path=/; HttpOnly; SameSite=Strict; Secure";
            assert_eq!(line(host), expected, "{host}");
        }
    }

    #[test]
    fn every_cookie_of_the_name_is_read() {
        let mut headers = HeaderMap::new();
        headers.insert("cookie", "a=b; svc_console_81=x".parse().expect("a header value"));
        headers.append("cookie", "svc_console_81=y; svc_console_8=z".parse().expect("a header value"));
        assert_eq!(jar("localhost:81").tokens(&headers).collect::<Vec<_>>(), ["x", "y"]);
    }
}
