//! Counters for a monitoring system, in the text exposition format.

use super::auth::bearer;
use super::probes::READY_TIME;
use super::reply::{self, Reply};
use domain::Timestamp;
use hyper::header::{ACCEPT, HeaderValue};
use hyper::{HeaderMap, StatusCode};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode_registry;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use service::Service;
use sha2::{Digest, Sha256};
use std::fmt::{self, Display, Write};
use std::time::Duration;
use store::{ChainWait, Counts, GraphState, Load, NotReady, ToolCount};
use subtle::ConstantTimeEq;

/// What a scraper must show. Only its hash is kept, and two hashes take the same time to compare whatever they hold.
#[derive(Clone)]
pub struct MetricsToken([u8; 32]);

impl MetricsToken {
    pub fn new(token: &str) -> Self {
        Self(Sha256::digest(token).into())
    }

    fn is(&self, offered: &str) -> bool {
        let offered: [u8; 32] = Sha256::digest(offered).into();
        self.0.ct_eq(&offered).into()
    }
}

impl fmt::Debug for MetricsToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MetricsToken")
    }
}

/// Seconds: from a page that is there to a call that waits for its model.
const BUCKETS: [f64; 12] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0, 120.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    path: &'static str,
    /// 0 for a client that did not wait.
    status: u16,
}

/// Clones share what they count.
#[derive(Debug, Clone)]
pub(super) struct HttpTimes(Family<Answered, Histogram>);

impl Default for HttpTimes {
    fn default() -> Self {
        Self(Family::new_with_constructor(|| Histogram::new(BUCKETS)))
    }
}

impl HttpTimes {
    pub fn observe(&self, path: &str, status: u16, took: Duration) {
        const PATHS: [&str; 5] = ["/mcp", "/healthz", "/readyz", "/metrics", "/openapi.json"];
        let path = PATHS.into_iter().find(|known| *known == path).unwrap_or("other");
        self.0.get_or_create(&Answered { path, status }).observe(took.as_secs_f64());
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct InPool {
    pool: &'static str,
}

/// What this process measures, in addition to the counters that all processes share.
#[derive(Debug)]
pub(super) struct Measures {
    registry: Registry,
    http: HttpTimes,
    writes_waiting: Gauge,
    open: Family<InPool, Gauge>,
    idle: Family<InPool, Gauge>,
    waiting: Family<InPool, Gauge>,
}

impl Measures {
    pub fn new(service: &Service) -> Self {
        let http = HttpTimes::default();
        let writes_waiting = Gauge::default();
        let (open, idle, waiting) = (Family::default(), Family::default(), Family::default());
        let mut registry = Registry::default();
        let help = "Seconds that HTTP requests took in this process";
        registry.register("svc_http_request_seconds", help, http.0.clone());
        service.register(&mut registry);
        let help = "Calls of this process that wait for their commit";
        registry.register("svc_writes_waiting", help, writes_waiting.clone());
        for (name, help, family) in [
            ("svc_pool_connections_open", "Connections of this process to the database", &open),
            ("svc_pool_connections_idle", "Connections of this process that nobody uses", &idle),
            ("svc_pool_waiting", "Calls of this process that wait for a connection", &waiting),
        ] {
            registry.register(name, help, Family::clone(family));
        }
        Self { registry, http, writes_waiting, open, idle, waiting }
    }

    pub fn http_times(&self) -> HttpTimes {
        self.http.clone()
    }

    fn exposition(&self, load: &Load) -> Result<String, fmt::Error> {
        let gauge = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.writes_waiting.set(gauge(load.writes_waiting));
        for pool in &load.pools {
            let labels = InPool { pool: pool.name };
            self.open.get_or_create(&labels).set(gauge(pool.open));
            self.idle.get_or_create(&labels).set(gauge(pool.idle));
            self.waiting.get_or_create(&labels).set(gauge(pool.waiting));
        }
        let mut page = String::new();
        // Histograms and gauges read the same in this format as in OpenMetrics, which is what the library writes.
        encode_registry(&mut page, &self.registry)?;
        Ok(page)
    }
}

const EXPOSITION: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4");

pub(super) async fn answer(
    service: &Service,
    measures: &Measures,
    token: Option<&MetricsToken>,
    headers: &HeaderMap,
) -> Reply {
    if token.is_some_and(|token| !bearer(headers).is_some_and(|offered| token.is(offered))) {
        const PLAIN: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
        return reply::challenged(reply::whole(StatusCode::UNAUTHORIZED, PLAIN, "unauthorized"));
    }
    let store = service.store();
    let counted = async { tokio::try_join!(store.counts(), store.graph_state()) };
    match tokio::join!(counted, store.readiness(READY_TIME)) {
        (Ok((counts, graph)), ready) => {
            let now = Timestamp::now();
            let mut page = exposition(&counts, &service.edition(now).name, store.chain_wait());
            if let Some(graph) = graph {
                page.push_str(&graph_exposition(&graph, now));
            }
            page.extend(ready.err().map(|not_ready| not_ready_exposition(&not_ready)));
            if reads_histograms(headers) {
                match measures.exposition(&store.load()) {
                    Ok(own) => page.push_str(&own),
                    Err(error) => tracing::error!(%error, "what this process measures could not be written"),
                }
            }
            reply::whole(StatusCode::OK, EXPOSITION, page)
        }
        // What is counted is in the database.
        (Err(error), Err(not_ready)) => {
            tracing::error!(%error, "the counters could not be read");
            reply::whole(StatusCode::OK, EXPOSITION, not_ready_exposition(&not_ready))
        }
        (Err(error), Ok(())) => {
            tracing::error!(%error, "the counters could not be read");
            reply::internal()
        }
    }
}

/// The contract promises samples with one label at most. Prometheus and its like, which read more, name OpenMetrics among
/// what they accept.
fn reads_histograms(headers: &HeaderMap) -> bool {
    let mut lines = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
    lines.any(|line| line.contains("application/openmetrics-text"))
}

fn exposition(counts: &Counts, edition: &str, chain: Option<ChainWait>) -> String {
    let mut page = Page::default();
    let per_tool =
        |value: fn(&ToolCount) -> String| counts.tools.iter().map(move |t| (t.tool.as_str(), value(t)));
    page.family("svc_tool_calls_total", "counter", "Calls per tool, denied ones included.");
    page.samples("svc_tool_calls_total", "tool", per_tool(|t| t.calls.to_string()));
    page.family("svc_tool_errors_total", "counter", "Failed calls per tool.");
    page.samples("svc_tool_errors_total", "tool", per_tool(|t| t.errors.to_string()));
    page.family("svc_tool_latency_avg_ms", "gauge", "Average latency per tool in milliseconds.");
    page.samples("svc_tool_latency_avg_ms", "tool", per_tool(|t| format!("{:.3}", t.average_ms())));
    if !counts.actions.is_empty() {
        page.family("svc_action_total", "counter", "Reconciliation actions taken.");
        page.samples("svc_action_total", "action", counts.actions.iter().map(|(a, n)| (a.as_str(), n)));
    }
    page.family("svc_principals_active", "gauge", "Principals that are not revoked.");
    page.line(format_args!("svc_principals_active {}", counts.active_principals));
    page.samples("svc_license_edition_info", "edition", [(edition, 1)]);
    if let Some(ChainWait { groups, waited }) = chain {
        const GROUPS: &str = "svc_audit_append_total";
        const WAITED: &str = "svc_audit_append_wait_seconds_total";
        page.family(GROUPS, "counter", "Commits of this process that appended to the audit log.");
        page.line(format_args!("{GROUPS} {groups}"));
        page.family(WAITED, "counter", "Seconds that this process waited for the end of the audit log.");
        page.line(format_args!("{WAITED} {:.6}", waited.as_secs_f64()));
    }
    page.0
}

/// Which part keeps the service from storing anything. It appears while one does.
fn not_ready_exposition(not_ready: &NotReady) -> String {
    const NOT_READY: &str = "svc_not_ready";
    let mut page = Page::default();
    page.family(NOT_READY, "gauge", "Part of the deployment that keeps this process from storing anything.");
    page.samples(NOT_READY, "part", [(not_ready.part.word(), 1)]);
    page.0
}

/// How far the entity graph is behind the database.
fn graph_exposition(graph: &GraphState, now: Timestamp) -> String {
    const WAITING: &str = "svc_graph_waiting";
    const LAG: &str = "svc_graph_lag_seconds";
    let lag = graph.oldest.map_or(0.0, |oldest| now.duration_since(oldest).as_secs_f64().max(0.0));
    let mut page = Page::default();
    page.family(WAITING, "gauge", "Changes that the entity graph has still to take in.");
    page.line(format_args!("{WAITING} {}", graph.waiting));
    page.family(LAG, "gauge", "Seconds for which the oldest of these changes has waited.");
    page.line(format_args!("{LAG} {lag:.3}"));
    page.0
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn line(&mut self, line: fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "{line}");
    }

    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}"));
    }

    fn samples<'a, N: Display>(
        &mut self,
        name: &str,
        label: &str,
        samples: impl IntoIterator<Item = (&'a str, N)>,
    ) {
        for (value, number) in samples {
            self.line(format_args!("{name}{{{label}=\"{}\"}} {number}", escaped(value)));
        }
    }
}

