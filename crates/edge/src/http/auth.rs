//! Who sends a request.

use super::recent_callers::RecentCallers;
use crate::oidc::{Oidc, OidcConfig, Refused};
use crate::sign_on::Arrival;
use domain::{Principal, Timestamp};
use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;
use service::Service;
use sha2::{Digest, Sha256};
use std::time::Instant;
use std::{fmt, io};
use store::{KeyHash, StoreError};

const KEY_PREFIX: &str = "svc_sk_";
/// What a licence must grant for single sign-on.
const SSO: &str = "sso";

/// What a request shows of its sender.
pub(super) struct Credential<'a> {
    token: &'a str,
    pub hash: [u8; 32],
}

impl<'a> Credential<'a> {
    pub fn of(headers: &'a HeaderMap) -> Option<Self> {
        let token = bearer(headers)?;
        Some(Self { token, hash: Sha256::digest(token).into() })
    }
}

/// What somebody showed once, kept to look them up again for as long as it is good. Of an API key only the hash is kept.
#[derive(Clone)]
pub enum KeptCredential {
    Key([u8; 32]),
    IdToken(Box<str>),
}

impl KeptCredential {
    pub fn of(shown: &str) -> Self {
        if shown.starts_with(KEY_PREFIX) {
            Self::Key(Sha256::digest(shown).into())
        } else {
            Self::IdToken(shown.into())
        }
    }
}

impl fmt::Debug for KeptCredential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeptCredential")
    }
}

#[derive(Debug)]
pub enum AuthError {
    /// A credential that is not, or no longer, good.
    Unauthorized,
    /// The credential could not be checked, which says nothing about it.
    Unchecked(StoreError),
}

/// Turns the credential of a request into the principal that it belongs to.
#[derive(Debug)]
pub struct Authenticator {
    service: Service,
    oidc: Option<Oidc>,
    recent: RecentCallers,
}

impl Authenticator {
    pub fn new(service: Service, oidc: Option<OidcConfig>) -> io::Result<Self> {
        let oidc = oidc.map(Oidc::new).transpose().map_err(io::Error::other)?;
        Ok(Self { service, oidc, recent: RecentCallers::default() })
    }

    pub(super) async fn authenticate(&self, credential: &Credential<'_>) -> Result<Principal, AuthError> {
        if credential.token.starts_with(KEY_PREFIX) {
            self.by_key(credential.hash).await
        } else {
            self.signed_on(credential.token).await
        }
    }

    /// The principal of somebody who showed this before.
    pub async fn again(&self, kept: &KeptCredential) -> Result<Principal, AuthError> {
        match kept {
            KeptCredential::Key(hash) => self.by_key(*hash).await,
            KeptCredential::IdToken(token) => self.signed_on(token).await,
        }
    }

    async fn by_key(&self, hash: [u8; 32]) -> Result<Principal, AuthError> {
        let now = Instant::now();
        match self.service.store().principal_by_key(KeyHash(hash), Timestamp::now()).await {
            Ok(Some(principal)) => {
                self.recent.note(hash, &principal, now);
                Ok(principal)
            }
            Ok(None) => {
                self.recent.forget(&hash);
                Err(AuthError::Unauthorized)
            }
            Err(error) => self.recent.find(&hash, now).ok_or(AuthError::Unchecked(error)),
        }
    }

    /// Somebody who comes from the identity provider, with what it gave for this sign-on.
    pub async fn arrived(&self, arrival: &Arrival) -> Result<Principal, AuthError> {
        let principal = self.sso()?.newcomer(&arrival.id_token, &arrival.nonce).await;
        principal.map_err(|refused| turned_away(&refused))
    }

    /// Anything that is not one of our keys can only be an ID token.
    async fn signed_on(&self, token: &str) -> Result<Principal, AuthError> {
        self.sso()?.principal(token).await.map_err(|refused| turned_away(&refused))
    }

    fn sso(&self) -> Result<&Oidc, AuthError> {
        let Some(oidc) = &self.oidc else { return Err(AuthError::Unauthorized) };
        if !self.service.edition(Timestamp::now()).grants(SSO) {
            tracing::warn!("an ID token was turned away: the licence in force does not grant sso");
            return Err(AuthError::Unauthorized);
        }
        Ok(oidc)
    }
}

fn turned_away(refused: &Refused) -> AuthError {
    tracing::info!(reason = %refused.0, "an ID token was turned away");
    AuthError::Unauthorized
}

/// The token of the one `Authorization` header. Of several, a proxy before us may have checked another one than we
/// would, so none counts.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut lines = headers.get_all(AUTHORIZATION).iter();
    let (line, None) = (lines.next()?.to_str().ok()?, lines.next()) else { return None };
    let (scheme, token) = line.trim().split_once(' ')?;
    let token = token.trim_start();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::bearer;
    use hyper::HeaderMap;

    fn token(lines: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("authorization", line.parse().expect("a header value"));
        }
        bearer(&headers).map(str::to_owned)
    }

    #[test]
    fn the_scheme_is_read_in_any_case() {
        assert_eq!(token(&["Bearer abc"]).as_deref(), Some("abc"));
        assert_eq!(token(&["bEARER  abc "]).as_deref(), Some("abc"));
    }

    #[test]
    fn only_one_bearer_token_is_a_credential() {
        for lines in [&[][..], &["Bearer"], &["Bearer "], &["abc"], &["Basic abc"], &["Bearer a", "Bearer a"]]
        {
            assert_eq!(token(lines), None, "{lines:?}");
        }
    }
}
