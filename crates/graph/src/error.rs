//! Why a call to Neo4j failed.

use domain::Fault;
use neo4rs::{DeError, Error, Neo4jClientErrorKind, Neo4jErrorKind};
use thiserror::Error;

/// No variant holds the password, nor the server's own words, which may repeat what a statement was about. So every
/// text here may be logged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GraphError {
    #[error("NEO4J_URI {0}")]
    Address(&'static str),
    #[error("Neo4j could not be reached: {0}")]
    Connect(String),
    #[error("Neo4j refuses NEO4J_USER with NEO4J_PASSWORD, or that user's password has to be changed first")]
    Auth,
    #[error("Neo4j did not answer in time")]
    Timeout,
    #[error("Neo4j refused a statement: {0}")]
    Query(String),
    #[error("Neo4j's reply is of no use")]
    BadReply,
    #[error(
        "Neo4j has a later mark of this graph than ours: another process writes to it, or a copy of this database does; if \
         neither is so, delete its MemoryProjection node, and it is rebuilt"
    )]
    Fenced,
    #[error("this Neo4j has no graph of this deployment")]
    Missing,
}

impl GraphError {
    /// One word, fit to be shown by `health`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Address(_) => "AddressError",
            Self::Connect(_) => "ConnectError",
            Self::Auth => "AuthError",
            Self::Timeout => "TimeoutError",
            Self::Query(_) => "QueryError",
            Self::BadReply => "BadReply",
            Self::Fenced => "Fenced",
            Self::Missing => "MissingGraph",
        }
    }
}

impl From<GraphError> for Fault {
    fn from(error: GraphError) -> Self {
        Self::new(error.kind(), error.to_string())
    }
}

impl From<Error> for GraphError {
    fn from(error: Error) -> Self {
        match error {
            Error::AuthenticationError(_) => Self::Auth,
            Error::ConnectionTimedOut => Self::Timeout,
            Error::Neo4j(refusal) => match refusal.kind() {
                Neo4jErrorKind::Client(Neo4jClientErrorKind::Security(_)) => Self::Auth,
                _ if refusal.code().contains("TransactionTimedOut") => Self::Timeout,
                _ => Self::Query(refusal.code().to_owned()),
            },
            Error::IOError { detail } => Self::Connect(detail.to_string()),
            Error::RoutingTableError((code, _)) => Self::Connect(format!("no routing table: {code}")),

            Error::ServerUnavailableError(_) => Self::Connect("no server of the cluster answers".to_owned()),
            Error::UnsupportedVersion(..) | Error::ProtocolMismatch(_) => {
                Self::Connect("the server at this address does not speak Bolt 4.4".to_owned())
            }
            Error::ConnectionClosed(_)
            | Error::ConnectionError
            | Error::IncompleteBoltExchange
            | Error::RequestIgnoredError => Self::Connect("the connection broke off".to_owned()),
            _ => Self::BadReply,
        }
    }
}

impl From<DeError> for GraphError {
    fn from(_: DeError) -> Self {
        Self::BadReply
    }
}