fn escaped(value: &str) -> String {
    value.replace('\\', r"\\").replace('"', r#"\""#).replace('\n', r"\n")
}

#[cfg(test)]
mod tests {
    use super::{MetricsToken, exposition};
    use store::{Counts, ToolCount};

    #[test]
    fn the_page_holds_each_family_once_and_escapes_labels() {
        let tools = vec![ToolCount { tool: "recall".to_owned(), calls: 4, errors: 1, micros: 6000 }];
        let counts = Counts { tools, actions: vec![("ADD".to_owned(), 2)], active_principals: 3 };
        let page = exposition(&counts, "a\"b\\c\nd", None);
        let samples: Vec<&str> = page.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(
            samples,
            [
                r#"svc_tool_calls_total{tool="recall"} 4"#,
                r#"svc_tool_errors_total{tool="recall"} 1"#,
                r#"svc_tool_latency_avg_ms{tool="recall"} 1.500"#,
                r#"svc_action_total{action="ADD"} 2"#,
                "svc_principals_active 3",
                r#"svc_license_edition_info{edition="a\"b\\c\nd"} 1"#,
            ]
        );
        assert!(!page.contains("# TYPE svc_license_edition_info"));
    }

    #[test]
    fn no_action_is_shown_before_the_first_one() {
        assert!(!exposition(&Counts::default(), "community", None).contains("svc_action_total"));
    }

    #[test]
    fn a_token_is_itself_and_nothing_else() {
        let token = MetricsToken::new("m3trics");
        assert!(token.is("m3trics"));
        assert!(!token.is("m3tric"));
        assert!(!token.is(""));
    }
}
