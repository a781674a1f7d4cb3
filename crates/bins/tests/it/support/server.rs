//! A running `svc-server`, and what it has written to its log.

use super::http::{Client, Connection};
use super::{Deployment, PATIENCE, program};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

const ANSWERED_KEPT: usize = 1000;

/// Ends with the value, by force where it was not stopped.
pub struct Server {
    child: Child,
    address: SocketAddr,
    log: Arc<Log>,
}

/// What came on standard error.
#[derive(Default)]
struct Log {
    state: Mutex<Lines>,
    grown: Condvar,
}

#[derive(Default)]
struct Lines {
    kept: Vec<String>,
    /// Lines of requests that were answered. Of a flood only the first ones are kept.
    answered: usize,
    ended: bool,
}

impl Server {
    pub fn start(mut command: Command) -> Self {
        // A port of the system's choice is told in the log, at this level.
        command.env("SVC_PORT", "0").env("SVC_LOG_LEVEL", "INFO");
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let log = Arc::new(Log::default());
        let (stderr, shared) = (child.stderr.take().unwrap(), log.clone());
        std::thread::spawn(move || shared.read(stderr));
        let line = log.wait_for("listening");
        let address = line.split("address=").nth(1).and_then(|rest| rest.split_whitespace().next());
        let address = address.unwrap_or_else(|| panic!("no address: {line}")).parse().unwrap();
        Self { child, address, log }
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn connect(&self) -> Connection {
        Connection::open(self.address)
    }

    pub fn client(&self, key: &str) -> Client {
        Client::new(self.address, key)
    }

    /// Returns the first line of the log that holds these words, once there is one.
    pub fn wait_for_log(&self, words: &str) -> String {
        self.log.wait_for(words)
    }

    /// What the log holds.
    pub fn log(&self) -> Vec<String> {
        self.log.state.lock().unwrap().kept.clone()
    }

    /// Resident memory of its own in bytes: pages of the database file that the system keeps in memory do not count.
    pub fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
        let kilobytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        kilobytes * 1024
    }

    /// SIGTERM: the request to finish and go.
    pub fn terminate(&self) {
        let sent = Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(sent.success());
    }

    /// SIGKILL: the process gets no chance to tidy up.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn wait(mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "the server does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Log {
    fn read(&self, stderr: impl std::io::Read) {
        use std::io::BufRead;
        for line in std::io::BufReader::new(stderr).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).into_owned();
            let mut lines = self.state.lock().unwrap();
            let is_answered = line.contains(": answered ") && !line.contains("panicked");
            lines.answered += usize::from(is_answered);
            if !is_answered || lines.answered <= ANSWERED_KEPT {
                lines.kept.push(line);
            }
            drop(lines);
            self.grown.notify_all();
        }
        self.state.lock().unwrap().ended = true;
        self.grown.notify_all();
    }

    fn wait_for(&self, words: &str) -> String {
        let holds = |lines: &Lines| lines.kept.iter().find(|line| line.contains(words)).cloned();
        let lines = self.state.lock().unwrap();
        let waiting = |lines: &mut Lines| !lines.ended && holds(lines).is_none();
        let (lines, _) = self.grown.wait_timeout_while(lines, PATIENCE, waiting).unwrap();
        holds(&lines).unwrap_or_else(|| panic!("no '{words}' in the log:\n{}", lines.kept.join("\n")))
    }
}

/// Thousands of clients need more than the usual limit of 1024; a server that is started later gets the same.
pub fn allow_open_files() {
    let pid = std::process::id().to_string();
    let raised = Command::new("prlimit").args(["--pid", &pid, "--nofile=8192:"]).status().unwrap();
    assert!(raised.success(), "the limit of open files cannot be raised to 8192");
}

impl Deployment {
    /// Makes a principal as the operator does, with further arguments of the command line; returns its id and key. It is
    /// an admin unless the arguments give another role.
    pub fn principal(&self, name: &str, arguments: &[&str]) -> (String, String) {
        let role: &[&str] = if arguments.contains(&"--role") { &[] } else { &["--role", "admin"] };
        let all = [&["principal", "create", name], role, arguments].concat();
        let output = self.run(&program("svc"), &all);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        created(&text)
    }
}

/// The id and the key in the reply of `create_principal`.
pub fn created(text: &str) -> (String, String) {
    let word = |start: &str| text.split_whitespace().find(|word| word.starts_with(start));
    match (word("prin_"), word("svc_sk_")) {
        (Some(id), Some(key)) => (id.to_owned(), key.to_owned()),
        _ => panic!("no principal: {text}"),
    }
}
