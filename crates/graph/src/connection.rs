//! The way to Neo4j, and how long a call may take.

use crate::address;
use crate::error::GraphError;
use domain::ProjectionId;
use neo4rs::{ConfigBuilder, Query, Row, query};
use secrecy::{ExposeSecret, SecretString};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// `health` waits for this.
const READY_LIMIT: Duration = Duration::from_secs(3);
/// A full batch takes a fraction of a second. A server that has just started may take several.
pub(crate) const WRITE_LIMIT: Duration = Duration::from_secs(30);
/// The worker needs one connection, and a question one for a few milliseconds.
const CONNECTIONS: usize = 8;
/// Rows that the server sends before it waits to be asked for more.
const ROWS_AT_A_TIME: usize = 2000;

#[derive(Debug)]
pub struct GraphSettings {
    pub uri: String,
    pub user: String,
    pub password: SecretString,
}

/// One projection in a Neo4j. Clones share their connections, which are made when they are needed, and made again when
/// they broke.
#[derive(Clone)]
pub struct Graph {
    driver: neo4rs::Graph,
    projection: Arc<str>,
}

/// Which member of a cluster is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Member {
    /// The one that has every write.
    Leader,
    /// Any, even one that lags behind.
    Any,
}

impl Graph {
    /// Fails on an address that the driver cannot do. A Neo4j that is away is noticed by the first call, not here.
    pub fn new(settings: &GraphSettings, projection: ProjectionId) -> Result<Self, GraphError> {
        address::check(&settings.uri)?;
        let config = ConfigBuilder::default()
            .uri(&settings.uri)
            .user(&settings.user)
            .password(settings.password.expose_secret())
            .max_connections(CONNECTIONS)
            .fetch_size(ROWS_AT_A_TIME)
            // The driver takes this as the limit of every read too.
            .connection_timeout(WRITE_LIMIT)
            .build()?;
        let driver = neo4rs::Graph::connect(config).map_err(|error| match error {
            neo4rs::Error::InvalidDnsName(_) => {
                GraphError::Address("names a host that cannot have a certificate")
            }
            neo4rs::Error::IOError { .. } => {
                GraphError::Address("asks for encryption, and no certificate is trusted on this machine")
            }
            error => error.into(),
        })?;
        Ok(Self { driver, projection: hex::encode(projection.0).into() })
    }

    /// One attempt, for `health`.
    pub async fn ready(&self) -> Result<(), GraphError> {
        let attempt = async {
            // With a routing address, only this says why there is no server to ask; otherwise it does nothing.
            self.driver.get_default_db(None, &[]).await?;
            self.ask(query("RETURN 1"), Member::Leader, READY_LIMIT).await.map(|_| ())
        };
        timeout(READY_LIMIT, attempt).await.map_err(|_| GraphError::Timeout)?
    }

    /// Runs one statement as a transaction of its own. The server gives up by itself when the time is over, so that no
    /// lock of ours outlives the wait.
    pub(crate) async fn ask(
        &self,
        statement: Query,
        member: Member,
        within: Duration,
    ) -> Result<Vec<Row>, GraphError> {
        let milliseconds = i64::try_from(within.as_millis()).unwrap_or(i64::MAX);
        let statement =
            statement.param("projection", &*self.projection).extra("tx_timeout", milliseconds.max(1));
        let answer = async {
            let mut stream = match member {
                Member::Leader => self.driver.execute(statement).await?,
                Member::Any => self.driver.execute_read(statement).await?,
            };
            let mut rows = Vec::new();
            while let Some(row) = stream.next().await? {
                rows.push(row);
            }
            Ok(rows)
        };
        timeout(within, answer).await.map_err(|_| GraphError::Timeout)?
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").field("projection", &self.projection).finish_non_exhaustive()
    }
}
