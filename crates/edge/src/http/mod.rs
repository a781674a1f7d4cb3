//! MCP over HTTP: one request, one answer, no session. Plain HTTP/1.1 on hyper: the order of the checks is the order of
//! the lines in `pipeline.rs`. Pages for people are served in the same way, on a listener of their own: `site.rs`.

mod access_log;
mod answered;
mod auth;
mod body;
mod client_ip;
mod connections;
mod endpoint;
mod hosts;
mod metrics;
mod network;
mod openapi;
mod parser_replies;
mod pipeline;
mod probes;
mod protected_resource;
mod rate_limit;
mod recent_callers;
mod reply;
mod server;
mod site;
mod sse;
mod witness;
mod write_timeout;

pub use crate::oidc::OidcConfig;
pub use crate::sign_on::{Arrival, Departure, SignOn, SignOnConfig, SignOnError};
pub use auth::{AuthError, Authenticator, KeptCredential};
pub use metrics::MetricsToken;
pub use server::Server;
pub use site::{Caller, Page, Site, Visit, Visitor};
pub use witness::{WitnessAnswer, WitnessReply, WitnessServer};

/// What the operator decides about the HTTP server.
#[derive(Debug, Clone)]
pub struct Config {
    /// The largest body, in bytes.
    pub max_body: usize,
    /// Requests of one client IP, and of each good credential there, within 60 seconds; 0 is no limit.
    pub rate_per_min: usize,
    /// Connections at once.
    pub connections: usize,
    /// Connections at once from one client IP; 0 is no limit. Not for a proxy, whose connections are many clients'.
    pub connections_per_address: usize,
    /// How many proxies are in front, each of which adds to `X-Forwarded-For`.
    pub trusted_proxy_hops: usize,
    pub allowed_hosts: Vec<String>,
    pub allowed_origins: Vec<String>,
    /// What `/metrics` asks for; without one it is open.
    pub metrics_token: Option<MetricsToken>,
    /// Single sign-on; it also takes a licence that grants it.
    pub oidc: Option<OidcConfig>,
}
