//! The connections of one process, and how each is set up.

use super::address::{Address, Tls};
use super::open::Contents;
use crate::StoreError;
use crate::rows::deployment::COPYING;
use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use std::time::Duration;
use tokio_postgres::NoTls;

/// Enough for the writing lanes, the numbers they take, and reads beside them; few enough that several processes fit
/// into the hundred connections that PostgreSQL allows by default.
const CONNECTIONS: usize = 12;
/// A call waits this long for a free connection before it is told that the database is too busy.
const WAIT: Duration = Duration::from_secs(10);
const CONNECT: Duration = Duration::from_secs(5);

/// A statement that runs longer is stuck, and so is one that waits longer for a lock. A transaction whose process was
/// cut off without a word is ended by the server, so that its locks do not outlive it.
const SESSION: &str = "SET statement_timeout = '30s'; SET lock_timeout = '10s';
    SET idle_in_transaction_session_timeout = '60s'; SET synchronous_commit = on;
    SET client_min_messages = warning; SET application_name = 'svc'";

pub(crate) fn open(address: &Address, contents: Contents) -> Result<Pool, StoreError> {
    let how = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = match &address.tls {
        Tls::Off => Manager::from_config(address.config.clone(), NoTls, how),
        Tls::On(tls) => Manager::from_config(address.config.clone(), tls.clone(), how),
    };
    Pool::builder(manager)
        .max_size(CONNECTIONS)
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(WAIT))
        .create_timeout(Some(CONNECT))
        .post_create(Hook::async_fn(move |client, _| {
            Box::pin(async move {
                client.batch_execute(SESSION).await.map_err(HookError::Backend)?;
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
