//! Protection against DNS rebinding: a page in a browser that reaches us under a name of its own is turned away.

use hyper::HeaderMap;
use hyper::header::{HOST, HeaderName, ORIGIN};

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotAllowed {
    Host,
    Origin,
}

/// The hosts and origins that the operator knows as this server's.
#[derive(Debug)]
pub(super) struct AllowedHosts {
    hosts: Vec<HostPort>,
    origins: Vec<(String, HostPort)>,
}

impl AllowedHosts {
    pub fn new(hosts: &[String], origins: &[String]) -> Self {
        Self {
            hosts: hosts.iter().filter_map(|host| HostPort::read(host)).collect(),
            origins: origins.iter().filter_map(|origin| read_origin(origin)).collect(),
        }
    }

    pub fn knows_host(&self, headers: &HeaderMap) -> bool {
        let host = only(headers, HOST).and_then(HostPort::read);
        host.is_some_and(|host| self.hosts.iter().any(|known| known.covers(&host)))
    }

    pub fn check(&self, headers: &HeaderMap) -> Result<(), NotAllowed> {
        if !self.knows_host(headers) {
            return Err(NotAllowed::Host);
        }
        if !headers.contains_key(ORIGIN) {
            return Ok(());
        }
        let (scheme, host) = only(headers, ORIGIN).and_then(read_origin).ok_or(NotAllowed::Origin)?;
        let host = host.with_default_port(&scheme);
        let is_known =
            |(known_scheme, known): &(String, HostPort)| *known_scheme == scheme && known.covers(&host);
        if self.origins.iter().any(is_known) { Ok(()) } else { Err(NotAllowed::Origin) }
    }
}

/// Whether a browser would say that the request comes from a page of the same server. The scheme is not compared: a proxy
/// may have ended TLS before us. A program that is no browser says nothing of where a request comes from, and passes.
pub(super) fn is_same_origin(headers: &HeaderMap) -> bool {
    if headers.contains_key(FETCH_SITE) && only(headers, FETCH_SITE) != Some("same-origin") {
        return false;
    }
    if !headers.contains_key(ORIGIN) {
        return true;
    }
    let (Some((scheme, origin)), Some(host)) =
        (only(headers, ORIGIN).and_then(read_origin), only(headers, HOST).and_then(HostPort::read))
    else {
        return false;
    };
    origin.with_default_port(&scheme) == host.with_default_port(&scheme)
}

/// The value of a header that came once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut lines = headers.get_all(name).iter();
    let (Some(line), None) = (lines.next(), lines.next()) else { return None };
    line.to_str().ok()
}

fn read_origin(text: &str) -> Option<(String, HostPort)> {
    let (scheme, host) = text.trim().split_once("://")?;
    Some((scheme.to_ascii_lowercase(), HostPort::read(host)?))
}

/// A name or address, in lower case, and a port where one is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
struct HostPort {
    name: String,
    port: Option<u16>,
}

impl HostPort {
    fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let (name, port) = if let Some(inside) = text.strip_prefix('[') {
            let (address, rest) = inside.split_once(']')?;
            (format!("[{address}]"), if rest.is_empty() { None } else { Some(rest.strip_prefix(':')?) })
        } else {
            match text.split_once(':') {
                // An address of version 6 that was written without its brackets.
                Some((_, rest)) if rest.contains(':') => (format!("[{text}]"), None),
                Some((name, port)) => (name.to_owned(), Some(port)),
                None => (text.to_owned(), None),
            }
        };
        let port = match port {
            None | Some("*") => None,
            Some(port) => Some(port.parse().ok()?),
        };
        (!name.is_empty()).then(|| Self { name: name.to_ascii_lowercase(), port })
    }

    fn with_default_port(self, scheme: &str) -> Self {
        let default = match scheme {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        };
        Self { port: self.port.or(default), ..self }
    }

    /// An entry without a port covers every port, `*` every name, and `*.` before a name all names below it.
    fn covers(&self, other: &Self) -> bool {
        let is_below = |end: &str| other.name.strip_suffix(end).is_some_and(|start| !start.is_empty());
        let named = match self.name.strip_prefix('*') {
            Some("") => true,
            Some(end) => is_below(end),
            None => self.name == other.name,
        };
        named && (self.port.is_none() || self.port == other.port)
    }
}

#[cfg(test)]
mod tests {
    use super::{AllowedHosts, NotAllowed, is_same_origin};
    use hyper::HeaderMap;

    fn check(known: &[&str], headers: &[(&'static str, &str)]) -> Result<(), NotAllowed> {
        let owned = |origins: bool| -> Vec<String> {
            known.iter().filter(|k| k.contains("://") == origins).map(|k| (*k).to_owned()).collect()
        };
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().expect("a header value"));
        }
        AllowedHosts::new(&owned(false), &owned(true)).check(&map)
    }

    fn host(known: &[&str], host: &str) -> bool {
        check(known, &[("host", host)]).is_ok()
    }

