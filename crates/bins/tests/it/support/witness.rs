//! A running `svc witness`, on a folder of its own.

use super::{Deployment, program};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// Ends with the value.
pub struct WitnessProcess {
    child: Child,
    folder: TempDir,
    /// What `SVC_WITNESS` has to be.
    setting: String,
}

impl WitnessProcess {
    /// A witness that knows the log of this deployment.
    pub fn of(deployment: &Deployment) -> Self {
        Self::start(tempfile::tempdir().unwrap(), &[deployment.svc(&["head", "--key"]).trim()])
    }

    pub fn start(folder: TempDir, keys: &[&str]) -> Self {
        let mut command = Command::new(program("svc"));
        command.env_clear().arg("witness").arg(folder.path()).args(["--listen", "127.0.0.1:0"]);
        for key in keys {
            command.args(["--log", key]);
        }
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let setting =
            lines.map_while(Result::ok).find_map(|line| Some(line.strip_prefix("SVC_WITNESS=")?.to_owned()));
        Self { child, folder, setting: setting.expect("the witness does not start") }
    }

    pub fn setting(&self) -> &str {
        &self.setting
    }

    /// The witness as the replies name it.
    pub fn name(&self) -> &str {
        self.setting.split('#').next().unwrap()
    }

    /// Ends it by force; what it remembers is in the folder.
    pub fn kill(mut self) -> TempDir {
        self.end();
        std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap())
    }

    /// The files in which it remembers each log.
    pub fn checkpoints(&self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.folder.path()).unwrap().map(|file| file.unwrap().path());
        files.filter(|file| file.extension().is_some_and(|end| end == "checkpoint")).collect()
    }

    /// Whether these words are in one of its checkpoints.
    pub fn remembers(&self, words: &str) -> bool {
        let mut held = self.checkpoints().into_iter().filter_map(|file| std::fs::read_to_string(file).ok());
        held.any(|note| note.contains(words))
    }

    /// Has it forget every log.
    pub fn forget(&self) {
        self.checkpoints().iter().for_each(|file| std::fs::remove_file(file).unwrap());
    }

    /// The status and the body of its answer.
    pub fn post(&self, body: &str) -> (u16, String) {
        let address: SocketAddr = self.name().strip_prefix("http://").unwrap().parse().unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        let length = body.len();
        write!(
            stream,
            "POST /add-checkpoint HTTP/1.1\r\nHost: witness\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for WitnessProcess {
    fn drop(&mut self) {
        self.end();
    }
}
