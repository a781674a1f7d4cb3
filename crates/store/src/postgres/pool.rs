//! The connections of one process, and how each is set up.

use super::address::{Address, Tls};
use crate::StoreError;
use crate::rows::deployment::COPYING;
use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use domain::Capacity;
use std::time::Duration;
use tokio_postgres::NoTls;

/// What the database holds when it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contents {
    Whole,
    /// What a copy has brought so far, to be looked at before it is declared whole.
    BeingCopied,
}

/// What the connections of a pool are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Whatever callers read. Each transaction says whose rows it reaches.
    Reading,
    /// The transactions that write: one of rows, and one of audit entries alone.
    Writing,
    /// Statements that are a transaction each, on what is of the whole deployment: the keys that callers show, the
    /// numbers given out, and whether the database answers. Such a connection reaches that once and for all, and nothing
    /// else ever. However busy reading is, these do not wait for it.
    Desk,
    /// Checking the audit log, which takes seconds and is done once at a time.
    Verification,
}

/// Of the connections for reading there is always one for another tenant than the busiest one.
pub(crate) const READING: Capacity = Capacity { all: 5, tenant: 4, caller: 3 };

impl Purpose {
    /// Together few enough that nine processes fit into the hundred connections that PostgreSQL allows by default. More
    /// connections make nothing faster: each is a process of the server with caches of its own.
    const fn connections(self) -> usize {
        match self {
            Self::Reading => READING.all,
            Self::Verification => 1,
            Self::Writing | Self::Desk => 2,
        }
    }

    const fn session(self) -> &'static str {
        match self {
            Self::Reading | Self::Writing | Self::Verification => "SET synchronous_commit = on",
            // A number need not reach the disk by itself: what uses it is committed after it, and takes it along.
            Self::Desk => "SET synchronous_commit = off; SET svc.reach = 'deployment'",
        }
    }
}

/// A call waits this long for a free connection before it is told that the database is too busy.
const WAIT: Duration = Duration::from_secs(10);
const CONNECT: Duration = Duration::from_secs(5);

/// A statement that runs longer is stuck, and so is one that waits longer for a lock. A transaction whose process was
/// cut off without a word is ended by the server, so that its locks do not outlive it.
const SESSION: &str = "SET statement_timeout = '30s'; SET lock_timeout = '10s';
    SET idle_in_transaction_session_timeout = '60s'; SET client_min_messages = warning; SET application_name = 'svc'";

pub(crate) fn open(address: &Address, contents: Contents, purpose: Purpose) -> Result<Pool, StoreError> {
    let how = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = match &address.tls {
        Tls::Off => Manager::from_config(address.config.clone(), NoTls, how),
        Tls::On(tls) => Manager::from_config(address.config.clone(), tls.clone(), how),
    };
    Pool::builder(manager)
        .max_size(purpose.connections())
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(WAIT))
        .create_timeout(Some(CONNECT))
        .post_create(Hook::async_fn(move |client, _| {
            Box::pin(async move {
                let session = format!("{SESSION}; {}", purpose.session());
                client.batch_execute(&session).await.map_err(HookError::Backend)?;
                let sql = "SELECT 1 FROM deployment WHERE name = $1";
                let copying = client.query_opt(sql, &[&COPYING]).await.map_err(HookError::Backend)?;
                match (copying, contents) {
                    (Some(_), Contents::Whole) => Err(HookError::message(
                        "a copy into this database is under way; the service goes on when it has ended",
                    )),
                    _ => Ok(()),
                }
            })
        }))
        .build()
        .map_err(|e| StoreError::Startup(format!("cannot set up the connections to PostgreSQL: {e}")))
}