    fn origin(known: &str, origin: &str) -> bool {
        check(&["h", known], &[("host", "h"), ("origin", origin)]).is_ok()
    }

    #[test]
    fn a_host_without_a_port_is_known_on_every_port() {
        for known in ["localhost", "localhost:*", "LocalHost"] {
            assert!(host(&[known], "localhost"), "{known}");
            assert!(host(&[known], "LOCALHOST:9"), "{known}");
        }
    }

    #[test]
    fn a_host_with_a_port_is_known_on_that_port_only() {
        assert!(host(&["a.example:8080"], "a.example:8080"));
        assert!(!host(&["a.example:8080"], "a.example:8081"));
        assert!(!host(&["a.example:8080"], "a.example"));
    }

    #[test]
    fn a_star_covers_every_host_or_all_below_a_name() {
        for stranger in ["a.example", "localhost:9", "[::1]:80", "10.0.0.7"] {
            assert!(host(&["*"], stranger) && host(&["*:*"], stranger), "{stranger}");
        }
        assert!(host(&["*:8080"], "a.example:8080") && !host(&["*:8080"], "a.example:8081"));
        for below in ["a.example.com", "a.b.example.com:443", "A.EXAMPLE.COM"] {
            assert!(host(&["*.example.com"], below), "{below}");
        }
        for other in ["example.com", ".example.com", "example.com.evil", "badexample.com", "a.example.org"] {
            assert!(!host(&["*.example.com"], other), "{other}");
        }
        assert!(host(&["*.example.com:443"], "a.example.com:443"));
        assert!(!host(&["*.example.com:443"], "a.example.com:80"));
        assert!(origin("https://*.example.com", "https://a.example.com"));
        assert!(!origin("https://*.example.com", "http://a.example.com"));
    }

    #[test]
    fn an_origin_may_be_of_any_scheme() {
        assert!(origin("vscode-webview://1a2b3c", "vscode-webview://1a2b3c"));
        assert!(!origin("vscode-webview://1a2b3c", "vscode-webview://other"));
        assert!(origin("vscode-webview://*", "vscode-webview://other"));
        assert!(!origin("vscode-webview://*", "https://other"));
    }

    #[test]
    fn an_ipv6_address_is_known_with_and_without_a_port() {
        assert!(host(&["[::1]"], "[::1]:80"));
        assert!(host(&["::1"], "[::1]"));
        assert!(!host(&["[::1]"], "[::2]"));
        assert!(!host(&["[::1]"], "[::1]80"));
    }

    #[test]
    fn a_name_that_only_looks_like_a_known_one_is_a_stranger() {
        for stranger in
            ["evil.example", "localhost.evil.example", "evil-localhost", "localhost:x", "", "a@localhost"]
        {
            assert!(!host(&["localhost"], stranger), "{stranger}");
        }
    }

    #[test]
    fn no_host_and_two_hosts_are_strangers() {
        assert_eq!(check(&["a"], &[]), Err(NotAllowed::Host));
        assert_eq!(check(&["a"], &[("host", "a"), ("host", "a")]), Err(NotAllowed::Host));
    }

    #[test]
    fn an_origin_must_agree_in_scheme_name_and_port() {
        assert!(origin("http://localhost", "http://localhost:3000"));
        assert!(origin("https://app.example:443", "https://app.example"));
        assert!(origin("https://app.example:*", "HTTPS://APP.EXAMPLE:8443"));
        assert!(!origin("https://app.example:8443", "https://app.example"));
        assert!(!origin("https://app.example", "http://app.example"));
        assert!(!origin("http://localhost", "null"));
        assert!(!origin("http://localhost", "http://localhost.evil.example"));
    }

    #[test]
    fn two_origins_are_strangers() {
        let twice = [("host", "h"), ("origin", "http://a"), ("origin", "http://a")];
        assert_eq!(check(&["h", "http://a"], &twice), Err(NotAllowed::Origin));
    }

    #[test]
    fn a_form_must_come_from_a_page_of_the_same_server() {
        let same = |lines: &[(&'static str, &str)]| {
            let mut map = HeaderMap::new();
            for (name, value) in lines {
                map.append(*name, value.parse().expect("a header value"));
            }
            is_same_origin(&map)
        };
        let host = ("host", "memory.example");
        assert!(same(&[host, ("origin", "https://memory.example"), ("sec-fetch-site", "same-origin")]));
        assert!(same(&[("host", "127.0.0.1:81"), ("origin", "http://127.0.0.1:81")]));
        assert!(same(&[host]));
        for other in ["https://evil.example", "https://memory.example:8443", "null", ""] {
            assert!(!same(&[host, ("origin", other)]), "{other}");
        }
        for site in ["cross-site", "same-site", "none"] {
            assert!(!same(&[host, ("sec-fetch-site", site)]), "{site}");
        }
        assert!(!same(&[("origin", "https://memory.example")]));
    }
}
