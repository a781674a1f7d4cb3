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
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

/// A checkpoint with its proof takes a few kilobytes, and those who cosigned it before take the rest.
const BODY_BYTES: usize = 64 * 1024;
/// Logs are few, and each has one connection. Beyond this the one that has been idle longest makes room.
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
        let mut seats: Vec<Seat> = Vec::new();
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
        loop {
            let (stream, peer) = accept(&self.0).await;
            if !make_room(&mut seats) {
                tracing::warn!(client = %peer.ip(), "every connection is being answered; one more was closed");
                continue;
            }
            let answer = answer.clone();
            let answering = Arc::new(AtomicUsize::new(0));
            let busy = Arc::clone(&answering);
            let service = service_fn(move |request| {
                let (answer, busy) = (answer.clone(), Arc::clone(&busy));
                async move {
                    busy.fetch_add(1, Ordering::Relaxed);
                    let reply = answered(request, answer).await;
                    busy.fetch_sub(1, Ordering::Relaxed);
                    Ok::<_, Infallible>(reply)
                }
            });
            let connection =
                http.serve_connection(TokioIo::new(WriteTimeout::new(stream, UNREAD_TIME)), service);
            let task = tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::debug!(%error, client = %peer.ip(), "a connection ended early");
                }
            });
            seats.push(Seat { task: task.abort_handle(), answering });
        }
    }
}

/// A connection, and how many of its requests are being answered.
struct Seat {
    task: AbortHandle,
    answering: Arc<AtomicUsize>,
}

/// Closes the oldest idle connection where there are as many as there may be; whether there is room.
fn make_room(seats: &mut Vec<Seat>) -> bool {
    seats.retain(|seat| !seat.task.is_finished());
    if seats.len() < CONNECTIONS {
        return true;
    }
    let idle = seats.iter().position(|seat| seat.answering.load(Ordering::Relaxed) == 0);
    idle.map(|at| seats.remove(at).task.abort()).is_some()
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
