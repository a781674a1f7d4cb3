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
use super::rate_limit::{RateLimiter, rate_limited};
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
    allowed_hosts: AllowedHosts,
    times: HttpTimes,
}

impl SitePipeline {
    pub fn new(site: Arc<dyn Site>, config: Config) -> Self {
        Self {
            site,
            strangers: RateLimiter::new(config.rate_per_min),
            signed_in: RateLimiter::new(config.rate_per_min.saturating_mul(SIGNED_IN_FACTOR)),
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
        if let Some(refusal) = self.refusal(&parts, &body, client, admission) {
            body::drain(&parts, &mut body).await;
            return self.as_page(&refusal);
        }
        match body::read(&mut body, FORM_BYTES).await {
            Ok(body) => {
                let page = self.site.answer(Visit { request_id: id.to_owned(), parts, body }).await;
                page.map(Either::Left)
            }
            Err(error) => self.as_page(&not_taken(error)),
        }
    }

    fn as_page(&self, refusal: &Reply) -> Reply {
        let mut page = self.site.refused(refusal.status());
        if let Some(wait) = refusal.headers().get(RETRY_AFTER) {
            page.headers_mut().insert(RETRY_AFTER, wait.clone());
        }
        page.map(Either::Left)
    }

    fn refusal(
        &self,
        parts: &Parts,
        body: &Incoming,
        client: Network,
        admission: Admission,
    ) -> Option<Reply> {
        if admission == Admission::ProbesOnly {
            return Some(no_place());
        }
        if body::is_declared_over(body, FORM_BYTES) {
            return Some(not_taken(BodyError::TooLarge));
        }
        let now = Instant::now();
        let counted = match self.site.visitor(parts) {
            Visitor::Asset => Ok(()),
            Visitor::Stranger => self.strangers.admit(client, None, now).map(drop),
            Visitor::SignedIn(shown) => self.signed_in.prove(client, shown, now),
        };
        if let Err(full) = counted {
            return Some(rate_limited(full));
        }
        if !self.allowed_hosts.knows_host(&parts.headers) {
            let text = "misdirected request: this Host is not one of SVC_ALLOWED_HOSTS";
            return Some(reply::error(StatusCode::MISDIRECTED_REQUEST, text));
        }
        let is_read = parts.method == Method::GET || parts.method == Method::HEAD;
        if !is_read && !is_same_origin(&parts.headers) {
            let text = "forbidden: this form was not sent by a page of this server";
            return Some(reply::error(StatusCode::FORBIDDEN, text));
        }
        None
    }
}
