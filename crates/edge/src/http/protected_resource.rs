//! Where a client that was turned away finds the identity provider: the metadata of a protected resource, RFC 9728.

use super::reply::{self, Reply};
use crate::oidc::OidcConfig;
use hyper::StatusCode;
use hyper::header::{HeaderValue, InvalidHeaderValue};
use serde_json::json;

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

#[derive(Debug)]
pub(super) struct ProtectedResource {
    /// The path of the resource itself; the metadata is also served below it.
    path: String,
    document: String,
    challenge: HeaderValue,
}

impl ProtectedResource {
    /// `None` where the operator has not said at which address clients reach us.
    pub fn of(oidc: Option<&OidcConfig>) -> Result<Option<Self>, InvalidHeaderValue> {
        let Some((oidc, url)) = oidc.and_then(|oidc| Some((oidc, oidc.resource_url.as_deref()?))) else {
            return Ok(None);
        };
        let authority = url.find("://").map_or(0, |at| at + 3);
        let path = url.get(authority..).and_then(|rest| rest.find('/')).map(|at| authority + at);
        let (origin, path) = url.split_at_checked(path.unwrap_or(url.len())).unwrap_or((url, ""));
        let document = json!({
            "resource": url,
            "authorization_servers": [oidc.issuer],
            "bearer_methods_supported": ["header"],
        });
        Ok(Some(Self {
            path: path.trim_end_matches('/').to_owned(),
            document: document.to_string(),
            challenge: HeaderValue::from_str(&format!(r#"Bearer resource_metadata="{origin}{WELL_KNOWN}""#))?,
        }))
    }

    pub fn is_at(&self, path: &str) -> bool {
        path.strip_prefix(WELL_KNOWN).is_some_and(|rest| rest.is_empty() || rest == self.path)
    }

    pub fn answer(&self) -> Reply {
        reply::json(StatusCode::OK, self.document.clone())
    }

    /// What a 401 says in `WWW-Authenticate`.
    pub fn challenge(&self) -> HeaderValue {
        self.challenge.clone()
    }
}
