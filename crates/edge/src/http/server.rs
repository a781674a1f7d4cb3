//! The listening socket: taking connections in, and letting them finish at the end.

use super::Config;
use super::pipeline::Pipeline;
use super::write_timeout::WriteTimeout;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use service::Service;
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

/// Connections at once; those beyond wait in the system's queue. Idle and slow ones are closed, so places come free.
const CONNECTIONS: usize = 4096;
/// How long the head of a request may take to arrive, and how long a connection may stay open without one.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// Lines of the head, all together: room for a large token and a long chain of proxies.
const HEAD_BYTES: usize = 64 * 1024;
/// How long a client may leave an answer unread.
const UNREAD_TIME: Duration = Duration::from_secs(30);
/// What is under way when the server is told to stop gets this long to finish.
const LEAVING: Duration = Duration::from_secs(10);
/// The pause after a failure to accept, such as too many open files: the next attempt would fail as well.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A server that listens, and does not serve yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    pipeline: Arc<Pipeline>,
}

impl Server {
    /// Port 0 takes any free port.
    pub async fn bind(host: &str, port: u16, service: Service, config: Config) -> io::Result<Self> {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let listener = TcpListener::bind((host, port)).await?;
        Ok(Self { listener, pipeline: Arc::new(Pipeline::new(service, config)?) })
    }

    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop`, then takes no more connections and returns when the open ones have finished.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let connections = GracefulShutdown::new();
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(HEAD_BYTES);
        tokio::pin!(stop);
        loop {
            let (stream, peer, place) = tokio::select! {
                () = &mut stop => break,
                accepted = accept(&self.listener, &places) => accepted,
            };
            let pipeline = self.pipeline.clone();
            let answer = service_fn(move |request| {
                let pipeline = pipeline.clone();
                async move { Ok::<_, Infallible>(pipeline.answer(request, peer.ip()).await) }
            });
            let io = TokioIo::new(WriteTimeout::new(stream, UNREAD_TIME));
            let connection = connections.watch(http.serve_connection(io, answer));
            tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::debug!(%error, client = %peer.ip(), "a connection ended early");
                }
                drop(place);
            });
        }
        drop(self.listener);
        tracing::info!("stopping: no new connections are taken, what is under way is finished");
        if timeout(LEAVING, connections.shutdown()).await.is_err() {
            tracing::warn!("stopped with requests unfinished; none of them had been answered");
        }
    }
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> (TcpStream, SocketAddr, Option<OwnedSemaphorePermit>) {
    // The semaphore is never closed, so there is always a permit to wait for.
    let place = places.clone().acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                // Without this the last piece of a streamed answer waits for the client's acknowledgement.
                let _ = stream.set_nodelay(true);
                return (stream, peer, place);
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}
