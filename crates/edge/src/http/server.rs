//! The listening socket: taking connections in, and letting them finish at the end.

use super::Config;
use super::access_log::Logged;
use super::connections::{Connections, FIRST_HEAD_TIME, Place, UnderWay};
use super::parser_replies::ParserReplies;
use super::pipeline::Pipeline;
use super::site::{Site, SitePipeline};
use super::write_timeout::WriteTimeout;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use service::Service;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// How long the head of a request may take to arrive, and how long a connection may stay open without one. For the
/// first one there is less time.
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
    connections: Arc<Connections>,
    served: Served,
}

/// What a listener is for. Clones share it.
#[derive(Debug, Clone)]
enum Served {
    Protocol(Arc<Pipeline>),
    Pages(Arc<SitePipeline>),
}

impl Served {
    async fn answer(
        &self,
        request: Request<Incoming>,
        peer: IpAddr,
        under_way: UnderWay,
    ) -> Response<Logged> {
        match self {
            Self::Protocol(pipeline) => pipeline.answer(request, peer, under_way).await,
            Self::Pages(pipeline) => pipeline.answer(request, peer, under_way).await,
        }
    }
}

impl Server {
    /// The protocol. Port 0 takes any free port.
    pub async fn bind(host: &str, port: u16, service: Service, config: Config) -> io::Result<Self> {
        let pipeline = Pipeline::new(service, config.clone())?;
        Self::listen(host, port, &config, Served::Protocol(Arc::new(pipeline))).await
    }

    /// Pages, on a port of their own.
    pub async fn bind_site(host: &str, port: u16, site: Arc<dyn Site>, config: Config) -> io::Result<Self> {
        let pipeline = SitePipeline::new(site, config.clone());
        Self::listen(host, port, &config, Served::Pages(Arc::new(pipeline))).await
    }

    async fn listen(host: &str, port: u16, config: &Config, served: Served) -> io::Result<Self> {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let listener = TcpListener::bind((host, port)).await?;
        // All connections are the proxy's, where there is one.
        let per_address = if config.trusted_proxy_hops == 0 { config.connections_per_address } else { 0 };
        let connections = Arc::new(Connections::new(config.connections, per_address));
        Ok(Self { listener, connections, served })
    }

    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop`, then takes no more connections and returns when the open ones have finished.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let watched = GracefulShutdown::new();
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(HEAD_BYTES);
        tokio::pin!(stop);
        loop {
            let (stream, peer) = tokio::select! {
                () = &mut stop => break,
                accepted = accept(&self.listener) => accepted,
            };
            let Some(place) = self.connections.enter(peer.ip()) else { continue };
            let (served, own) = (self.served.clone(), place.clone());
            let answer = service_fn(move |request| {
                let (served, under_way) = (served.clone(), own.begin());
                async move {
                    let under_way = under_way.ok_or_else(|| io::Error::other("closed to make room"))?;
                    Ok::<_, io::Error>(served.answer(request, peer.ip(), under_way).await)
                }
            });
            let io = TokioIo::new(ParserReplies::new(WriteTimeout::new(stream, UNREAD_TIME)));
            let connection = watched.watch(http.serve_connection(io, answer));
            tokio::spawn(async move {
                let ended: Result<(), hyper::Error> = tokio::select! {
                    ended = connection => ended,
                    () = place.told_to_end() => Ok(()),
                    () = silence(&place) => Ok(()),
                };
                if let Err(error) = ended {
                    tracing::debug!(%error, client = %peer.ip(), "a connection ended early");
                }
            });
        }
        drop(self.listener);
        tracing::info!("stopping: no new connections are taken, what is under way is finished");
        if timeout(LEAVING, watched.shutdown()).await.is_err() {
            tracing::warn!("stopped with requests unfinished; none of them had been answered");
        }
    }
}

/// Completes where the first request does not arrive in time.
async fn silence(place: &Place) {
    sleep(FIRST_HEAD_TIME).await;
    if !place.is_unheard() {
        std::future::pending::<()>().await;
    }
}

pub(super) async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                // Without this the last piece of a streamed answer waits for the client's acknowledgement.
                let _ = stream.set_nodelay(true);
                return (stream, peer);
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}
