//! What every request goes through, in this order: an id, the limits, authentication, the hosts, and then its answer.

use super::access_log::{AccessLine, Logged, Weight};
use super::answered::{REQUEST_ID, answered, no_place};
use super::auth::{AuthError, Authenticator, Credential};
use super::body::{self, BodyError, not_taken};
use super::client_ip::client_ip;
use super::connections::{Admission, UnderWay};
use super::hosts::{AllowedHosts, NotAllowed};
use super::metrics::Measures;
use super::network::Network;
use super::protected_resource::ProtectedResource;
use super::rate_limit::{Full, RateLimiter, Standing, rate_limited};
use super::reply::{self, Reply};
use super::{Config, endpoint, metrics, openapi, probes};
use crate::request_id;
use domain::Principal;
use hyper::body::{Body, Bytes, Incoming};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use service::Service;
use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// How long a credential waits to be looked at where its address has used its requests up.
pub(super) const PROOF_TIME: Duration = Duration::from_secs(1);

/// Where a request leads, as far as the limits and authentication care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    Open(Page),
    /// Only a known caller learns what is there.
    Guarded,
}

/// What is answered without asking who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    Health,
    Readiness,
    Metrics,
    /// Where to sign on; only where the operator has opened this page.
    Resource,
}

impl Route {
    fn of(parts: &Parts, resource: Option<&ProtectedResource>) -> Self {
        if parts.method != Method::GET && parts.method != Method::HEAD {
            return Self::Guarded;
        }
        match parts.uri.path() {
            "/healthz" => Self::Open(Page::Health),
            "/readyz" => Self::Open(Page::Readiness),
            "/metrics" => Self::Open(Page::Metrics),
            path if resource.is_some_and(|resource| resource.is_at(path)) => Self::Open(Page::Resource),
            _ => Self::Guarded,
        }
    }

    /// A probe must get its answer however busy its address is, or a busy server is taken for a dead one.
    const fn is_probe(self) -> bool {
        matches!(self, Self::Open(Page::Health | Page::Readiness))
    }

    const fn weight(self) -> Weight {
        match self {
            Self::Open(Page::Health | Page::Readiness | Page::Metrics) => Weight::Probe,
            Self::Guarded | Self::Open(Page::Resource) => Weight::Ordinary,
        }
    }
}

/// A request that may be answered, with all of its body taken in.
enum Admitted {
    Anyone(Page),
    Caller(Principal, Bytes),
}

/// A request as it came, its body aside.
struct Asked {
    id: String,
    route: Route,
    client: Network,
    parts: Parts,
}

#[derive(Debug)]
pub(super) struct Pipeline {
    config: Config,
    service: Service,
    rate_limiter: RateLimiter,
    /// One at a time shows that its credential is good where its address has used its requests up: a flood of bad ones
    /// keeps no more than one look-up busy.
    proofs: Semaphore,
    authenticator: Authenticator,
    allowed_hosts: AllowedHosts,
    resource: Option<ProtectedResource>,
    measures: Measures,
}

impl Pipeline {
    pub fn new(service: Service, config: Config) -> io::Result<Self> {
        Ok(Self {
            rate_limiter: RateLimiter::new(config.rate_per_min),
            proofs: Semaphore::new(1),
            authenticator: Authenticator::new(service.clone(), config.oidc.clone())?,
            allowed_hosts: AllowedHosts::new(&config.allowed_hosts, &config.allowed_origins),
            resource: ProtectedResource::of(config.oidc.as_ref()).map_err(io::Error::other)?,
            measures: Measures::new(&service),
            service,
            config,
        })
    }

    pub async fn answer(
        &self,
        request: Request<Incoming>,
        peer: IpAddr,
        under_way: UnderWay,
    ) -> Response<Logged> {
        let (parts, body) = request.into_parts();
        let id = request_id::of(parts.headers.get(REQUEST_ID).and_then(|id| id.to_str().ok()));
        let address = client_ip(&parts.headers, peer, self.config.trusted_proxy_hops);
        let route = Route::of(&parts, self.resource.as_ref());
        let asked = Asked { id, route, client: Network::of(address), parts };
        let mut line = AccessLine::new(
            asked.id.clone(),
            &asked.parts,
            address,
            asked.route.weight(),
            self.measures.http_times(),
        );
        let admission = under_way.admission();
        let reply = {
            let passed = pin!(self.pass(&asked, body, admission, &mut line));
            answered(&asked.id, admission, passed).await
        };
        line.status = Some(reply.status());
        reply.map(|body| Logged::new(body, line, under_way))
    }

