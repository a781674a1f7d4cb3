//! Databases and roles on a server.

use super::client::{connect, random_word, told, wait};
use super::cluster::Cluster;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Whom a database lets in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The owner of the database, an ordinary role that row-level security binds.
    Owner,
    /// Who passes every wall.
    Superuser,
}

/// A server on which tests make databases.
#[derive(Debug)]
pub struct Postgres {
    /// Name and password, as they are written in a URL.
    superuser: String,
    owner: String,
    /// Host and port.
    place: String,
    /// The database that one is connected to while others are made.
    maintenance: String,
    /// What follows the name of the database in a URL.
    parameters: String,
    cluster: Option<Cluster>,
}

/// Of a server that others gave us, what a test program left behind that could not tidy up goes after this time.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);

impl Postgres {
    pub(super) fn own(cluster: Cluster) -> Self {
        let mut server = Self::parse(&cluster.url()).unwrap();
        server.cluster = Some(cluster);
        server.make_owner();
        server
    }

    pub(super) fn given(url: &str) -> Self {
        let server = Self::parse(url);
        let mut server = server.unwrap_or_else(|| {
            panic!("SVC_TEST_DATABASE_URL takes postgresql://SUPERUSER:PASSWORD@HOST:PORT/DATABASE")
        });
        server.sweep();
        server.make_owner();
        server
    }

    fn parse(url: &str) -> Option<Self> {
        let rest = url.strip_prefix("postgresql://").or_else(|| url.strip_prefix("postgres://"))?;
        let (rest, parameters) = rest.find('?').map_or((rest, ""), |at| rest.split_at(at));
        let (login, rest) = rest.rsplit_once('@')?;
        let (place, database) = rest.split_once('/').unwrap_or((rest, "postgres"));
        Some(Self {
            superuser: login.to_owned(),
            owner: String::new(),
            place: place.to_owned(),
            maintenance: database.to_owned(),
            parameters: parameters.to_owned(),
            cluster: None,
        })
    }

    fn make_owner(&mut self) {
        let (name, password) = (new_name(), random_word());
        self.administer(format!("CREATE ROLE {name} LOGIN NOSUPERUSER PASSWORD '{password}'")).unwrap();
        self.owner = format!("{name}:{password}");
    }

    fn url(&self, role: Role, database: &str) -> String {
        let login = match role {
            Role::Owner => &self.owner,
            Role::Superuser => &self.superuser,
        };
        format!("postgresql://{login}@{}/{database}{}", self.place, self.parameters)
    }

    /// A statement that concerns the server as a whole.
    fn administer(&self, statement: String) -> Result<(), String> {
        let url = self.url(Role::Superuser, &self.maintenance);
        wait(async move {
            let client = connect(&url).await.map_err(|error| told(&error))?;
            client.batch_execute(&statement).await.map_err(|error| format!("{statement}: {}", told(&error)))
        })
    }

    /// Removes what earlier test programs left on a server that outlives them.
    fn sweep(&self) {
        let url = self.url(Role::Superuser, &self.maintenance);
        let names: Vec<String> = wait(async move {
            let client =
                connect(&url).await.unwrap_or_else(|e| panic!("SVC_TEST_DATABASE_URL: {}", told(&e)));
            let names = "SELECT datname::text FROM pg_database UNION SELECT rolname::text FROM pg_roles";
            client.query(names, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
        });
        let stale = |name: &&String| {
            made(name).is_some_and(|made| now().saturating_sub(made) > LEFT_BEHIND.as_secs())
        };
        for name in names.iter().filter(stale) {
            // Somebody else may be sweeping too.
            let _ = self.administer(format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
            let _ = self.administer(format!("DROP ROLE IF EXISTS {name}"));
        }
    }

    /// Only of a server of our own.
    pub fn stop_immediate(&self) {
        self.cluster.as_ref().expect("a cluster of our own").stop_immediate();
    }

    /// Only of a server of our own.
    pub fn start(&self) {
        self.cluster.as_ref().expect("a cluster of our own").start();
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if self.cluster.is_none()
            && let Some((name, _)) = self.owner.split_once(':')
        {
            let _ = self.administer(format!("DROP ROLE {name}"));
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// A name that nobody has, with the time in it.
fn new_name() -> String {
    format!("svc_test_{}_{}", now(), random_word())
}

/// When the name was made up, if one of us did.
fn made(name: &str) -> Option<u64> {
    name.strip_prefix("svc_test_")?.split_once('_')?.0.parse().ok()
}

/// One database. It ends with the value.
#[derive(Debug)]
pub struct Database {
    server: Arc<Postgres>,
    name: String,
}

impl Database {
    pub fn create(server: &Arc<Postgres>) -> Self {
        let database = Self { server: server.clone(), name: new_name() };
        database.make_from("template0");
        database
    }

    /// Nobody may be connected to this one.
    pub fn copy(&self) -> Self {
        let copy = Self { server: self.server.clone(), name: new_name() };
        copy.make_from(&self.name);
        copy
    }

    /// Puts what is in `original` in place of what is here. Nobody may be connected to it.
    pub fn become_copy_of(&self, original: &Self) {
        self.remove().unwrap();
        self.make_from(&original.name);
    }

    pub fn url(&self, role: Role) -> String {
        self.server.url(role, &self.name)
    }

    fn make_from(&self, template: &str) {
        let owner = self.server.owner.split_once(':').unwrap().0;
        let (server, name) = (&self.server, &self.name);
        server.administer(format!("CREATE DATABASE {name} OWNER {owner} TEMPLATE {template}")).unwrap();
    }

    fn remove(&self) -> Result<(), String> {
        self.server.administer(format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name))
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // A server that a test has stopped keeps its database until it goes itself.
        let _ = self.remove();
    }
}
