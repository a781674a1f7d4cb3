//! A real pseudo-terminal with a program on it, and somebody who types.

use super::PATIENCE;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

pub struct Terminal {
    keys: File,
    shown: Receiver<Vec<u8>>,
    /// All that came so far, and how much of it has been waited for.
    screen: String,
    seen: usize,
    child: Child,
}

impl Terminal {
    /// Starts the program with the terminal in place of its three standard files.
    pub fn start(mut command: Command) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let size = Winsize { ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).unwrap();
        let side = || OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap();
        command.env("TERM", "xterm").stdin(side()).stdout(side()).stderr(side());
        let child = command.spawn().unwrap();
        // The command holds its side of the terminal open, which would hide that the program has ended.
        drop(command);
        let keys = File::from(master);
        let (mut reading, (send, shown)) = (keys.try_clone().unwrap(), channel());
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reading.read(&mut bytes) {
                if send.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { keys, shown, screen: String::new(), seen: 0, child }
    }

    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// What comes up to and with this text, from where the last wait ended.
    pub fn wait_for(&mut self, text: &str) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.screen[self.seen..].find(text) {
                let end = self.seen + at + text.len();
                let came = self.screen[self.seen..end].to_owned();
                self.seen = end;
                return came;
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.shown.recv_timeout(left) {
                Ok(bytes) => self.screen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_) => panic!("{text:?} did not come after:\n{}", &self.screen[self.seen..]),
            }
        }
    }

    /// Types the line and gives what comes before the next prompt.
    pub fn say(&mut self, line: &str) -> String {
        self.press(line);
        self.wait_for(line);
        self.press("\r");
        self.wait_for("svc> ")
    }

    /// As Ctrl-C does at a terminal that sends signals.
    pub fn interrupt(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    }

    /// Waits for the end of the program.
    pub fn end(mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            // A program that still writes must not be held up by a terminal that nobody reads.
            let _ = self.shown.recv_timeout(std::time::Duration::from_millis(10));
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
        }
        panic!("it does not end; it showed:\n{}", self.screen);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
