//! The servers that are measured: real processes with a database of their own.

use super::wire::Connection;
use crate::error::LabError;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const STARTING: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(10);

/// End with the value.
#[derive(Debug)]
pub struct Servers {
    folder: TempDir,
    children: Vec<Child>,
    pub addresses: Vec<SocketAddr>,
    pub key: String,
}

/// Which database the servers share.
#[derive(Debug, Clone)]
pub enum Database {
    /// A file in a folder that goes with them.
    Sqlite,
    /// An empty database of PostgreSQL.
    Postgres(String),
}

impl Database {
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres(_) => "PostgreSQL",
        }
    }
}

/// What the servers have used so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    /// Seconds of processor time.
    pub cpu: f64,
    pub resident_bytes: u64,
}

impl Servers {
    pub fn start(database: &Database, processes: usize, model_url: &str) -> Result<Self, LabError> {
        let folder = tempfile::Builder::new().prefix("svc-bench-").tempdir()?;
        let variables = variables(database, folder.path(), model_url);
        let key = key(&variables, folder.path())?;
        let mut servers = Self { folder, children: Vec::new(), addresses: Vec::new(), key };
        for _ in 0..processes {
            servers.add(&variables)?;
        }
        Ok(servers)
    }

    fn add(&mut self, variables: &[(String, String)]) -> Result<(), LabError> {
        // A port that is free now. Should somebody else take it before the server does, the server says so and ends.
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let mut command = program("svc-server", variables, self.folder.path())?;
        command.env("SVC_PORT", address.port().to_string());
        self.children.push(command.stdin(Stdio::null()).spawn()?);
        let began = Instant::now();
        while Connection::open(address).is_err() {
            let ended = self.children.last_mut().map(Child::try_wait).transpose()?.flatten();
            if ended.is_some() || began.elapsed() > STARTING {
                return Err(LabError::Refused("svc-server did not start; what it said is above".to_owned()));
            }
            std::thread::sleep(POLL);
        }
        self.addresses.push(address);
        Ok(())
    }

    pub fn usage(&self) -> Usage {
        let each = self.children.iter().map(|child| usage(child.id()).unwrap_or_default());
        each.fold(Usage::default(), |sum, one| Usage {
            cpu: sum.cpu + one.cpu,
            resident_bytes: sum.resident_bytes + one.resident_bytes,
        })
    }

    /// What the files of the database take, the log of what is not yet in it included; 0 where it is elsewhere.
    pub fn stored_bytes(&self) -> u64 {
        let size = |name: &str| std::fs::metadata(self.folder.path().join(name)).map_or(0, |file| file.len());
        size("svc.db") + size("svc.db-wal")
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn variables(database: &Database, folder: &Path, model_url: &str) -> Vec<(String, String)> {
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let file = folder.join("svc.db").display().to_string();
    let mut variables = vec![
        pair("SVC_DB", &file),
        pair("OPENAI_BASE_URL", model_url),
        pair("SVC_RATE_PER_MIN", "0"),
        pair("SVC_CONNECTIONS_PER_ADDRESS", "0"),
        pair("SVC_LOG_LEVEL", "ERROR"),
    ];
    if let Database::Postgres(url) = database {
        variables.push(pair("SVC_DATABASE_URL", url));
    }
    variables
}

/// A program beside this one, with these variables and no others.
fn program(name: &str, variables: &[(String, String)], folder: &Path) -> Result<Command, LabError> {
    let path: PathBuf = std::env::current_exe()?.with_file_name(name);
    if !path.exists() {
        return Err(LabError::Refused(format!("{} is missing: build all programs first", path.display())));
    }
    let mut command = Command::new(path);
    command.env_clear().envs(variables.iter().cloned()).current_dir(folder);
    Ok(command)
}

/// The key of an admin.
fn key(variables: &[(String, String)], folder: &Path) -> Result<String, LabError> {
    let made = program("svc", variables, folder)?
        .args(["principal", "create", "bench", "--role", "admin"])
        .output()?;
    let said = String::from_utf8_lossy(&made.stdout).into_owned();
    let key = said.split_whitespace().find(|word| word.starts_with("svc_sk_")).map(str::to_owned);
    key.ok_or_else(|| LabError::Refused(format!("no key: {said}{}", String::from_utf8_lossy(&made.stderr))))
}

/// Linux tells it; elsewhere it is not known.
fn usage(process: u32) -> Option<Usage> {
    /// `sysconf(_SC_CLK_TCK)` on every Linux that there is.
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may hold spaces; user and system time are the 12th and 13th fields behind it.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks = fields.next()?.parse::<u32>().ok()? + fields.next()?.parse::<u32>().ok()?;
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = resident.split_whitespace().next()?.parse().ok()?;
    Some(Usage { cpu: f64::from(ticks) / TICKS_A_SECOND, resident_bytes: kilobytes * 1024 })
}
