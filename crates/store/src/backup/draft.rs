//! A file under a name of its own until it is whole.

use crate::StoreError;
use crate::copy::Replace;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// How the name of a draft ends, in whatever folder and of whatever file it is.
const ENDING: &str = ".svc-draft";
/// What may be beside a draft while it is written, or used.
const BESIDE: [&str; 4] = ["-journal", "-wal", "-shm", ".head"];

/// Gone when dropped, and at the next draft in its folder where the process was killed.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    /// Locked as long as somebody is at work on it. It must stay open: closing any handle on the file would take the
    /// locks away that SQLite holds on it.
    _lock: File,
}

impl Draft {
    /// Makes an empty file beside the one that it is to become, for its owner alone.
    pub fn beside(path: &Path) -> Result<Self, StoreError> {
        remove_left_over(folder_of(path));
        let mut random = [0; 8];
        getrandom::fill(&mut random)
            .map_err(|e| StoreError::Startup(format!("the system has no randomness: {e}")))?;
        let mut name = OsString::from(path);
        name.push(format!(".{}{ENDING}", hex::encode(random)));
        let draft = PathBuf::from(name);
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft);
        let lock = made.and_then(|file| file.lock().map(|()| file)).map_err(|e| {
            StoreError::Startup(format!(
                "cannot write beside {}: {e}; check that its folder exists and can be written",
                path.display()
            ))
        })?;
        Ok(Self { path: draft, _lock: lock })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name, durably. Without leave to replace, a file that is there stays.
    pub fn put_in_place(self, path: &Path, replace: Replace) -> Result<(), StoreError> {
        let put = || -> io::Result<()> {
            File::open(&self.path)?.sync_all()?;
            match replace {
                Replace::Yes => fs::rename(&self.path, path)?,
                // A link, unlike a rename, fails where the name is taken.
                Replace::No => fs::hard_link(&self.path, path)?,
            }
            File::open(folder_of(path))?.sync_all()
        };
        put().map_err(|e| StoreError::Startup(format!("cannot write {}: {e}", path.display())))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn remove(draft: &Path) {
    for end in BESIDE.into_iter().chain([""]) {
        let mut name = draft.as_os_str().to_owned();
        name.push(end);
        // One that stays is removed by the next draft in this folder, and nobody else may read it.
        let _ = fs::remove_file(name);
    }
}

/// Removes the drafts of runs that were killed. One that is locked is being written. One that is empty may be about to
/// be locked, and holds nothing.
fn remove_left_over(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_draft = path.as_os_str().as_encoded_bytes().ends_with(ENDING.as_bytes());
        let holds_something = || entry.metadata().is_ok_and(|file| file.is_file() && file.len() > 0);
        if is_draft && holds_something() && File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
            remove(&path);
        }
    }
}
