//! The wire of a witness: one request, `POST /add-checkpoint`, and whatever the witness answers.

use super::body;
use super::reply::{Reply, empty, whole};
use super::server::accept;
use super::write_timeout::WriteTimeout;
use hyper::body::Incoming;
use hyper::header::HeaderValue;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// A checkpoint with its proof takes a few kilobytes, and those who cosigned it before take the rest.
const BODY_BYTES: usize = 64 * 1024;
/// Logs are few, and each has one connection.
const CONNECTIONS: usize = 256;
const HEAD_TIME: Duration = Duration::from_secs(30);
const UNREAD_TIME: Duration = Duration::from_secs(10);

/// What a witness answers.
#[derive(Debug)]
pub struct WitnessReply {
    pub status: u16,
    pub content_type: &'static str,
    pub body: String,
}

/// Makes the answer to the body of a request. It may wait for the disk.
pub type WitnessAnswer = Arc<dyn Fn(&str) -> WitnessReply + Send + Sync>;

/// A witness that listens, and does not serve yet.
#[derive(Debug)]
pub struct WitnessServer(TcpListener);

impl WitnessServer {
    /// Port 0 takes any free port.
    pub async fn bind(address: &str) -> io::Result<Self> {
        Ok(Self(TcpListener::bind(address).await?))
    }

    pub fn address(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    pub async fn serve(self, answer: WitnessAnswer) -> io::Result<()> {
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
        loop {
            let place = places.clone().acquire_owned().await.map_err(io::Error::other)?;
            let (stream, peer) = accept(&self.0).await;
            let answer = answer.clone();
            let service = service_fn(move |request| {
                let answer = answer.clone();
                async move { Ok::<_, Infallible>(answered(request, answer).await) }
            });
            let connection =
                http.serve_connection(TokioIo::new(WriteTimeout::new(stream, UNREAD_TIME)), service);
            tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::debug!(%error, client = %peer.ip(), "a connection ended early");
                }
                drop(place);
            });
        }
    }
}

async fn answered(request: Request<Incoming>, answer: WitnessAnswer) -> Reply {
    if !request.uri().path().ends_with("/add-checkpoint") {
        return empty(StatusCode::NOT_FOUND);
    }
    if request.method() != Method::POST {
        return empty(StatusCode::METHOD_NOT_ALLOWED);
    }
    let Ok(bytes) = body::read(&mut request.into_body(), BODY_BYTES).await else {
        return empty(StatusCode::PAYLOAD_TOO_LARGE);
    };
    let Ok(text) = String::from_utf8(bytes.to_vec()) else { return empty(StatusCode::BAD_REQUEST) };
    let Ok(reply) = tokio::task::spawn_blocking(move || answer(&text)).await else {
        return empty(StatusCode::INTERNAL_SERVER_ERROR);
    };
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    whole(status, HeaderValue::from_static(reply.content_type), reply.body)
}
