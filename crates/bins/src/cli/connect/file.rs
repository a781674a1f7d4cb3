//! Reading and replacing a client's file: whole or not at all, with a copy of what was there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// `None` where there is no such file.
pub(super) fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Puts the new text in place of the old and returns where the old one was kept.
pub(super) fn replace(path: &Path, old: Option<&str>, new: &str) -> io::Result<Option<PathBuf>> {
    let Some(old) = old else {
        let folder = path.parent().ok_or_else(|| io::Error::other("it has no folder"))?;
        fs::create_dir_all(folder)?;
        let file = written(folder, new)?;
        file.persist_noclobber(path).map_err(|error| error.error)?;
        return Ok(None);
    };
    // The file may be a link into somebody's collection of settings: the link stays, and what it leads to is replaced.
    let path = &fs::canonicalize(path)?;
    let folder = path.parent().ok_or_else(|| io::Error::other("it has no folder"))?;
    let permissions = fs::metadata(path)?.permissions();
    let kept = keep(path, old, permissions.clone())?;
    let file = written(folder, new)?;
    file.as_file().set_permissions(permissions)?;
    // Clients write their own files too, and what one wrote in the meantime must not be lost.
    if read(path)?.as_deref() != Some(old) {
        return Err(io::Error::other("it changed while this program was reading it; try again"));
    }
    file.persist(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()?;
    Ok(Some(kept))
}

fn written(folder: &Path, text: &str) -> io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// A copy under a name that is still free: no earlier copy is lost.
fn keep(path: &Path, text: &str, permissions: fs::Permissions) -> io::Result<PathBuf> {
    const COPIES: usize = 1000;
    for number in 1..=COPIES {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".before-svc-{number}"));
        match File::create_new(&name) {
            Ok(mut file) => {
                // Before anything is in it: the settings may hold keys that others must not read.
                file.set_permissions(permissions)?;
                file.write_all(text.as_bytes())?;
                file.sync_all()?;
                return Ok(PathBuf::from(name));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other(format!("there are {COPIES} copies of it already; remove some")))
}