    async fn pass(
        &self,
        asked: &Asked,
        mut body: Incoming,
        admission: Admission,
        line: &mut AccessLine,
    ) -> Reply {
        // Nothing of a body is waited for: the places for probes are few.
        if admission == Admission::ProbesOnly && !(asked.route.is_probe() && body.is_end_stream()) {
            return no_place();
        }
        match self.admit(asked, &mut body, line).await {
            Ok(Admitted::Anyone(Page::Health)) => probes::health(),
            Ok(Admitted::Anyone(Page::Readiness)) => probes::readiness(self.service.store()).await,
            Ok(Admitted::Anyone(Page::Metrics)) => {
                let token = self.config.metrics_token.as_ref();
                metrics::answer(&self.service, &self.measures, token, &asked.parts.headers).await
            }
            Ok(Admitted::Anyone(Page::Resource)) => {
                self.resource.as_ref().map_or_else(reply::internal, ProtectedResource::answer)
            }
            Ok(Admitted::Caller(principal, body)) => self.guarded(asked, principal, &body, line).await,
            Err(refusal) => {
                body::drain(&asked.parts, &mut body).await;
                refusal
            }
        }
    }

    /// The limits, then authentication. The limit on a body whose length is not declared shows only while it arrives;
    /// it is counted before an unknown caller is refused.
    async fn admit(
        &self,
        asked: &Asked,
        body: &mut Incoming,
        line: &mut AccessLine,
    ) -> Result<Admitted, Reply> {
        let Asked { route, parts, .. } = asked;
        let most = self.config.max_body;
        if body::is_declared_over(body, most) {
            return Err(not_taken(BodyError::TooLarge));
        }
        let credential = Credential::of(&parts.headers).filter(|_| *route == Route::Guarded);
        let window = self.window(asked, credential.as_ref());
        if let (Err(full), None) | (Err(full @ Full { standing: Standing::Known, .. }), _) =
            (window, &credential)
        {
            return Err(rate_limited(full));
        }
        if let Route::Open(page) = route {
            body::count(parts, body, most).await.map_err(not_taken)?;
            return Ok(Admitted::Anyone(*page));
        }
        match self.authenticate(asked, credential.as_ref(), window).await? {
            Some(principal) => {
                line.caller = Some(principal.id.to_string());
                let body = body::read(body, most).await.map_err(not_taken)?;
                Ok(Admitted::Caller(principal, body))
            }
            None => {
                body::count(parts, body, most).await.map_err(not_taken)?;
                Err(reply::unauthorized(self.resource.as_ref().map(ProtectedResource::challenge)))
            }
        }
    }

    fn window(&self, asked: &Asked, credential: Option<&Credential<'_>>) -> Result<Standing, Full> {
        if asked.route.is_probe() {
            return Ok(Standing::Stranger);
        }
        self.rate_limiter.admit(asked.client, credential.map(|credential| credential.hash), Instant::now())
    }

    /// The principal behind the credential, or `None` where it is not good. Where the address has used its requests up,
    /// a credential that proves good is served all the same, from a window of its own.
    async fn authenticate(
        &self,
        asked: &Asked,
        credential: Option<&Credential<'_>>,
        window: Result<Standing, Full>,
    ) -> Result<Option<Principal>, Reply> {
        let Some(credential) = credential else { return Ok(None) };
        let _turn = match window {
            Ok(_) => None,
            Err(full) => {
                Some(timeout(PROOF_TIME, self.proofs.acquire()).await.map_err(|_| rate_limited(full))?)
            }
        };
        let known = self.authenticator.authenticate(credential).await;
        match (known, window) {
            (Ok(principal), Ok(Standing::Known)) => Ok(Some(principal)),
            (Ok(principal), _) => {
                let proven = self.rate_limiter.prove(asked.client, credential.hash, Instant::now());
                proven.map(|()| Some(principal)).map_err(rate_limited)
            }
            (Err(AuthError::Unauthorized), Ok(_)) => {
                self.rate_limiter.forget(asked.client, credential.hash);
                Ok(None)
            }
            (Err(AuthError::Unauthorized), Err(full)) => Err(rate_limited(full)),
            (Err(AuthError::Unchecked(error)), _) => {
                tracing::error!(%error, "a credential could not be checked");
                Err(reply::internal())
            }
        }
    }

    async fn guarded(
        &self,
        asked: &Asked,
        principal: Principal,
        body: &Bytes,
        line: &mut AccessLine,
    ) -> Reply {
        let Asked { id, parts, .. } = asked;
        match self.allowed_hosts.check(&parts.headers) {
            Ok(()) => {}
            Err(NotAllowed::Host) => {
                let text = "misdirected request: this Host is not one of SVC_ALLOWED_HOSTS";
                return reply::error(StatusCode::MISDIRECTED_REQUEST, text);
            }
            Err(NotAllowed::Origin) => {
                let text = "forbidden: this Origin is not one of SVC_ALLOWED_ORIGINS";
                return reply::error(StatusCode::FORBIDDEN, text);
            }
        }
        match (parts.uri.path(), &parts.method) {
            ("/mcp", &Method::POST) => {
                endpoint::answer(&self.service, principal, id, &parts.headers, body, line).await
            }
            ("/mcp", _) => reply::only("POST"),
            ("/openapi.json", &Method::GET | &Method::HEAD) => reply::json(StatusCode::OK, openapi::text()),
            ("/openapi.json" | "/healthz" | "/readyz" | "/metrics", _) => reply::only("GET"),
            _ => reply::error(StatusCode::NOT_FOUND, "not found: the service is at POST /mcp"),
        }
    }
}
