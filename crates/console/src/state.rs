//! What the console knows between requests: how people come in, and who is signed in.

use crate::cookie::CookieJar;
use crate::sessions::{Session, Sessions, TokenHash, Who, hash, random_token};
use domain::{Identity, Principal};
use edge::http::{AuthError, Authenticator, KeptCredential, SignOn};
use getrandom::Error as NoRandomness;
use hyper::{HeaderMap, Uri};
use parking_lot::Mutex;
use service::Service;
use std::sync::Arc;
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;

/// Time to open a browser and to paste an address into it.
const ADDRESS_LASTS: Duration = Duration::from_secs(300);

/// How people show who they are.
#[derive(Debug)]
pub enum Entrance {
    /// Whoever opens the address that was made at this machine is the person at it.
    OneTimeAddress,
    /// By an API key or, where there is an identity provider, by signing on there.
    Credentials { authenticator: Box<Authenticator>, sign_on: Option<Box<SignOn>> },
}

/// A path that signs its first visitor in, and nobody after that.
#[derive(Debug)]
pub struct OneTimeAddress(pub String);

#[derive(Debug)]
pub struct Console {
    pub(crate) service: Service,
    pub(crate) entrance: Entrance,
    pub(crate) sessions: Sessions,
    /// The hash of the one-time token that is still good, and until when.
    ticket: Mutex<Option<(TokenHash, Instant)>>,
    /// Where the console also is, with `/` around it; see [`CookieJar::of`].
    private_path: String,
}

impl Console {
    pub fn new(service: Service, entrance: Entrance) -> Result<Self, NoRandomness> {
        let private_path = format!("/{}/", random_token()?);
        let (sessions, ticket) = (Sessions::default(), Mutex::default());
        Ok(Self { service, entrance, sessions, ticket, private_path })
    }

    /// The page that a request is for.
    pub(crate) fn page<'a>(&self, uri: &'a Uri) -> &'a str {
        let path = uri.path();
        path.strip_prefix(&self.private_path).or_else(|| path.strip_prefix('/')).unwrap_or(path)
    }

    /// The cookie of a session, as this browser gets it.
    pub(crate) fn cookie_jar(&self, headers: &HeaderMap) -> CookieJar {
        CookieJar::of(headers, &self.private_path)
    }

    /// Makes a new address; one that was made before no longer works.
    pub fn one_time_address(&self) -> Result<OneTimeAddress, NoRandomness> {
        let token = random_token()?;
        *self.ticket.lock() = Some((hash(&token), Instant::now() + ADDRESS_LASTS));
        Ok(OneTimeAddress(format!("/open?token={token}")))
    }

    /// Uses a one-time token up.
    pub(crate) fn take_ticket(&self, token: &str, now: Instant) -> bool {
        let mut ticket = self.ticket.lock();
        let is_good = ticket.is_some_and(|(good, until)| now < until && bool::from(good.ct_eq(&hash(token))));
        if is_good {
            *ticket = None;
        }
        is_good
    }

    /// The session of a request, with its token.
    pub(crate) fn session(&self, headers: &HeaderMap) -> Option<(TokenHash, Arc<Session>)> {
        self.cookie_jar(headers).tokens(headers).find_map(|token| {
            let token = hash(token);
            Some((token, self.sessions.find(&token, Instant::now())?))
        })
    }

    /// Who a session belongs to, as of now.
    pub(crate) async fn identity(&self, who: &Who) -> Result<Identity, AuthError> {
        match (who, &self.entrance) {
            (Who::Local, Entrance::OneTimeAddress) => Ok(Identity::Local),
            (Who::Shown(kept), Entrance::Credentials { authenticator, .. }) => {
                authenticator.again(kept).await.map(Identity::Principal)
            }
            _ => Err(AuthError::Unauthorized),
        }
    }

    /// The identity provider, and who checks what it says.
    pub(crate) fn provider(&self) -> Option<(&SignOn, &Authenticator)> {
        match &self.entrance {
            Entrance::Credentials { authenticator, sign_on: Some(sign_on) } => Some((sign_on, authenticator)),
            _ => None,
        }
    }

    /// The principal behind an API key or an ID token.
    pub(crate) async fn principal(&self, kept: &KeptCredential) -> Result<Principal, AuthError> {
        match &self.entrance {
            Entrance::Credentials { authenticator, .. } => authenticator.again(kept).await,
            Entrance::OneTimeAddress => Err(AuthError::Unauthorized),
        }
    }
}
