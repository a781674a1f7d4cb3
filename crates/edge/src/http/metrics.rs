//! Counters for a monitoring system, in the text exposition format.

use super::auth::bearer;
use super::reply::{self, Reply};
use domain::Timestamp;
use hyper::header::HeaderValue;
use hyper::{HeaderMap, StatusCode};
use service::Service;
use sha2::{Digest, Sha256};
use std::fmt::{self, Display, Write};
use store::{ChainWait, Counts, ToolCount};
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

pub(super) async fn answer(service: &Service, token: Option<&MetricsToken>, headers: &HeaderMap) -> Reply {
    if token.is_some_and(|token| !bearer(headers).is_some_and(|offered| token.is(offered))) {
        const PLAIN: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
        return reply::challenged(reply::whole(StatusCode::UNAUTHORIZED, PLAIN, "unauthorized"));
    }
    match service.store().counts().await {
        Ok(counts) => {
            const EXPOSITION: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4");
            let edition = service.edition(Timestamp::now()).name;
            let page = exposition(&counts, &edition, service.store().chain_wait());
            reply::whole(StatusCode::OK, EXPOSITION, page)
        }
        Err(error) => {
            tracing::error!(%error, "the counters could not be read");
            reply::internal()
        }
    }
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
