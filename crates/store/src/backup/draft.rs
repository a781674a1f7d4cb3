//! A file under a name of its own until it is whole.

use crate::StoreError;
use crate::copy::Replace;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Gone when dropped.
pub(super) struct Draft(PathBuf);

impl Draft {
    /// Makes an empty file beside the one that it is to become, for its owner alone.
    pub fn beside(path: &Path) -> Result<Self, StoreError> {
        let mut random = [0; 8];
        getrandom::fill(&mut random)
            .map_err(|e| StoreError::Startup(format!("the system has no randomness: {e}")))?;
        let mut name = OsString::from(path);
        name.push(format!(".{}.tmp", hex::encode(random)));
        let draft = Self(PathBuf::from(name));
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft.0);
        made.map_err(|e| {
            StoreError::Startup(format!(
                "cannot write beside {}: {e}; check that its folder exists and can be written",
                path.display()
            ))
        })?;
        Ok(draft)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Gives the file its name, durably. Without leave to replace, a file that is there stays.
    pub fn put_in_place(self, path: &Path, replace: Replace) -> Result<(), StoreError> {
        let put = || -> io::Result<()> {
            File::open(&self.0)?.sync_all()?;
            match replace {
                Replace::Yes => fs::rename(&self.0, path)?,
                // A link, unlike a rename, fails where the name is taken.
                Replace::No => fs::hard_link(&self.0, path)?,
            }
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            File::open(folder)?.sync_all()
        };
        put().map_err(|e| StoreError::Startup(format!("cannot write {}: {e}", path.display())))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        for end in ["", "-journal"] {
            let mut name = self.0.as_os_str().to_owned();
            name.push(end);
            // A draft that stays is harmless: nobody else may read it, and nobody looks for it.
            let _ = fs::remove_file(name);
        }
    }
}
