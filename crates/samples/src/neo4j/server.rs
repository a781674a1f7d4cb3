//! A Neo4j server of our own, in a folder of its own, that goes when the test program does.

use super::programs;
use crate::tools::run;
use std::fs;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A start takes about five seconds; a loaded machine may need many times that.
const PATIENCE: Duration = Duration::from_secs(120);
/// Another program may take a port between our choosing it and the server's binding it.
const PORTS_TRIED: usize = 5;

/// For a certificate of this machine, which is not an authority.
const REQUEST: &str = "[req]\ndistinguished_name = name\nx509_extensions = extensions\nprompt = no\n\
    [name]\nCN = localhost\n\
    [extensions]\nbasicConstraints = CA:FALSE\nsubjectAltName = DNS:localhost, IP:127.0.0.1\n";

#[derive(Debug)]
pub struct Server {
    archives: PathBuf,
    folder: PathBuf,
    port: u16,
    password: String,
    java: Mutex<Option<Child>>,
    _guardian: Guardian,
}

impl Server {
    /// An error says why this machine cannot have one. A server that it should be able to have and that does not start
    /// is a failure.
    pub fn new() -> Result<Self, String> {
        let archives = programs::fetched()?;
        let folder =
            tempfile::Builder::new().prefix("svc-neo4j-").tempdir().map_err(|e| e.to_string())?.keep();
        let _guardian = Guardian::of(&folder)?;
        let password = format!("{:016x}", getrandom::u64().unwrap());
        let mut server = Self { archives, folder, port: 0, password, java: Mutex::new(None), _guardian };
        server.make_certificate()?;
        server.set_password();
        server.start_on_a_free_port();
        Ok(server)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn password(&self) -> &str {
        &self.password
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The server's certificate, which nobody trusts.
    pub fn certificate(&self) -> PathBuf {
        self.folder.join("certificates/bolt/public.crt")
    }

    pub fn start(&self) {
        let runs = self.java.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        assert!(runs || self.try_start(), "Neo4j does not start:\n{}", self.log());
    }

    pub fn end(&self, signal: &str) {
        let ended = self.java.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut java) = ended {
            run(Command::new("kill").arg(format!("-{signal}")).arg(java.id().to_string())).unwrap();
            java.wait().unwrap();
        }
        let _ = fs::remove_file(self.folder.join("pid"));
    }

    fn make_certificate(&self) -> Result<(), String> {
        let folder = self.folder.join("certificates/bolt");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("request"), REQUEST).unwrap();
        let mut openssl = Command::new("openssl");
        openssl.args(["req", "-x509", "-nodes", "-days", "30", "-newkey", "rsa:2048", "-config", "request"]);
        openssl.args(["-keyout", "private.key", "-out", "public.crt"]);
        run(openssl.current_dir(&folder)).map(|_| ())
    }

    fn set_password(&self) {
        fs::create_dir(self.folder.join("conf")).unwrap();
        let mut admin = programs::java(&self.archives, "org.neo4j.cli.AdminTool");
        admin.args(["dbms", "set-initial-password", &self.password]);
        run(admin.env("NEO4J_HOME", &self.folder).env("NEO4J_CONF", self.folder.join("conf"))).unwrap();
    }

    fn start_on_a_free_port(&mut self) {
        for _ in 0..PORTS_TRIED {
            self.port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).unwrap().port();
            fs::write(self.folder.join("conf/neo4j.conf"), self.settings()).unwrap();
            if self.try_start() {
                return;
            }
        }
        panic!("Neo4j does not start:\n{}", self.log());
    }

    fn settings(&self) -> String {
        let port = self.port;
        format!(
            "server.default_listen_address=127.0.0.1\n\
             server.bolt.listen_address=:{port}\n\
             server.bolt.advertised_address=127.0.0.1:{port}\n\
             server.bolt.tls_level=OPTIONAL\n\
             dbms.ssl.policy.bolt.enabled=true\n\
             server.http.enabled=false\n\
             server.memory.pagecache.size=32m\n\
             db.tx_log.preallocate=false\n\
             dbms.usage_report.enabled=false\n"
        )
    }

    fn try_start(&self) -> bool {
        let _ = fs::remove_file(self.log_file());
        let server = programs::java(&self.archives, "org.neo4j.server.CommunityEntryPoint");
        // The number is written before the server begins, for the guardian.
        let mut shell = Command::new("sh");
        shell.args(["-c", r#"echo $$ >"$0/pid"; exec "$@""#]).arg(&self.folder);
        shell.arg(server.get_program()).args(server.get_args());
        shell.arg(format!("--home-dir={}", self.folder.display()));
        shell.arg(format!("--config-dir={}", self.folder.join("conf").display()));
        shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // A Ctrl-C is for the whole group of the test program; the guardian ends the server.
        let mut java = shell.process_group(0).spawn().unwrap();
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline && matches!(java.try_wait(), Ok(None)) {
            if self.log().contains(" Started.") {
                *self.java.lock().unwrap_or_else(PoisonError::into_inner) = Some(java);
                return true;
            }
            sleep(Duration::from_millis(50));
        }
        let _ = java.kill();
        let _ = java.wait();
        false
    }

    fn log_file(&self) -> PathBuf {
        self.folder.join("logs/neo4j.log")
    }

    fn log(&self) -> String {
        fs::read_to_string(self.log_file()).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end("KILL");
    }
}

/// A process that waits for the end of its input, which comes with the end of the test program however that ends. It
/// then kills the server, waits until that is gone, and removes the folder.
#[derive(Debug)]
struct Guardian(Child);

const GUARDIAN: &str = r#"
    trap '' INT TERM HUP
    cat
    if pid=$(cat "$1/pid"); then
        kill -KILL "$pid"
        for _ in $(seq 200); do kill -0 "$pid" && sleep 0.05; done
    fi
    rm -rf "$1"
"#;

impl Guardian {
    fn of(folder: &Path) -> Result<Self, String> {
        let mut guardian = Command::new("sh");
        guardian.args(["-c", GUARDIAN, "guardian"]).arg(folder);
        guardian.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // It has to outlive a Ctrl-C too.
        guardian.process_group(0).spawn().map(Self).map_err(|e| format!("sh: {e}"))
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
