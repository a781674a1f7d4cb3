//! One deployment: a folder of its own, a database of its own, and the settings to start programs with.

use super::{Engine, Mcp, Model, Server, Sql, program};
use evidence::{Claims, Signer, mint_licence};
use samples::postgres::{self, Database, Postgres, Role};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use tempfile::TempDir;

pub struct Deployment {
    folder: TempDir,
    /// With SQLite it is a file in the folder; with PostgreSQL the folder holds the keys and the head of the audit log.
    database: Option<Database>,
    variables: Vec<(String, String)>,
}

impl Deployment {
    pub fn new(model: &Model) -> Self {
        match crate::ENGINE {
            Engine::Sqlite => Self::with_database(model, None),
            Engine::Postgres => Self::on(model, shared()),
        }
    }

    /// One on each engine that this machine has, without a limit on how often a client may call.
    pub fn on_each_engine(model: &Model) -> Vec<(Engine, Self)> {
        let mut all = vec![(Engine::Sqlite, Self::with_database(model, None))];
        if let Some(server) = postgres::shared() {
            all.push((Engine::Postgres, Self::on(model, server)));
        }
        all.into_iter().map(|(engine, one)| (engine, one.with("SVC_RATE_PER_MIN", "0"))).collect()
    }

    /// On a PostgreSQL of the test's own.
    pub fn on(model: &Model, server: &Arc<Postgres>) -> Self {
        Self::with_database(model, Some(Database::create(server)))
    }

    fn with_database(model: &Model, database: Option<Database>) -> Self {
        let mut deployment = Self { folder: tempfile::tempdir().unwrap(), database, variables: Vec::new() };
        deployment.set("OPENAI_BASE_URL", &model.base_url());
        deployment.connect_as(Role::Owner);
        deployment
    }

    /// In a folder below this one, on SQLite.
    pub fn within(model: &Model, place: &Path) -> Self {
        let folder = tempfile::tempdir_in(place).unwrap();
        Self { folder, ..Self::with_database(model, None) }
    }

    /// Has the programs come to PostgreSQL in this role.
    pub fn connect_as(&mut self, role: Role) {
        if let Some(url) = self.database.as_ref().map(|database| database.url(role)) {
            self.set("SVC_DATABASE_URL", &url);
        }
    }

    /// Without any variable set: the built-in model serves.
    pub fn bare() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), database: None, variables: Vec::new() }
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.set(name, value);
        self
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// A licence for that many principals.
    pub fn with_seats(self, seats: u32) -> Self {
        self.with_licence(seats, &[])
    }

    pub fn with_licence(self, seats: u32, features: &[&str]) -> Self {
        let vendor = Signer::from_seed([42; 32]);
        let issued = domain::Timestamp::now();
        let claims = Claims {
            customer: "tests".to_owned(),
            edition: "team".to_owned(),
            seats,
            features: features.iter().map(|feature| (*feature).to_owned()).collect(),
            issued: Some(issued),
            expires: issued.checked_add(std::time::Duration::from_secs(24 * 3600)).unwrap(),
        };
        let licence = mint_licence(&claims, &vendor).unwrap();
        self.with("SVC_LICENSE", &licence).with("SVC_VENDOR_PUBKEY", &vendor.public_key().to_hex())
    }

    /// The same database, files and settings in another place. No program may be running on this one.
    pub fn copy(&self) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for file in self.files() {
            std::fs::copy(self.folder.path().join(&file), folder.path().join(&file)).unwrap();
        }
        let database = self.database.as_ref().map(Database::copy);
        let mut copy = Self { folder, database, variables: self.variables.clone() };
        copy.connect_as(Role::Owner);
        copy
    }

    /// Puts the database, and nothing beside it, back to what `earlier` holds. No program may be running on either.
    pub fn roll_back_database_to(&self, earlier: &Self) {
        if let (Some(database), Some(original)) = (&self.database, &earlier.database) {
            return database.become_copy_of(original);
        }
        for name in ["svc.db", "svc.db-wal", "svc.db-shm"] {
            let file = self.folder().join(name);
            if file.exists() {
                std::fs::remove_file(&file).unwrap();
            }
            if earlier.folder().join(name).exists() {
                std::fs::copy(earlier.folder().join(name), file).unwrap();
            }
        }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn database_file(&self) -> PathBuf {
        self.folder.path().join("svc.db")
    }

    /// The names of the files, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The database itself, as somebody with all rights to it could open it.
    pub fn sql(&self) -> Sql {
        match &self.database {
            None => Sql::open_file(&self.database_file()),
            Some(database) => Sql::connect(database.url(Role::Superuser)),
        }
    }

    /// The PostgreSQL database in the role of the programs.
    pub fn sql_as_owner(&self) -> Sql {
        Sql::connect(self.database.as_ref().unwrap().url(Role::Owner))
    }

    /// Whether these bytes are in the database or in a file beside it.
    pub fn holds(&self, bytes: &[u8]) -> bool {
        let within = |held: &[u8]| held.windows(bytes.len()).any(|window| window == bytes);
        let in_files =
            self.files().iter().any(|name| within(&std::fs::read(self.folder.path().join(name)).unwrap()));
        in_files || (self.database.is_some() && self.sql().contents().iter().any(|table| within(table)))
    }

    pub fn start(&self) -> Mcp {
        Mcp::start(self.command(&program("svc-mcp")))
    }

    pub fn serve(&self) -> Server {
        Server::start(self.command(&program("svc-server")))
    }

    /// `svc-mcp`, for a test that speaks its protocol line by line.
    pub fn stdio(&self) -> Command {
        self.command(&program("svc-mcp"))
    }

    /// What the program says when it does not start.
    pub fn refusal(&self) -> String {
        let output = self.run(&program("svc-mcp"), &[]);
        assert!(!output.status.success(), "it started");
        assert!(output.stdout.is_empty(), "standard output is for the protocol alone");
        String::from_utf8(output.stderr).unwrap()
    }

    /// Runs a program to its end, with nothing on standard input.
    pub fn run(&self, program: &str, arguments: &[&str]) -> Output {
        self.command(program).args(arguments).stdin(std::process::Stdio::null()).output().unwrap()
    }

    /// A program of ours, for a test that starts it in its own way.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.variables.iter().cloned()).current_dir(self.folder.path());
        command
    }
}

/// Without a server no test of this program can run. They end here, all of them, rather than be counted as passed.
pub fn shared() -> &'static Arc<Postgres> {
    postgres::shared().unwrap_or_else(|| std::process::exit(0))
}
