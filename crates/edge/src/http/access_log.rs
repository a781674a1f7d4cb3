//! One line in the log for each request, also for one whose client did not wait for the answer.

use super::connections::UnderWay;
use super::metrics::HttpTimes;
use super::reply::Body;
use hyper::body::{Bytes, Frame, SizeHint};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

/// A path longer than this tells a reader nothing more.
const PATH_CHARS: usize = 120;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    Ordinary,
    /// Asked for every few seconds by a machine, and of interest only when something is wrong.
    Probe,
}

/// Written when it is dropped: when the whole answer has been handed over, or the client has gone.
#[derive(Debug)]
pub(super) struct AccessLine {
    pub status: Option<StatusCode>,
    /// The tool that is called, once it is known.
    pub tool: Option<&'static str>,
    /// The id of the principal, once it is known.
    pub caller: Option<String>,
    request_id: String,
    weight: Weight,
    method: Method,
    path: String,
    client: IpAddr,
    started: Instant,
    times: HttpTimes,
}

impl AccessLine {
    pub fn new(request_id: String, parts: &Parts, client: IpAddr, weight: Weight, times: HttpTimes) -> Self {
        Self {
            status: None,
            tool: None,
            caller: None,
            request_id,
            weight,
            method: parts.method.clone(),
            path: parts.uri.path().chars().take(PATH_CHARS).collect(),
            client,
            started: Instant::now(),
            times,
        }
    }
}

impl Drop for AccessLine {
    fn drop(&mut self) {
        let Self { request_id, method, path, client, .. } = self;
        let status = self.status.map_or(0, |status| status.as_u16());
        let caller = self.caller.as_deref().unwrap_or("-");
        let tool = self.tool.unwrap_or("-");
        let took = self.started.elapsed();
        let elapsed_ms = took.as_millis() as u64;
        self.times.observe(path, status, took);
        let what = if self.status.is_some() { "answered" } else { "the client went away" };
        match self.weight {
            Weight::Ordinary => {
                tracing::info!(request_id, %method, path, status, elapsed_ms, tool, caller, %client, "{what}");
            }
            Weight::Probe => {
                tracing::debug!(request_id, %method, path, status, elapsed_ms, caller, %client, "{what}");
            }
        }
    }
}

/// A body together with its log line, which is written when the last of the body has been sent.
pub(super) struct Logged {
    body: Body,
    /// Held to be dropped with the body.
    _held: (AccessLine, UnderWay),
}

impl Logged {
    pub const fn new(body: Body, line: AccessLine, under_way: UnderWay) -> Self {
        Self { body, _held: (line, under_way) }
    }
}

impl hyper::body::Body for Logged {
    type Data = Bytes;
    type Error = <Body as hyper::body::Body>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
