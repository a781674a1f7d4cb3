//! A PostgreSQL server of our own, in a folder of its own, that goes when the test program does.

use super::client::random_word;
use super::programs::{self, Programs};
use crate::tools::run;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub const SUPERUSER: &str = "svc_test_root";

/// What the server keeps when it or the machine dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Nothing is forced to the disk: fast, and fit for every test that is not about a crash.
    None,
    /// As a server is run for real.
    Full,
}

#[derive(Debug)]
pub struct Cluster {
    programs: Programs,
    folder: PathBuf,
    port: u16,
    password: String,
    _guardian: Guardian,
}

/// Another program may take a port between our choosing it and the server's binding it.
const PORTS_TRIED: usize = 5;

impl Cluster {
    /// An error says why this machine cannot have one. A cluster that it should be able to have and that does not
    /// start is a failure.
    pub fn new(durability: Durability) -> Result<Self, String> {
        let folder = programs::folder()?;
        let guardian = Guardian::of(&folder)?;
        let programs = Programs::for_cluster_in(&folder)?;
        let password = random_word();
        let mut cluster = Self { programs, folder, port: 0, password, _guardian: guardian };
        cluster.initialize(durability);
        cluster.start_on_a_free_port();
        Ok(cluster)
    }

    pub fn url(&self) -> String {
        format!("postgresql://{SUPERUSER}:{}@127.0.0.1:{}/postgres", self.password, self.port)
    }

    /// Starts the server that was stopped, on the port that it had.
    pub fn start(&self) {
        self.try_start().unwrap_or_else(|error| panic!("{error}\n{}", self.log()));
    }

    /// Ends the server as a crash does: nothing is finished, nothing is tidied up.
    pub fn stop_immediate(&self) {
        run(self.pg_ctl().args(["stop", "-w", "-m", "immediate"])).unwrap();
    }

    fn initialize(&self, durability: Durability) {
        let password_file = self.folder.join("password");
        fs::write(&password_file, &self.password).unwrap();
        self.programs.hand_over(&password_file).unwrap();
        let mut initdb = self.programs.command("initdb");
        initdb.args(["--username", SUPERUSER, "--auth", "scram-sha-256", "--no-sync"]);
        initdb.args(["--encoding", "UTF8", "--locale", "C"]);
        initdb.arg("--pwfile").arg(&password_file).arg("--pgdata").arg(self.data());
        run(&mut initdb).unwrap();

        let mut settings = "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\n\
                            max_connections = 1000\n"
            .to_owned();
        if durability == Durability::None {
            settings.push_str("fsync = off\nfull_page_writes = off\nsynchronous_commit = off\n");
        }
        let mut file = OpenOptions::new().append(true).open(self.data().join("postgresql.conf")).unwrap();
        file.write_all(settings.as_bytes()).unwrap();
    }

    fn start_on_a_free_port(&mut self) {
        let mut failure = String::new();
        for _ in 0..PORTS_TRIED {
            self.port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).unwrap().port();
            match self.try_start() {
                Ok(()) => return,
                Err(error) => failure = error,
            }
        }
        panic!("PostgreSQL does not start: {failure}\n{}", self.log());
    }

    fn try_start(&self) -> Result<(), String> {
        let mut start = self.pg_ctl();
        start.args(["start", "-w", "-t", "60", "-l"]).arg(self.folder.join("log"));
        run(start.arg("-o").arg(format!("-p {}", self.port))).map(drop)
    }

    fn pg_ctl(&self) -> Command {
        let mut command = self.programs.command("pg_ctl");
        command.arg("-D").arg(self.data());
        command
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }
}

/// A process that waits for the end of its input, which comes with the end of the test program however that ends. It
/// then stops the server at once (SIGQUIT), waits until that has taken back the file with its number, and removes the
/// folder.
#[derive(Debug)]
struct Guardian(Child);

const GUARDIAN: &str = r#"
    trap '' INT TERM HUP
    cat
    file=$1/data/postmaster.pid
    if pid=$(head -n 1 "$file"); then
        kill -QUIT "$pid"
        for _ in $(seq 200); do [ -e "$file" ] && sleep 0.05; done
    fi
    rm -rf "$1"
"#;

impl Guardian {
    fn of(folder: &Path) -> Result<Self, String> {
        let mut guardian = Command::new("sh");
        guardian.args(["-c", GUARDIAN, "guardian"]).arg(folder);
        guardian.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // A Ctrl-C is for the whole group of the test program, and the guardian has to outlive it.
        guardian.process_group(0).spawn().map(Self).map_err(|e| format!("sh: {e}"))
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
