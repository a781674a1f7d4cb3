//! A process watched by `strace`, from now on and with all its threads.

use crate::support::PATIENCE;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Ends with the value; the watched process goes on.
pub struct Strace(Child);

/// Why this machine cannot have it.
pub fn missing() -> Option<String> {
    match Command::new("strace").args(["-o", "/dev/null", "true"]).stderr(Stdio::null()).status() {
        Ok(status) if status.success() => None,
        Ok(_) => Some("this process may not trace another one".to_owned()),
        Err(_) => Some("install Debian's package `strace`".to_owned()),
    }
}

impl Strace {
    /// Returns once all threads are watched. What is seen goes into the file.
    pub fn attach(process: u32, seen: &Path, options: &[&str]) -> Self {
        let mut command = Command::new("strace");
        command.args(["-f", "-y", "-p", &process.to_string(), "-o"]).arg(seen).args(options);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let (send, attached) = channel();
        let told = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in told.lines().map_while(Result::ok) {
                let _ = send.send(line);
            }
        });
        let line = attached.recv_timeout(PATIENCE).expect("strace says what it does");
        assert!(line.contains("attached"), "{line}");
        Self(child)
    }

    /// Lets the process go, and returns once all that was seen is written.
    pub fn detach(self) {
        drop(self);
    }
}

/// More than it needs to let a living process go. Of one that was killed it sometimes never hears.
const LETTING_GO: Duration = Duration::from_secs(2);

impl Drop for Strace {
    fn drop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.0);
        // It may have ended with the process that it watched.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::INT);
        let deadline = Instant::now() + LETTING_GO;
        while matches!(self.0.try_wait(), Ok(None)) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
