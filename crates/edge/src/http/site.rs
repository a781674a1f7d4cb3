//! Pages on a listener of their own. A request for one passes the same limits and is logged like every other; what it is
//! answered is the site's to say.

use super::Config;
use super::access_log::{AccessLine, Logged, Weight};
use super::answered::{REQUEST_ID, answered, no_place};
use super::body::{self, BodyError, not_taken};
use super::client_ip::client_ip;
use super::connections::{Admission, UnderWay};
use super::hosts::{AllowedHosts, is_same_origin};
use super::metrics::HttpTimes;
use super::network::Network;
use super::pipeline::PROOF_TIME;
use super::rate_limit::{self, RateLimiter, rate_limited};
use super::reply::{self, Reply};
use crate::request_id;
use futures_util::future::BoxFuture;
use http_body_util::{Either, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::RETRY_AFTER;
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use std::fmt::Debug;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// A person who is signed in may ask so many times as often as a stranger: a search is sent while it is typed.
const SIGNED_IN_FACTOR: usize = 10;
/// A form is small.
const FORM_BYTES: usize = 256 * 1024;

pub type Page = Response<Full<Bytes>>;

/// Whose requests a request counts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visitor {
    /// What every page needs, and what is the same for everybody, is not counted.
    Asset,
    Stranger,
    /// A stranger who shows a credential with the form. One that proves good is let in, however many bad ones came from
    /// the same address before it.
    Proving,
    /// By something that only this visitor can show.
    SignedIn([u8; 32]),
}

/// A request with all of its body. Its host is one of ours, and if it can change something, it was sent by a page of ours.
#[derive(Debug)]
pub struct Visit {
    pub request_id: String,
    pub parts: Parts,
    pub body: Bytes,
}

/// Put into the extensions of a page to have the caller in the log.
#[derive(Debug, Clone)]
pub struct Caller(pub String);

pub trait Site: Send + Sync + Debug {
    fn visitor(&self, parts: &Parts) -> Visitor;
    fn answer(&self, visit: Visit) -> BoxFuture<'_, Page>;
    /// What a person reads whose request is refused with this status before it is a visit.
    fn refused(&self, status: StatusCode) -> Page;
}

#[derive(Debug)]
pub(super) struct SitePipeline {
    site: Arc<dyn Site>,
    config: Config,
    strangers: RateLimiter,
    signed_in: RateLimiter,
    /// One at a time shows that its credential is good where its address has used its requests up: a flood of bad ones
    /// keeps no more than one look-up busy.
    proofs: Semaphore,
    allowed_hosts: AllowedHosts,
    times: HttpTimes,
}

impl SitePipeline {
    pub fn new(site: Arc<dyn Site>, config: Config) -> Self {
        Self {
            site,
            strangers: RateLimiter::new(config.rate_per_min),
            signed_in: RateLimiter::new(config.rate_per_min.saturating_mul(SIGNED_IN_FACTOR)),
            proofs: Semaphore::new(1),
            allowed_hosts: AllowedHosts::new(&config.allowed_hosts, &config.allowed_origins),
            times: HttpTimes::default(),
            config,
        }
    }

    pub async fn answer(
        &self,
        request: Request<Incoming>,
        peer: IpAddr,
        under_way: UnderWay,
    ) -> Response<Logged> {
        let (parts, body) = request.into_parts();
        let id = request_id::of(parts.headers.get(REQUEST_ID).and_then(|id| id.to_str().ok()));
        let client = client_ip(&parts.headers, peer, self.config.trusted_proxy_hops);
        let mut line = AccessLine::new(id.clone(), &parts, client, Weight::Ordinary, self.times.clone());
        let admission = under_way.admission();
        let passed = pin!(self.pass(&id, parts, body, Network::of(client), admission));
        let reply = answered(&id, admission, passed).await;
        line.caller = reply.extensions().get::<Caller>().map(|caller| caller.0.clone());
        line.status = Some(reply.status());
        reply.map(|body| Logged::new(body, line, under_way))
    }

    async fn pass(
        &self,
        id: &str,
        parts: Parts,
        mut body: Incoming,
        client: Network,
        admission: Admission,
    ) -> Reply {
        let to_prove = match self.admit(&parts, &body, client, admission) {
            Ok(to_prove) => to_prove,
            Err(refusal) => {
                body::drain(&parts, &mut body).await;
                return self.as_page(&refusal);
            }
        };
        let body = match body::read(&mut body, FORM_BYTES).await {
            Ok(body) => body,
            Err(error) => return self.as_page(&not_taken(error)),
        };
        let visit = Visit { request_id: id.to_owned(), parts, body };
        let Some(full) = to_prove else { return self.site.answer(visit).await.map(Either::Left) };
        let Ok(_turn) = timeout(PROOF_TIME, self.proofs.acquire()).await else {
            return self.as_page(&rate_limited(full));
        };
        match self.site.answer(visit).await {
            page if page.status().is_success() => page.map(Either::Left),
            _ => self.as_page(&rate_limited(full)),
        }
    }

    fn as_page(&self, refusal: &Reply) -> Reply {
        let mut page = self.site.refused(refusal.status());
        if let Some(wait) = refusal.headers().get(RETRY_AFTER) {
            page.headers_mut().insert(RETRY_AFTER, wait.clone());
        }
        page.map(Either::Left)
    }

    /// What is refused before it is a visit. Where it is let in although its address has used its requests up, it has to
    /// prove itself.
    fn admit(
        &self,
        parts: &Parts,
        body: &Incoming,
        client: Network,
        admission: Admission,
    ) -> Result<Option<rate_limit::Full>, Box<Reply>> {
        if admission == Admission::ProbesOnly {
            return Err(no_place().into());
        }
        if body::is_declared_over(body, FORM_BYTES) {
            return Err(not_taken(BodyError::TooLarge).into());
        }
        let now = Instant::now();
        let visitor = self.site.visitor(parts);
        let counted = match visitor {
            Visitor::Asset => Ok(()),
            Visitor::Stranger | Visitor::Proving => self.strangers.admit(client, None, now).map(drop),
            Visitor::SignedIn(shown) => self.signed_in.prove(client, shown, now),
        };
        let to_prove = match counted {
            Err(full) if visitor != Visitor::Proving => return Err(rate_limited(full).into()),
            counted => counted.err(),
        };
        if !self.allowed_hosts.knows_host(&parts.headers) {
            let text = "misdirected request: this Host is not one of SVC_ALLOWED_HOSTS";
            return Err(reply::error(StatusCode::MISDIRECTED_REQUEST, text).into());
        }
        let is_read = parts.method == Method::GET || parts.method == Method::HEAD;
        if !is_read && !is_same_origin(&parts.headers) {
            let text = "forbidden: this form was not sent by a page of this server";
            return Err(reply::error(StatusCode::FORBIDDEN, text).into());
        }
        Ok(to_prove)
    }
}
